package bert

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
	bytes  []uint8
	ranges [][2]float32 // of each row of bytes, see kernel.quantize
}

// floatLinear holds panels of kernel.cols outputs: [out/cols][in][cols].
type floatLinear struct {
	kernel  *kernel
	in, out int
	panels  []float32
	bias    []float32
}

func newFloatLinear(k *kernel, w matrix) *floatLinear {
	l := &floatLinear{kernel: k, in: w.cols, out: w.rows, bias: w.bias}
	l.panels = make([]float32, l.in*l.out)
	for row := 0; row < w.rows; row += k.cols {
		w.unpack(row, k.cols, l.panels[row*l.in:][:k.cols*l.in])
	}
	return l
}

// unpack writes n rows from row on as a panel [cols][n]. It goes block by block
// so that what it writes stays in the first-level cache.
func (t tensor) unpack(row, n int, panel []float32) {
	for b := range t.cols / blockSize {
		dst := panel[b*blockSize*n:][:blockSize*n]
		for r := range n {
			f := t.scale(row+r, b)
			src := t.block(row+r, b)
			at := r
			for i := range blockSize {
				dst[at] = f * float32(int8(src[i]))
				at += n
			}
		}
	}
}

func (l *floatLinear) load(in *input, src []float32, rows int) { in.floats, in.rows = src, rows }

func (l *floatLinear) mul(dst []float32, in *input, add bool) {
	p := panel{data: l.panels, k: l.in, n: l.out, stride: l.kernel.cols, next: l.in * l.kernel.cols}
	start, lds := l.bias, 0
	if add {
		start, lds = dst, l.out
	}
	l.kernel.mul(dst, l.out, in.floats, l.in, in.rows, p, start, lds)
}

// panel is a matrix of k rows and n columns, given as column strips of
// kernel.cols: stride floats lie between the rows of a strip, next floats
// between strips.
type panel struct {
	data         []float32
	k, n         int
	stride, next int
}

// mul writes the product of src (rows x b.k) and b to dst (rows x b.n), plus
// start unless that is nil. ldd, lds and ldi are the floats from row to row of
// dst, src and start; ldi may be 0, dst may be start.
func (k *kernel) mul(dst []float32, ldd int, src []float32, lds, rows int, b panel, start []float32, ldi int) {
	for j := 0; j < b.n; j += k.cols {
		strip := &b.data[j/k.cols*b.next]
		i := 0
		for _, g := range k.gemm {
			for ; rows-i >= g.rows; i += g.rows {
				var from *float32
				if start != nil {
					from = &start[i*ldi+j]
				}
				g.f(b.k, &src[i*lds], 4*lds, strip, 4*b.stride, &dst[i*ldd+j], 4*ldd, from, 4*ldi, 4*b.next)
			}
		}
	}
}
