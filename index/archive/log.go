package archive

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
)

// A Log is an append-only file of blocks:
//
//	u32 length of payload, u32 CRC-32C of payload (both little-endian), payload
//
// A block that does not check is the end of the log: what follows it was never
// acknowledged.
type Log struct {
	f    *os.File
	size int64
}

const (
	blockHead = 8
	maxBlock  = 1 << 28 // no block is larger; a larger length is damage
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// ErrTorn is returned for a block that does not check.
var ErrTorn = errors.New("torn or damaged block")

// OpenLog opens the log at path and makes it when it is missing.
func OpenLog(path string) (*Log, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	st, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	return &Log{f: f, size: st.Size()}, nil
}

// Append writes one block at the end and returns its offset.
func (l *Log) Append(payload []byte) (int64, error) {
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

// Read returns the payload of the block at off, or ErrTorn.
func (l *Log) Read(off int64) ([]byte, error) {
	var head [blockHead]byte
	if _, err := l.f.ReadAt(head[:], off); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, ErrTorn
		}
		return nil, err
	}
	n := int64(binary.LittleEndian.Uint32(head[:]))
	if n > maxBlock || off+blockHead+n > l.size {
		return nil, ErrTorn
	}
	p := make([]byte, n)
	if _, err := l.f.ReadAt(p, off+blockHead); err != nil {
		return nil, err
	}
	if crc32.Checksum(p, castagnoli) != binary.LittleEndian.Uint32(head[4:]) {
		return nil, ErrTorn
	}
	return p, nil
}

// Scan calls fn for each whole block from off on and returns where the whole
// ones end.
func (l *Log) Scan(off int64, fn func(off int64, payload []byte) error) (int64, error) {
	for off < l.size {
		p, err := l.Read(off)
		if errors.Is(err, ErrTorn) {
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

// Truncate cuts the log to size bytes when it is longer.
func (l *Log) Truncate(size int64) error {
	if l.size <= size {
		return nil
	}
	l.size = size
	return l.f.Truncate(size)
}

// Size is the length of the log in bytes: where the next block will stand.
func (l *Log) Size() int64 { return l.size }

// Sync makes what was appended durable.
func (l *Log) Sync() error { return l.f.Sync() }

// Close closes the file.
func (l *Log) Close() error { return l.f.Close() }
