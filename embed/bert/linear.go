package bert

// linear is a matrix and a bias, ready to multiply rows by.
type linear interface {
	// mul writes rows rows to dst, one for each of src. Rows lie without gaps.
	mul(dst, src []float32, rows int, s *scratch)
}

// floatLinear holds panels of kernel.cols outputs: [out/cols][in][cols].
type floatLinear struct {
	kernel  *kernel
	in, out int
	panels  []float32
	bias    []float32
}

func newFloatLinear(k *kernel, bias []float32, ts []tensor) *floatLinear {
	l := &floatLinear{kernel: k, in: ts[0].cols, out: len(bias), bias: bias}
	l.panels = make([]float32, l.in*l.out)
	panel := l.in * k.cols
	at := 0
	for _, t := range ts {
		for row := 0; row < t.rows; row += k.cols {
			t.unpack(row, k.cols, l.panels[at:at+panel])
			at += panel
		}
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
			src := t.values[(row+r)*t.cols+b*blockSize:][:blockSize]
			at := r
			for i := range blockSize {
				dst[at] = f * float32(int8(src[i]))
				at += n
			}
		}
	}
}

func (l *floatLinear) mul(dst, src []float32, rows int, _ *scratch) {
	p := panel{data: l.panels, k: l.in, n: l.out, stride: l.kernel.cols, next: l.in * l.kernel.cols}
	l.kernel.mul(dst, l.out, src, l.in, rows, p, l.bias)
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
// the bias if there is one. ldd and lds are the lengths of their rows.
func (k *kernel) mul(dst []float32, ldd int, src []float32, lds, rows int, b panel, bias []float32) {
	for j := 0; j < b.n; j += k.cols {
		strip := &b.data[j/k.cols*b.next]
		var add *float32
		if bias != nil {
			add = &bias[j]
		}
		i := 0
		for _, g := range k.gemm {
			for ; rows-i >= g.rows; i += g.rows {
				g.f(b.k, &src[i*lds], 4*lds, strip, 4*b.stride, &dst[i*ldd+j], 4*ldd, add)
			}
		}
	}
}
