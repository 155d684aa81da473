package bert

import (
	"math"
	"unsafe"
)

// portable is the kernel in Go, and the reference that the others are tested
// against.
var portable = &kernel{
	name:    "go",
	cols:    4,
	gemm:    []rowGemm{{2, goGemm2}, {1, goGemm1}},
	gelu:    goGelu,
	unpack:  goUnpack,
	softmax: goSoftmax,
	addNorm: goAddNorm,
}

// at returns the n floats that lie i strides of ld bytes behind p.
func at(p *float32, i, ld, n int) []float32 {
	return unsafe.Slice((*float32)(unsafe.Add(unsafe.Pointer(p), i*ld)), n)
}

func startSums(start *float32, row, lds int) (s [4]float32) {
	if start != nil {
		copy(s[:], at(start, row, lds, 4))
	}
	return s
}

// goGemm2 is a gemmFunc for strips of 4 columns, 2 rows at a time: the 8 sums,
// 4 values of b and 2 of a fit the 16 float registers of amd64.
func goGemm2(k int, a *float32, lda int, b *float32, ldb int, c *float32, ldc int, start *float32, lds int) {
	a0, a1 := at(a, 0, lda, k), at(a, 1, lda, k)
	s, r := startSums(start, 0, lds), startSums(start, 1, lds)
	s00, s01, s02, s03 := s[0], s[1], s[2], s[3]
	s10, s11, s12, s13 := r[0], r[1], r[2], r[3]
	for i, x := range a0 {
		row := (*[4]float32)(unsafe.Add(unsafe.Pointer(b), i*ldb))
		b0, b1, b2, b3 := row[0], row[1], row[2], row[3]
		y := a1[i]
		s00 += x * b0
		s01 += x * b1
		s02 += x * b2
		s03 += x * b3
		s10 += y * b0
		s11 += y * b1
		s12 += y * b2
		s13 += y * b3
	}
	copy(at(c, 0, ldc, 4), []float32{s00, s01, s02, s03})
	copy(at(c, 1, ldc, 4), []float32{s10, s11, s12, s13})
}

// goGemm1 is a gemmFunc for strips of 4 columns, one row at a time.
func goGemm1(k int, a *float32, _ int, b *float32, ldb int, c *float32, _ int, start *float32, _ int) {
	s := startSums(start, 0, 0)
	for i, x := range at(a, 0, 0, k) {
		row := (*[4]float32)(unsafe.Add(unsafe.Pointer(b), i*ldb))
		for j := range s {
			s[j] += x * row[j]
		}
	}
	copy(at(c, 0, 0, 4), s[:])
}

func goUnpack(panel []float32, values []int8, scales []float32, blocks int) {
	cols := len(scales) / blocks
	for i := 0; i < len(values); i += 4 {
		group := i / 4 / cols // of four k
		col := i / 4 % cols
		f := scales[group*4/blockSize*cols+col]
		v, dst := values[i:][:4], panel[group*4*cols+col:]
		dst[0] = f * float32(v[0])
		dst[cols] = f * float32(v[1])
		dst[2*cols] = f * float32(v[2])
		dst[3*cols] = f * float32(v[3])
	}
}

func goGelu(x []float32) {
	for i, v := range x {
		x[i] = float32(0.5 * float64(v) * (1 + math.Erf(float64(v)/math.Sqrt2)))
	}
}

func goSoftmax(x []float32, scale float32) {
	top := x[0]
	for _, v := range x {
		top = max(top, v)
	}
	var sum float32
	for i, v := range x {
		x[i] = float32(math.Exp(float64(scale * (v - top))))
		sum += x[i]
	}
	for i := range x {
		x[i] /= sum
	}
}

func goAddNorm(x, add, gain, shift []float32) {
	var sum, squares float32
	for i, v := range add {
		x[i] += v
		sum += x[i]
	}
	mean := sum / float32(len(x))
	for _, v := range x {
		squares += (v - mean) * (v - mean)
	}
	inv := float32(1 / math.Sqrt(float64(squares)/float64(len(x))+1e-12))
	for i, v := range x {
		x[i] = (v-mean)*inv*gain[i] + shift[i]
	}
}
