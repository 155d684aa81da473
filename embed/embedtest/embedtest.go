// Package embedtest holds the tests that every [embed.Embedder] passes: what
// its comments promise, and nothing about how good the vectors are.
package embedtest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"recall/embed"
)

// texts have no two alike; among them are a long one, which some models cut,
// and some that are no prose.
var texts = []string{
	"the metrics server listens on port 9464",
	"we removed redis because nobody needed it",
	"func main() { os.Exit(run()) }",
	"größere Änderungen, später: 北京 🚀",
	strings.Repeat("step by step the long text goes on and on. ", 400),
	"?",
}

// Run tests e. Vectors of one text may differ in their last digits from call to
// call.
func Run(t *testing.T, e embed.Embedder) {
	t.Run("names itself for good", func(t *testing.T) { testName(t, e) })
	t.Run("unit vectors in the order asked", func(t *testing.T) { testOrder(t, e) })
	t.Run("nothing for nothing", func(t *testing.T) { testNothing(t, e) })
	t.Run("empty text among others", func(t *testing.T) { testEmpty(t, e) })
	t.Run("query is near its own document", func(t *testing.T) { testQuery(t, e) })
	t.Run("cancelled before it starts", func(t *testing.T) { testCancelled(t, e) })
	t.Run("several callers at once", func(t *testing.T) { testConcurrent(t, e) })
	if w, ok := e.(embed.WordEmbedder); ok {
		t.Run("words", func(t *testing.T) { testWords(t, w) })
	}
}

func testName(t *testing.T, e embed.Embedder) {
	if first := e.Model(); e.Dim() <= 0 || first == "" || e.Model() != first {
		t.Errorf("Dim() = %d, Model() = %q", e.Dim(), e.Model())
	}
	if want := fmt.Sprintf("/%d", e.Dim()); !strings.Contains(e.Model(), want) {
		t.Errorf("Model() = %q, does not name the dimension %s", e.Model(), want)
	}
}

func testOrder(t *testing.T, e embed.Embedder) {
	vs := documents(t, e, texts)
	for i, text := range texts {
		checkUnit(t, e, vs[i])
		alone := documents(t, e, []string{text})[0]
		if got := cosine(vs[i], alone); got < 0.999 {
			t.Errorf("%.30q: cosine %.5f between in a batch and alone", text, got)
		}
		for j := range i {
			if got := cosine(vs[i], vs[j]); got > 0.999999 {
				t.Errorf("%.30q and %.30q have the same vector", text, texts[j])
			}
		}
	}
}

func testNothing(t *testing.T, e embed.Embedder) {
	if vs, err := e.Documents(t.Context(), nil); len(vs) != 0 || err != nil {
		t.Errorf("Documents(nil) = %d vectors, %v", len(vs), err)
	}
	for _, text := range []string{"", " \n\t"} {
		if v, err := e.Query(t.Context(), text); v != nil || err == nil {
			t.Errorf("Query(%q) = %v, %v, want an error", text, v, err)
		}
	}
}

func testEmpty(t *testing.T, e embed.Embedder) {
	vs := documents(t, e, []string{"", texts[0], " \n", texts[1]})
	if vs[0] != nil || vs[2] != nil {
		t.Error("an empty text has a vector")
	}
	checkUnit(t, e, vs[1])
	checkUnit(t, e, vs[3])
}

func testQuery(t *testing.T, e embed.Embedder) {
	vs := documents(t, e, texts)
	for i, text := range texts[:4] {
		q, err := e.Query(t.Context(), text)
		if err != nil {
			t.Fatal(err)
		}
		checkUnit(t, e, q)
		for j := range vs {
			if cosine(q, vs[j]) > cosine(q, vs[i]) {
				t.Errorf("query %q is nearer to document %.30q", text, texts[j])
			}
		}
	}
}

func testCancelled(t *testing.T, e embed.Embedder) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	vs, err := e.Documents(ctx, texts)
	if !errors.Is(err, context.Canceled) || len(vs) >= len(texts) {
		t.Errorf("Documents = %d vectors, %v, want a prefix and context.Canceled", len(vs), err)
	}
	if v, err := e.Query(ctx, texts[0]); v != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("Query = %v, %v, want context.Canceled", v, err)
	}
}

func testConcurrent(t *testing.T, e embed.Embedder) {
	want := documents(t, e, texts[:4])
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			got, err := e.Documents(t.Context(), texts[:4])
			if err != nil || len(got) != 4 {
				t.Errorf("Documents = %d vectors, %v", len(got), err)
				return
			}
			for i := range got {
				if c := cosine(got[i], want[i]); c < 0.999 {
					t.Errorf("%.30q: cosine %.5f to the vector computed alone", texts[i], c)
				}
			}
		})
	}
	wg.Wait()
}

func testWords(t *testing.T, e embed.WordEmbedder) {
	words := []string{"port", "socket", "banana"}
	vs, err := e.Words(t.Context(), words)
	if err != nil || len(vs) != len(words) {
		t.Fatalf("Words = %d vectors, %v", len(vs), err)
	}
	q, err := e.(embed.Embedder).Query(t.Context(), words[2])
	if err != nil {
		t.Fatal(err)
	}
	if c := cosine(q, vs[2]); c < 0.999 {
		t.Errorf("cosine %.5f of a word to the query of the same text", c)
	}
}

func documents(t *testing.T, e embed.Embedder, texts []string) []embed.Vector {
	t.Helper()
	vs, err := e.Documents(t.Context(), texts)
	if err != nil || len(vs) != len(texts) {
		t.Fatalf("Documents = %d vectors, %v, want %d", len(vs), err, len(texts))
	}
	return vs
}

func checkUnit(t *testing.T, e embed.Embedder, v embed.Vector) {
	t.Helper()
	if len(v) != e.Dim() {
		t.Errorf("vector of %d numbers, want %d", len(v), e.Dim())
	}
	if n := cosine(v, v); math.Abs(n-1) > 1e-5 {
		t.Errorf("square of the length is %f, want 1", n)
	}
}

// cosine is the product in double precision, so that tests see small
// differences.
func cosine(a, b embed.Vector) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}
