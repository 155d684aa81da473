// Package vectors keeps the vectors of one model and finds the nearest ones
// with chromem.
//
// Start with [Open] for the vectors of texts, which are keyed by content, and
// [OpenWords] for those of single words. chromem holds no data of its own and
// writes nothing: its persistence loses documents whose ids collide.
package vectors

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"hash/fnv"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"unsafe"

	mmap "github.com/blevesearch/mmap-go"
	"github.com/philippgille/chromem-go"

	"recall/embed"
)

// Store holds the vectors of one model in two append-only files:
//
//	vectors.f32  dim × little-endian float32 per vector
//	vectors.key  u64 content hash, u32 CRC-32C of the vector, u32 zero per vector
//
// The keys are written after the vectors are safe; a vector without a key, or
// whose checksum fails at the end of the file, was never acknowledged. The
// vectors are mapped into memory and given to chromem without copying. Keyed by
// content, a vector survives every rebuild and re-read of its text.
type Store struct {
	dim      int
	f32, key *os.File
	n        int
	row      map[uint64]int32
	maps     []mmap.MMap
	data     []float32 // of the latest mapping
	kept     map[string]*Collection
}

const keySize = 16

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Dir turns a model's name into a folder name.
func Dir(model string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '-', r == '_':
			return r
		}
		return '_'
	}, model)
}

// Open opens the vectors of one model, of dim numbers each, in dir.
func Open(dir string, dim int) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	v := &Store{dim: dim, row: map[uint64]int32{}}
	var err error
	if v.f32, err = os.OpenFile(filepath.Join(dir, "vectors.f32"), os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return nil, err
	}
	if v.key, err = os.OpenFile(filepath.Join(dir, "vectors.key"), os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		v.f32.Close()
		return nil, err
	}
	if err := v.load(); err != nil {
		v.Close()
		return nil, fmt.Errorf("vectors in %s: %w", dir, err)
	}
	return v, nil
}

func (v *Store) load() error {
	keys, err := os.ReadFile(v.key.Name())
	if err != nil {
		return err
	}
	st, err := v.f32.Stat()
	if err != nil {
		return err
	}
	v.n = min(len(keys)/keySize, int(st.Size()/int64(4*v.dim)))
	if err := v.remap(); err != nil {
		return err
	}
	for v.n > 0 && !v.checks(keys, v.n-1) { // a torn tail
		v.n--
	}
	for i := range v.n {
		v.row[binary.LittleEndian.Uint64(keys[i*keySize:])] = int32(i)
	}
	if want := v.n * keySize; want < len(keys) {
		if err := v.key.Truncate(int64(want)); err != nil {
			return err
		}
	}
	return v.trimData(st.Size())
}

// trimData cuts unacknowledged vectors off, unless the file is mapped longer.
func (v *Store) trimData(size int64) error {
	want := int64(v.n * 4 * v.dim)
	if size == want || runtime.GOOS == "windows" { // a mapped file cannot be cut there; the tail is written over
		return nil
	}
	return v.f32.Truncate(want)
}

func (v *Store) checks(keys []byte, i int) bool {
	return crc32.Checksum(rawFloats(v.at(int32(i))), castagnoli) == binary.LittleEndian.Uint32(keys[i*keySize+8:])
}

// remap maps what is in the file now. Earlier mappings stay valid until close:
// collections may still refer to them.
func (v *Store) remap() error {
	v.kept = map[string]*Collection{}
	v.data = nil
	if v.n == 0 {
		return nil
	}
	m, err := mmap.MapRegion(v.f32, v.n*v.dim*4, mmap.RDONLY, 0, 0)
	if err != nil {
		return err
	}
	v.maps = append(v.maps, m)
	v.data = unsafe.Slice((*float32)(unsafe.Pointer(&m[0])), v.n*v.dim)
	return nil
}

// Close unmaps and closes the files. Vectors and collections got from the store
// are invalid afterwards.
func (v *Store) Close() error {
	var errs []error
	for _, m := range v.maps {
		errs = append(errs, m.Unmap())
	}
	v.maps, v.data, v.kept = nil, nil, nil
	return errors.Join(append(errs, v.f32.Close(), v.key.Close())...)
}

// at returns vector i; it is valid until close.
func (v *Store) at(i int32) []float32 {
	return v.data[int(i)*v.dim : (int(i)+1)*v.dim : (int(i)+1)*v.dim]
}

// Len is the number of vectors.
func (v *Store) Len() int { return v.n }

