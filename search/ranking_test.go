package search

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// asked is a question about the sample history (testdata/questions.jsonl).
type asked struct {
	ID, Kind, Query string
	Evidence        []struct{ UUID string }
	AnswerIn        []string `json:"answer_in"`
	AlsoIn          []string `json:"also_in"`
	Alternatives    []string
}

func (a asked) accepts(uuid string) bool {
	for _, e := range a.Evidence {
		if len(a.AnswerIn) == 0 && e.UUID == uuid {
			return true
		}
	}
	return slices.Contains(a.AnswerIn, uuid) || slices.Contains(a.AlsoIn, uuid)
}

func questions(t *testing.T) []asked {
	t.Helper()
	f, err := os.Open("../testdata/questions.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []asked
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var a asked
		if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
			t.Fatal(err)
		}
		out = append(out, a)
	}
	if lines.Err() != nil || len(out) == 0 {
		t.Fatalf("%d questions, %v", len(out), lines.Err())
	}
	return out
}

// figures are what one kind of question reaches.
type figures struct {
	n, first, five, ten, found int
	mrr                        float64
}

func (f *figures) add(rank int, found bool) {
	f.n++
	if found {
		f.found++
	}
	if rank == 0 {
		return
	}
	f.mrr += 1 / float64(rank)
	for _, x := range []struct {
		most int
		hits *int
	}{{1, &f.first}, {5, &f.five}, {10, &f.ten}} {
		if rank <= x.most {
			*x.hits++
		}
	}
}

// TestRankingGolden asks every question about the sample history, over all
// sessions and by keyword alone, and compares the ranks with
// testdata/ranking.golden: a change of ranking is a diff to be read. UPDATE=1
// rewrites it.
func TestRankingGolden(t *testing.T) {
	x := openIndex(t, "../cmd/recall/demo/history/projects", nil)
	s := New(x, nil)
	var got bytes.Buffer
	for _, also := range []bool{false, true} {
		askAll(t, s, also, &got)
	}
	const golden = "testdata/ranking.golden"
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := gocmp.Diff(strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")); d != "" {
		t.Error("-want +got (UPDATE=1 accepts it)\n", d)
	}
}

func askAll(t *testing.T, s *Searcher, also bool, out *bytes.Buffer) {
	t.Helper()
	sums := map[string]*figures{}
	var list bytes.Buffer
	for _, a := range questions(t) {
		q := Query{Text: a.Query, Scope: "all", Limit: 10}
		if also {
			q.Also = a.Alternatives
		}
		res, err := s.Search(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		rank, top := 0, []string{}
		for _, h := range all(res) {
			if rank == 0 && slices.ContainsFunc(h.UUIDs, a.accepts) {
				rank = h.Rank
			}
			if h.Rank <= 3 {
				top = append(top, h.Pointer)
			}
		}
		kinds := []string{a.Kind}
		if a.Kind != "none" {
			kinds = append(kinds, "all")
		}
		for _, k := range kinds {
			if sums[k] == nil {
				sums[k] = &figures{}
			}
			sums[k].add(rank, res.Found)
		}
		fmt.Fprintf(&list, "%s %-10s rank %2d found %-5v %s\n", a.ID, a.Kind, rank, res.Found, strings.Join(top, " "))
	}
	fmt.Fprintf(out, "# alternatives %v\n# %-10s %4s %6s %6s %6s %6s %6s\n", also, "kind", "n", "hit@1", "hit@5", "hit@10", "mrr", "found")
	for _, k := range sortedKeys(sums) {
		f := sums[k]
		p := func(n int) float64 { return 100 * float64(n) / float64(f.n) }
		fmt.Fprintf(out, "# %-10s %4d %6.1f %6.1f %6.1f %6.1f %6.1f\n", k, f.n, p(f.first), p(f.five), p(f.ten), 100*f.mrr/float64(f.n), p(f.found))
	}
	out.Write(list.Bytes())
}

func sortedKeys[V any](m map[string]V) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.SortFunc(out, cmp.Compare[string])
	return out
}
