package transcript

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
)

func uuidsOf(nodes []Node, rows []int) (out []string) {
	for _, i := range rows {
		out = append(out, nodes[i].UUID)
	}
	return out
}

func asSet(uuids []string) map[string]bool {
	set := map[string]bool{}
	for _, u := range uuids {
		set[u] = true
	}
	return set
}

func TestLiveAgainstPlainAlgorithm(t *testing.T) {
	for s := range uint64(3000) {
		nodes := randomNodes(rand.New(rand.NewPCG(s, 1)), 3+int(s%40), false)
		got := asSet(uuidsOf(nodes, Live(nodes)))
		if diff := gocmp.Diff(plainLive(nodes), got); diff != "" {
			t.Fatalf("seed %d: -want +got:\n%s", s, diff)
		}
	}
}

// TestDroppedIsChainMinusPreserved checks each compaction of the recordings
// against the live chains of the file as it was before and after the boundary.
func TestDroppedIsChainMinusPreserved(t *testing.T) {
	boundaries := 0
	for _, name := range recordedFiles(t) {
		nodes, _ := nodesOf(readAll(t, name), time.Time{})
		for _, c := range Compactions(nodes) {
			boundaries++
			b := slices.IndexFunc(nodes, func(n Node) bool { return n.UUID == c.Boundary })
			before := plainLive(nodes[:b])
			kept := asSet(nodes[b].Compact.Preserved)
			if len(kept) == 0 && nodes[b].Compact.Tail != "" {
				kept = asSet(uuidsOf(nodes, c.Preserved)) // known by their ends only
				if len(kept) < 2 || !kept[nodes[b].Compact.Head] || !kept[nodes[b].Compact.Tail] {
					t.Errorf("%s, compaction %d: preserved %v", name, c.Nth, kept)
				}
			}
			want := map[string]bool{}
			for u := range before {
				if !kept[u] {
					want[u] = true
				}
			}
			dropped := uuidsOf(nodes, c.Dropped)
			if diff := gocmp.Diff(want, asSet(dropped)); diff != "" {
				t.Errorf("%s, compaction %d: -want +got:\n%s", name, c.Nth, diff)
			}
			if !slices.IsSorted(positions(nodes, Live(nodes[:b]), dropped)) {
				t.Errorf("%s, compaction %d: not in chain order", name, c.Nth)
			}
			if s := nodeByUUID(nodes, c.Summary); s == nil || !s.Summary {
				t.Errorf("%s, compaction %d: summary %q", name, c.Nth, c.Summary)
			}
		}
	}
	if boundaries < 40 {
		t.Errorf("only %d boundaries", boundaries)
	}
}

func positions(nodes []Node, chain []int, uuids []string) (out []int) {
	all := uuidsOf(nodes, chain)
	for _, u := range uuids {
		out = append(out, slices.Index(all, u))
	}
	return out
}

func nodeByUUID(nodes []Node, uuid string) *Node {
	i := slices.IndexFunc(nodes, func(n Node) bool { return n.UUID == uuid })
	if i < 0 {
		return nil
	}
	return &nodes[i]
}

// parseTree makes nodes of a small notation, one node for each word:
//
//	a<b       user a, child of b (none: a root)
//	A<b       assistant, when the uuid begins with a capital
//	A@m<b     with message id m;  A+t  with call t;  a-t  with the result of t
//	b!x,y^s   boundary that preserved x and y under the anchor s
//	s?<b      summary;  p~<b  progress;  q_<b  made from the queue;  a/<b  of a sub-agent
func parseTree(text string) (nodes []Node) {
	for _, word := range strings.Fields(text) {
		word, parent, _ := strings.Cut(word, "<")
		n := Node{Parent: parent, Type: "user"}
		cut := func(mark string) (string, bool) {
			before, after, ok := strings.Cut(word, mark)
			word = before
			return after, ok
		}
		anchor, _ := cut("^")
		if list, ok := cut("!"); ok {
			n.Compact = &Compact{Anchor: anchor}
			if list != "" {
				n.Compact.Preserved = strings.Split(list, ",")
			}
			n.Type = "system"
		}
		if _, ok := cut("?"); ok {
			n.Summary = true
		}
		if _, ok := cut("~"); ok {
			n.Type = "progress"
		}
		if _, ok := cut("_"); ok {
			n.Type = "queue-operation"
		}
		if _, ok := cut("/"); ok {
			n.Sidechain = true
		}
		if id, ok := cut("-"); ok {
			n.Results = []string{id}
		}
		if id, ok := cut("+"); ok {
			n.Calls = []string{id}
		}
		n.MessageID, _ = cut("@")
		n.UUID = word
		if word[0] >= 'A' && word[0] <= 'Z' {
			n.Type = "assistant"
		}
		nodes = append(nodes, n)
	}
	return nodes
}