// Dim is the length of a vector.
func (v *Store) Dim() int { return v.dim }

// Key is the key of a text.
func Key(text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(text))
	return h.Sum64()
}

// Get returns the vector of a text with that key; it is valid until Close.
func (v *Store) Get(hash uint64) ([]float32, bool) {
	i, ok := v.row[hash]
	if !ok {
		return nil, false
	}
	return v.at(i), true
}

// Has tells whether there is a vector for the key.
func (v *Store) Has(hash uint64) bool { _, ok := v.row[hash]; return ok }

// Append stores vectors under their keys, for good. One of another length, or
// not of unit length, is refused with all of the call.
func (v *Store) Append(hashes []uint64, vecs [][]float32) error {
	var data, keys []byte
	for i, x := range vecs {
		if err := v.check(x); err != nil {
			return err
		}
		raw := rawFloats(x)
		data = append(data, raw...)
		keys = binary.LittleEndian.AppendUint64(keys, hashes[i])
		keys = binary.LittleEndian.AppendUint32(keys, crc32.Checksum(raw, castagnoli))
		keys = binary.LittleEndian.AppendUint32(keys, 0)
	}
	if err := writeSync(v.f32, data, int64(v.n*v.dim*4)); err != nil {
		return err
	}
	if err := writeSync(v.key, keys, int64(v.n*keySize)); err != nil {
		return err
	}
	for i, h := range hashes {
		v.row[h] = int32(v.n + i)
	}
	v.n += len(vecs)
	return v.remap()
}

func writeSync(f *os.File, b []byte, off int64) error {
	if _, err := f.WriteAt(b, off); err != nil {
		return err
	}
	return f.Sync()
}

func (v *Store) check(x []float32) error {
	if len(x) != v.dim {
		return fmt.Errorf("vector of %d numbers where the model has %d", len(x), v.dim)
	}
	var sum float64
	for _, f := range x {
		sum += float64(f) * float64(f)
	}
	if math.IsNaN(sum) || math.IsInf(sum, 0) || sum < 0.5 || sum > 2 {
		return fmt.Errorf("vector of squared length %g, not 1", sum)
	}
	return nil
}

func rawFloats(x []float32) []byte {
	if len(x) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&x[0])), 4*len(x))
}

// Entry is a text that may have a vector: an id of the caller's and its key.
type Entry struct {
	ID  uint32
	Key uint64
}

// Hit is an entry near to a question, with its cosine.
type Hit struct {
	ID     uint32
	Cosine float64
}

// Collection makes a chromem collection of the entries that have a vector.
func (v *Store) Collection(ctx context.Context, entries []Entry) (*Collection, error) {
	col, err := chromem.NewDB().CreateCollection("passages", nil, noEmbedding)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		x, ok := v.Get(e.Key)
		if !ok {
			continue
		}
		d := chromem.Document{ID: strconv.FormatUint(uint64(e.ID), 36), Embedding: x}
		if err := col.AddDocument(ctx, d); err != nil {
			return nil, err
		}
	}
	return &Collection{col}, nil
}

// Kept is Collection for entries that are asked about again and again: it is
// made once under that name, until the next Append.
func (v *Store) Kept(ctx context.Context, name string, entries func() []Entry) (*Collection, error) {
	if c := v.kept[name]; c != nil {
		return c, nil
	}
	c, err := v.Collection(ctx, entries())
	if err == nil {
		v.kept[name] = c
	}
	return c, err
}

func noEmbedding(context.Context, string) ([]float32, error) {
	return nil, errors.New("the collection does not embed")
}

// Collection is a set of vectors that can be searched.
type Collection struct{ c *chromem.Collection }

// Nearest returns the n entries nearest to x, best first.
func (c *Collection) Nearest(ctx context.Context, x []float32, n int) ([]Hit, error) {
	if n = min(n, c.c.Count()); n <= 0 {
		return nil, nil
	}
	res, err := c.c.QueryEmbedding(ctx, x, n, nil, nil)
	if err != nil {
		return nil, err
	}
	out := make([]Hit, len(res))
	for i, r := range res {
		id, err := strconv.ParseUint(r.ID, 36, 32)
		if err != nil {
			return nil, err
		}
		out[i] = Hit{uint32(id), float64(r.Similarity)}
	}
	return out, nil
}

// Dot is the dot product of two vectors of one length: the cosine, for unit
// vectors.
func Dot(a, b []float32) float64 { return float64(embed.Vector(a).Dot(b)) }
