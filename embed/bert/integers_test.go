package bert

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// eachInteger runs f for every kernel that multiplies integers in layers.
func eachInteger(t *testing.T, f func(t *testing.T, k *kernel)) {
	eachNative(t, func(t *testing.T, k *kernel) {
		if k.intGemm == nil {
			t.Skip("multiplies floats")
		}
		f(t, k)
	})
}

// greatest is the greatest integer of an input.
func (k *kernel) greatest() int {
	if k.group == 2 {
		return 8191
	}
	return 255
}

func (k *kernel) integer(ints []uint8, i int) int {
	if k.group == 2 {
		return int(binary.LittleEndian.Uint16(ints[2*i:]))
	}
	return int(ints[i])
}

// randomIntLinear has every signed byte among its weights. Its scales are powers
// of two and the rest of its numbers are whole, so that floats can hold them.
func randomIntLinear(rnd *rand.Rand, k *kernel, in, out int) *intLinear {
	l := &intLinear{kernel: k, in: in, out: out, center: make([]float32, in)}
	for range in * out {
		l.values = append(l.values, int8(rnd.IntN(256)-128))
	}
	for i := range 3 * out {
		if i/k.intCols%3 == 0 {
			l.columns = append(l.columns, 1/float32(int(1)<<rnd.IntN(4)))
		} else {
			l.columns = append(l.columns, float32(rnd.IntN(2000)-1000))
		}
	}
	return l
}

// product is what mul should add for a row and an output, computed from the same
// integers and rounded where mul rounds.
func (l *intLinear) product(in *input, row, out int) float32 {
	cols := l.kernel.intCols
	p, c := out/cols, out%cols
	var sum int64
	for i := range l.in {
		group, at := i/l.kernel.group, i%l.kernel.group
		w := l.values[p*l.in*cols+(group*cols+c)*l.kernel.group+at]
		sum += int64(w) * int64(l.kernel.integer(in.ints, row*l.in+i))
	}
	col, r := l.columns[3*p*cols:], in.ranges[row]
	v := float32(float64(float32(sum)*col[c])*float64(r[0]) + float64(col[2*cols+c]))
	return float32(float64(col[cols+c])*float64(r[1]) + float64(v))
}

// TestIntProducts compares each bit with the same integers multiplied in Go, for
// all remainders of rows, and looks at what lies around the result, too.
func TestIntProducts(t *testing.T) {
	eachInteger(t, func(t *testing.T, k *kernel) {
		rnd := rand.New(rand.NewPCG(13, 14))
		for _, depth := range []int{32, 96, 160} {
			l := randomIntLinear(rnd, k, depth, 2*k.intCols)
			for rows := 1; rows < 28; rows++ {
				in := randomInput(rnd, k, rows, depth)
				checkProducts(t, l, rnd, &in, false)
				checkProducts(t, l, rnd, &in, true)
			}
		}
	})
}

func randomInput(rnd *rand.Rand, k *kernel, rows, depth int) input {
	in := input{rows: rows}
	for range rows * depth {
		n := rnd.IntN(k.greatest() + 1)
		in.ints = append(in.ints, uint8(n))
		if k.group == 2 {
			in.ints = append(in.ints, uint8(n>>8))
		}
	}
	for range rows {
		in.ranges = append(in.ranges, [2]float32{float32(int(1) << rnd.IntN(4)), float32(rnd.IntN(200) - 100)})
	}
	return in
}

func checkProducts(t *testing.T, l *intLinear, rnd *rand.Rand, in *input, add bool) {
	t.Helper()
	const around = 64
	got := make([]float32, in.rows*l.out+2*around)
	for i := range got {
		got[i] = float32(rnd.IntN(1000))
	}
	want := slices.Clone(got)
	for i := range in.rows * l.out {
		v := l.product(in, i/l.out, i%l.out)
		if add {
			v += want[around+i]
		}
		want[around+i] = v
	}
	l.mul(got[around:len(got)-around], in, add)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("%d rows, %d deep, add %v (-want +got):\n%s", in.rows, l.in, add, diff)
	}
}

// TestIntSumsFit multiplies the greatest integers and the least weights in the
// deepest linear.
func TestIntSumsFit(t *testing.T) {
	eachInteger(t, func(t *testing.T, k *kernel) {
		rnd := rand.New(rand.NewPCG(15, 16))
		l, in := randomIntLinear(rnd, k, maxDepth, k.intCols), randomInput(rnd, k, 7, maxDepth)
		for i := range l.values {
			l.values[i] = -128
		}
		for i := 0; i < len(in.ints); i += 4 / k.group {
			in.ints[i] = 255
			if k.group == 2 {
				in.ints[i+1] = 31 // 8191 = 31*256 + 255
			}
		}
		checkProducts(t, l, rnd, &in, false)
	})
}

