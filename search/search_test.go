package search

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recall/index"
	"recall/transcript"
)

// What is found, and in which order.
func TestSearchRanks(t *testing.T) {
	giant := []said{}
	for range 60 {
		giant = append(giant, reply("giant", strings.Repeat("The cache has a limit and the limit has a cache. ", 20)))
	}
	tests := []struct {
		reason string
		talks  []talk
		q      Query
		want   []string // the first hits
	}{
		{
			reason: "all words in one message beat one word said often",
			talks: []talk{
				talkOf(home, reply("often", "Cache, cache, cache: the cache of the cache.")),
				talkOf(other, reply("once", "The eviction policy of the cache is LRU."))},
			q:    Query{Text: "eviction policy of the cache"},
			want: []string{"once", "often"},
		},
		{
			reason: "what was said comes before what was printed",
			talks: []talk{
				talkOf(home, output("printed", "retry limit is 4")),
				talkOf(other, reply("said", "retry limit is 4, then")),
			},
			q:    Query{Text: "retry limit"},
			want: []string{"said", "printed"},
		},
		{
			reason: "a giant session does not win by its size",
			talks: []talk{
				talkOf(other, giant...),
				talkOf(home, reply("small", "We raised the eviction limit of the cache to 512 MB.")),
			},
			q:    Query{Text: "eviction limit of the cache"},
			want: []string{"small"},
		},
		{
			reason: "a plain word in the middle of a long session is found",
			talks:  []talk{talkOf(home, append(append(filler(50), reply("middle", "Her name is Ophelia.")), filler(49)...)...)},
			q:      Query{Text: "ophelia"},
			want:   []string{"middle"},
		},
		{
			reason: "a fact that only a sub-agent knows is found",
			talks: []talk{
				talkOf(home, filler(5)...),
				{Session: home, Agent: "a7", Project: "/home/dev/app", Said: []said{reply("agent", "The flaky test is TestDrain in worker_test.go.")}},
			},
			q:    Query{Text: "flaky test worker"},
			want: []string{"agent"},
		},
		{
			reason: "of two equal messages the sub-agent's comes second",
			talks: []talk{
				{Session: home, Agent: "a7", Project: "/home/dev/app", Said: []said{reply("agent", "Flaky tests block the merge queue on Monday.")}},
				talkOf(home, reply("main", "Flaky tests block the merge queue on Friday.")),
			},
			q:    Query{Text: "flaky tests merge queue"},
			want: []string{"main", "agent"},
		},
		{
			reason: "a reply without any of the words is found in the exchange with the question it answers",
			talks: []talk{talkOf(home, append(filler(10), user("ask", "Where should the nightly backup be stored?"),
				reply("answer", "In Frankfurt, next to the primary."))...)},
			q:    Query{Text: "nightly backup stored"},
			want: []string{"ask"},
		},
		{
			reason: "words of different wordings count each by itself",
			talks: []talk{
				talkOf(home, append(filler(6), reply("finding", "mailhog clashes with the old container, moved MAIL_PORT to 2525"))...),
				talkOf(other, append(filler(6), reply("why", "Why does one do it? Nobody knows why one would do mail."))...),
			},
			q:    Query{Text: "why did the mail setup break", Also: []string{"MAIL_PORT moved mailhog container", "mailhog port clash"}},
			want: []string{"finding"},
		},
		{
			reason: "one wrong wording does not bury the answer",
			talks: []talk{
				talkOf(home, append(filler(6), reply("answer", "The lease of the scheduler is renewed every 15 seconds."))...),
				talkOf(other, append(filler(6), reply("wrong", "The garden has a new fence."))...),
			},
			q:    Query{Text: "scheduler lease renewal", Also: []string{"lease renewed every seconds", "garden fence"}},
			want: []string{"answer"},
		},
		{
			reason: "of equal messages the newer comes first",
			talks: []talk{
				talkOf(home, said{UUID: "old", Role: "assistant", Text: "Is the package published? Never.", Time: memEpoch}),
				talkOf(other, said{UUID: "new", Role: "assistant", Text: "Is the package published? Done.", Time: memEpoch.AddDate(0, 0, 7)}),
			},
			q:    Query{Text: "package published"},
			want: []string{"new", "old"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			got := ids(all(search(t, newMem(nil, tt.talks...), tt.q)))
			if len(got) > len(tt.want) {
				got = got[:len(tt.want)]
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error("-want +got", d)
			}
		})
	}
}

