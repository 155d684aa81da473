package bert

import "unsafe"

// linear is a matrix and a bias, ready to multiply rows by.
type linear interface {
	// load makes rows rows of src, which lie without gaps, the input of mul.
	// src must not change until then.
	load(in *input, src []float32, rows int)
	// mul writes a row to dst for each of the input, or adds it to what is
	// there; then the bias must be 0. An input serves for all linears made with
	// the same center.
	mul(dst []float32, in *input, add bool)
}

// input is rows in the form that linears multiply. A zero input is ready for
// load, which uses its memory again.
type input struct {
	rows   int
	floats []float32
	panel  []float32    // of the weights of a floatLinear
	ints   []uint8      // of an intLinear: bytes, or words with the low byte first
	ranges [][2]float32 // of each row of ints, see kernel.quantize
}

// floatLinear multiplies floats. Its weights stay bytes until they are needed,
// and become floats a panel of kernel.cols outputs at a time: for some hundred
// rows that costs less than to read four times as much memory, and loading is
// cheap.
type floatLinear struct {
	kernel  *kernel
	in, out int
	values  []int8    // [out/cols][in/4][cols][4]
	scales  []float32 // [out/cols][in/32][cols]
	bias    []float32
}

func newFloatLinear(k *kernel, w matrix) *floatLinear {
	l := &floatLinear{kernel: k, in: w.cols, out: w.rows, bias: w.bias}
	l.values = make([]int8, l.in*l.out)
	l.scales = make([]float32, l.in*l.out/blockSize)
	blocks := l.in / blockSize
	for row := range w.rows {
		panel, col := row/k.cols, row%k.cols
		w.scatter(l.values[panel*l.in*k.cols+4*col:], row, 4*k.cols)
		for b := range blocks {
			l.scales[(panel*blocks+b)*k.cols+col] = w.scale(row, b)
		}
	}
	return l
}

// scatter writes a row to dst, four values each stride bytes.
func (t tensor) scatter(dst []int8, row, stride int) {
	dst = dst[:(t.cols/4-1)*stride+4]
	out := unsafe.Pointer(&dst[0])
	src := unsafe.Pointer(unsafe.StringData(t.values[row*t.width:][:t.cols]))
	for range t.cols / 4 {
		*(*[4]int8)(out) = *(*[4]int8)(src)
		src, out = unsafe.Add(src, 4), unsafe.Add(out, stride)
	}
}

func (l *floatLinear) load(in *input, src []float32, rows int) { in.floats, in.rows = src, rows }

func (l *floatLinear) mul(dst []float32, in *input, add bool) {
	k, blocks := l.kernel, l.in/blockSize
	strip := grid{grow(&in.panel, l.in*k.cols), k.cols}
	for j := 0; j < l.out; j += k.cols {
		k.unpack(strip.data, l.values[j*l.in:][:k.cols*l.in], l.scales[j*blocks:][:k.cols*blocks], blocks)
		start := grid{l.bias[j:], 0}
		if add {
			start = grid{dst[j:], l.out}
		}
		k.mul(grid{dst[j:], l.out}, grid{in.floats, l.in}, in.rows, l.in, strip, start)
	}
}

// grid is a matrix that is part of a larger one: row i begins at data[i*ld].
// With an ld of 0 all rows are the same.
type grid struct {
	data []float32
	ld   int
}

// mul writes the product of src, of rows rows and depth columns, and a strip of
// depth rows and kernel.cols columns to dst, plus start unless that is empty.
// start may be dst.
func (k *kernel) mul(dst, src grid, rows, depth int, strip, start grid) {
	i := 0
	for _, g := range k.gemm {
		for ; rows-i >= g.rows; i += g.rows {
			var from *float32
			if start.data != nil {
				from = &start.data[i*start.ld]
			}
			g.f(depth, &src.data[i*src.ld], 4*src.ld, &strip.data[0], 4*strip.ld, &dst.data[i*dst.ld], 4*dst.ld, from, 4*start.ld)
		}
	}
}
