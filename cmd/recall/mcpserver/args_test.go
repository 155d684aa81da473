package mcpserver

import (
	"strings"
	"testing"
)

func TestWrongArgumentsAreAnsweredWithWhatToSend(t *testing.T) {
	c := dial(t, history(), Options{})
	for _, tc := range []struct {
		reason, tool string
		args         map[string]any
		want         []string
	}{
		{"nothing sent", searchName, nil, []string{"query is missing", "5 to 9 content words"}},
		{"empty query", searchName, map[string]any{"query": "  "}, []string{"query is missing"}},
		{"query is a number", searchName, map[string]any{"query": 5}, []string{"query is 5: send a string."}},
		{"limit too high", searchName, map[string]any{"query": "x", "limit": 50}, []string{"limit is 50: send a whole number from 1 to 20."}},
		{"limit not whole", searchName, map[string]any{"query": "x", "limit": 1.5}, []string{"limit is 1.5"}},
		{"limit in words", searchName, map[string]any{"query": "x", "limit": "many"}, []string{`limit is "many"`}},
		{"scope unknown", searchName, map[string]any{"query": "x", "scope": "here"}, []string{`scope is "here": send one of auto, session, project, all.`}},
		{"kind unknown", searchName, map[string]any{"query": "x", "kinds": []any{"code"}}, []string{`kinds holds "code"`, "text, command, output, file, summary"}},
		{"too many wordings", searchName, map[string]any{"query": "x", "alternatives": []any{"a", "b", "c", "d", "e"}}, []string{"alternatives has 5 entries: send at most 4."}},
		{"wordings not strings", searchName, map[string]any{"query": "x", "alternatives": []any{1}}, []string{"alternatives holds 1: send an array of strings."}},
		{"wordings an object", searchName, map[string]any{"query": "x", "alternatives": map[string]any{}}, []string{"alternatives is {}: send an array of strings."}},
		{"date not a date", searchName, map[string]any{"query": "x", "since": "soonish"}, []string{`since is "soonish": send a date (2026-11-03)`}},
		{"dates crossed", searchName, map[string]any{"query": "x", "since": "2026-11-05", "until": "2026-11-03"}, []string{"since is not before until"}},
		{"flag not a flag", searchName, map[string]any{"query": "x", "only_dropped": "perhaps"}, []string{`only_dropped is "perhaps": send true or false.`}},
		{"argument unknown", searchName, map[string]any{"text": "x"}, []string{`There is no argument "text": send any of query, alternatives,`, "query is missing"}},
		{"pointer missing", readName, nil, []string{"pointer is missing: send one from a search result"}},
		{"page too long", readName, map[string]any{"pointer": "x", "max_chars": 90000}, []string{"max_chars is 90000: send a whole number from 500 to 16000."}},
		{"pointer unknown", readName, map[string]any{"pointer": "recall:cccccccc"}, []string{"never indexed"}},
		{"page past the end", readName, map[string]any{"pointer": "recall:aaaaaaaa#00000002", "offset": 9000}, []string{"offset 9000 is past the end", "has 85 characters"}},
	} {
		got, isErr := call(t, c, tc.tool, tc.args)
		for _, w := range tc.want {
			if !isErr || !strings.Contains(got, w) {
				t.Errorf("%s: got error %v, %q, want %q", tc.reason, isErr, got, w)
			}
		}
	}
}

func TestOneFaultIsOneSentence(t *testing.T) {
	c := dial(t, history(), Options{})
	for _, tc := range []struct {
		tool, want string
		args       map[string]any
	}{
		{searchName, "query is 5: send a string.", map[string]any{"query": 5}},
		{searchName, "pointer is {}: send a string.", map[string]any{"pointer": map[string]any{}}},
		{searchName, "alternatives is 5: send an array of strings.", map[string]any{"alternatives": 5}},
		{searchName, "query is missing: send 5 to 9 content words to look for, or a pointer.", map[string]any{"alternatives": []any{}}},
		{readName, "pointer is 5: send a string.", map[string]any{"pointer": 5}},
	} {
		if got, isErr := call(t, c, tc.tool, tc.args); !isErr || got != tc.want {
			t.Errorf("%v: got error %v, %q, want %q", tc.args, isErr, got, tc.want)
		}
	}
}

func TestWhatIsBehindIsWorthAskingAgain(t *testing.T) {
	m := history()
	m.fresh.FilesBehind = 3
	for _, query := range []string{"pgx pinned", "kubernetes ingress"} {
		got, _ := call(t, dial(t, m, Options{}), searchName, map[string]any{"query": query, "scope": "all"})
		if !strings.Contains(got, "3 files still being read") || !strings.Contains(got, "ask the same again in a moment") {
			t.Errorf("%s: got\n%s", query, got)
		}
	}
}

func TestWhatIsMeantIsTaken(t *testing.T) {
	c := dial(t, history(), Options{})
	for _, tc := range []struct {
		reason string
		args   map[string]any
	}{
		{"number as string", map[string]any{"query": "pgx", "limit": "2"}},
		{"one wording as string", map[string]any{"query": "pgx", "alternatives": "pgx pinned"}},
		{"wordings as JSON in a string", map[string]any{"query": "pgx", "alternatives": `["pgx pinned","driver"]`}},
		{"null for left out", map[string]any{"query": "pgx", "since": nil, "kinds": nil, "limit": nil}},
		{"empty for left out", map[string]any{"query": "pgx", "since": "", "pointer": "", "scope": ""}},
		{"wordings without query", map[string]any{"alternatives": []any{"pgx pinned"}}},
		{"yes as string", map[string]any{"query": "pgx", "only_dropped": "true"}},
	} {
		if got, isErr := call(t, c, searchName, tc.args); isErr || !strings.Contains(got, "5.4.3") {
			t.Errorf("%s: error %v:\n%s", tc.reason, isErr, got)
		}
	}
}

func TestAnyQueryIsAQuery(t *testing.T) {
	c := dial(t, history(), Options{})
	for _, q := range []string{"cov-archive-eu2", "foo:bar", `"unclosed`, "C++", "AND", "*", `\`, "🙂", "設定 を 変える", strings.Repeat("pgx ", 2500)} {
		if got, isErr := call(t, c, searchName, map[string]any{"query": q}); isErr {
			t.Errorf("%.40q: %s", q, got)
		}
	}
}
