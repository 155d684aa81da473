package search

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"recall/embed"
	"recall/index"
	"recall/transcript"
)

// The history that every Store is tested on: two conversations of one project,
// the first compacted once and with a sub-agent, and one of another project.
func suiteTalks() []talk {
	id := func(s string, n int) string {
		return fmt.Sprintf("%s%07d-0000-4000-8000-%s", s, n, strings.Repeat(s, 12))
	}
	long := ""
	for i := range 60 {
		long += fmt.Sprintf("Step %d of the migration moves table t%d of the ledger to the new cluster.\n", i, i)
	}
	main := talkOf(home,
		said{UUID: id("a", 1), Role: "user", Text: "Where does the exporter listen?"},
		said{UUID: id("a", 2), Role: "assistant", Text: "The exporter listens on port 9188."},
		said{UUID: id("a", 3), Role: "assistant", Kind: transcript.Command, Tool: "Bash", Text: "go test ./internal/queue"},
		said{UUID: id("a", 4), Role: "user", Kind: transcript.Output, Tool: "Bash", Text: "--- FAIL: TestRetryJitter (0.41s)\nretry_test.go:88: got 7 want 9"},
		said{UUID: id("a", 5), Boundary: true},
		said{UUID: id("a", 6), Role: "user", Kind: transcript.Summary, Text: "We looked at the exporter and a flaky test."},
		said{UUID: id("a", 7), Role: "user", Text: "Now write down the plan of the migration."},
		said{UUID: id("a", 8), Role: "assistant", Text: long},
		said{UUID: id("a", 9), Role: "assistant", Text: "The exporter needs no migration."},
	)
	agent := talk{Session: home, Agent: "a1b2c3", Project: main.Project, Said: []said{
		{UUID: id("b", 1), Role: "user", Text: "List the ledgers."},
		{UUID: id("b", 2), Role: "assistant", Text: "There are 42 ledgers, the newest is zebra_receipts."},
	}}
	second := talkOf(other,
		said{UUID: id("c", 1), Role: "user", Text: "Why did we drop sqlite?", Time: memEpoch.AddDate(0, 0, 5)},
		said{UUID: id("c", 2), Role: "assistant", Text: "Two writers locked each other out; the exporter moved to bbolt."},
	)
	third := talkOf(away, said{UUID: id("d", 1), Role: "user", Text: "The exporter of the site, please."})
	return []talk{main, agent, second, third}
}

// suite is one Store under test.
type suite struct {
	Store
	emb embed.Embedder // nil: the store holds no vectors
}

// testStore checks what store.go promises.
func testStore(t *testing.T, s suite) {
	t.Run("Lexical", s.testLexical)
	t.Run("Filter", s.testFilter)
	t.Run("Stats", s.testStats)
	t.Run("Passages", s.testPassages)
	t.Run("Totals", s.testTotals)
	t.Run("Text", s.testText)
	t.Run("Exchange", s.testExchange)
	t.Run("Vectors", s.testVectors)
	t.Run("Prefixes", s.testPrefixes)
}

