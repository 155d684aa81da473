package transcript

import (
	"strings"
	"testing"
)

const (
	pointerTo = "If you need specific details from before compaction (like exact code snippets, error messages, or content you generated), read the full transcript at: "
	goOn      = "Continue the conversation from where it left off without asking the user any further questions."
)

func TestSummaryPointer(t *testing.T) {
	tests := map[string]struct{ text, want string }{
		"end of the text":       {"x\n\n" + pointerTo + "/home/dev/a.jsonl", "/home/dev/a.jsonl"},
		"more text behind":      {pointerTo + "/home/dev/a.jsonl\n" + goOn, "/home/dev/a.jsonl"},
		"blanks in the path":    {pointerTo + "/home/my dev/a b.jsonl\n", "/home/my dev/a b.jsonl"},
		"carriage return":       {pointerTo + "/a.jsonl\r\nx", "/a.jsonl"},
		"summary of a summary":  {"quote: " + pointerTo + "/old.jsonl\n" + pointerTo + "/new.jsonl", "/new.jsonl"},
		"windows":               {pointerTo + `C:\Users\me\.claude\projects\x\a.jsonl`, `C:\Users\me\.claude\projects\x\a.jsonl`},
		"folder like a file":    {pointerTo + "/a.jsonl.d/b.jsonl", "/a.jsonl.d/b.jsonl"},
		"none (older clients)":  {"This session is being continued", ""},
		"another extension":     {pointerTo + "/a.json", ""},
		"path on the next line": {"read the full transcript at: \n/a.jsonl", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, ok := SummaryPointer(test.text)
			if got != test.want || ok != (test.want != "") {
				t.Errorf("got %q, %v", got, ok)
			}
		})
	}
}

func TestSummaryBody(t *testing.T) {
	const body = "1. Primary Request and Intent: harden the worker.\n8. Current Work: none."
	tests := map[string]struct{ text, want string }{
		"2.1.332":           {summaryStart + " " + summaryRange + "\n\n<system-reminder>\n<tools-used-before-summary>Bash</tools-used-before-summary>\n</system-reminder>\nSummary:\n" + body + "\n\n" + pointerTo + "/a.jsonl\n" + goOn, body},
		"2.1.85":            {summaryStart + " " + summaryRange + "\n\nSummary:\n" + body + "\n\n" + pointerTo + "/a.jsonl\nPlease continue the conversation from where we left it off without asking.", body},
		"2.0.76":            {summaryStart + " " + summaryOld + "\nAnalysis:\nfirst\n\nSummary:\n" + body + "\nPlease continue the conversation from where we left it off.", "Analysis:\nfirst\n\nSummary:\n" + body},
		"kept tail":         {summaryStart + "\n" + body + "\n\nThe messages after this summary are the most recent messages.", body},
		"quotes an ending":  {summaryStart + "\n" + body + "\n- the user said: " + goOn + "\n\n" + pointerTo + "/a.jsonl", body + "\n- the user said: " + goOn},
		"model's text only": {body, body},
		"only our words":    {summaryStart + "\n\n" + pointerTo + "/a.jsonl", ""},
		"nothing":           {"", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := SummaryBody(test.text); got != test.want {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}

func TestSummariesOfRecordings(t *testing.T) {
	pointers, bodies := 0, 0
	for _, name := range recordedFiles(t) {
		for _, rec := range readAll(t, name) {
			if !rec.IsSummary {
				continue
			}
			text := rec.Parts[0].Text
			if path, ok := SummaryPointer(text); ok && strings.HasPrefix(path, "/home/dev/") {
				pointers++
			}
			body := SummaryBody(text)
			if body != "" && !strings.Contains(body, "session is being continued") && !strings.Contains(body, "full transcript") && !strings.Contains(body, "tools-used") {
				bodies++
			} else {
				t.Errorf("%s:%d: body %q", name, rec.Line, body)
			}
		}
	}
	if pointers < 30 || bodies < 30 {
		t.Errorf("%d pointers, %d bodies", pointers, bodies)
	}
}
