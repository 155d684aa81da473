package index

import (
	"slices"

	"recall/index/forward"
)

// counter counts the terms of one passage at a time.
type counter struct {
	tok    *tokenizer
	counts map[uint32]uint8
	keys   []uint32
	tokens int
	flat   []byte // the tokens' bytes, back to back
	ends   []int
}

func newCounter() *counter {
	return &counter{tok: newTokenizer(), counts: map[uint32]uint8{}}
}

// count tokenises text; the results stay valid until the next call.
func (c *counter) count(text string) {
	clear(c.counts)
	c.keys, c.tokens, c.flat, c.ends = c.keys[:0], 0, c.flat[:0], c.ends[:0]
	c.tok.run(text, func(t []byte) {
		h := forward.Hash(t)
		n := c.counts[h]
		if n == 0 {
			c.keys = append(c.keys, h)
		}
		if n < 255 {
			c.counts[h] = n + 1
		}
		c.tokens++
		c.flat = append(c.flat, t...)
		c.ends = append(c.ends, len(c.flat))
	})
	slices.Sort(c.keys)
}
