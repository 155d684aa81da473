package main

import (
	"context"
	"strings"
	"testing"
	"time"

	"recall/embed"
	"recall/index"
	"recall/search"
)

func TestMissingVectorsAreToldWhenTheyAreMany(t *testing.T) {
	l := shelf(t)
	l.embedder = func(context.Context) (embed.Embedder, error) { return embed.NewHashed(32), nil }
	fill := func(context.Context, *index.Index, *search.Query) error { return nil }
	ask := func(q search.Query) string {
		q.Limit = 5
		res, err := l.search(t.Context(), q, before{sync: time.Minute, prepare: fill})
		if err != nil {
			t.Fatal(err)
		}
		if res.Fresh.AsOf.Nanosecond() != 0 {
			t.Errorf("as of %v: whole seconds are wanted", res.Fresh.AsOf)
		}
		return strings.Join(res.Fresh.Notes, "\n")
	}
	questions := []search.Query{
		{Text: "pgbouncer", Scope: "all"},
		{Text: "pgbouncer", Scope: "project", Project: "/home/dev/shop"},
		{Text: "pgbouncer", Scope: "session", Session: "11111111-1111-4111-8111-111111111111"},
	}
	for _, q := range questions {
		if got, want := ask(q), "meaning search covers 0 % of this so far; the rest follows in the background, or at once by 'recall sync'"; got != want {
			t.Errorf("%s: got %q, want %q", q.Scope, got, want)
		}
	}
	if got := ask(search.Query{Text: "pgbouncer", Scope: "project", Project: "/home/dev/other"}); strings.Contains(got, "meaning search") {
		t.Errorf("where there is nothing: got %q", got)
	}
	for more := true; more; {
		var err error
		if more, err = l.step(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for _, q := range questions {
		if got := ask(q); got != "" {
			t.Errorf("%s, with all vectors: got %q", q.Scope, got)
		}
	}
}

func TestSetFlag(t *testing.T) {
	f := searchCommand(&app{}).Flags()
	for _, tc := range []struct{ reason, flag, in, want string }{
		{"a word after it", "limit", "search x --limit 0 y", "search x --limit 10 y"},
		{"behind =", "limit", "search x --limit=0", "search x --limit=10"},
		{"short", "limit", "search x -n 0", "search x -n 10"},
		{"short, joined", "limit", "search x -n0", "search x -n 10"},
		{"twice", "kind", "search x --kind a --kind=b", "search x --kind 10"},
		{"a word like its value", "since", "search soon --since soon", "search soon --since 10"},
		{"words after --", "limit", "search --limit 0 -- --limit 0", "search --limit 10 -- --limit 0"},
		{"not there", "limit", "search x", "search x"},
	} {
		if got := strings.Join(setFlag(strings.Fields(tc.in), f.Lookup(tc.flag), "10"), " "); got != tc.want {
			t.Errorf("%s: got %s, want %s", tc.reason, got, tc.want)
		}
	}
}

func TestDropFlags(t *testing.T) {
	cmd := searchCommand(&app{})
	for _, tc := range []struct{ reason, in, want string }{
		{"with a value", "search x --kind file y", "search x y"},
		{"behind =", "search x --since=7d", "search x"},
		{"short", "search x -n 3 -n4", "search x"},
		{"without a value", "search x --dropped y", "search x y"},
		{"words after --", "search --kind file -- --kind file", "search -- --kind file"},
		{"not there", "search x --scope all", "search x --scope all"},
	} {
		if got := strings.Join(dropFlags(strings.Fields(tc.in), cmd, "kind", "since", "limit", "dropped"), " "); got != tc.want {
			t.Errorf("%s: got %s, want %s", tc.reason, got, tc.want)
		}
	}
}
