package anchors

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	sessionA = "edd44f35-0a1b-4c2d-8e3f-aabbccddeeff"
	uuidA    = "3fa9c1aa-1111-4222-8333-444455556666"
)

var summaryText = "This session is being continued from a previous conversation.\n\nSummary:\n1. see " + uuidA + "\n\n" +
	"If you need specific details from before compaction (like exact code snippets, error messages, or content you generated), " +
	"read the full transcript at: /home/dev/my notes/.claude/projects/-p/" + sessionA + ".jsonl\nContinue the conversation."

func TestParse(t *testing.T) {
	file := "/home/dev/.claude/projects/-p/" + sessionA + ".jsonl"
	tests := map[string]struct {
		in   string
		want Pointer
	}{
		"printed message":              {"recall:edd44f35#3fa9c1aa", Pointer{Session: "edd44f35", Message: "3fa9c1aa"}},
		"full ids":                     {"recall:" + sessionA + "#" + uuidA, Pointer{Session: sessionA, Message: uuidA}},
		"upper case":                   {"Recall:EDD44F35#3FA9C1AA", Pointer{Session: "edd44f35", Message: "3fa9c1aa"}},
		"range":                        {"recall:edd44f35#3fa9c1aa..77aa00bb", Pointer{Session: "edd44f35", Message: "3fa9c1aa", To: "77aa00bb"}},
		"whole session":                {"recall:edd44f35", Pointer{Session: "edd44f35"}},
		"dropped":                      {"recall:edd44f35#dropped-2", Pointer{Session: "edd44f35", Dropped: 2}},
		"sub-agent":                    {"recall:edd44f35/a7c768d90316ccdf0", Pointer{Session: "edd44f35", Agent: "a7c768d90316ccdf0"}},
		"message of a sub-agent":       {"recall:edd44f35/a7c7#3fa9c1aa", Pointer{Session: "edd44f35", Agent: "a7c7", Message: "3fa9c1aa"}},
		"session's lines":              {"recall:edd44f35:120-180", Pointer{Session: "edd44f35", FromLine: 120, ToLine: 180}},
		"session with odd name":        {"recall:my%20notes#3fa9c1aa", Pointer{Session: "my notes", Message: "3fa9c1aa"}},
		"resource of a session":        {"recall://session/" + sessionA, Pointer{Session: sessionA}},
		"resource of a message":        {"recall://message/" + sessionA + "/" + uuidA, Pointer{Session: sessionA, Message: uuidA}},
		"without the scheme":           {"edd44f35#3fa9c1aa", Pointer{Session: "edd44f35", Message: "3fa9c1aa"}},
		"bare uuid":                    {uuidA, Pointer{ID: uuidA}},
		"beginning of an id":           {"3fa9c1aa", Pointer{ID: "3fa9c1aa"}},
		"beginning across the dash":    {"3fa9c1aa-11", Pointer{ID: "3fa9c1aa-11"}},
		"call":                         {"toolu_01F000mx3no2q50000000001", Pointer{Tool: "toolu_01F000mx3no2q50000000001"}},
		"transcript":                   {file, Pointer{Path: file}},
		"path with spaces":             {"/home/dev/my notes/x y.jsonl", Pointer{Path: "/home/dev/my notes/x y.jsonl"}},
		"line range":                   {file + ":120-180", Pointer{Path: file, FromLine: 120, ToLine: 180}},
		"line":                         {file + ":120", Pointer{Path: file, FromLine: 120, ToLine: 120}},
		"lines to the end":             {file + ":120-", Pointer{Path: file, FromLine: 120}},
		"lines backwards":              {file + ":180-120", Pointer{Path: file, FromLine: 120, ToLine: 180}},
		"lines as on a web page":       {file + "#L120-L180", Pointer{Path: file, FromLine: 120, ToLine: 180}},
		"windows path":                 {`C:\Users\me\.claude\projects\C--p\a.jsonl:3`, Pointer{Path: `C:\Users\me\.claude\projects\C--p\a.jsonl`, FromLine: 3, ToLine: 3}},
		"home folder":                  {"~/.claude/projects/-p/a.jsonl", Pointer{Path: "~/.claude/projects/-p/a.jsonl"}},
		"file URL":                     {"file://" + file, Pointer{Path: file}},
		"file name":                    {sessionA + ".jsonl:7", Pointer{Path: sessionA + ".jsonl", FromLine: 7, ToLine: 7}},
		"quoted":                       {"`recall:edd44f35#3fa9c1aa`.", Pointer{Session: "edd44f35", Message: "3fa9c1aa"}},
		"brackets and blanks":          {"  [recall:edd44f35#3fa9c1aa..77aa00bb] ", Pointer{Session: "edd44f35", Message: "3fa9c1aa", To: "77aa00bb"}},
		"sentence":                     {"read the full transcript at: /a b/c.jsonl", Pointer{Path: "/a b/c.jsonl"}},
		"summary, the sentence counts": {summaryText, Pointer{Path: "/home/dev/my notes/.claude/projects/-p/" + sessionA + ".jsonl"}},
		"first in a text":              {"as decided in recall:edd44f35#3fa9c1aa, not recall:aaaa0000", Pointer{Session: "edd44f35", Message: "3fa9c1aa"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := Parse(test.in)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if again, err := Parse(got.String()); err != nil || again != got {
				t.Errorf("%q is read as %+v, %v", got.String(), again, err)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	for reason, in := range map[string]string{
		"nothing":               "",
		"a word":                "configuration",
		"a date":                "2026-11-03",
		"a short hex word":      "bad",
		"scheme alone":          "recall:",
		"no message":            "recall:edd44f35#",
		"half a range":          "recall:edd44f35#..b",
		"compaction 0":          "recall:edd44f35#dropped-0",
		"bad escape":            "recall:a%2",
		"extension alone":       "/home/dev/.jsonl",
		"another extension":     "/home/dev/a.jsonl2",
		"prose with the scheme": "recall: we chose sqlite",
	} {
		t.Run(reason, func(t *testing.T) {
			if p, err := Parse(in); !errors.Is(err, ErrNotPointer) {
				t.Errorf("got %+v, %v", p, err)
			}
		})
	}
}

func TestInText(t *testing.T) {
	tests := map[string]struct {
		in   string
		want []string
	}{
		"several kinds, in order": {
			"From recall:edd44f35#3fa9c1aa.. and toolu_01Abcdef, then " + uuidA + "; see `/a b/c.jsonl:1-2`.",
			[]string{"recall:edd44f35#3fa9c1aa", "toolu_01Abcdef", uuidA, "/a b/c.jsonl:1-2"},
		},
		"summary item":                {"- raised the limit [recall:edd44f35#3fa9c1aa..77aa00bb]", []string{"recall:edd44f35#3fa9c1aa..77aa00bb"}},
		"once each":                   {"recall:edd44f35 recall:edd44f35", []string{"recall:edd44f35"}},
		"end of a sentence":           {"It is in recall:edd44f35#dropped-2.", []string{"recall:edd44f35#dropped-2"}},
		"id inside a path":            {"/p/" + sessionA + ".jsonl", []string{"/p/" + sessionA + ".jsonl"}},
		"path after another path":     {"cp /usr/bin/x and /home/a b/c.jsonl", []string{"/home/a b/c.jsonl"}},
		"summary":                     {summaryText, []string{uuidA, "/home/dev/my notes/.claude/projects/-p/" + sessionA + ".jsonl"}},
		"two paths on a line":         {"/a/b.jsonl:3 /c/d.jsonl", []string{"/a/b.jsonl:3", "/c/d.jsonl"}},
		"folder that looks like one":  {"/a.jsonl/b.jsonl", []string{"/a.jsonl/b.jsonl"}},
		"prose that says recall:this": {"recall:this is no session", nil},
		"hex words":                   {"a facade of 12345678 decades", nil},
		"link":                        {"[log](file:///home/x.jsonl)", []string{"/home/x.jsonl"}},
		"own resource":                {"open recall://session/" + sessionA, []string{"recall:" + sessionA}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, p := range InText(test.in) {
				got = append(got, p.String())
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestInTextOfLongLine(t *testing.T) {
	for name, unit := range map[string]string{
		"extensions": "/.jsonl", "paths": "/a.jsonl ", "schemes": "recall:", "slashes": " /", "uuids": uuidA + " ",
	} {
		t.Run(name, func(t *testing.T) {
			InText(strings.Repeat(unit, 20_000)) // must not take time in the square of the length
		})
	}
}

func TestShort(t *testing.T) {
	tests := map[string]struct {
		full   string
		unique func(string) bool
		want   string
	}{
		"8 characters":           {sessionA, nil, "edd44f35"},
		"more where not unique":  {sessionA, func(p string) bool { return len(p) > 11 }, "edd44f35-0a1"},
		"never ends in a dash":   {sessionA, func(p string) bool { return len(p) > 8 }, "edd44f35-0"},
		"whole when never":       {sessionA, func(string) bool { return false }, sessionA},
		"short id stays":         {"notes", nil, "notes"},
		"call that is not a hex": {"my long name", nil, "my long "},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := Short(test.full, test.unique); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"recall:edd44f35#3fa9c1aa..77aa00bb", "recall:a/b#dropped-2", "recall:a%20b:3-", "toolu_01A", uuidA, "a b.jsonl:3-9",
		"file://file://x.jsonl#L4", "recall://message/a/b", summaryText, "recall:a#dropped%2D2", "'recall:a..b'", "C:\\x.jsonl",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, err := Parse(s)
		if err != nil {
			if !errors.Is(err, ErrNotPointer) {
				t.Fatal(err)
			}
			return
		}
		again, err := Parse(p.String())
		if err != nil || again != p {
			t.Fatalf("%q: %+v printed as %q is read as %+v, %v", s, p, p.String(), again, err)
		}
	})
}

func FuzzInText(f *testing.F) {
	f.Add(summaryText)
	f.Add("recall:edd44f35#3fa9c1aa.. toolu_01Abcdef `/a b/c.jsonl:1-2` file:///x.jsonl")
	f.Fuzz(func(t *testing.T, s string) {
		for _, p := range InText(s) {
			again, err := Parse(p.String())
			if err != nil || again != p {
				t.Fatalf("%q: %+v printed as %q is read as %+v, %v", s, p, p.String(), again, err)
			}
		}
	})
}
