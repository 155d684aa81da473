package e5

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"

	"recall/embed"
	"recall/embed/bert"
)

// batchTokens is how many tokens are computed at once: few enough that the rows
// of a layer stay in the second-level cache, enough that reading the weights
// does not count.
const batchTokens = 256

// chunk is how many texts are tokenised before any is computed, for each
// thread: a cancelled call should not have read a whole archive.
const chunk = 64

// embed embeds texts in order, by some threads. On error it returns the vectors
// of the texts before the first that was not done.
func (e *Encoder) embed(ctx context.Context, prefix string, texts []string) ([]embed.Vector, error) {
	m, err := e.load()
	if err != nil {
		return nil, err
	}
	out := make([]embed.Vector, 0, len(texts))
	for len(texts) > 0 {
		n := min(len(texts), chunk*e.threads)
		vs, err := e.embedChunk(ctx, m, prefix, texts[:n])
		out = append(out, vs...)
		if err != nil {
			return out, err
		}
		texts = texts[n:]
	}
	return out, nil
}

// batch is a run of texts that are computed together.
type batch struct {
	first int // index of the first text
	lists [][]int32
	at    []int // index of each list's text
}

func (e *Encoder) embedChunk(ctx context.Context, m *bert.Model, prefix string, texts []string) ([]embed.Vector, error) {
	out := make([]embed.Vector, len(texts))
	batches := split(m, prefix, texts)
	done := make([]bool, len(batches))
	var next atomic.Int64
	work := func() {
		for ctx.Err() == nil {
			i := int(next.Add(1)) - 1
			if i >= len(batches) {
				return
			}
			for j, v := range m.Embed(batches[i].lists) {
				out[batches[i].at[j]] = v
			}
			done[i] = true
		}
	}
	var wg sync.WaitGroup
	for range min(e.threads, len(batches)) - 1 {
		wg.Go(work)
	}
	work()
	wg.Wait()
	for i, b := range batches {
		if !done[i] {
			return out[:b.first], ctx.Err()
		}
	}
	return out, nil
}

// split puts texts that follow one another into batches. No sorting by length
// is needed: a batch has no padding. Empty texts belong to a batch but have no
// list.
func split(m *bert.Model, prefix string, texts []string) []batch {
	var bs []batch
	tokens := 0
	for i, text := range texts {
		var ids []int32
		if strings.TrimSpace(text) != "" {
			ids = m.Tokens(prefix+text, MaxTokens)
		}
		if len(bs) == 0 || tokens+len(ids) > batchTokens {
			bs = append(bs, batch{first: i})
			tokens = 0
		}
		b := &bs[len(bs)-1]
		if ids != nil {
			b.lists = append(b.lists, ids)
			b.at = append(b.at, i)
		}
		tokens += len(ids)
	}
	return bs
}
