package demo

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// limit keeps the binary small.
const limit = 1_500_000

func TestExtractWritesWhatIsEmbedded(t *testing.T) {
	dir := t.TempDir()
	for range 2 { // the second call replaces the files of the first
		if err := Extract(dir); err != nil {
			t.Fatal(err)
		}
	}
	sub, err := fs.Sub(history, "history")
	if err != nil {
		t.Fatal(err)
	}
	want, got := contents(t, sub), contents(t, os.DirFS(dir))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("extracted files differ (-want +got):\n%s", diff)
	}
	if len(want) < 12 {
		t.Errorf("%d files, want eleven sessions and a sub-agent", len(want))
	}
	size := 0
	for _, data := range want {
		size += len(data)
	}
	if size > limit {
		t.Errorf("%d bytes, more than %d", size, limit)
	}
}

func TestExtractSaysWhenItCannotWrite(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Extract(file); err == nil {
		t.Error("no error although the folder is a file")
	}
}

func TestAnswerIsInWhatWasDroppedAndNowhereElse(t *testing.T) {
	if strings.Contains(Question, Answer) {
		t.Error("the question holds its answer")
	}
	records := session(t)
	first := slices.IndexFunc(records, record.isBoundary)
	if first < 0 {
		t.Fatal("no compaction")
	}
	last, kept := 0, map[string]bool{}
	for i, r := range records {
		if r.isBoundary() {
			last = i
			for _, u := range r.Compact.Preserved.UUIDs {
				kept[u] = true
			}
		}
	}
	dropped := 0
	for i, r := range records {
		has := strings.Contains(string(r.Message.Content), Answer)
		switch {
		case has && i < first && !kept[r.UUID]:
			dropped++
		case has && (r.Summary || i > last || kept[r.UUID]):
			t.Errorf("record %d, %s: holds the answer although it is still in context", i, r.UUID)
		}
	}
	if dropped == 0 {
		t.Error("no dropped message holds the answer")
	}
}

func TestSummariesCarryThePointer(t *testing.T) {
	n := 0
	for _, r := range session(t) {
		if !r.Summary {
			continue
		}
		n++
		if !strings.Contains(string(r.Message.Content), Pointer+"\n") {
			t.Errorf("summary %s: no pointer line", r.UUID)
		}
	}
	if n != 2 {
		t.Errorf("%d summaries, want 2", n)
	}
}

// TestHistoryIsNeutral guards against a recording copied in as it came.
func TestHistoryIsNeutral(t *testing.T) {
	sub, err := fs.Sub(history, "history")
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range contents(t, sub) {
		for n, line := range strings.Split(strings.TrimSuffix(data, "\n"), "\n") {
			var r record
			if err := json.Unmarshal([]byte(line), &r); err != nil {
				t.Fatalf("%s:%d: %v", name, n+1, err)
			}
			if r.CWD != "" && !strings.HasPrefix(r.CWD, "/home/dev/src/") {
				t.Errorf("%s:%d: working directory %s", name, n+1, r.CWD)
			}
			for _, p := range r.Attachment.SystemPrompt {
				if p != "<removed>" {
					t.Errorf("%s:%d: the client's own prompt text", name, n+1)
				}
			}
		}
	}
}

// record is the part of a transcript record that these tests look at.
type record struct {
	UUID    string `json:"uuid"`
	Subtype string `json:"subtype"`
	CWD     string `json:"cwd"`
	Summary bool   `json:"isCompactSummary"`
	Message struct {
		Content text `json:"content"`
	} `json:"message"`
	Attachment struct {
		SystemPrompt []string `json:"systemPrompt"`
	} `json:"attachment"`
	Compact struct {
		Preserved struct {
			UUIDs []string `json:"uuids"`
		} `json:"preservedMessages"`
	} `json:"compactMetadata"`
}

func (r record) isBoundary() bool { return r.Subtype == "compact_boundary" }

// text is a message's content: the string itself, or the blocks as JSON.
type text string

func (x *text) UnmarshalJSON(data []byte) error {
	var s string
	if json.Unmarshal(data, &s) != nil {
		s = string(data)
	}
	*x = text(s)
	return nil
}

// session reads the records of [Session], in file order.
func session(t *testing.T) []record {
	t.Helper()
	data, err := history.ReadFile("history/projects/-home-dev-src-harbor/" + Session + ".jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var out []record
	for line := range bytes.Lines(data) {
		var r record
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}

// contents reads all files of a tree.
func contents(t *testing.T, tree fs.FS) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(tree, name)
		out[name] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
