package keyword

import (
	"context"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func doc(id uint32, project string, terms ...string) Doc {
	var flat []byte
	var ends []int
	for _, t := range terms {
		flat = append(flat, t...)
		ends = append(ends, len(flat))
	}
	return Doc{ID: id, Tokens: NewTokens(flat, ends), Fields: []Field{{"project", project}}}
}

func filled(t *testing.T, dir string) *Index {
	t.Helper()
	x, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	docs := []Doc{doc(0, "a", "port", "exporter"), doc(1, "b", "port"), doc(40, "a", "lunch", "port", "port")}
	if err := x.Write(docs, []byte("mark 1")); err != nil {
		t.Fatal(err)
	}
	return x
}

func ids(hits []Hit) []uint32 {
	var out []uint32
	for _, h := range hits {
		out = append(out, h.ID)
	}
	return out
}

func TestSearch(t *testing.T) {
	x := filled(t, t.TempDir()+"/k")
	for _, c := range []struct {
		reason  string
		terms   []string
		filters []Filter
		n       int
		want    []uint32
	}{
		{"rare term first", []string{"port", "exporter"}, nil, 1, []uint32{0}},
		{"filter", []string{"port"}, []Filter{{"project", []string{"b"}}}, 9, []uint32{1}},
		{"filter of two values", []string{"exporter"}, []Filter{{"project", []string{"b", "a"}}}, 9, []uint32{0}},
		{"two filters", []string{"port"}, []Filter{{"project", []string{"b"}}, {"project", []string{"a"}}}, 9, nil},
		{"unknown term", []string{"zebra"}, nil, 9, nil},
		{"no terms", nil, nil, 9, nil},
		{"odd terms", []string{"", "*", `"`, "a:b"}, nil, 9, nil},
	} {
		t.Run(c.reason, func(t *testing.T) {
			got, err := x.Search(context.Background(), c.terms, c.filters, c.n)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, ids(got)); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestFiltersAddNothingToTheScore(t *testing.T) {
	x := filled(t, t.TempDir()+"/k")
	score := func(f ...Filter) float64 {
		got, err := x.Search(context.Background(), []string{"exporter"}, f, 1)
		if err != nil || len(got) != 1 {
			t.Fatal(got, err)
		}
		return got[0].Score
	}
	a, b := score(Filter{"project", []string{"a"}}), score(Filter{"project", []string{"a", "b", "c"}})
	if a != b {
		t.Errorf("scores %g and %g", a, b)
	}
}

func TestMarkAndCountsAfterReopening(t *testing.T) {
	dir := t.TempDir() + "/k"
	x := filled(t, dir)
	if err := x.Write(nil, []byte("mark 2")); err != nil {
		t.Fatal(err)
	}
	x.Close()
	x, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if m, err := x.Mark(); err != nil || string(m) != "mark 2" {
		t.Errorf("mark %q %v", m, err)
	}
	df, err := x.DF([]string{"port", "zebra"})
	if d := cmp.Diff(map[string]int{"port": 3, "zebra": 0}, df); d != "" || err != nil {
		t.Error(d, err)
	}
	var terms []string
	if err := x.Terms(2, func(t string, _ uint64) { terms = append(terms, t) }); err != nil || !cmp.Equal(terms, []string{"port"}) {
		t.Errorf("%q %v", terms, err)
	}
	if n, err := x.Count(); n != 3 || err != nil {
		t.Error(n, err)
	}
}

func TestWritingADocumentAgainReplacesIt(t *testing.T) {
	x := filled(t, t.TempDir()+"/k")
	if err := x.Write([]Doc{doc(1, "b", "harbor")}, nil); err != nil {
		t.Fatal(err)
	}
	got, err := x.Search(context.Background(), []string{"port"}, nil, 9)
	if err != nil || len(got) != 2 {
		t.Errorf("%v %v", got, err)
	}
}

func TestOpenFolderWithoutIndexMakesOne(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/left-over", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	x, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	x.Close()
}
