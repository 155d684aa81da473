package anchors

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// uuid makes a uuid that begins with the 8 characters given.
func uuid(first string) string { return first + "-0000-4000-8000-000000000000" }

const folder = "/home/dev/.claude/projects/-home-dev-app/"

// store is a history of five sessions:
//
//	aaaa1111  original: m1 prompt, m2 call, m3 result, m4 answer; compacted twice; one sub-agent
//	aaaa2222  a fork of it: m1 to m4 copied, m5 new
//	cccc0000  its transcript is deleted
//	notes     a file with another name, in two folders
//	eeee0000  without messages
func store() *mem {
	orig, fork, old := uuid("aaaa1111"), uuid("aaaa2222"), uuid("cccc0000")
	m := &mem{
		gone:    map[string]bool{folder + old + ".jsonl": true},
		tools:   map[string][]string{"toolu_01": {uuid("00000002"), uuid("00000003")}},
		dropped: map[string][][]string{orig: {{uuid("00000001"), uuid("00000002")}, {}}},
		empty:   []string{uuid("eeee0000")},
	}
	for i := 1; i <= 4; i++ {
		m.places = append(m.places, Place{Session: orig, UUID: uuid(fmt.Sprintf("0000000%d", i)), Path: folder + orig + ".jsonl", Line: 10 * i})
	}
	agent := folder + orig + "/subagents/agent-a7c7.jsonl"
	m.places = append(m.places,
		Place{Session: orig, Agent: "a7c7", UUID: uuid("0000000a"), Path: agent, Line: 1},
		Place{Session: orig, Agent: "a7c7", UUID: uuid("0000000b"), Path: agent, Line: 2})
	for i := 1; i <= 5; i++ {
		m.places = append(m.places, Place{Session: fork, UUID: uuid(fmt.Sprintf("0000000%d", i)), Path: folder + fork + ".jsonl", Line: i})
	}
	m.places = append(m.places,
		Place{Session: old, UUID: uuid("0000000c"), Path: folder + old + ".jsonl", Line: 1},
		Place{Session: old, UUID: uuid("cccc0001"), Path: folder + old + ".jsonl", Line: 2},
		Place{Session: "notes", UUID: uuid("0000000d"), Path: "/p/one/notes.jsonl", Line: 1},
		Place{Session: "notes", UUID: uuid("0000000e"), Path: "/p/two/notes.jsonl", Line: 1})
	return m
}

func names(places []Place) string {
	var out []string
	for _, p := range places {
		s := p.Session
		if len(s) > 8 {
			s = s[:8]
		}
		if p.Agent != "" {
			s += "/" + p.Agent
		}
		if p.UUID != "" {
			s += "#" + p.UUID[:8]
		}
		out = append(out, s)
	}
	return strings.Join(out, " ")
}

