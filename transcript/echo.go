package transcript

import (
	"regexp"
	"strings"
)

// OwnMarker begins the first prompt of every chat that recall itself holds with
// a model through a client that writes transcripts: summaries, extraction. The
// records of such a chat are Noise with the reason "own chat".
const OwnMarker = "[recall: own chat, not to be indexed]"

// ownTools are recall's MCP tools. They are known by name under any server
// name: a user may have registered the server as something else.
var ownTools = []string{"search_prior_conversations", "read_prior_conversation"}

func isOwnTool(name string) bool {
	rest, mcp := strings.CutPrefix(name, "mcp__")
	if !mcp {
		return false
	}
	for _, tool := range ownTools {
		if strings.HasSuffix(rest, "__"+tool) {
			return true
		}
	}
	return false
}

// isOwnCall tells whether a tool call asks recall: its result then repeats old
// conversations and must not be found again. text is the rendered input.
func isOwnCall(name, text string) bool {
	switch name {
	case "Bash", "PowerShell":
		return isOwnShell(text)
	case "ToolSearch", "Skill":
		return strings.Contains(text, ownTools[0]) || strings.HasPrefix(text, "skill: recall:")
	case "ReadMcpResourceTool":
		return strings.Contains(text, "recall://")
	}
	return isOwnTool(name)
}

func isOwnCommand(name string) bool {
	name = strings.TrimPrefix(name, "/")
	return name == "recall" || strings.HasPrefix(name, "recall:") || strings.HasPrefix(name, "mcp__recall__") || strings.HasPrefix(name, "mcp__plugin_recall_")
}

// ownShell matches recall's commands that print old conversations, where the
// shell would run them.
var ownShell = regexp.MustCompile(`(?:^|[;&|(\n]\s*|\bgo\s+run\s+)` +
	`(?:[A-Za-z_]\w*=\S*\s+|(?:time|sudo|exec|command|env|timeout\s+\S+)\s+)*` +
	`["']?(?:[^\s;&|("']*/)?recall(?:\.exe)?["']?\s+(?:--?\S+\s+)*(?:search|show|dropped|verify|keep)\b`)

func isOwnShell(command string) bool {
	return strings.Contains(command, "recall") && ownShell.MatchString(command)
}