func TestLive(t *testing.T) {
	tests := map[string]struct{ tree, want string }{
		"nothing":                                {"", ""},
		"a chain":                                {"a B<a c<B D<c", "a B c D"},
		"order of the file, not of time":         {"a B<a c<B", "a B c"},
		"rewound: the old branch is left":        {"a B<a c<B D<c e<B F<e", "a B e F"},
		"parallel calls and results":             {"a B@m+1<a C@m+2<B r-1<B s-2<C D<s", "a B C r s D"},
		"parallel, first result written last":    {"a B@m+1<a C@m+2<B s-2<C r-1<B D<r", "a B C s r D"},
		"block that is not on the walk":          {"a T@m<a B@m+1<a r-1<B D<r", "a B T r D"},
		"call without message id":                {"a B+1<a r-1<a D<B", "a B r D"},
		"missing parent: the record before":      {"a B<a c<gone D<c", "a B c D"},
		"missing parent of the first":            {"a<gone B<a", "a B"},
		"missing parent, progress between":       {"a B<a p~<B c<gone", "a B c"},
		"cycle":                                  {"a<c B<a c<B", "a B c"},
		"parent of itself":                       {"a B<B", "B"},
		"progress in the chain":                  {"a p~<a B<p", "a p B"},
		"progress at the end is no leaf":         {"a B<a p~<a", "a B"},
		"sub-agent beside the chain":             {"a B<a x/<B Y/<x", "a B"},
		"file of a sub-agent":                    {"x/ Y/<x", "x Y"},
		"row again: last wins, first place":      {"a B<a c<B d<B c<a", "a B d"},
		"compacted":                              {"a B<a b! s?<b c<s", "b s c"},
		"compacted, tail preserved":              {"a B<a c<B D<c b!c,D^s s?<b e<s", "b s c D e"},
		"preserved, client went on from tail":    {"a B<a c<B D<c b!c,D^s s?<b e<D", "b s c D e"},
		"preserved, nothing after":               {"a B<a c<B D<c b!c,D^s s?<b", "b s c D"},
		"from here: summary follows what stays":  {"a B<a c<B D<c b!a,B^b s?<b e<s", "b a B s e"},
		"anchor is missing":                      {"a B<a c<B b!c^gone d<c", "b c d"},
		"preserved uuids that are missing":       {"a B<a c<B b!x,c,y^s s?<b", "b s c"},
		"preserved twice":                        {"a B<a c<B b!c,c^s s?<b d<c", "b s c d"},
		"preserved, parallel results not listed": {"a B@m+1<a C@m+2<B r-1<B s-2<C b!B,C,s^z z?<b d<s", "b z B C r s d"},
		"twice, the last one counts":             {"a B<a c<B D<c b!c,D^s s?<b e<D F<e g!e,F^t t?<g h<F", "g t e F h"},
		"same append again":                      {"a B<a c<B b!B,c^s s?<b g!c^t t?<g d<c", "g t c d"},
		"queued prompt follows its place":        {"a B<a q_<B C<B", "a B q C"},
		"queued prompt is no leaf":               {"a B<a q_<a", "a q B"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			nodes := parseTree(test.tree)
			if got := strings.Join(uuidsOf(nodes, Live(nodes)), " "); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestLiveNamesTheLastRow(t *testing.T) {
	nodes := parseTree("a B<a a")
	if got := Live(nodes); !slices.Equal(got, []int{2, 1}) {
		t.Errorf("got %v", got)
	}
}

func TestCompactions(t *testing.T) {
	tests := map[string]struct{ tree, want string }{
		"none":                               {"a B<a", ""},
		"all dropped":                        {"a B<a b! s?<b c<s", "1 b s: a B | "},
		"tail preserved":                     {"a B<a c<B D<c b!c,D^s s?<b", "1 b s: a B | c D"},
		"dead branches are not dropped":      {"a B<a c<B D<c e<B F<e b! s?<b", "1 b s: a B e F | "},
		"second drops what the first left":   {"a B<a c<B D<c b!c,D^s s?<b e<D F<e g!e,F^t t?<g", "1 b s: a B | c D; 2 g t: b s c D | e F"},
		"from here":                          {"a B<a c<B D<c b!a,B^b s?<b e<s", "1 b s: c D | a B"},
		"without summary":                    {"a B<a b! g! s?<g", "1 b : a B | ; 2 g s: b | "},
		"results of preserved calls stay":    {"a B@m+1<a C@m+2<B r-1<B s-2<C b!B,C,s^z z?<b", "1 b z: a | B C s"},
		"queued prompt goes with its place":  {"a B<a q_<B C<B b! s?<b", "1 b s: a B q C | "},
		"rows appended again, links changed": {"a B<a b! s?<b c<s D<c a<s B<a c<B D<c g! t?<g e<t", "1 b s: a B | ; 2 g t: b s c D | "},
		"rows appended again, links kept":    {"a B<a b! s?<b c<s D<c a B<a s?<b c<s D<c g! t?<g e<t", "1 b s: a B | ; 2 g t: b s c D | "},
		"went back behind the boundary":      {"a B<a b! s?<b c<s d<B E<d g! t?<g", "1 b s: a B | ; 2 g t: a B d E | "},
		"stale append brings back":           {"a B<a c<B D<c b! s?<b e<s g!c,D^t t?<g h<D i! u?<i", "1 b s: a B c D | ; 2 g t: b s e | c D; 3 i u: g t c D h | "},
		"boundary is the first record":       {"b! s?<b c<s", "1 b s:  | "},
		"boundary again is one boundary":     {"a b! s?<b c<s b! s?<b", "1 b s: a | "},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			nodes := parseTree(test.tree)
			var got []string
			for _, c := range Compactions(nodes) {
				got = append(got, fmt.Sprintf("%d %s %s: %s | %s", c.Nth, c.Boundary, c.Summary,
					strings.Join(uuidsOf(nodes, c.Dropped), " "), strings.Join(uuidsOf(nodes, c.Preserved), " ")))
			}
			if all := strings.Join(got, "; "); all != test.want {
				t.Errorf("got  %s\nwant %s", all, test.want)
			}
		})
	}
}

func TestCompactionCarriesItsFacts(t *testing.T) {
	at := time.Date(2026, 11, 30, 19, 0, 0, 0, time.UTC)
	nodes := []Node{
		{UUID: "a", Type: "user"},
		{UUID: "b", Type: "system", Time: at, Compact: &Compact{Trigger: "auto", PreTokens: 985232}},
	}
	want := []Compaction{{Nth: 1, Boundary: "b", Time: at, Trigger: "auto", PreTokens: 985232, Dropped: []int{0}}}
	if diff := gocmp.Diff(want, Compactions(nodes)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestCompactionsOfRandomTrees(t *testing.T) {
	for s := range uint64(300) {
		nodes := randomNodes(rand.New(rand.NewPCG(s, 2)), 200, true)
		for _, c := range Compactions(nodes) {
			dropped, kept := uuidsOf(nodes, c.Dropped), asSet(uuidsOf(nodes, c.Preserved))
			for _, u := range dropped {
				if kept[u] {
					t.Fatalf("seed %d, compaction %d: %s is dropped and preserved", s, c.Nth, u)
				}
			}
			if len(asSet(dropped)) != len(dropped) {
				t.Fatalf("seed %d, compaction %d: dropped twice: %v", s, c.Nth, dropped)
			}
		}
	}
}

func longChain(size, boundaryEvery int) (nodes []Node) {
	for i := range size {
		n := Node{UUID: fmt.Sprint("u", i), Type: "user", Parent: fmt.Sprint("u", i-1)}
		if i%2 == 1 {
			n.Type, n.MessageID, n.Calls = "assistant", fmt.Sprint("m", i/4), []string{fmt.Sprint("t", i)}
		} else {
			n.Results = []string{fmt.Sprint("t", i-1)}
		}
		if i == 0 {
			n.Parent = ""
		}
		if boundaryEvery > 0 && i%boundaryEvery == boundaryEvery-1 {
			n = Node{UUID: n.UUID, Type: "system", Compact: &Compact{Anchor: fmt.Sprint("u", i+1)}}
			for j := i - 10; j < i; j++ {
				n.Compact.Preserved = append(n.Compact.Preserved, fmt.Sprint("u", j))
			}
		}
		nodes = append(nodes, n)
	}
	return nodes
}

func BenchmarkLive50k(b *testing.B) {
	nodes := longChain(50_000, 0)
	for b.Loop() {
		Live(nodes)
	}
}

func BenchmarkCompactions50k(b *testing.B) {
	nodes := longChain(50_000, 2_000)
	for b.Loop() {
		Compactions(nodes)
	}
}
