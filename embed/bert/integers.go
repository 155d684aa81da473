package bert

import (
	"slices"
	"unsafe"
)

// maxDepth is the most inputs of an intLinear: so many products of words up to
// 2^13-1 and bytes down to -2^7 have a sum that fits 32 bits.
const maxDepth = 1 << 11

// intLinear multiplies rows of unsigned integers, bytes or words, by signed
// bytes. Each output has one scale, each row of the input one scale and one
// offset.
type intLinear struct {
	kernel  *kernel
	in, out int
	values  []int8    // [out/cols][in/group][cols][group], cols being kernel.intCols
	columns []float32 // [out/cols]{scale [cols], scale*sum of values [cols], bias [cols]}
	// center is subtracted from the input before it is rounded; what that takes
	// from the output is in the bias.
	center []float32
}

// newIntLinear takes the shift of the normalisation before it as center. A
// few inputs have a shift far greater than all spread; left in, it would make
// the steps between bytes wider and the least cosine .9980 instead of .9991.
// Steps between words are fine enough: .99961 with and without.
func newIntLinear(k *kernel, w matrix, center []float32) *intLinear {
	l := &intLinear{kernel: k, in: w.cols, out: w.rows, center: make([]float32, w.cols)}
	l.values = make([]int8, l.in*l.out)
	l.columns = make([]float32, 3*l.out)
	cols := k.intCols
	for row := range w.rows {
		p, r := row/cols, row%cols
		panel := l.values[p*l.in*cols:][:l.in*cols]
		scale, sum := k.repackRow(panel[k.group*r:], w.tensor, row)
		col := l.columns[3*p*cols:]
		col[r] = scale
		col[cols+r] = scale * float32(sum)
		col[2*cols+r] = w.bias[row]
	}
	if center != nil && k.group == 4 {
		l.subtract(center)
	}
	return l
}

// subtract sets the center and adds its product to the bias. It multiplies what
// bytes can say of the center first and then what they left, which is exact to
// 16 bits.
func (l *intLinear) subtract(center []float32) {
	var in input
	rest := slices.Clone(center)
	sum := make([]float32, l.out)
	for range 2 {
		l.load(&in, rest, 1)
		l.mul(sum, &in, false)
		for i, q := range in.ints {
			rest[i] -= in.ranges[0][0]*float32(q) + in.ranges[0][1]
		}
		cols := l.kernel.intCols
		for p := range l.out / cols {
			copy(l.columns[(3*p+2)*cols:], sum[p*cols:][:cols])
		}
	}
	l.center = center
}

// repackRow writes a row to dst, where it belongs in a panel, with one scale for
// the whole row instead of one a block. It returns that scale and the sum of what
// it wrote.
//
// A block holds a value of 127 or -127, or nearly, so that the greatest scale
// of a block is the row's.
func (k *kernel) repackRow(dst []int8, t tensor, row int) (scale float32, sum int32) {
	blocks := t.cols / blockSize
	top := uint16(0)
	for b := range blocks {
		top = max(top, t.half(row, b)) // half floats above 0 sort like their bits
	}
	scale = max(halfFloat(top), 1e-20) // no division by 0
	values := t.values[row*t.width:][:t.cols]
	scales := t.scales[row*t.width/blockSize*2:][:2*blocks]
	dst = dst[:(t.cols/k.group-1)*k.group*k.intCols+k.group]
	k.repack(&dst[0], unsafe.StringData(values), unsafe.StringData(scales), blocks, &sum, (1<<15)/scale)
	return scale, sum
}

func (l *intLinear) load(in *input, src []float32, rows int) {
	size := l.in * 4 / l.kernel.group
	ints := grow(&in.ints, rows*size)
	ranges := grow(&in.ranges, rows)
	in.rows = rows
	for i := range rows {
		l.kernel.quantize(ints[i*size:][:size], src[i*l.in:][:l.in], l.center, &ranges[i])
	}
}

func (l *intLinear) mul(dst []float32, in *input, add bool) {
	sum := 0
	if add {
		sum = 1
	}
	cols, groups := l.kernel.intCols, l.in/l.kernel.group
	panel := l.in * cols
	for p := range l.out / cols {
		w, col := &l.values[p*panel], &l.columns[3*p*cols]
		i := 0
		for _, g := range l.kernel.intGemm {
			for ; in.rows-i >= g.rows; i += g.rows {
				g.f(groups, &in.ints[4*groups*i], 4*groups, w, &dst[i*l.out+p*cols], 4*l.out, col, &in.ranges[i], sum, panel)
			}
		}
	}
}
