package index

import (
	"encoding/binary"
	"hash/fnv"
	"os"
	"slices"
)

// The forward index tells which terms a passage holds and how often, so that
// ranking counts exactly without reading texts. forward.dat holds, per passage:
//
//	terms × u32 FNV-1a hash of the term, ascending; terms × u8 occurrences
//
// Two terms of one passage share a hash about once in 4 million passages.
type forward struct {
	f    *os.File
	size int64
	buf  []byte // written at the next flush
}

func openForward(path string) (*forward, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	st, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	return &forward{f: f, size: st.Size()}, nil
}

func (w *forward) close() error { return w.f.Close() }

func (w *forward) truncate(n int64) error {
	if w.size <= n {
		return nil
	}
	w.size = n
	return w.f.Truncate(n)
}

// add appends the counts of one passage and returns where they will stand.
func (w *forward) add(counts map[uint32]uint8, keys []uint32) int64 {
	off := w.size + int64(len(w.buf))
	for _, k := range keys {
		w.buf = binary.LittleEndian.AppendUint32(w.buf, k)
	}
	for _, k := range keys {
		w.buf = append(w.buf, counts[k])
	}
	return off
}

func (w *forward) flush() error {
	if _, err := w.f.WriteAt(w.buf, w.size); err != nil {
		return err
	}
	w.size += int64(len(w.buf))
	w.buf = w.buf[:0]
	return w.f.Sync()
}

// counts returns how often each hash occurs in the passage whose n terms stand
// at off.
func (w *forward) counts(off int64, n int, hashes []uint32) ([]uint8, error) {
	b := make([]byte, 5*n)
	if _, err := w.f.ReadAt(b, off); err != nil {
		return nil, err
	}
	return lookup(b, n, hashes), nil
}

func lookup(b []byte, n int, hashes []uint32) []uint8 {
	out := make([]uint8, len(hashes))
	for i, h := range hashes {
		lo, hi := 0, n
		for lo < hi {
			mid := (lo + hi) / 2
			if binary.LittleEndian.Uint32(b[4*mid:]) < h {
				lo = mid + 1
			} else {
				hi = mid
			}
		}
		if lo < n && binary.LittleEndian.Uint32(b[4*lo:]) == h {
			out[i] = b[4*n+lo]
		}
	}
	return out
}

func termHash(t []byte) uint32 {
	h := uint32(2166136261)
	for _, c := range t {
		h = (h ^ uint32(c)) * 16777619
	}
	return h
}

func termHashes(terms []string) []uint32 {
	out := make([]uint32, len(terms))
	for i, t := range terms {
		out[i] = termHash([]byte(t))
	}
	return out
}

// contentHash keys the vector of a text.
func contentHash(text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(text))
	return h.Sum64()
}

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
		h := termHash(t)
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
