package transcript

import (
	"regexp"
	"strings"
)

// summaryStart begins every summary that takes the place of a conversation.
const summaryStart = "This session is being continued from a previous conversation that ran out of context."

var pointerLine = regexp.MustCompile(`(?m)read the full transcript at: ([^\r\n]+\.jsonl)`)

// SummaryPointer returns the path of the transcript that a summary's text
// points at: the last one, if there are several. The path may hold spaces, and
// after a fork it names the file of the session forked from.
func SummaryPointer(text string) (path string, ok bool) {
	if !strings.Contains(text, "transcript at: ") {
		return "", false
	}
	all := pointerLine.FindAllStringSubmatch(text, -1)
	if len(all) == 0 {
		return "", false
	}
	return all[len(all)-1][1], true
}
