// Package forward tells which terms a passage holds and how often, so that
// ranking counts exactly without reading texts.
//
// Start with [Open]; [Index.Add] and [Index.Flush] write, [Index.Counts] reads.
package forward

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"os"
)

// ErrDamaged is returned for a passage that does not check.
var ErrDamaged = errors.New("the forward index is damaged")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Index is the file. It holds, per passage:
//
//	terms × u32 FNV-1a hash of the term, ascending; terms × u8 occurrences
//	u32 CRC-32C of these
//
// Two terms of one passage share a hash about once in 4 million passages.
type Index struct {
	f    *os.File
	size int64
	buf  []byte // written at the next flush
}

// Open opens the file at path and makes it when it is missing.
func Open(path string) (*Index, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	st, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	return &Index{f: f, size: st.Size()}, nil
}

// Size is the length of the file in bytes, without what is not flushed.
func (w *Index) Size() int64 { return w.size }

// Close closes the file.
func (w *Index) Close() error { return w.f.Close() }

// Truncate cuts the file to n bytes when it is longer.
func (w *Index) Truncate(n int64) error {
	if w.size <= n {
		return nil
	}
	w.size = n
	return w.f.Truncate(n)
}

// Add takes the counts of one passage, with their hashes in ascending order,
// and returns where they will stand.
func (w *Index) Add(counts map[uint32]uint8, keys []uint32) int64 {
	at := len(w.buf)
	for _, k := range keys {
		w.buf = binary.LittleEndian.AppendUint32(w.buf, k)
	}
	for _, k := range keys {
		w.buf = append(w.buf, counts[k])
	}
	w.buf = binary.LittleEndian.AppendUint32(w.buf, crc32.Checksum(w.buf[at:], castagnoli))
	return w.size + int64(at)
}

// Flush writes what was added, for good.
func (w *Index) Flush() error {
	if _, err := w.f.WriteAt(w.buf, w.size); err != nil {
		return err
	}
	w.size += int64(len(w.buf))
	w.buf = w.buf[:0]
	return w.f.Sync()
}

// Counts returns how often each hash occurs in the passage whose n terms stand
// at off, or ErrDamaged.
func (w *Index) Counts(off int64, n int, hashes []uint32) ([]uint8, error) {
	b := make([]byte, 5*n+4)
	if _, err := w.f.ReadAt(b, off); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if crc32.Checksum(b[:5*n], castagnoli) != binary.LittleEndian.Uint32(b[5*n:]) {
		return nil, ErrDamaged
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

// Hash is the hash of a term.
func Hash(t []byte) uint32 {
	h := uint32(2166136261)
	for _, c := range t {
		h = (h ^ uint32(c)) * 16777619
	}
	return h
}

// Hashes are the hashes of terms.
func Hashes(terms []string) []uint32 {
	out := make([]uint32, len(terms))
	for i, t := range terms {
		out[i] = Hash([]byte(t))
	}
	return out
}
