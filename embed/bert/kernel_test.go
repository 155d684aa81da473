package bert

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func randomFloats(rnd *rand.Rand, n int) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(rnd.NormFloat64())
	}
	return v
}

// eachNative runs f for every kernel with vector code of its own.
func eachNative(t *testing.T, f func(t *testing.T, k *kernel)) {
	for _, k := range kernels() {
		t.Run(k.name, func(t *testing.T) { f(t, k) })
	}
}

func near(t *testing.T, what string, got, want []float32, eps float64) {
	t.Helper()
	for i := range want {
		if d := math.Abs(float64(got[i] - want[i])); !(d <= eps*(1+math.Abs(float64(want[i])))) {
			t.Fatalf("%s: [%d] = %g, want %g", what, i, got[i], want[i])
		}
	}
}

// TestMul multiplies matrices of odd sizes inside larger ones and looks at what
// lies around the result, too.
func TestMul(t *testing.T) {
	eachNative(t, func(t *testing.T, k *kernel) {
		rnd := rand.New(rand.NewPCG(5, 6))
		for _, rows := range []int{1, 2, 3, 5, 7, 13, 14, 15, 29, 31} {
			for _, depth := range []int{1, 2, 3, 4, 5, 33, 64} {
				dst := grid{randomFloats(rnd, rows*(k.cols+3)), k.cols + 3}
				bias := grid{randomFloats(rnd, k.cols), 0}
				for _, start := range []grid{{}, bias, dst} {
					checkMul(t, k, rnd, dst, rows, depth, start)
				}
			}
		}
	})
}

func checkMul(t *testing.T, k *kernel, rnd *rand.Rand, dst grid, rows, depth int, start grid) {
	t.Helper()
	src := grid{randomFloats(rnd, rows*(depth+3)), depth + 3}
	strip := grid{randomFloats(rnd, depth*(k.cols+5)), k.cols + 5}
	want := slices.Clone(dst.data)
	for i := range rows {
		for j := range k.cols {
			var sum float64
			for x := range depth {
				sum += float64(src.data[i*src.ld+x]) * float64(strip.data[x*strip.ld+j])
			}
			if start.data != nil {
				sum += float64(start.data[i*start.ld+j])
			}
			want[i*dst.ld+j] = float32(sum)
		}
	}
	k.mul(dst, src, rows, depth, strip, start)
	near(t, fmt.Sprintf("%dx%d, start %d", rows, depth, start.ld), dst.data, want, 1e-4)
}

func TestGelu(t *testing.T) {
	eachNative(t, func(t *testing.T, k *kernel) {
		var x []float32
		for i := range 3 * 32 {
			x = append(x, float32(i-48)/5)
		}
		x[0], x[1], x[2] = -1e30, 1e30, -30
		want := slices.Clone(x)
		goGelu(want)
		k.gelu(x)
		near(t, "gelu", x, want, 2e-5)
	})
}

func TestSoftmax(t *testing.T) {
	eachNative(t, func(t *testing.T, k *kernel) {
		rnd := rand.New(rand.NewPCG(7, 8))
		for n := k.cols; n <= 6*k.cols; n += k.cols {
			x := randomFloats(rnd, n+1)
			for i := range x {
				x[i] *= 30
			}
			x[n-1] = -1e30
			want := slices.Clone(x)
			goSoftmax(want[:n], 0.2)
			k.softmax(x[:n], 0.2)
			near(t, fmt.Sprint(n, " scores"), x, want, 2e-6)
		}
	})
}

func TestAddNorm(t *testing.T) {
	eachNative(t, func(t *testing.T, k *kernel) {
		rnd := rand.New(rand.NewPCG(9, 10))
		for _, n := range []int{32, 96, 384} {
			x, add := randomFloats(rnd, n+1), randomFloats(rnd, n)
			gain, shift := randomFloats(rnd, n), randomFloats(rnd, n)
			want := slices.Clone(x)
			goAddNorm(want[:n], add, gain, shift)
			k.addNorm(x[:n], add, gain, shift)
			near(t, fmt.Sprint(n, " numbers"), x, want, 2e-5)
		}
	})
}

// TestUnpack checks each weight of the panels of a linear against its matrix.
func TestUnpack(t *testing.T) {
	weights, toc, _ := tinyModel()
	b, err := openBlob(weights, toc)
	if err != nil {
		t.Fatal(err)
	}
	w := b.matrix("l1.f2", tinySize.Hidden, tinySize.FFN).inputs(32, 96)
	row := make([]float32, w.cols)
	eachNative(t, func(t *testing.T, k *kernel) {
		if k.unpack == nil {
			t.Skip("multiplies integers")
		}
		l := newFloatLinear(k, w)
		panel, blocks := make([]float32, l.in*k.cols), l.in/blockSize
		for r := range w.rows {
			j := r / k.cols * k.cols
			k.unpack(panel, l.values[j*l.in:][:k.cols*l.in], l.scales[j*blocks:][:k.cols*blocks], blocks)
			w.row(r, row)
			for i, want := range row {
				if got := panel[i*k.cols+r-j]; got != want {
					t.Fatalf("row %d column %d is %g, want %g", r, i, got, want)
				}
			}
		}
	})
}

func TestHalfFloat(t *testing.T) {
	for h, want := range map[uint16]float32{
		0x0000: 0, 0x3c00: 1, 0xc000: -2, 0x3555: 0.33325195, 0x0001: 5.9604645e-08, 0x83ff: -6.097555e-05, 0x0400: 6.1035156e-05, 0x7bff: 65504,
	} {
		if got := halfFloat(h); got != want {
			t.Errorf("halfFloat(%#04x) = %g, want %g", h, got, want)
		}
	}
	if !math.IsInf(float64(halfFloat(0xfc00)), -1) || halfFloat(0x7e00) == halfFloat(0x7e00) {
		t.Error("infinity or not-a-number is lost")
	}
}
