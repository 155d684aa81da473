// Gen writes the assembly kernels of package bert and their Go declarations.
//
// Run it with go generate in embed/bert, or as
//
//	go run ./embed/bert/gen DIR
//
// Its test fails when the committed files are not what it would write. Start
// reading at [files]; each kernel has a file of its own. The code is unrolled
// by register count, which is why it is generated and not written by hand.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	dir := "."
	if len(os.Args) > 1 {
		dir = os.Args[1]
	}
	for name, text := range files() {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			fmt.Fprintln(os.Stderr, "gen:", err)
			os.Exit(1)
		}
	}
}

// files returns every generated file by name.
func files() map[string]string {
	out := map[string]string{}
	add := func(base string, a *asm) {
		out[base+".s"] = a.source()
		out[base+".go"] = a.declarations()
	}
	add("avx512_amd64", vectorKernels(avx512, []int{14, 8, 4, 2, 1}))
	add("avx2_amd64", vectorKernels(avx2, []int{6, 4, 2, 1}))
	add("vnni512_amd64", intKernels(vnni512, []int{12, 8, 4, 2, 1}))
	add("vnni256_amd64", intKernels(vnni256, []int{6, 4, 2, 1}))
	add("madd256_amd64", intKernels(madd256, []int{6, 4, 2, 1}))
	add("neon_arm64", neonKernels([]int{8, 4, 2, 1}))
	return out
}

// vectorKernels is the set of float kernels for one width of amd64 registers.
func vectorKernels(v isa, rows []int) *asm {
	a := &asm{prefix: v.name}
	for _, mr := range rows {
		gemm(a, v, mr)
	}
	if v.wide() { // narrow ones multiply floats in attention only
		unpack(a, v)
	}
	gelu(a, v)
	softmax(a, v)
	addNorm(a, v)
	return a
}
