package vectors

import (
	"bytes"
	"cmp"
	"errors"
	"math"
	"os"
	"path/filepath"

	"slices"
)

// Words holds vectors of the index's own words, so that a question's word
// can be widened by words used alike. words.txt lists the terms, one a line, in
// the order of the vectors; a term without a vector, or a vector without a
// term, at the end of the files was never acknowledged.
type Words struct {
	vec   *Store
	list  *os.File
	terms []string
	size  int64 // of the valid part of words.txt
	// of the centred vectors, made when first asked
	mean    []float32
	meanSq  float64
	dotMean []float64
}

// OpenWords opens the words' vectors in dir.
func OpenWords(dir string, dim int) (*Words, error) {
	v, err := Open(dir, dim)
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(dir, "words.txt"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, errors.Join(err, v.Close())
	}
	t := &Words{vec: v, list: f}
	b, err := os.ReadFile(f.Name())
	if err != nil {
		return nil, errors.Join(err, t.Close())
	}
	for i := bytes.IndexByte(b, '\n'); i >= 0 && len(t.terms) < v.n; i = bytes.IndexByte(b, '\n') {
		t.terms = append(t.terms, string(b[:i]))
		t.size += int64(i + 1)
		b = b[i+1:]
	}
	v.n = len(t.terms)
	return t, nil
}

// Close closes the files.
func (t *Words) Close() error { return errors.Join(t.vec.Close(), t.list.Close()) }

// Len is the number of terms.
func (t *Words) Len() int { return len(t.terms) }

// Get returns the vector of a term.
func (t *Words) Get(term string) ([]float32, bool) { return t.vec.Get(Key(term)) }

// Has tells whether the term has a vector.
func (t *Words) Has(term string) bool { return t.vec.Has(Key(term)) }

// Append stores the vectors of terms, for good.
func (t *Words) Append(terms []string, vecs [][]float32) error {
	var lines []byte
	hashes := make([]uint64, len(terms))
	for i, w := range terms {
		lines = append(append(lines, w...), '\n')
		hashes[i] = Key(w)
	}
	if err := writeSync(t.list, lines, t.size); err != nil {
		return err
	}
	if err := t.vec.Append(hashes, vecs); err != nil {
		return err
	}
	t.size += int64(len(lines))
	t.terms = append(t.terms, terms...)
	t.mean = nil
	return nil
}

// centre computes the mean of all vectors: words are compared by what sets
// them apart from it.
func (t *Words) centre() {
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
	t.meanSq = Dot(t.mean, t.mean)
	for i := range n {
		t.dotMean[i] = Dot(t.vec.at(int32(i)), t.mean)
	}
}

// Alike is a term whose words are used like the word asked about.
type Alike struct {
	Term   string
	Cosine float64
}

// Near returns the k terms nearest to the unit vector x, best first, without
// the term self. Cosines are of the centred vectors. Not for several goroutines
// at once.
func (t *Words) Near(x []float32, self string, k int) []Alike {
	if len(t.terms) == 0 || k <= 0 {
		return nil
	}
	t.centre()
	xm := Dot(x, t.mean)
	xn := math.Sqrt(1 - 2*xm + t.meanSq)
	var best []Alike
	for i, term := range t.terms {
		bn := math.Sqrt(1 - 2*t.dotMean[i] + t.meanSq)
		c := (Dot(x, t.vec.at(int32(i))) - xm - t.dotMean[i] + t.meanSq) / (xn * bn)
		if term == self || len(best) == k && c <= best[k-1].Cosine {
			continue
		}
		at, _ := slices.BinarySearchFunc(best, c, func(a Alike, c float64) int { return cmp.Compare(c, a.Cosine) })
		best = slices.Insert(best, at, Alike{term, c})
		best = best[:min(k, len(best))]
	}
	return best
}