// What may not be a hit.
func TestSearchLeavesOut(t *testing.T) {
	base := talkOf(home,
		user("ask", "Which port does the mail stub use?"),
		reply("answer", "The mail stub uses port 2525."),
		call("call", "go test ./mail -run TestStub"),
		output("out", "ok mail stub port 0.2s"),
		said{UUID: "sum", Role: "user", Kind: transcript.Summary, Text: "Summary: the mail stub got its own port."},
	)
	agent := talk{Session: home, Agent: "a7", Project: "/home/dev/app", Said: []said{reply("agent", "A mail stub has one port at most.")}}
	tests := []struct {
		reason string
		q      Query
		want   []string
	}{
		{"a summary, unless asked for", Query{Text: "mail stub port"}, []string{"answer", "agent", "out", "call"}},
		{"all but the summary when that is asked for", Query{Text: "mail stub port", Filter: index.Filter{Kinds: []transcript.Kind{"summary"}}}, []string{"sum"}},
		{"the question itself, whatever its dress", Query{Text: "which PORT does the mail-stub use"}, []string{"answer", "agent", "out", "call"}},
		{"a wording of the question", Query{Text: "mail stub port", Also: []string{"Which port does the mail stub use"}}, []string{"answer", "agent", "out", "call"}},
		{"the prompt that asks", Query{Text: "mail stub port", Prompt: "Which port does the mail stub use?"}, []string{"answer", "agent", "out", "call"}},
		{"other kinds, neighbours too", Query{Text: "mail stub port", Filter: index.Filter{Kinds: []transcript.Kind{"output"}}}, []string{"out"}},
		{"other roles, neighbours too", Query{Text: "mail stub port", Filter: index.Filter{Roles: []string{"assistant"}}}, []string{"answer", "agent", "call"}},
		{"sub-agents on demand", Query{Text: "mail stub port", Filter: index.Filter{Subagents: "exclude"}}, []string{"answer", "out", "call"}},
		{"all but sub-agents on demand", Query{Text: "mail stub port", Filter: index.Filter{Subagents: "only"}}, []string{"agent"}},
		{"what is older, neighbours too", Query{Text: "mail stub port", Filter: index.Filter{Since: memEpoch.Add(4 * time.Minute)}}, []string{"out"}},
		{"what is newer, neighbours too", Query{Text: "mail stub port", Filter: index.Filter{Until: memEpoch.Add(2 * time.Minute)}}, []string{"ask", "agent"}},
		{"what is beyond the limit", Query{Text: "mail stub port", Limit: 2}, []string{"answer", "call"}},
		{"what scores too low", Query{Text: "mail stub port", MinScore: .3}, []string{"answer"}},
	}
	s := newMem(nil, base, agent, talkOf(other, filler(20)...))
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			got := ids(all(search(t, s, tt.q)))
			slices.Sort(got)
			slices.Sort(tt.want)
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error("-want +got", d)
			}
		})
	}
}

func TestSearchFoldsIntoOneHit(t *testing.T) {
	listing := func(first int, rest string) string {
		return "    " + string(rune('0'+first)) + "→package relay\n    " + string(rune('1'+first)) + "→// Relay forwards webhooks to the queue of the tenant.\n" + rest
	}
	long := "The webhook relay starts. " + strings.Repeat("It waits for the queue of the tenant. ", 50) + "The webhook relay stops."
	tests := []struct {
		reason string
		said   []said
		want   [][]string
	}{
		{"several passages of one message", []said{reply("long", long)}, [][]string{{"long"}}},
		{"a file read twice, at other line numbers", []said{
			output("first", listing(1, "")), reply("gap", "Something else."), reply("gap2", "More of it."), output("second", listing(3, "")),
		}, [][]string{{"second", "first"}}},
		{"but not two runs that differ in a number", []said{
			output("run1", "webhook relay test: 41 passed, 2 failed in the queue of the tenant, all the rest is the same"),
			reply("gap", "Something else."), reply("gap2", "More of it."),
			output("run2", "webhook relay test: 43 passed, 0 failed in the queue of the tenant, all the rest is the same"),
		}, [][]string{{"run2"}, {"run1"}}},
		{"nor the same words typed and printed", []said{
			call("typed", "webhook relay queue --tenant"), reply("gap", "Something else."), reply("gap2", "More of it."), output("printed", "webhook relay queue --tenant"),
		}, [][]string{{"typed"}, {"printed"}}},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			res := search(t, newMem(nil, talkOf(home, tt.said...)), Query{Text: "webhook relay queue tenant"})
			got := [][]string{}
			for _, h := range all(res) {
				if !strings.HasPrefix(h.UUIDs[0], "gap") {
					got = append(got, h.UUIDs)
				}
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error("-want +got", d)
			}
		})
	}
}