// must returns v, or ends the test that runs.
func must[T any](t *testing.T, v T, err error) T {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func (s suite) lexical(t *testing.T, words string, f index.Filter, n int) []index.Scored {
	t.Helper()
	got, err := s.Lexical(context.Background(), index.Terms(words), f, n)
	return must(t, got, err)
}

func (s suite) passages(t *testing.T, ids []index.ID, around int, words string) []index.Passage {
	t.Helper()
	got, err := s.Passages(context.Background(), ids, around, index.Terms(words))
	return must(t, got, err)
}

// names are the first eight characters of the uuids of passages.
func (s suite) names(t *testing.T, list []index.Scored) []string {
	t.Helper()
	var out []string
	for _, p := range s.passages(t, idsOf(list), 0, "") {
		out = append(out, p.UUID[:8])
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func idsOf(list []index.Scored) []index.ID {
	out := make([]index.ID, len(list))
	for i, x := range list {
		out[i] = x.ID
	}
	return out
}

func (s suite) testLexical(t *testing.T) {
	list := s.lexical(t, "exporter port", index.Filter{}, 50)
	if want := []string{"a0000001", "a0000002", "a0000006", "a0000009", "c0000002", "d0000001"}; !slices.Equal(want, s.names(t, list)) {
		t.Errorf("got %v, want %v", s.names(t, list), want)
	}
	if !slices.IsSortedFunc(list, func(a, b index.Scored) int { return cmp.Compare(b.Score, a.Score) }) {
		t.Errorf("not best first: %v", list)
	}
	if got := s.names(t, list[:1]); got[0] != "a0000002" {
		t.Errorf("%s before the one with both words", got[0])
	}
	if got := s.lexical(t, "exporter port", index.Filter{}, 2); !slices.Equal(got, list[:2]) {
		t.Errorf("the first 2 of %v are %v", list, got)
	}
	for _, words := range []string{"", "nowhere"} {
		if got := s.lexical(t, words, index.Filter{}, 5); len(got) != 0 {
			t.Errorf("%q gives %v", words, got)
		}
	}
}

func (s suite) testFilter(t *testing.T) {
	day := memEpoch.AddDate(0, 0, 3)
	tests := []struct {
		reason string
		f      index.Filter
		want   []string
	}{
		{"session, sub-agents belong to it", index.Filter{Sessions: []string{home}}, []string{"a0000001", "a0000002", "a0000006", "a0000008", "a0000009", "b0000001", "b0000002"}},
		{"project", index.Filter{Projects: []string{"/home/dev/site"}}, []string{"d0000001"}},
		{"unknown project", index.Filter{Projects: []string{"/home/dev/none"}}, nil},
		{"kind", index.Filter{Kinds: []transcript.Kind{transcript.Summary}}, []string{"a0000006"}},
		{"role", index.Filter{Roles: []string{"assistant"}}, []string{"a0000002", "a0000008", "a0000009", "b0000002", "c0000002"}},
		{"only sub-agents", index.Filter{Subagents: "only"}, []string{"b0000001", "b0000002"}},
		{"no sub-agents", index.Filter{Subagents: "exclude", Sessions: []string{home}}, []string{"a0000001", "a0000002", "a0000006", "a0000008", "a0000009"}},
		{"since", index.Filter{Since: day}, []string{"c0000002"}},
		{"since is inclusive", index.Filter{Since: memEpoch.Add(2 * time.Minute), Until: memEpoch.Add(3 * time.Minute), Sessions: []string{home}, Subagents: "exclude"}, []string{"a0000002"}},
		{"dropped", index.Filter{Dropped: true}, []string{"a0000001", "a0000002"}},
		{"several at once", index.Filter{Sessions: []string{home, other}, Roles: []string{"assistant"}, Subagents: "exclude", Until: day}, []string{"a0000002", "a0000008", "a0000009"}},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			got := s.names(t, s.lexical(t, "exporter ledger", tt.f, 100))
			if d := gocmp.Diff(tt.want, got); d != "" {
				t.Error("-want +got", d)
			}
		})
	}
}

func (s suite) testStats(t *testing.T) {
	ctx := context.Background()
	whole, err := s.Store.Stats(ctx, []string{"export", "nowhere"}, index.Filter{})
	must(t, 0, err)
	if whole.Total != whole.Passages || whole.Sessions != 3 || whole.DF["export"] != 6 || whole.DF["nowhere"] != 0 {
		t.Errorf("%+v", whole)
	}
	part, err := s.Store.Stats(ctx, []string{"export"}, index.Filter{Sessions: []string{home}, Dropped: true})
	must(t, 0, err)
	if part.Total != whole.Total || part.DF["export"] != 6 {
		t.Errorf("Total and DF are over the whole index: %+v", part)
	}
	if part.Passages != 4 || part.Sessions != 1 || part.Tools != .5 {
		t.Errorf("a scope of 4 passages: %+v", part)
	}
	sum := 0
	for _, p := range s.passages(t, idsOf(s.lexical(t, "exporter go retry_test", index.Filter{Sessions: []string{home}, Dropped: true}, 9)), 0, "") {
		sum += p.Len
	}
	if part.MeanLen != float64(sum)/4 {
		t.Errorf("mean length %v of %d terms", part.MeanLen, sum)
	}
	none, err := s.Store.Stats(ctx, nil, index.Filter{Projects: []string{"/none"}})
	must(t, 0, err)
	if none.Passages != 0 || none.MeanLen != 0 || none.Tools != 0 {
		t.Errorf("an empty scope: %+v", none)
	}
}

func (s suite) testPassages(t *testing.T) {
	port := idsOf(s.lexical(t, "9188", index.Filter{}, 5))
	if len(port) != 1 {
		t.Fatalf("%v", port)
	}
	got := s.passages(t, port, 1, "exporter port nowhere")
	var names []string
	for _, p := range got {
		names = append(names, p.UUID[:8])
	}
	if want := []string{"a0000001", "a0000002", "a0000003"}; !slices.Equal(want, names) {
		t.Fatalf("around 1: %v", names)
	}
	p := got[1]
	if !slices.Equal(p.Counts, []uint8{1, 1, 0}) || p.Pos != got[0].Pos+1 || p.Len != len(index.Terms("The exporter listens on port 9188.")) {
		t.Errorf("%+v", p)
	}
	if p.Session != home || p.Agent != "" || p.Project != "/home/dev/app" || p.Kind != transcript.Text || p.Role != "assistant" || !p.Time.Equal(memEpoch.Add(2*time.Minute)) {
		t.Errorf("%+v", p)
	}
	ends := append(idsOf(s.lexical(t, "zebra_receipts", index.Filter{}, 5)), idsOf(s.lexical(t, "sqlite", index.Filter{}, 5))...)
	for _, p := range s.passages(t, ends, 5, "") {
		if p.Agent == "" && p.Session != other {
			t.Errorf("a neighbour of another conversation: %+v", p)
		}
	}
	s.testChunks(t)
}

// A long message stands in several passages, one behind the other.
func (s suite) testChunks(t *testing.T) {
	chunks := s.passages(t, idsOf(s.lexical(t, "migration table", index.Filter{}, 50)), 0, "")
	chunks = slices.DeleteFunc(chunks, func(p index.Passage) bool { return p.UUID[:8] != "a0000008" })
	if len(chunks) < 3 {
		t.Fatalf("a message of 4,000 characters in %d passages", len(chunks))
	}
	for i, p := range chunks {
		if p.Chunk != i || p.Message != chunks[0].Message || p.Pos != chunks[0].Pos+i {
			t.Errorf("chunk %d: %+v", i, p)
		}
	}
}

func (s suite) testTotals(t *testing.T) {
	terms := index.Terms("exporter ledger")
	ids := idsOf(s.lexical(t, "9188 zebra_receipts", index.Filter{}, 5))
	totals, err := s.Totals(context.Background(), ids, terms)
	must(t, 0, err)
	if len(totals) != 2 {
		t.Fatalf("%v", totals)
	}
	want := map[index.SessionKey]index.Total{}
	for _, p := range s.passages(t, ids, 1000, "exporter ledger") {
		k := keyOf(&p)
		w := want[k]
		if w.Counts == nil {
			w.Counts = make([]int, len(terms))
		}
		w.Passages++
		w.Len += p.Len
		for i, c := range p.Counts {
			w.Counts[i] += int(c)
		}
		want[k] = w
	}
	if d := gocmp.Diff(want, totals); d != "" {
		t.Error("sums of the passages against Totals: -want +got", d)
	}
}

func (s suite) testText(t *testing.T) {
	for _, x := range s.lexical(t, "exporter ledger migration", index.Filter{}, 100) {
		text, err := s.Text(context.Background(), x.ID)
		must(t, 0, err)
		e, err := s.Exchange(context.Background(), x.ID)
		must(t, 0, err)
		if got := e.Message.Parts[e.Part].Text[e.Start:e.End]; got != text {
			t.Errorf("passage %d: Text %q, but its range holds %q", x.ID, text, got)
		}
		if p := s.passages(t, []index.ID{x.ID}, 0, "")[0]; p.UUID != e.Message.UUID || p.Len != len(index.Terms(text)) {
			t.Errorf("passage %+v, message %s with %d terms", p, e.Message.UUID, len(index.Terms(text)))
		}
	}
}

func (s suite) testExchange(t *testing.T) {
	tests := []struct {
		reason, words string
		f             index.Filter
		before, after []string
		dropped, live bool
	}{
		{"an answer has its prompt before it", "9188", index.Filter{}, []string{"a0000001"}, nil, true, false},
		{"a prompt has the answer after it", "listen", index.Filter{Roles: []string{"user"}}, nil, []string{"a0000002"}, true, false},
		{"an output has the prompt and its call", "TestRetryJitter", index.Filter{}, []string{"a0000001", "a0000003"}, nil, true, false},
		{"a message behind the boundary is live", "needs no migration", index.Filter{Kinds: []transcript.Kind{"text"}}, []string{"a0000007"}, nil, false, true},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			e, err := s.Exchange(context.Background(), s.lexical(t, tt.words, tt.f, 1)[0].ID)
			must(t, 0, err)
			if got := shortIDs(e.Before); !slices.Equal(tt.before, got) {
				t.Errorf("before %v, want %v", got, tt.before)
			}
			if got := shortIDs(e.After); !slices.Equal(tt.after, got) {
				t.Errorf("after %v, want %v", got, tt.after)
			}
			if m := e.Message; (m.Dropped != nil) != tt.dropped || m.Live != tt.live {
				t.Errorf("dropped %v, live %v", m.Dropped, m.Live)
			}
			if d := e.Message.Dropped; d != nil && (d.Nth != 1 || d.Boundary[:8] != "a0000005" || d.Trigger != "auto") {
				t.Errorf("dropped at %+v", d)
			}
		})
	}
}

