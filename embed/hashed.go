package embed

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"strings"
	"unicode"
)

// Hashed knows no language: it gives every word a random direction and every
// text the sum of those of its words, so that texts that share words are near
// and others about at right angles. It is for tests, and needs neither weights
// nor server. Equal texts have equal vectors, always and everywhere.
type Hashed struct{ dim int }

// NewHashed returns a Hashed whose vectors have dim numbers; dim must be
// greater than 0.
func NewHashed(dim int) Hashed { return Hashed{dim} }

// Model is "hashed/" and the dimension.
func (h Hashed) Model() string { return fmt.Sprintf("hashed/%d", h.dim) }

// Dim is the length of every vector.
func (h Hashed) Dim() int { return h.dim }

// Documents embeds texts; see [Embedder].
func (h Hashed) Documents(ctx context.Context, texts []string) ([]Vector, error) {
	vs := make([]Vector, 0, len(texts))
	for _, text := range texts {
		if err := ctx.Err(); err != nil {
			return vs, err
		}
		vs = append(vs, h.vector(text))
	}
	return vs, nil
}

// Query embeds a text the way Documents does.
func (h Hashed) Query(ctx context.Context, text string) (Vector, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if blank(text) {
		return nil, errEmptyQuery
	}
	return h.vector(text), nil
}

// Words embeds words the way Documents does; see [WordEmbedder].
func (h Hashed) Words(ctx context.Context, words []string) ([]Vector, error) {
	return h.Documents(ctx, words)
}

var errEmptyQuery = errors.New("embed: the query is empty")

func (h Hashed) vector(text string) Vector {
	if blank(text) {
		return nil
	}
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	if len(words) == 0 {
		words = []string{text}
	}
	v := make(Vector, h.dim)
	for _, w := range words {
		addDirection(v, w)
	}
	if !v.unit() { // words that cancel out, possible in few dimensions
		v[0] = 1
	}
	return v
}

// addDirection adds +1 or -1 to each number of v, at random but the same for
// the same word.
func addDirection(v Vector, word string) {
	sum := fnv.New64a()
	sum.Write([]byte(word))
	state := sum.Sum64()
	for i := range v {
		v[i] += float32(int(splitMix(&state)>>63)*2 - 1)
	}
}

// splitMix returns the next of a sequence of well-mixed numbers.
func splitMix(state *uint64) uint64 {
	*state += 0x9e3779b97f4a7c15
	z := *state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