// TestQuantize checks each integer: the least input plus so many steps is the
// input, within half a step.
func TestQuantize(t *testing.T) {
	eachInteger(t, func(t *testing.T, k *kernel) {
		rnd := rand.New(rand.NewPCG(17, 18))
		for _, n := range []int{32, 96, 384} {
			src, center := randomFloats(rnd, n), randomFloats(rnd, n)
			ints, r := make([]uint8, n*4/k.group+1), [2]float32{}
			ints[len(ints)-1] = 77
			k.quantize(ints[:len(ints)-1], src, center, &r)
			least, top := k.greatest(), 0
			for i := range src {
				q, v := k.integer(ints, i), src[i]-center[i]
				least, top = min(least, q), max(top, q)
				if d := math.Abs(float64(v-r[1])/float64(r[0]) - float64(q)); d > 0.51 {
					t.Fatalf("%d of %d: %d steps of %g above %g for %g", i, n, q, r[0], r[1], v)
				}
			}
			if least != 0 || top != k.greatest() || ints[len(ints)-1] != 77 {
				t.Errorf("%d inputs: integers from %d to %d, then %d", n, least, top, ints[len(ints)-1])
			}
		}
	})
}

// TestQuantizeEqual quantizes inputs without any spread.
func TestQuantizeEqual(t *testing.T) {
	eachInteger(t, func(t *testing.T, k *kernel) {
		src, r := slices.Repeat([]float32{2.5}, 32), [2]float32{}
		ints := make([]uint8, 32*4/k.group)
		k.quantize(ints, src, make([]float32, 32), &r)
		if v := r[1] + r[0]*float32(k.integer(ints, 31)); v != 2.5 {
			t.Errorf("step %g above %g: %g, want 2.5", r[0], r[1], v)
		}
	})
}

// TestIntLinear compares with the product of floats. Rounding to integers costs
// half a step at each input and at each weight.
func TestIntLinear(t *testing.T) {
	eachInteger(t, func(t *testing.T, k *kernel) {
		weights, toc, _ := tinyModel()
		b, err := openBlob(weights, toc)
		if err != nil {
			t.Fatal(err)
		}
		rnd := rand.New(rand.NewPCG(11, 12))
		w := b.matrix("l0.f2", tinySize.Hidden, tinySize.FFN)
		for _, add := range []bool{false, true} {
			if add {
				w.bias = make([]float32, tinySize.Hidden)
			}
			center := randomFloats(rnd, tinySize.FFN)
			ints, floats := newIntLinear(k, w, center), newFloatLinear(portable, w)
			for rows := 1; rows < 30; rows++ {
				got := randomFloats(rnd, rows*tinySize.Hidden)
				want, src := slices.Clone(got), randomFloats(rnd, rows*tinySize.FFN)
				var in input
				ints.load(&in, src, rows)
				ints.mul(got, &in, add)
				floats.load(&in, src, rows)
				floats.mul(want, &in, add)
				c := dot(got, want) / math.Sqrt(dot(got, got)*dot(want, want))
				if c < 0.9998 {
					t.Errorf("%d rows, add %v: cosine %.6f to the product of floats", rows, add, c)
				}
			}
		}
	})
}

// TestRepack checks each weight: the row's scale times what was written is the
// weight, within half a step.
func TestRepack(t *testing.T) {
	eachInteger(t, func(t *testing.T, k *kernel) {
		weights, toc, _ := tinyModel()
		b, err := openBlob(weights, toc)
		if err != nil {
			t.Fatal(err)
		}
		w := b.quantized("l1.f2.w", tinySize.Hidden, tinySize.FFN).part(7, 80, 32, 96)
		dst, row := make([]int8, w.cols*k.intCols), make([]float32, w.cols)
		for r := range w.rows {
			scale, sum := k.repackRow(dst[k.group*(r%k.intCols):], w, r)
			w.row(r, row)
			for i, v := range row {
				q := dst[i/k.group*k.group*k.intCols+k.group*(r%k.intCols)+i%k.group]
				sum -= int32(q)
				if d := math.Abs(float64(v/scale - float32(q))); d > 0.51 {
					t.Fatalf("row %d column %d: %d steps of %g for %g", r, i, q, scale, v)
				}
			}
			if sum != 0 {
				t.Fatalf("row %d: sum is off by %d", r, sum)
			}
		}
	})
}
