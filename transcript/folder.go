package transcript

import (
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"unicode/utf16"
)

const maxFolder = 200 // UTF-16 units of a folder name that stay as they are

// EncodeDir returns the name of the folder below projects that Claude Code
// keeps the transcripts of a working folder in. path must be the real path,
// symbolic links resolved. The name cannot be turned back into a path, and two
// paths may have the same: what a record's cwd says decides.
func EncodeDir(path string) string {
	units := utf16.Encode([]rune(path))
	var name strings.Builder
	hash := int32(0)
	for i, u := range units {
		hash = hash*31 + int32(u)
		if i >= maxFolder {
			continue
		}
		if u < 128 && (u >= '0' && u <= '9' || u >= 'A' && u <= 'Z' || u >= 'a' && u <= 'z') {
			name.WriteByte(byte(u))
		} else {
			name.WriteByte('-')
		}
	}
	if len(units) > maxFolder {
		abs := int64(hash)
		if abs < 0 {
			abs = -abs
		}
		name.WriteString("-" + strconv.FormatInt(abs, 36))
	}
	return name.String()
}

// Meta is what is known of a sub-agent besides its transcript.
type Meta struct {
	AgentType   string `json:"agentType"`
	Description string `json:"description"`
	ToolID      string `json:"toolUseId"` // the call in the parent conversation that started it
	Model       string `json:"model"`
}

// ReadMeta reads the file beside a sub-agent's transcript that describes it.
// Without one, or when it cannot be read, Meta is zero.
func ReadMeta(f File) (m Meta) {
	data, err := os.ReadFile(strings.TrimSuffix(f.Path, ".jsonl") + ".meta.json")
	if err != nil || f.Agent == "" || json.Unmarshal(data, &m) != nil {
		return Meta{}
	}
	return m
}
