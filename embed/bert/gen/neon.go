package main

import "fmt"

// neonKernels are the float kernels for arm64.
func neonKernels(rows []int) *asm {
	a := &asm{prefix: "neon"}
	for _, mr := range rows {
		neonGemm(a, mr)
	}
	return a
}

// neonGemm multiplies mr rows by a panel of 8 columns. Sums are in V0 to V15,
// the panel's row in V16 and V17, one value of each row from V18 on.
func neonGemm(a *asm, mr int) {
	a.fn("MOVD", fmt.Sprintf("neonGemm%d", mr), fmt.Sprintf("is a gemmFunc for panels of 8 columns, %d rows at a time.", mr),
		[2]string{"R0", "k int"}, [2]string{"R1", "a *float32"}, [2]string{"R2", "lda int"},
		[2]string{"R3", "b *float32"}, [2]string{"R4", "ldb int"},
		[2]string{"R5", "c *float32"}, [2]string{"R6", "ldc int"}, [2]string{"R7", "start *float32"},
		[2]string{"R16", "lds int"}, [2]string{"", "next int"})
	a.op("MOVD", "R1", "R8")
	for i := 1; i < mr; i++ {
		a.op("ADD", "R2", fmt.Sprintf("R%d", 7+i), fmt.Sprintf("R%d", 8+i))
	}
	neonStart(a, mr)
	a.label("loop")
	a.op("VLD1", "(R3)", "[V16.S4, V17.S4]")
	a.op("ADD", "R4", "R3", "R3")
	for i := range mr {
		a.op("VLD1R.P", fmt.Sprintf("4(R%d)", 8+i), fmt.Sprintf("[V%d.S4]", 18+i))
	}
	for i := range mr {
		for h := range 2 {
			a.op("VFMLA", fmt.Sprintf("V%d.S4", 16+h), fmt.Sprintf("V%d.S4", 18+i), fmt.Sprintf("V%d.S4", 2*i+h))
		}
	}
	a.op("SUBS", "$1", "R0", "R0")
	a.op("BNE", "loop")
	for i := range mr {
		a.op("VST1", fmt.Sprintf("[V%d.S4, V%d.S4]", 2*i, 2*i+1), "(R5)")
		if i < mr-1 {
			a.op("ADD", "R6", "R5", "R5")
		}
	}
	a.op("RET")
}

// neonStart fills the sums with the rows at start, or with zeros where it is
// nil.
func neonStart(a *asm, mr int) {
	v := func(i int) string { return fmt.Sprintf("V%d.B16", i) }
	a.op("CBZ", "R7", "zero")
	for i := range mr {
		a.op("VLD1", "(R7)", fmt.Sprintf("[V%d.S4, V%d.S4]", 2*i, 2*i+1))
		if i < mr-1 {
			a.op("ADD", "R16", "R7", "R7")
		}
	}
	a.op("B", "loop")
	a.label("zero")
	for i := range 2 * mr {
		a.op("VEOR", v(i), v(i), v(i))
	}
}
