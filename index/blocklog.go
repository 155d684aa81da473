package index

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
)

// A blockLog is an append-only file of blocks:
//
//	u32 length of payload, u32 CRC-32C of payload (both little-endian), payload
//
// A block that does not check is the end of the log: what follows it was never
// acknowledged.
type blockLog struct {
	f    *os.File
	size int64
}

const (
	blockHead = 8
	maxBlock  = 1 << 28 // no block is larger; a larger length is damage
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

var errTorn = errors.New("torn or damaged block")

func openBlockLog(path string) (*blockLog, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	st, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	return &blockLog{f: f, size: st.Size()}, nil
}

// append writes one block at the end and returns its offset.
func (l *blockLog) append(payload []byte) (int64, error) {
	if len(payload) > maxBlock {
		return 0, fmt.Errorf("block of %d bytes is too large", len(payload))
	}
	b := make([]byte, blockHead, blockHead+len(payload))
	binary.LittleEndian.PutUint32(b, uint32(len(payload)))
	binary.LittleEndian.PutUint32(b[4:], crc32.Checksum(payload, castagnoli))
	off := l.size
	if _, err := l.f.WriteAt(append(b, payload...), off); err != nil {
		return 0, err
	}
	l.size += int64(blockHead + len(payload))
	return off, nil
}

// read returns the payload of the block at off, or errTorn.
func (l *blockLog) read(off int64) ([]byte, error) {
	var head [blockHead]byte
	if _, err := l.f.ReadAt(head[:], off); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, errTorn
		}
		return nil, err
	}
	n := int64(binary.LittleEndian.Uint32(head[:]))
	if n > maxBlock || off+blockHead+n > l.size {
		return nil, errTorn
	}
	p := make([]byte, n)
	if _, err := l.f.ReadAt(p, off+blockHead); err != nil {
		return nil, err
	}
	if crc32.Checksum(p, castagnoli) != binary.LittleEndian.Uint32(head[4:]) {
		return nil, errTorn
	}
	return p, nil
}

// scan calls fn for each whole block from off on and returns where the whole
// ones end.
func (l *blockLog) scan(off int64, fn func(off int64, payload []byte) error) (int64, error) {
	for off < l.size {
		p, err := l.read(off)
		if errors.Is(err, errTorn) {
			break
		}
		if err == nil {
			err = fn(off, p)
		}
		if err != nil {
			return off, err
		}
		off += int64(blockHead + len(p))
	}
	return off, nil
}

// truncate cuts the log to size bytes when it is longer.
func (l *blockLog) truncate(size int64) error {
	if l.size <= size {
		return nil
	}
	l.size = size
	return l.f.Truncate(size)
}

func (l *blockLog) sync() error  { return l.f.Sync() }
func (l *blockLog) close() error { return l.f.Close() }

// encoder appends values in the catalog's encoding: varints, and strings with
// their length in front.
type encoder struct{ b []byte }

func (e *encoder) u(v uint64) { e.b = binary.AppendUvarint(e.b, v) }
func (e *encoder) i(v int64)  { e.b = binary.AppendVarint(e.b, v) }
func (e *encoder) s(v string) { e.u(uint64(len(v))); e.b = append(e.b, v...) }

// decoder reads what encoder wrote. After the first bad value all results are
// zero and bad is set.
type decoder struct {
	b   []byte
	str string // the same bytes, so that strings need no copy
	pos int
	bad bool
}

func newDecoder(b []byte) *decoder { return &decoder{b: b, str: string(b)} }

func (d *decoder) more() bool { return !d.bad && d.pos < len(d.b) }

func (d *decoder) u() uint64 {
	v, n := binary.Uvarint(d.b[d.pos:])
	return d.step(v, n)
}

func (d *decoder) i() int64 {
	v, n := binary.Varint(d.b[d.pos:])
	return int64(d.step(uint64(v), n))
}

func (d *decoder) step(v uint64, n int) uint64 {
	if n <= 0 || d.bad {
		d.bad = true
		d.pos = len(d.b)
		return 0
	}
	d.pos += n
	return v
}

func (d *decoder) s() string {
	n := d.u()
	if d.bad || n > uint64(len(d.b)-d.pos) {
		d.bad, d.pos = true, len(d.b)
		return ""
	}
	v := d.str[d.pos : d.pos+int(n)]
	d.pos += int(n)
	return v
}
