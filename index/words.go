package index

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"recall/embed"
	"slices"
)

// wordTable holds vectors of the index's own words, so that a question's word
// can be widened by words used alike. words.txt lists the terms, one a line, in
// the order of the vectors; a term without a vector, or a vector without a
// term, at the end of the files was never acknowledged.
type wordTable struct {
	vec   *vectors
	list  *os.File
	terms []string
	size  int64 // of the valid part of words.txt
	// of the centred vectors, made when first asked
	mean    []float32
	meanSq  float64
	dotMean []float64
}

const (
	wordMinDF = 4     // rarer terms are matched exactly or not at all
	wordMost  = 20000 // the most frequent terms; more were not measured
)

func openWords(dir string, dim int) (*wordTable, error) {
	v, err := openVectors(dir, dim)
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(dir, "words.txt"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, errors.Join(err, v.close())
	}
	t := &wordTable{vec: v, list: f}
	b, err := os.ReadFile(f.Name())
	if err != nil {
		return nil, errors.Join(err, t.close())
	}
	for i := bytes.IndexByte(b, '\n'); i >= 0 && len(t.terms) < v.n; i = bytes.IndexByte(b, '\n') {
		t.terms = append(t.terms, string(b[:i]))
		t.size += int64(i + 1)
		b = b[i+1:]
	}
	v.n = len(t.terms)
	return t, nil
}

func (t *wordTable) close() error { return errors.Join(t.vec.close(), t.list.Close()) }

func (t *wordTable) has(term string) bool { return t.vec.has(contentHash(term)) }

func (t *wordTable) append(terms []string, vecs [][]float32) error {
	var lines []byte
	hashes := make([]uint64, len(terms))
	for i, w := range terms {
		lines = append(append(lines, w...), '\n')
		hashes[i] = contentHash(w)
	}
	if err := writeSync(t.list, lines, t.size); err != nil {
		return err
	}
	if err := t.vec.append(hashes, vecs); err != nil {
		return err
	}
	t.size += int64(len(lines))
	t.terms = append(t.terms, terms...)
	t.mean = nil
	return nil
}

// centre computes the mean of all vectors: words are compared by what sets
// them apart from it.
func (t *wordTable) centre() {
	if t.mean != nil {
		return
	}
	n := len(t.terms)
	t.mean, t.dotMean = make([]float32, t.vec.dim), make([]float64, n)
	for i := range n {
		for k, f := range t.vec.at(int32(i)) {
			t.mean[k] += f
		}
	}
	for k := range t.mean {
		t.mean[k] /= float32(n)
	}
	t.meanSq = dot(t.mean, t.mean)
	for i := range n {
		t.dotMean[i] = dot(t.vec.at(int32(i)), t.mean)
	}
}

// near returns the k terms nearest to the unit vector x, best first, without
// the term itself.
func (t *wordTable) near(x []float32, self string, k int) []Alike {
	xm := dot(x, t.mean)
	xn := math.Sqrt(1 - 2*xm + t.meanSq)
	var best []Alike
	for i, term := range t.terms {
		bn := math.Sqrt(1 - 2*t.dotMean[i] + t.meanSq)
		c := (dot(x, t.vec.at(int32(i))) - xm - t.dotMean[i] + t.meanSq) / (xn * bn)
		if term == self || len(best) == k && c <= best[k-1].Cosine {
			continue
		}
		at, _ := slices.BinarySearchFunc(best, c, func(a Alike, c float64) int { return cmp.Compare(c, a.Cosine) })
		best = slices.Insert(best, at, Alike{term, c})
		best = best[:min(k, len(best))]
	}
	return best
}

// Similar implements search.Store.
func (x *Index) Similar(ctx context.Context, words []string, k int) ([][]Alike, error) {
	x.mu.Lock() // the mean is made on the way
	defer x.mu.Unlock()
	out := make([][]Alike, len(words))
	if x.words == nil || len(x.words.terms) == 0 || k <= 0 {
		return out, nil
	}
	x.words.centre()
	vecs, err := x.wordVectors(ctx, words)
	if err != nil {
		return nil, err
	}
	for i, w := range words {
		if vecs[i] != nil {
			out[i] = x.words.near(vecs[i], termOf(w), k)
		}
	}
	return out, nil
}

// wordVectors takes known words from the table and embeds the others.
func (x *Index) wordVectors(ctx context.Context, words []string) ([]vector, error) {
	out := make([]vector, len(words))
	var missing []string
	var where []int
	for i, w := range words {
		if v, ok := x.words.vec.get(contentHash(termOf(w))); ok {
			out[i] = v
			continue
		}
		missing, where = append(missing, w), append(where, i)
	}
	we, ok := x.o.Embedder.(embed.WordEmbedder)
	if len(missing) == 0 || !ok {
		return out, nil
	}
	vecs, err := we.Words(ctx, missing)
	for j, v := range vecs {
		out[where[j]] = v
	}
	return out, err
}

// termOf is the index term of a single word.
func termOf(word string) string {
	if t := Terms(word); len(t) > 0 {
		return t[len(t)-1]
	}
	return word
}
