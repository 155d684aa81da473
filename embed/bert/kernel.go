package bert

import (
	"fmt"
	"slices"
	"strings"
)

// kernel is a set of functions that does the arithmetic on one kind of
// processor.
type kernel struct {
	name string
	cols int       // columns of a strip, see kernel.mul
	gemm []rowGemm // by falling rows, the last for 1
	// unpack writes a panel [k][cols] of floats from values [k/4][cols][4], each
	// times its column's scale in its block of k, [blocks][cols].
	unpack func(panel []float32, values []int8, scales []float32, blocks int)
	// gelu rewrites each x to x/2*(1+erf(x/√2)). len(x) is a multiple of 32.
	gelu func(x []float32)
	// softmax rewrites x to e^(scale*x) over their sum; len(x) is a multiple of
	// cols.
	softmax func(x []float32, scale float32)
	// addNorm adds a row to x and rewrites it to mean 0 and variance 1, then
	// to x*gain + shift. The length is a multiple of 32.
	addNorm func(x, add, gain, shift []float32)

	// Where there is an intGemm, layers multiply integers.
	group   int          // integers of an input in 32 bits: 4 bytes or 2 words
	intCols int          // columns of a panel
	intGemm []rowIntGemm // by falling rows, the last for 1
	// quantize writes src-center as bytes or words, 0 for its least value and 255
	// or 8191 for its greatest, and to row the step between integers and the
	// least value. The length of src is a multiple of 32.
	quantize func(dst []uint8, src, center []float32, row *[2]float32)
	// repack multiplies blocks of 32 values by share times their scale, a half
	// float, with 15 bits after the point, rounds them and writes a group of them
	// each group*intCols bytes. Products are at most 2^15 before rounding. It sets
	// sum to the sum of the values written.
	repack func(dst *int8, values, scales *uint8, blocks int, sum *int32, share float32)
}

// gemmFunc writes some rows of one strip of a product and a sum, c = a*b +
// start: a has k columns, b k rows. ld* are bytes from row to row, lds that of
// start, which may be c, or nil for zeros.
type gemmFunc func(k int, a *float32, lda int, b *float32, ldb int, c *float32, ldc int, start *float32, lds int)

type rowGemm struct {
	rows int
	f    gemmFunc
}

// intGemmFunc writes some rows of one panel of an intLinear: a has so many groups
// of columns, a multiple of 4, b and cols are the panel's values and columns,
// rows what quantize left for each row of a. lda and ldc are bytes from row to
// row. If add is 1 and not 0, the product is added to c. The panel that will be
// used next lies next bytes behind b and is fetched meanwhile.
type intGemmFunc func(groups int, a *uint8, lda int, b *int8, c *float32, ldc int, cols *float32, rows *[2]float32, add, next int)

type rowIntGemm struct {
	rows int
	f    intGemmFunc
}

// Kernels names the kernels that this processor can run, the fastest first. The
// last is always "go", which runs everywhere.
func Kernels() []string {
	var names []string
	for _, k := range kernels() {
		names = append(names, k.name)
	}
	return names
}

func kernels() []*kernel { return append(nativeKernels(), portable) }

func pick(name string) (*kernel, error) {
	ks := kernels()
	i := slices.IndexFunc(ks, func(k *kernel) bool { return name == "" || k.name == name })
	if i < 0 {
		return nil, fmt.Errorf("kernel %q cannot run here, only %s", name, strings.Join(Kernels(), ", "))
	}
	return ks[i], nil
}