// A prompt and its answer are one hit, which stands for both.
func TestSearchFoldsExchanges(t *testing.T) {
	s := newMem(nil, talkOf(home, append(filler(10),
		user("ask", "Where should the nightly backup be stored?"), reply("answer", "In Frankfurt, next to the primary."),
		reply("more", "The nightly backup stored there is kept for 30 days."))...))
	res := search(t, s, Query{Text: "nightly backup stored", Limit: 3})
	got := all(res)
	slices.Sort(got[0].UUIDs)
	if d := cmp.Diff([]string{"answer", "ask", "more"}, got[0].UUIDs); d != "" || len(got) != 1 {
		t.Errorf("%d hits, the first -want +got %s", len(got), d)
	}
}

// What was asked before in the same words was answered then: the answer is the hit.
func TestSearchAnswersAQuestionAskedBefore(t *testing.T) {
	s := newMem(nil, talkOf(home, append(filler(10), user("ask", "Why did we drop sqlite?"), reply("answer", "Two writers locked each other out."), reply("end", "Bye."))...))
	for reason, tt := range map[string]struct {
		q    Query
		want []string
	}{
		"from anywhere":       {Query{Text: "why did we drop SQLite", Scope: "all"}, []string{"answer"}},
		"but not just before": {Query{Text: "why did we drop SQLite", Scope: "all", Session: home}, []string{}},
	} {
		t.Run(reason, func(t *testing.T) {
			if d := cmp.Diff(tt.want, ids(search(t, s, tt.q).Hits)); d != "" {
				t.Error("-want +got", d)
			}
		})
	}
}

// The limit does not cut off what a hit stands for.
func TestSearchFoldsBehindTheLimit(t *testing.T) {
	said := []said{}
	for _, id := range []string{"a", "b", "c"} {
		said = append(append(said, output(id, "the webhook relay listens on :8443 for tenants")), filler(5)...)
	}
	res := search(t, newMem(nil, talkOf(home, said...)), Query{Text: "webhook relay", Limit: 1})
	if got := len(all(res)[0].UUIDs); got != 3 {
		t.Errorf("the hit stands for %d messages, want 3", got)
	}
}

// A symptom is found in what the user said; the decision in the reply is shown.
func TestSearchShowsTheAnswer(t *testing.T) {
	long := strings.Repeat("Let me look at the pool settings first. ", 60)
	s := newMem(nil, talkOf(home, append(filler(8),
		user("symptom", "prepared statements keep failing behind pgbouncer after the driver upgrade"),
		reply("look", "Let me look."),
		call("call", "go list -m github.com/jackc/pgx/v5"),
		reply("decision", long+"We pinned pgx to 5.4.3 until pgbouncer supports prepared statements. "+long))...))
	res := search(t, s, Query{Text: "prepared statements keep failing behind pgbouncer after the driver upgrade?", Limit: 1})
	if !strings.Contains(shown(all(res)[0]), "pgx to 5.4.3") {
		t.Errorf("the decision is not shown:\n%s", shown(all(res)[0]))
	}
	res = search(t, s, Query{Text: "prepared statements pgbouncer driver", Limit: 1})
	if h := all(res)[0]; h.UUIDs[0] != "symptom" || !strings.Contains(shown(h), "pgx to 5.4.3") {
		t.Errorf("the decision is not shown with %v:\n%s", h.UUIDs, shown(h))
	}
}