func shortIDs(ms []index.Message) []string {
	var out []string
	for _, m := range ms {
		out = append(out, m.UUID[:8])
	}
	return out
}

func (s suite) testVectors(t *testing.T) {
	ctx := context.Background()
	all := idsOf(s.lexical(t, "exporter ledger migration queue retry_test", index.Filter{}, 100))
	similar, err := s.Similar(ctx, []string{"exporter", "nowhere"}, 3)
	if must(t, 0, err); len(similar) != 2 || len(similar[0]) > 3 {
		t.Errorf("similar %v", similar)
	}
	if s.emb == nil {
		cosines, err := s.Cosines(ctx, all, make([]float32, 8))
		must(t, 0, err)
		if len(cosines) != len(all) || slices.ContainsFunc(cosines, func(c float64) bool { return !math.IsNaN(c) }) {
			t.Errorf("cosines without vectors: %v", cosines)
		}
		return
	}
	vec, err := s.emb.Query(ctx, "The exporter listens on port 9188.")
	must(t, 0, err)
	for _, f := range []index.Filter{{}, {Projects: []string{"/home/dev/app"}}, {Sessions: []string{home}, Dropped: true}, {Roles: []string{"assistant"}}} {
		near, err := s.Nearest(ctx, vec, f, 3)
		must(t, 0, err)
		if len(near) == 0 || s.names(t, near[:1])[0] != "a0000002" {
			t.Fatalf("%+v: nearest %v", f, near)
		}
		cosines, err := s.Cosines(ctx, idsOf(near), vec)
		must(t, 0, err)
		for i, x := range near {
			if math.Abs(cosines[i]-x.Score) > 1e-4 || i > 0 && x.Score > near[i-1].Score {
				t.Errorf("%+v: scores %v, cosines %v", f, near, cosines)
			}
		}
	}
}

func (s suite) testPrefixes(t *testing.T) {
	p, ok := s.Store.(Prefixes)
	if !ok {
		t.Skip("optional")
	}
	got, err := p.SessionIDs(context.Background(), home[:8])
	if must(t, 0, err); !slices.Equal(got, []string{home}) {
		t.Errorf("sessions %v", got)
	}
	places, err := p.ByUUID(context.Background(), home, "a000000")
	if must(t, 0, err); len(places) < 5 {
		t.Errorf("%d messages begin with a000000", len(places))
	}
}
