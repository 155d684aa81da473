package transcript

import (
	"regexp"
	"strings"
)

// Literals that the client puts around a summary's own text.
const (
	summaryStart = "This session is being continued from a previous conversation that ran out of context."
	summaryRange = "The summary below covers the earlier portion of the conversation."
	summaryOld   = "The conversation is summarized below:" // 1.0.128, 2.0.76
	summaryLabel = "Summary:"
	pointerStart = "If you need specific details from before compaction"
)

// summaryEnds begin the paragraphs that tell the model how to go on.
var summaryEnds = []string{
	pointerStart,
	"Continue the conversation from where it left off",
	"Please continue the conversation from where we left",
	"The messages after this summary are the most recent messages",
}

var pointerLine = regexp.MustCompile(`read the full transcript at: ([^\r\n]+\.jsonl)`)

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

// SummaryBody returns what the model wrote of a summary's text, without the
// client's sentences before and after it.
func SummaryBody(text string) string {
	s := strings.TrimSpace(stripReminders(text))
	for _, lead := range []string{summaryStart, summaryRange, summaryOld, summaryLabel} {
		s = strings.TrimSpace(strings.TrimPrefix(s, lead))
	}
	for _, end := range summaryEnds {
		if i := strings.LastIndex("\n"+s, "\n"+end); i >= 0 {
			s = s[:max(i-1, 0)]
		}
	}
	return strings.TrimSpace(s)
}
