// Package bert computes sentence vectors with a BERT encoder, in pure Go and
// assembly.
//
// [Load] takes a model's weights, shape and vocabulary as they lie in the
// binary; [Model.Tokens] splits a text by WordPiece and [Model.Embed] turns
// token lists into unit vectors: the mean over all token rows of the last
// layer, scaled to length 1.
//
// # Weights
//
// The weights are tensors back to back, little-endian, found through a table of
// contents in JSON:
//
//	{"layers":12, "hidden":384, "heads":12, "ffn":1536, "vocab":30522,
//	 "maxpos":512, "pooling":"mean",
//	 "tensors":{"emb.word":{"t":"q8", "shape":[30522,384], "off":0}, …}}
//
// A q8 tensor of r rows and c columns is r*c signed bytes, then r*c/32 half
// floats: one scale for each 32 consecutive values of a row. An f32 tensor is
// plain floats. Rows are outputs (or vocabulary entries, or positions), columns
// are summed over. Hidden size, feed-forward size and hidden/heads must be
// multiples of 32.
//
// # Kernels
//
// What multiplies is chosen when a model is loaded, from what the processor can
// do: see [Kernels]. "avx512vnni", "avxvnni" and "avx2" multiply the weights'
// bytes by inputs rounded to integers, of 8 bits or for "avx2" of 13; the others
// multiply floats made from the same bytes. Their vectors differ by a cosine of
// about 0.999. Attention is computed in floats by all. The word table is never
// copied: its rows are read from the weights as they are needed.
//
// The assembly is written by the generator in gen; a test there fails when it is
// not current. What arm64 computes can be tested on other machines by
//
//	CGO_ENABLED=0 GOARCH=arm64 go test -short -exec qemu-aarch64 ./embed/bert ./embed/e5
//
// and speed is compared with onnxruntime by bench/run.sh.
package bert

import (
	"fmt"
	"sync"
)

//go:generate go run ./gen .

// Options choose how a model computes. The zero value is right for all but
// tests.
type Options struct {
	Kernel string // one of Kernels; empty: the first, which is the fastest
}

// Model is a loaded encoder, safe for use by several goroutines.
type Model struct {
	size    shape
	vocab   vocabulary
	kernel  *kernel
	word    tensor
	pos     tensor
	segment []float32
	norm    affine
	blocks  []block
	scratch sync.Pool
}

// block is one layer of the encoder.
type block struct {
	query, key, value, out linear // attention
	norm1                  affine
	up, down               []linear // feed-forward, in parts as wide as the rest of the model
	norm2                  affine
}

// affine is what a layer normalisation ends with.
type affine struct{ gain, shift []float32 }

// Load makes a model from its weights, their table of contents and its
// vocabulary, one token a line. The strings are kept and must stay valid; they
// are not changed. Load copies the layers' weights into the layout of the
// kernel, in about as many bytes as they have.
func Load(weights, toc, vocab string, opt Options) (*Model, error) {
	k, err := pick(opt.Kernel)
	if err != nil {
		return nil, err
	}
	b, err := openBlob(weights, toc)
	if err != nil {
		return nil, err
	}
	m := &Model{size: b.shape, kernel: k}
	if m.vocab, err = newVocabulary(vocab, b.Vocab); err != nil {
		return nil, err
	}
	m.scratch.New = func() any { return new(scratch) }
	m.load(b)
	if b.err != nil {
		return nil, fmt.Errorf("weights: %w", b.err)
	}
	return m, nil
}

// Kernel names what multiplies.
func (m *Model) Kernel() string { return m.kernel.name }

// Dim is the length of the vectors.
func (m *Model) Dim() int { return m.size.Hidden }

// MaxTokens is the longest token list that Embed takes.
func (m *Model) MaxTokens() int { return m.size.MaxPos }

// Tokens returns the ids of text between those of [CLS] and [SEP], max of them
// at most (2 or more). Text is lower-cased and loses its accents and control
// characters; punctuation and CJK characters are words of their own. What looks
// like a control token, such as "[SEP]", is plain text. Any string will do.
func (m *Model) Tokens(text string, max int) []int32 { return m.vocab.tokens(text, max) }
