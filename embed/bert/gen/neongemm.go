package main

import "fmt"

// neonGemm multiplies mr rows by a strip of 8 columns. Sums are in V0 to V15,
// the strip's row in V16 and V17, one value of each row from V18 on.
func neonGemm(a *asm, mr int) {
	a.fn("MOVD", fmt.Sprintf("neonGemm%d", mr), fmt.Sprintf("is a gemmFunc for panels of 8 columns, %d rows at a time.", mr),
		[2]string{"R0", "k int"}, [2]string{"R1", "a *float32"}, [2]string{"R2", "lda int"},
		[2]string{"R3", "b *float32"}, [2]string{"R4", "ldb int"},
		[2]string{"R5", "c *float32"}, [2]string{"R6", "ldc int"}, [2]string{"R7", "start *float32"},
		[2]string{"R16", "lds int"})
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
			a.op("VFMLA", s4(16+h), s4(18+i), s4(2*i+h))
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
		a.neonZero(i)
	}
}

// neonUnpack turns bytes into floats, four values of k of eight columns at a
// time; see unpack for amd64.
func neonUnpack(a *asm) {
	a.fn("MOVD", "neonUnpack", "is kernel.unpack.", [2]string{"R0", "panel []float32"},
		[2]string{"R1", "values []int8"}, [2]string{"R2", "scales []float32"}, [2]string{"R3", "blocks int"})
	a.label("block")
	a.op("VLD1.P", "32(R2)", "[V0.S4, V1.S4]")
	a.op("MOVD", "$8", "R4")
	a.label("four")
	a.op("VLD1.P", "32(R1)", "[V2.S4, V3.S4]")
	for k := range 4 {
		for h := range 2 {
			if k < 3 {
				a.op("VSHL", imm(24-8*k), s4(2+h), s4(4+h))
				a.word("SSHR24", 4+h, 4+h)
			} else {
				a.word("SSHR24", 4+h, 2+h)
			}
			a.word("SCVTF", 4+h, 4+h)
			a.word("FMUL", 4+h, 4+h, h)
		}
		a.op("VST1.P", "[V4.S4, V5.S4]", "32(R0)")
	}
	a.op("SUBS", "$1", "R4", "R4")
	a.op("BNE", "four")
	a.op("SUBS", "$1", "R3", "R3")
	a.op("BNE", "block")
	a.op("RET")
}