func TestResolve(t *testing.T) {
	orig, fork, old := uuid("aaaa1111"), uuid("aaaa2222"), uuid("cccc0000")
	tests := map[string]struct {
		pointer, want string
		whole, gone   bool
	}{
		"one message":                              {"recall:aaaa1111#00000003", "aaaa1111#00000003", false, false},
		"a copy is taken from the session named":   {"recall:aaaa2222#00000003", "aaaa2222#00000003", false, false},
		"a copy without a session: the oldest":     {"00000003", "aaaa1111#00000003", false, false},
		"full uuid":                                {uuid("00000005"), "aaaa2222#00000005", false, false},
		"range":                                    {"recall:aaaa1111#00000002..00000004", "aaaa1111#00000002 aaaa1111#00000003 aaaa1111#00000004", false, false},
		"range written backwards":                  {"recall:aaaa1111#00000003..00000002", "aaaa1111#00000002 aaaa1111#00000003", false, false},
		"range in a sub-agent":                     {"recall:aaaa1111#0000000a..0000000b", "aaaa1111/a7c7#0000000a aaaa1111/a7c7#0000000b", false, false},
		"whole session without its agents":         {"recall:aaaa1111", "aaaa1111#00000001 aaaa1111#00000002 aaaa1111#00000003 aaaa1111#00000004", true, false},
		"whole sub-agent":                          {"recall:aaaa1111/a7c7", "aaaa1111/a7c7#0000000a aaaa1111/a7c7#0000000b", true, false},
		"message of a sub-agent":                   {"recall:aaaa1111/a7c7#0000000b", "aaaa1111/a7c7#0000000b", false, false},
		"message of an agent that is not named":    {"recall:aaaa1111#0000000b", "aaaa1111/a7c7#0000000b", false, false},
		"dropped":                                  {"recall:aaaa1111#dropped-1", "aaaa1111#00000001 aaaa1111#00000002", false, false},
		"call and result":                          {"toolu_01", "aaaa1111#00000002 aaaa1111#00000003", false, false},
		"bare session":                             {"cccc0000", "cccc0000#0000000c cccc0000#cccc0001", true, true},
		"bare beginning of a message":              {"cccc0001", "cccc0000#cccc0001", false, true},
		"transcript":                               {folder + orig + ".jsonl", "aaaa1111#00000001 aaaa1111#00000002 aaaa1111#00000003 aaaa1111#00000004", true, false},
		"lines":                                    {folder + orig + ".jsonl:15-30", "aaaa1111#00000002 aaaa1111#00000003", false, false},
		"lines to the end":                         {folder + orig + ".jsonl:30-", "aaaa1111#00000003 aaaa1111#00000004", false, false},
		"session's lines":                          {"recall:aaaa2222:2-3", "aaaa2222#00000002 aaaa2222#00000003", false, false},
		"agent's lines":                            {"recall:aaaa1111/a7c7:2", "aaaa1111/a7c7#0000000b", false, false},
		"transcript of a sub-agent":                {folder + orig + "/subagents/agent-a7c7.jsonl:1", "aaaa1111/a7c7#0000000a", false, false},
		"folder was renamed":                       {"/home/dev/.claude/projects/-home-dev-old/" + orig + ".jsonl:10", "aaaa1111#00000001", false, false},
		"transcript is deleted":                    {folder + old + ".jsonl", "cccc0000#0000000c cccc0000#cccc0001", true, true},
		"summary of a fork names the old session":  {"read the full transcript at: " + folder + orig + ".jsonl", "aaaa1111#00000001 aaaa1111#00000002 aaaa1111#00000003 aaaa1111#00000004", true, false},
		"uuid of a session that was never indexed": {"recall:dddd0000#" + uuid("00000005"), "aaaa2222#00000005", false, false},
		"range in a session never indexed":         {"recall:dddd0000#" + uuid("0000000a") + ".." + uuid("0000000b"), "aaaa1111/a7c7#0000000a aaaa1111/a7c7#0000000b", false, false},
		"uuid that is only in the fork":            {"recall:aaaa1111#" + uuid("00000005"), "aaaa2222#00000005", false, false},
		"same name in another folder":              {"/p/two/notes.jsonl", "notes#0000000d notes#0000000e", true, false},
		"lines of a file with a known path":        {"/p/two/notes.jsonl:1", "notes#0000000e", false, false},
		"session without messages":                 {"recall:eeee0000", "", true, false},
		"beginning of the fork's id":               {fork[:13], "aaaa2222#00000001 aaaa2222#00000002 aaaa2222#00000003 aaaa2222#00000004 aaaa2222#00000005", true, false},
		"upper case":                               {strings.ToUpper(orig), "aaaa1111#00000001 aaaa1111#00000002 aaaa1111#00000003 aaaa1111#00000004", true, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p, err := Parse(test.pointer)
			if err != nil {
				t.Fatal(err)
			}
			got, err := Resolve(context.Background(), store(), p)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, names(got.Places)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if got.Whole != test.whole || got.Deleted != test.gone {
				t.Errorf("whole %v, deleted %v", got.Whole, got.Deleted)
			}
		})
	}
}