// A hit says where it is from.
func TestSearchDescribesHits(t *testing.T) {
	s := newMem(nil,
		talk{Session: home, Project: "/home/dev/app", Title: "Fix\tthe\u202e relay", Deleted: true, Said: []said{
			user("ask", "Which port?"), call("call", "nc -lk 8443 # relay"), {UUID: "b1", Boundary: true}, reply("later", "Something else."),
		}},
		talk{Session: other, Agent: "a7", Project: "/home/dev/app", Said: []said{reply("agent", "The relay is gone.")}})
	res := search(t, s, Query{Text: "relay", Limit: 2, Scope: "all"})
	got := all(res)
	for i := range got {
		got[i].Score, got[i].Parts = 0, Parts{}
	}
	want := []Hit{
		{Rank: 1, Pointer: "recall:22222222/a7#agent", Session: other, Project: "/home/dev/app", Time: memEpoch.Add(time.Minute),
			Role: "assistant", Kind: "text", Subagent: "a7", UUIDs: []string{"agent"}, Excerpt: "The relay is gone.", Before: []Near{}, After: []Near{}},
		{Rank: 2, Pointer: "recall:11111111#call", Session: home, Project: "/home/dev/app", Title: "Fix the relay", Time: memEpoch.Add(2 * time.Minute),
			Role: "assistant", Kind: "command", Tool: "Bash", UUIDs: []string{"call", "ask"}, Excerpt: "nc -lk 8443 # relay",
			Dropped: &Dropped{Boundary: "b1", Time: memEpoch.Add(3 * time.Minute), Trigger: "auto", Nth: 1},
			Before:  []Near{{UUID: "ask", Role: "user", Kind: "text", Excerpt: "Which port?"}}, After: []Near{}, SourceDeleted: true},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error("-want +got", d)
	}
}

func TestSearchSaysWhetherItFound(t *testing.T) {
	chat := filler(30)
	s := newMem(nil, talkOf(home, append(chat,
		reply("fact", "The relay drops webhooks after 3 retries, see relay/drain.go."), call("call", "grep -rn retries relay/drain.go"))...))
	tests := []struct {
		reason string
		text   string
		also   []string
		found  bool
	}{
		{"most words together in one message", "webhooks dropped after retries", nil, true},
		{"one rare name", "relay/drain.go", nil, true},
		{"a wording that is right beside the question", "what becomes of them", []string{"relay drops webhooks after 3 retries"}, true},
		{"no word that was ever said", "kubernetes helm chart version", nil, false},
		{"one common word among many unknown ones", "number of Stripe checkout events in the invoice template", nil, false},
		{"no word at all", "?! *", nil, false},
		{"wordings that all miss", "kubernetes helm chart", []string{"stripe invoice", "graphql gateway"}, false},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			res := search(t, s, Query{Text: tt.text, Also: tt.also})
			if res.Found != tt.found {
				t.Errorf("found = %v, hits %v, weak %v", res.Found, ids(res.Hits), ids(res.Weak))
			}
			if res.Found != (len(res.Hits) > 0) || res.Found && res.Weak != nil || res.Hits == nil {
				t.Errorf("found %v with %d hits and %d weak ones", res.Found, len(res.Hits), len(res.Weak))
			}
			for i, h := range all(res) {
				if h.Score < 0 || h.Score > 1 || i > 0 && h.Score > all(res)[i-1].Score {
					t.Errorf("score %v at rank %d", h.Score, h.Rank)
				}
			}
		})
	}
}

// A message that asked the same is not taken for a sign of an answer.
func TestSearchNotFoundWhenOnlyAskedBefore(t *testing.T) {
	s := newMem(nil, talkOf(home, append(filler(20), user("asked", "Which eviction policy did we configure for Redis?"))...))
	res := search(t, s, Query{Text: "which eviction policy did we configure for Redis"})
	if res.Found {
		t.Errorf("found %v", ids(res.Hits))
	}
}

