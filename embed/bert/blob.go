package bert

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"
)

// blockSize is how many values of a row share a scale.
const blockSize = 32

// shape is the size of a model, as its table of contents gives it.
type shape struct {
	Layers, Hidden, Heads, FFN, Vocab, MaxPos int
	Pooling                                   string
}

func (s shape) check() error {
	switch {
	case min(s.Layers, s.Hidden, s.Heads, s.FFN, s.Vocab, s.MaxPos) <= 0:
		return fmt.Errorf("a size is missing: %+v", s)
	case max(s.Layers, s.Hidden, s.Heads, s.FFN, s.Vocab, s.MaxPos) > 1<<20:
		return fmt.Errorf("a size is absurd: %+v", s)
	case s.Hidden%s.Heads != 0 || s.Hidden/s.Heads%blockSize != 0 || s.FFN%blockSize != 0:
		return fmt.Errorf("sizes are no multiples of %d: %+v", blockSize, s)
	case s.Hidden > maxDepth: // no linear is deeper, see loadBlock
		return fmt.Errorf("hidden size %d is more than %d", s.Hidden, maxDepth)
	case s.Pooling != "mean":
		return fmt.Errorf("pooling %q is not known", s.Pooling)
	}
	return nil
}

// blob gives access to the tensors by name. The first fault is kept in err, and
// what is returned from then on is empty.
type blob struct {
	shape
	Tensors map[string]entry
	data    string
	err     error
}

type entry struct {
	Type   string `json:"t"`
	Shape  []int
	Offset int `json:"off"`
}

func openBlob(weights, toc string) (*blob, error) {
	b := &blob{data: weights}
	if err := json.Unmarshal([]byte(toc), b); err != nil {
		return nil, fmt.Errorf("table of contents: %w", err)
	}
	if err := b.check(); err != nil {
		return nil, fmt.Errorf("table of contents: %w", err)
	}
	return b, nil
}

// bytes returns the n bytes of a tensor, or reports why they are not there.
func (b *blob) bytes(name, typ string, n int, shape ...int) string {
	e, ok := b.Tensors[name]
	switch {
	case !ok:
		b.fail(fmt.Errorf("no tensor %s", name))
	case e.Type != typ || !slices.Equal(e.Shape, shape):
		b.fail(fmt.Errorf("tensor %s is %s%v, want %s%v", name, e.Type, e.Shape, typ, shape))
	case e.Offset < 0 || e.Offset > len(b.data)-n:
		b.fail(fmt.Errorf("tensor %s is cut off", name))
	default:
		return b.data[e.Offset : e.Offset+n]
	}
	return ""
}

// fail keeps the first fault.
func (b *blob) fail(err error) {
	if b.err == nil {
		b.err = err
	}
}

// floats copies an f32 tensor out.
func (b *blob) floats(name string, shape ...int) []float32 {
	n := 1
	for _, s := range shape {
		n *= s
	}
	raw := []byte(b.bytes(name, "f32", 4*n, shape...))
	v := make([]float32, len(raw)/4)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	return v
}

// quantized gives access to a q8 tensor in place.
func (b *blob) quantized(name string, rows, cols int) tensor {
	if rows > len(b.data)/cols { // and so rows*cols does not overflow
		b.fail(fmt.Errorf("tensor %s is cut off", name))
		return tensor{}
	}
	n := rows * cols
	raw := b.bytes(name, "q8", n+n/blockSize*2, rows, cols)
	if raw == "" {
		return tensor{}
	}
	return tensor{rows: rows, cols: cols, width: cols, values: raw[:n], scales: raw[n:]}
}

// tensor is a matrix of signed bytes in blocks that share a scale, or a part of
// one. It points into the weights.
type tensor struct {
	rows, cols int
	width      int    // columns of the whole matrix
	values     string // from the first of this part on
	scales     string // half floats, likewise
}

// part returns n rows from row on, and of these m columns from col on, which are
// multiples of blockSize.
func (t tensor) part(row, n, col, m int) tensor {
	at := row*t.width + col
	return tensor{rows: n, cols: m, width: t.width, values: t.values[at:], scales: t.scales[at/blockSize*2:]}
}

// block returns the values of block b of a row.
func (t tensor) block(row, b int) string { return t.values[row*t.width+b*blockSize:][:blockSize] }

// half returns the factor of block b of a row as a half float.
func (t tensor) half(row, b int) uint16 {
	i := 2 * (row*(t.width/blockSize) + b)
	return uint16(t.scales[i]) | uint16(t.scales[i+1])<<8
}

func (t tensor) scale(row, b int) float32 { return halfFloat(t.half(row, b)) }

// row writes a row's values to dst.
func (t tensor) row(i int, dst []float32) {
	for b := range t.cols / blockSize {
		f, part := t.scale(i, b), t.block(i, b)
		for j := range blockSize { // not over part: a string ranges over its characters
			dst[b*blockSize+j] = f * float32(int8(part[j]))
		}
	}
}

// halfFloat widens an IEEE half float.
func halfFloat(h uint16) float32 {
	sign, exp, frac := uint32(h>>15)<<31, uint32(h>>10&31), uint32(h&1023)
	switch exp {
	case 0: // zero and what lies below 2^-14
		return math.Float32frombits(math.Float32bits(float32(frac)/(1<<24)) | sign)
	case 31: // infinity and not a number
		return math.Float32frombits(sign | 0x7f800000 | frac<<13)
	}
	return math.Float32frombits(sign | (exp+112)<<23 | frac<<13)
}
