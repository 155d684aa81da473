package bert

import (
	"encoding/binary"
	"slices"
	"unsafe"
)

// byteCols is how many outputs a panel of a byteLinear has.
const byteCols = 32

// byteLinear multiplies rows of unsigned bytes by signed ones. Each output has
// one scale, each row of the input one scale and one offset.
type byteLinear struct {
	kernel  *kernel
	in, out int
	values  []int8    // [out/32][in/4][32][4]
	columns []float32 // [out/32]{scale [32], scale*sum of values [32], bias [32]}
	// center is subtracted from the input before it is rounded to bytes; what
	// that takes from the output is in the bias.
	center []float32
}

// newByteLinear takes the shift of the normalisation before it as center. A
// few inputs have a shift far greater than all spread; left in, it would make
// the steps between bytes wider and the least cosine .9980 instead of .9991.
func newByteLinear(k *kernel, bias []float32, ts []tensor, center []float32) *byteLinear {
	l := &byteLinear{kernel: k, in: ts[0].cols, out: len(bias), center: make([]float32, ts[0].cols)}
	l.values = make([]int8, l.in*l.out)
	l.columns = make([]float32, 3*l.out)
	j := 0
	for _, t := range ts {
		for row := range t.rows {
			p, r := j/byteCols, j%byteCols
			panel := l.values[p*l.in*byteCols:][:l.in*byteCols]
			scale, sum := t.repack(row, panel[4*r:])
			col := l.columns[3*p*byteCols:]
			col[r] = scale
			col[byteCols+r] = scale * float32(sum)
			col[2*byteCols+r] = bias[j]
			j++
		}
	}
	l.subtract(center)
	return l
}

// subtract sets the center and adds its product to the bias. It multiplies what
// bytes can say of the center first and then what they left, which is exact to
// 16 bits.
func (l *byteLinear) subtract(center []float32) {
	var s scratch
	rest := slices.Clone(center)
	sum := make([]float32, l.out)
	for range 2 {
		l.mul(sum, rest, 1, &s)
		for i, q := range s.bytes {
			rest[i] -= s.ranges[0][0]*float32(q) + s.ranges[0][1]
		}
		for p := range l.out / byteCols {
			copy(l.columns[(3*p+2)*byteCols:], sum[p*byteCols:][:byteCols])
		}
	}
	l.center = center
}

// repack writes a row to dst, four values each 128 bytes, with one scale for
// the whole row instead of one a block. It returns that scale and the sum of
// what it wrote.
//
// A block holds a value of 127 or -127, or nearly, so that the greatest scale
// of a block is the row's. The values of the other blocks are multiplied by
// their share of it, two at a time in the halves of a word: as unsigned numbers
// (value+128) with 15 bits after the point, 2^23 at most.
func (t tensor) repack(row int, dst []int8) (scale float32, sum int) {
	blocks := t.cols / blockSize
	for b := range blocks {
		scale = max(scale, t.scale(row, b))
	}
	if scale == 0 {
		scale = 1
	}
	src := t.values[row*t.cols:][:t.cols]
	out := unsafe.Pointer(unsafe.SliceData(dst))
	var total uint64
	for b := range blocks {
		part := unsafe.Slice(unsafe.StringData(src[b*blockSize:]), blockSize)
		total += repackBlock(out, part, uint64(t.scale(row, b)/scale*(1<<15)+0.5))
		out = unsafe.Add(out, blockSize*byteCols)
	}
	return scale, int(uint32(total)) + int(total>>32) - 128*t.cols
}

// repackBlock multiplies the 32 values of a block by share/2^15. The result is
// the sum of the products, each plus 128, in two halves.
func repackBlock(out unsafe.Pointer, part []byte, share uint64) (total uint64) {
	const (
		low  = 0x000000ff_000000ff
		flip = 0x80808080_80808080 // signed to unsigned bytes and back
	)
	// (u*share + rest)>>15 is the rounded product of u-128 and the share, plus 128
	rest := (128*(1<<15-share) + 1<<14) * (1<<32 + 1)
	for i := 0; i < blockSize; i += 8 {
		x := binary.LittleEndian.Uint64(part[i:]) ^ flip
		v0 := (x&low*share + rest) >> 15 & low
		v1 := (x>>8&low*share + rest) >> 15 & low
		v2 := (x>>16&low*share + rest) >> 15 & low
		v3 := (x>>24&low*share + rest) >> 15 & low
		total += v0 + v1 + v2 + v3
		y := (v0 | v1<<8 | v2<<16 | v3<<24) ^ flip
		*(*uint32)(out) = uint32(y)
		*(*uint32)(unsafe.Add(out, 4*byteCols)) = uint32(y >> 32)
		out = unsafe.Add(out, 8*byteCols)
	}
	return total
}

func (l *byteLinear) mul(dst, src []float32, rows int, s *scratch) {
	k := l.kernel
	in := grow(&s.bytes, rows*l.in)
	ranges := grow(&s.ranges, rows)
	for i := range rows {
		k.quantize(in[i*l.in:][:l.in], src[i*l.in:][:l.in], l.center, &ranges[i])
	}
	for p := range l.out / byteCols {
		w, col := &l.values[p*l.in*byteCols], &l.columns[3*p*byteCols]
		i := 0
		for _, g := range k.byteGemm {
			for ; rows-i >= g.rows; i += g.rows {
				g.f(l.in/4, &in[i*l.in], l.in, w, &dst[i*l.out+p*byteCols], 4*l.out, col, &ranges[i])
			}
		}
	}
}
