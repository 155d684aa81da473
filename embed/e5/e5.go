// Package e5 is the sentence encoder that ships with recall: e5-small-v2
// (English, 384 dimensions, MIT License) with its weights in the binary.
//
// Start with [New]; the result is an [embed.Embedder]. New costs nothing to
// speak of: the weights are unpacked at the first text, once, in some tens of
// milliseconds, and a program that embeds nothing never touches them.
//
// The model was trained with prefixes, which are added here: "query: " before
// what is searched for and "passage: " before what is to be found. Texts are cut
// after [MaxTokens] tokens, about 1,000 characters of prose. Cosines of unrelated
// texts are about 0.7, of equal ones 1: only differences mean something.
package e5

import (
	"context"
	_ "embed" // the files below
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"recall/embed"
	"recall/embed/bert"
)

// MaxTokens is how many tokens of a text are read, prefix included.
const MaxTokens = 256

var (
	//go:embed model.q8
	weights string
	//go:embed model.json
	contents string
	//go:embed vocab.txt
	vocab string
	//go:embed NOTICE.txt
	notice string
	//go:embed LICENSE.txt
	license string
)

// Notices returns where the model comes from and the text of its licence, which
// go with every copy of it.
func Notices() string { return notice + "\n" + license }

// Options choose how much of the machine is used. The zero value is right for
// all but tests.
type Options struct {
	// Kernel is one of bert.Kernels; empty means the fastest.
	Kernel string
	// Threads is how many goroutines compute at most within one call; 0 means
	// half the processors, at least one.
	Threads int
}

// Encoder embeds texts by e5-small-v2. It is safe for use by several
// goroutines.
type Encoder struct {
	threads int
	model   string
	dim     int
	load    func() (*bert.Model, error)
}

// New returns an encoder. It fails if opt names a kernel that this processor
// cannot run.
func New(opt Options) (*Encoder, error) {
	if opt.Kernel != "" && !slices.Contains(bert.Kernels(), opt.Kernel) {
		return nil, fmt.Errorf("e5: kernel %q cannot run here, only %q", opt.Kernel, bert.Kernels())
	}
	if opt.Threads <= 0 {
		opt.Threads = max(1, runtime.GOMAXPROCS(0)/2)
	}
	var head struct {
		Hidden int
		SHA256 string
	}
	if err := json.Unmarshal([]byte(contents), &head); err != nil {
		return nil, fmt.Errorf("e5: %w", err)
	}
	return &Encoder{
		threads: opt.Threads,
		model:   fmt.Sprintf("e5-small-v2-int8@%.8s/%d", head.SHA256, head.Hidden),
		dim:     head.Hidden,
		load: sync.OnceValues(func() (*bert.Model, error) {
			return bert.Load(weights, contents, vocab, bert.Options{Kernel: opt.Kernel})
		}),
	}, nil
}

// Model names the model, the digest of its weights and the dimension. The
// kernel is not part of it: all multiply the same bytes, and vectors of one
// text by two kernels differ by a cosine of 0.999 or more, less than any
// threshold resolves.
func (e *Encoder) Model() string { return e.model }

// Dim is 384.
func (e *Encoder) Dim() int { return e.dim }

// Query embeds what is searched for.
func (e *Encoder) Query(ctx context.Context, text string) (embed.Vector, error) {
	vs, err := e.embed(ctx, "query: ", []string{text})
	if err != nil {
		return nil, err
	}
	if vs[0] == nil {
		return nil, errors.New("e5: the query is empty")
	}
	return vs[0], nil
}

// Documents embeds texts to be found; see [embed.Embedder].
func (e *Encoder) Documents(ctx context.Context, texts []string) ([]embed.Vector, error) {
	return e.embed(ctx, "passage: ", texts)
}

// Words embeds single words the way queries are, for tables of words that mean
// nearly the same; see [embed.WordEmbedder].
func (e *Encoder) Words(ctx context.Context, words []string) ([]embed.Vector, error) {
	return e.embed(ctx, "query: ", words)
}