func TestSearchByMeaning(t *testing.T) {
	model := topics{"costs": 0, "money": 0, "price": 0, "spending": 0, "garden": 1, "flowers": 1, "tulips": 1, "database": 2, "postgres": 2}
	s := newMem(model, talkOf(home, append(filler(12),
		reply("money", "The price is 12 dollars a month."), reply("gap", "Good."), reply("gap2", "Fine."), reply("gap3", "Well."),
		reply("garden", "The tulips are out."))...))
	ask := func(t *testing.T, q Query) *Result {
		res, err := New(s, model).Search(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	t.Run("a question without any of the answer's words", func(t *testing.T) {
		res := ask(t, Query{Text: "what are we spending"})
		if h := all(res)[0]; h.UUIDs[0] != "money" || h.Parts.Meaning != 1 || h.Parts.Keyword != 0 {
			t.Errorf("first %v %+v", h.UUIDs, h.Parts)
		}
	})
	t.Run("an embedder that fails costs vectors, not the answer", func(t *testing.T) {
		res, err := New(s, mute{model}).Search(context.Background(), Query{Text: "tulips"})
		if err != nil {
			t.Fatal(err)
		}
		if h := all(res)[0]; h.UUIDs[0] != "garden" {
			t.Errorf("first %v", h.UUIDs)
		}
		if want := []string{"found by keyword only: connection refused"}; !cmp.Equal(want, res.Fresh.Notes) {
			t.Errorf("notes %q", res.Fresh.Notes)
		}
	})
}

// A lone question is widened by words that are used alike.
func TestSearchWidensALoneQuestion(t *testing.T) {
	s := newMem(nil, talkOf(home, append(filler(12), reply("hit", "We rejected the fingerprint."))...))
	s.words["refused"] = []index.Alike{{Term: "reject", Cosine: .8}}
	if got := ids(all(search(t, s, Query{Text: "refused hashing of rows fingerprint"}))); got[0] != "hit" {
		t.Errorf("first %v", got)
	}
	lone := all(search(t, s, Query{Text: "refused fingerprint"}))[0]
	s.words = nil
	bare := all(search(t, s, Query{Text: "refused fingerprint"}))[0]
	if lone.Score != bare.Score {
		t.Errorf("an expansion changes how sure it is: %v, %v without", lone.Score, bare.Score)
	}
}

func TestSearchErrors(t *testing.T) {
	s := newMem(nil, talkOf(home, reply("a", "The relay is up.")))
	for _, q := range []Query{{}, {Text: " \n\t"}, {Text: "", Also: []string{" "}}} {
		if _, err := New(s, nil).Search(context.Background(), q); !errors.Is(err, ErrEmpty) {
			t.Errorf("Search(%+v) = %v, want ErrEmpty", q, err)
		}
	}
	for _, q := range []Query{{Text: "relay", Scope: "session"}, {Text: "relay", Scope: "project"}, {Text: "relay", Scope: "galaxy"}} {
		if _, err := New(s, nil).Search(context.Background(), q); !errors.Is(err, ErrScope) {
			t.Errorf("Search(%+v) = %v, want ErrScope", q, err)
		}
	}
	if _, err := New(broken{s}, nil).Search(context.Background(), Query{Text: "relay"}); !errors.Is(err, errBroken) {
		t.Errorf("a store's error is lost: %v", err)
	}
}

func TestSearchSkipsWhatCannotBeRead(t *testing.T) {
	s := newMem(nil, talkOf(home, reply("lost", "The relay is up."), reply("kept", "The relay, again.")))
	res := search(t, damaged{s, "lost"}, Query{Text: "relay"})
	if d := cmp.Diff([]string{"kept"}, ids(all(res))); d != "" {
		t.Error(d)
	}
	if want := []string{"1 matching message could not be read"}; !cmp.Equal(want, res.Fresh.Notes) {
		t.Errorf("notes %q", res.Fresh.Notes)
	}
}

func TestSearchEmptyStore(t *testing.T) {
	res := search(t, newMem(nil), Query{Text: "anything"})
	if res.Found || len(all(res)) != 0 || res.Scope.Searched != "all" {
		t.Errorf("%+v", res)
	}
}

// Stop words are looked for when there is nothing else.
func TestSearchStopWordsOnly(t *testing.T) {
	s := newMem(nil, talkOf(home, reply("a", "To be or not to be.")))
	if res := search(t, s, Query{Text: "to be or not to be"}); res == nil {
		t.Error("no result")
	}
}