func TestResolveNamesWhatItFound(t *testing.T) {
	p, err := Parse("recall:aaaa1111#00000004..00000002")
	if err != nil {
		t.Fatal(err)
	}
	got, err := Resolve(context.Background(), store(), p)
	if err != nil {
		t.Fatal(err)
	}
	want := Pointer{Session: uuid("aaaa1111"), Message: uuid("00000002"), To: uuid("00000004")}
	if diff := cmp.Diff(want, got.Pointer); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestResolveAmbiguous(t *testing.T) {
	for name, test := range map[string]struct{ pointer, candidates string }{
		"session":                    {"recall:aaaa", "aaaa1111 aaaa2222"},
		"message":                    {"recall:aaaa1111#0000", "aaaa1111#00000001 aaaa1111#00000002 aaaa1111#00000003 aaaa1111#00000004 aaaa1111/a7c7#0000000a aaaa1111/a7c7#0000000b"},
		"session or message":         {"cccc", "cccc0000 cccc0000#cccc0001"},
		"end of a range":             {"recall:aaaa1111/a7c7#0000000a..0000", "aaaa1111/a7c7#0000000a aaaa1111/a7c7#0000000b"},
		"lines of two files by name": {"/old/notes.jsonl:1", "notes#0000000d notes#0000000e"},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := Parse(test.pointer)
			if err != nil {
				t.Fatal(err)
			}
			_, err = Resolve(context.Background(), store(), p)
			var ambiguous *AmbiguousError
			if !errors.As(err, &ambiguous) {
				t.Fatalf("error %v", err)
			}
			if diff := cmp.Diff(test.candidates, names(ambiguous.Candidates)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if !strings.Contains(err.Error(), p.String()+" could be recall:") {
				t.Errorf("message %q", err)
			}
		})
	}
}

func TestResolveUnknown(t *testing.T) {
	for name, test := range map[string]struct{ pointer, reason string }{
		"session":                       {"recall:dddd0000", NeverIndexed},
		"message":                       {"recall:aaaa1111#12345678", "the session has no such message"},
		"message in a session unknown":  {"recall:dddd0000#00000001", NeverIndexed},
		"bare id":                       {"12345678", NeverIndexed},
		"call":                          {"toolu_99", NeverIndexed},
		"file":                          {"/nowhere/x.jsonl", NeverIndexed},
		"lines behind the end":          {folder + uuid("aaaa1111") + ".jsonl:900-", "no message stands at these lines"},
		"session's lines":               {"recall:aaaa1111:900", "no message stands at these lines"},
		"compaction that was not":       {"recall:aaaa1111#dropped-3", "the session has no compaction 3 that dropped anything"},
		"compaction that dropped none":  {"recall:aaaa1111#dropped-2", "the session has no compaction 2 that dropped anything"},
		"sub-agent":                     {"recall:aaaa1111/zzz", "the session has no such sub-agent"},
		"message of another agent":      {"recall:aaaa1111/a7c7#00000001", "the session has no such message"},
		"range across conversations":    {"recall:aaaa1111#00000001..0000000b", "the range begins and ends in different conversations"},
		"range with an end not present": {"recall:aaaa1111#00000001..12345678", "the session has no such message"},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := Parse(test.pointer)
			if err != nil {
				t.Fatal(err)
			}
			_, err = Resolve(context.Background(), store(), p)
			var unknown *UnknownError
			if !errors.Is(err, ErrNotFound) || !errors.As(err, &unknown) {
				t.Fatalf("error %v", err)
			}
			if unknown.Reason != test.reason {
				t.Errorf("reason %q, want %q", unknown.Reason, test.reason)
			}
		})
	}
}

func TestResolveForgotten(t *testing.T) {
	dir := &forgetful{mem: *store(), sessions: []string{"dddd0000"}}
	for session, reason := range map[string]string{"dddd0000": Forgotten, "ffff0000": NeverIndexed} {
		_, err := Resolve(context.Background(), dir, Pointer{Session: session})
		var unknown *UnknownError
		if !errors.As(err, &unknown) || unknown.Reason != reason {
			t.Errorf("%s: %v, want %q", session, err, reason)
		}
	}
}

func TestResolveZeroPointer(t *testing.T) {
	if _, err := Resolve(context.Background(), store(), Pointer{}); !errors.Is(err, ErrNotFound) {
		t.Errorf("error %v", err)
	}
}
