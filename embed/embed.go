// Package embed turns texts into vectors.
//
// An [Embedder] is asked for documents and queries apart, because retrieval
// models want to be told which is which. The encoder that ships with recall is
// in embed/e5 (weights) and embed/bert (arithmetic); [NewOllama] asks a local
// Ollama server instead; [NewHashed] is the deterministic stand-in that tests
// use. Vectors of different models are never mixed: [Embedder.Model] names the
// model, its weights and its dimension, and whoever stores vectors keys them by
// that name.
package embed

import (
	"context"
	"math"
	"strings"
)

// Vector is an embedding of unit length. Compare two by their dot product.
type Vector []float32

// Dot returns the cosine of two vectors of one model.
func (v Vector) Dot(w Vector) float32 {
	var s0, s1, s2, s3, s4, s5, s6, s7 float32
	w = w[:len(v)]
	i := 0
	for ; i+8 <= len(v); i += 8 {
		x, y := v[i:i+8:i+8], w[i:i+8:i+8]
		s0 += x[0] * y[0]
		s1 += x[1] * y[1]
		s2 += x[2] * y[2]
		s3 += x[3] * y[3]
		s4 += x[4] * y[4]
		s5 += x[5] * y[5]
		s6 += x[6] * y[6]
		s7 += x[7] * y[7]
	}
	for ; i < len(v); i++ {
		s0 += v[i] * w[i]
	}
	return (s0 + s1) + (s2 + s3) + (s4 + s5) + (s6 + s7)
}

// unit scales v to length 1 in place. It reports false for a vector without
// direction: all zero, or not finite.
func (v Vector) unit() bool {
	var squares float64
	for _, x := range v {
		squares += float64(x) * float64(x)
	}
	if !(squares > 0) || math.IsInf(squares, 0) {
		return false
	}
	f := float32(1 / math.Sqrt(squares))
	for i := range v {
		v[i] *= f
	}
	return true
}

// blank reports a text that no model is asked about.
func blank(text string) bool { return strings.TrimSpace(text) == "" }

// Embedder turns texts into vectors. Implementations are safe for use by
// several goroutines.
type Embedder interface {
	// Model names the model for good, e.g. "e5-small-v2-int8@6ab09d1d/384".
	// Two embedders with the same Model give comparable vectors.
	Model() string
	// Dim is the length of every vector.
	Dim() int
	// Documents embeds texts to be found, in the order given. On error it
	// returns the vectors of a prefix of texts together with the error; the
	// caller keeps what came. A text should not be empty: no model is asked
	// about one of white space only, and its vector is nil.
	Documents(ctx context.Context, texts []string) ([]Vector, error)
	// Query embeds what is searched for. An empty text is an error.
	Query(ctx context.Context, text string) (Vector, error)
}

// WordEmbedder is an Embedder that also embeds single words, many at a time, in
// a way that makes words of like meaning near: for tables of neighbours.
type WordEmbedder interface {
	// Words embeds words in the order given; errors and empty words are as in
	// Embedder.Documents.
	Words(ctx context.Context, words []string) ([]Vector, error)
}
