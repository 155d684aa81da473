package search

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recall/index"
)

// Three conversations of two projects; home was compacted after its third message.
func scopeStore() *mem {
	fill := filler(10)
	return newMem(nil,
		talkOf(home, append([]said{
			user("dropped-ask", "Which retry limit did we choose for the relay?"),
			reply("dropped", "The retry limit of the relay is 4."),
			reply("dropped-2", "Done."),
			{UUID: "b1", Boundary: true},
			reply("live", "The retry limit of the relay is 4 as said before."),
		}, user("prompt", "What was the retry limit of the relay again?"))...),
		talkOf(other, append(fill, reply("project", "The retry limit of the relay was 3 in spring."))...),
		talkOf(away, append(fill, reply("away", "Every relay has a retry limit."), reply("only-away", "Tulips bloom in April."))...),
	)
}

func TestSearchScopes(t *testing.T) {
	tests := []struct {
		reason   string
		q        Query
		want     []string // hits, best first
		searched Scope
	}{
		{
			"session: its own messages only",
			Query{Text: "retry limit relay", Scope: "session", Session: home},
			[]string{"dropped", "live", "prompt"},
			Scope{Asked: "session", Searched: "session", Session: home, Sessions: 1},
		},
		{
			"project: all its sessions",
			Query{Text: "retry limit relay", Scope: "project", Project: "/home/dev/app", Limit: 6},
			[]string{"dropped", "live", "prompt", "project"},
			Scope{Asked: "project", Searched: "project", Project: "/home/dev/app", Sessions: 2},
		},
		{
			"all: everything",
			Query{Text: "tulips", Scope: "all", Session: home, Project: "/home/dev/app", Limit: 1},
			[]string{"only-away"},
			Scope{Asked: "all", Searched: "all", Session: home, Project: "/home/dev/app", Sessions: 3},
		},
		{
			"auto: what the asking session dropped, then its project, what is still seen last, and not the open prompt",
			Query{Text: "retry limit relay", Session: home, Project: "/home/dev/app", Limit: 5},
			[]string{"dropped", "project", "live"},
			Scope{Asked: "auto", Searched: "project", Session: home, Project: "/home/dev/app", Sessions: 2},
		},
		{
			"auto in a session without a project: what it dropped",
			Query{Text: "retry limit relay", Session: home},
			[]string{"dropped"},
			Scope{Asked: "auto", Searched: "dropped", Session: home, Sessions: 1},
		},
		{
			"auto goes on to all projects when its own holds nothing good",
			Query{Text: "tulips bloom", Session: home, Project: "/home/dev/app", Limit: 1},
			[]string{"only-away"},
			Scope{Asked: "auto", Searched: "all", Session: home, Project: "/home/dev/app", Sessions: 3},
		},
		{
			"auto without session and project: all",
			Query{Text: "tulips bloom", Limit: 1},
			[]string{"only-away"},
			Scope{Asked: "auto", Searched: "all", Sessions: 3},
		},
		{
			"only what was dropped",
			Query{Text: "retry limit relay", Scope: "all", Filter: index.Filter{Dropped: true}},
			[]string{"dropped"},
			Scope{Asked: "all", Searched: "all", Sessions: 1},
		},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			res := search(t, scopeStore(), tt.q)
			if d := cmp.Diff(tt.want, ids(all(res))); d != "" {
				t.Error("hits: -want +got", d)
			}
			if d := cmp.Diff(tt.searched, res.Scope); d != "" {
				t.Error("scope: -want +got", d)
			}
		})
	}
}

// When the project holds nothing good and the rest neither, what is nearest
// comes first all the same.
func TestSearchAutoPrefersHomeAmongWeakHits(t *testing.T) {
	s := newMem(nil,
		talkOf(away, append(filler(6), reply("away", "a tulip somewhere"))...),
		talkOf(home, append(filler(6), reply("home", "a tulip anywhere"))...))
	q := Query{Text: "tulip invoices stripe checkout events numbered templates quarterly", Project: "/home/dev/app"}
	res := search(t, s, q)
	if res.Found || res.Scope.Searched != "all" {
		t.Fatalf("found %v in %s", res.Found, res.Scope.Searched)
	}
	if got := res.Weak[0].UUIDs[0]; got != "home" {
		t.Errorf("first %s", got)
	}
}

// A pointer is as short as it can be, and never names two messages.
func TestPointer(t *testing.T) {
	const twin = "11111111-9999-4000-8000-000000000009"
	s := newMem(nil,
		talkOf(home, reply("aaaaaaaa-0000-4000-8000-000000000001", "x"), reply("aaaaaaaa-1000-4000-8000-000000000002", "y"), reply("bbbbbbbb-0000-4000-8000-000000000003", "z")),
		talk{Session: away, Agent: "a41c", Said: []said{reply("aaaaaaaa-0000-4000-8000-000000000001", "x")}},
		talkOf(twin, reply("cccccccc-0000-4000-8000-000000000001", "x")))
	tests := []struct {
		reason  string
		message int
		want    string
	}{
		{"both ids begin like others", 0, "recall:11111111-0#aaaaaaaa-0"},
		{"only the session does", 2, "recall:11111111-0#bbbbbbbb"},
		{"a sub-agent; a message of another session begins the same", 3, "recall:33333333/a41c#aaaaaaaa"},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			if got := New(s, nil).pointer(context.Background(), &s.messages[tt.message]); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
	bare := struct{ Store }{s} // a store that does not know prefixes
	if got, want := New(bare, nil).pointer(context.Background(), &s.messages[0]), "recall:11111111#aaaaaaaa"; got != want {
		t.Errorf("without prefixes: got %s, want %s", got, want)
	}
}
