package index

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"unsafe"

	mmap "github.com/blevesearch/mmap-go"
	"github.com/philippgille/chromem-go"
)

// vectors holds the vectors of one model in two append-only files:
//
//	vectors.f32  dim × little-endian float32 per vector
//	vectors.key  u64 content hash, u32 CRC-32C of the vector, u32 zero per vector
//
// The keys are written after the vectors are safe; a vector without a key, or
// whose checksum fails at the end of the file, was never acknowledged. The
// vectors are mapped into memory and given to chromem without copying. Keyed by
// content, a vector survives every rebuild and re-read of its text.
type vectors struct {
	dim      int
	f32, key *os.File
	n        int
	row      map[uint64]int32
	maps     []mmap.MMap
	data     []float32 // of the latest mapping
	cols     map[string]*chromem.Collection
}

const keySize = 16

// modelDir turns a model's name into a folder name.
func modelDir(model string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '-', r == '_':
			return r
		}
		return '_'
	}, model)
}

func openVectors(dir string, dim int) (*vectors, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	v := &vectors{dim: dim, row: map[uint64]int32{}}
	var err error
	if v.f32, err = os.OpenFile(filepath.Join(dir, "vectors.f32"), os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return nil, err
	}
	if v.key, err = os.OpenFile(filepath.Join(dir, "vectors.key"), os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		v.f32.Close()
		return nil, err
	}
	if err := v.load(); err != nil {
		v.close()
		return nil, fmt.Errorf("vectors in %s: %w", dir, err)
	}
	return v, nil
}

func (v *vectors) load() error {
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
	return errors.Join(v.key.Truncate(int64(v.n*keySize)), v.trimData(st.Size()))
}

// trimData cuts unacknowledged vectors off, unless the file is mapped longer.
func (v *vectors) trimData(size int64) error {
	want := int64(v.n * 4 * v.dim)
	if size == want || runtime.GOOS == "windows" { // a mapped file cannot be cut there; the tail is written over
		return nil
	}
	return v.f32.Truncate(want)
}

func (v *vectors) checks(keys []byte, i int) bool {
	return crc32.Checksum(rawFloats(v.at(int32(i))), castagnoli) == binary.LittleEndian.Uint32(keys[i*keySize+8:])
}

// remap maps what is in the file now. Earlier mappings stay valid until close:
// collections may still refer to them.
func (v *vectors) remap() error {
	v.cols = map[string]*chromem.Collection{}
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

func (v *vectors) close() error {
	var errs []error
	for _, m := range v.maps {
		errs = append(errs, m.Unmap())
	}
	v.maps, v.data, v.cols = nil, nil, nil
	return errors.Join(append(errs, v.f32.Close(), v.key.Close())...)
}

// at returns vector i; it is valid until close.
func (v *vectors) at(i int32) []float32 {
	return v.data[int(i)*v.dim : (int(i)+1)*v.dim : (int(i)+1)*v.dim]
}

func (v *vectors) get(hash uint64) ([]float32, bool) {
	i, ok := v.row[hash]
	if !ok {
		return nil, false
	}
	return v.at(i), true
}

func (v *vectors) has(hash uint64) bool { _, ok := v.row[hash]; return ok }

// append stores vectors; those of another length or not finite are refused.
func (v *vectors) append(hashes []uint64, vecs [][]float32) error {
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

func (v *vectors) check(x []float32) error {
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

// collect makes a chromem collection of the passages that have a vector. The
// document id is the passage number; texts and metadata stay outside.
func (v *vectors) collect(ctx context.Context, ids []ID, hash func(ID) uint64) (*chromem.Collection, error) {
	col, err := chromem.NewDB().CreateCollection("passages", nil, noEmbedding)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		x, ok := v.get(hash(id))
		if !ok {
			continue
		}
		if err := col.AddDocument(ctx, chromem.Document{ID: docID(id), Embedding: x}); err != nil {
			return nil, err
		}
	}
	return col, nil
}

func noEmbedding(context.Context, string) ([]float32, error) {
	return nil, errors.New("the collection does not embed")
}

// nearest returns the n passages of col nearest to x, best first.
func nearest(ctx context.Context, col *chromem.Collection, x []float32, n int) ([]Scored, error) {
	if n = min(n, col.Count()); n == 0 {
		return nil, nil
	}
	res, err := col.QueryEmbedding(ctx, x, n, nil, nil)
	if err != nil {
		return nil, err
	}
	out := make([]Scored, len(res))
	for i, r := range res {
		id, err := strconv.ParseUint(r.ID, 36, 32)
		if err != nil {
			return nil, err
		}
		out[i] = Scored{ID(id), float64(r.Similarity)}
	}
	return out, nil
}

func dot(a, b []float32) float64 {
	var s0, s1, s2, s3, s4, s5, s6, s7 float32
	b = b[:len(a)]
	i := 0
	for ; i+8 <= len(a); i += 8 {
		x, y := a[i:i+8:i+8], b[i:i+8:i+8]
		s0 += x[0] * y[0]
		s1 += x[1] * y[1]
		s2 += x[2] * y[2]
		s3 += x[3] * y[3]
		s4 += x[4] * y[4]
		s5 += x[5] * y[5]
		s6 += x[6] * y[6]
		s7 += x[7] * y[7]
	}
	for ; i < len(a); i++ {
		s0 += a[i] * b[i]
	}
	return float64((s0 + s1) + (s2 + s3) + (s4 + s5) + (s6 + s7))
}
