package index

import (
	"strings"
	"testing"

	"recall/transcript"
)

func TestChunk(t *testing.T) {
	line := strings.Repeat("word ", 19) + "\n"
	middle := strings.Repeat(line, 400) + "fatal error: the needle\n" + strings.Repeat(line, 400)
	for _, c := range []struct {
		reason string
		kind   transcript.Kind
		text   string
		whole  bool // every byte is in a passage
		holds  string
	}{
		{"short", transcript.Text, "one line", true, "one line"},
		{"long prose is covered whole", transcript.Text, strings.Repeat(line, 800), true, "word"},
		{"no spaces to cut at", transcript.Text, strings.Repeat("x", 9000), true, "xxx"},
		{"characters of several bytes", transcript.Text, strings.Repeat("語", 3000), true, "語"},
		{"a long output keeps its error lines", transcript.Output, middle, false, "the needle"},
		{"a huge message keeps its ends", transcript.Text, "first " + strings.Repeat(line, 20000) + " last", false, " last"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			covered, found, end := 0, false, 0
			for _, p := range chunk(c.kind, c.text) {
				s := c.text[p[0]:p[1]]
				if len(s) > chunkSize+chunkMin || strings.ToValidUTF8(s, "") != s {
					t.Fatalf("passage of %d bytes: %.40q", len(s), s)
				}
				found = found || strings.Contains(s, c.holds)
				covered += p[1] - max(p[0], end)
				end = max(end, p[1])
			}
			if !found || c.whole != (covered == len(c.text)) {
				t.Errorf("found %v, %d of %d bytes covered", found, covered, len(c.text))
			}
		})
	}
	if got := chunk(transcript.Text, " \n\t "); got != nil {
		t.Errorf("white space gives %v", got)
	}
}

func TestTitleOf(t *testing.T) {
	for in, want := range map[string]string{
		"Fix the flaky test in queue\nplease":                    "Fix the flaky test in queue",
		"Implement the following plan:\n\n# Move to bbolt\nmore": "Implement the following plan: Move to bbolt",
		"next":                  "next",
		"":                      "",
		strings.Repeat("a", 99): strings.Repeat("a", 79) + "…",
	} {
		if got := titleOf(in); got != want {
			t.Errorf("%q gives %q, want %q", in, got, want)
		}
	}
}
