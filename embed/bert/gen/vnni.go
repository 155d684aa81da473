package main

import "fmt"

// vnniKernels multiply unsigned bytes by signed bytes: AVX-512 with VNNI.
func vnniKernels(rows []int) *asm {
	a := &asm{prefix: "vnni"}
	for _, mr := range rows {
		byteGemm(a, mr)
	}
	quantize(a)
	repack(a)
	return a
}

// byteGemm multiplies mr rows of bytes by a panel of 32 columns, four values
// of k at a time, and turns the sums into floats.
func byteGemm(a *asm, mr int) {
	a.fn("MOVQ", fmt.Sprintf("vnniGemm%d", mr), fmt.Sprintf("is a byteGemmFunc for %d rows at a time.", mr),
		[2]string{"AX", "k4 int"}, [2]string{"SI", "a *uint8"}, [2]string{"R8", "lda int"},
		[2]string{"DI", "b *int8"}, [2]string{"DX", "c *float32"}, [2]string{"R10", "ldc int"},
		[2]string{"CX", "cols *float32"}, [2]string{"R9", "rows *[2]float32"},
		[2]string{"", "add int"}, [2]string{"", "next int"})
	sum := func(i, h int) string { return fmt.Sprintf("Z%d", 2*i+h) }
	groups := a.setRowBases(mr)
	for i := range 2 * mr {
		a.zero(avx512, sum(i/2, i%2))
	}
	a.op("MOVQ", "next+72(FP)", "R15")
	a.op("PCALIGN", "$32")
	a.label("loop")
	for u := range 4 {
		a.op("PREFETCHT1", mem(128*u, "DI")+"(R15*1)")
		a.op("PREFETCHT1", mem(128*u+64, "DI")+"(R15*1)")
		a.op("VMOVDQU32", mem(128*u, "DI"), "Z24")
		a.op("VMOVDQU32", mem(128*u+64, "DI"), "Z25")
		for i := range mr {
			val := fmt.Sprintf("Z%d", 26+i%2)
			a.op("VPBROADCASTD", rowAddr(i, 4*u), val)
			a.op("VPDPBUSD", "Z24", val, sum(i, 0))
			a.op("VPDPBUSD", "Z25", val, sum(i, 1))
		}
	}
	a.op("ADDQ", "$512", "DI")
	a.advanceRows(groups, 16)
	a.op("SUBQ", "$4", "AX")
	a.op("JG", "loop")
	byteStore(a, mr, sum)
}

// byteStore writes sum*colScale*rowScale + colSum*rowLow + bias, and what was
// there before if add is 1. The panel's numbers are in Z24 to Z29 (scale,
// colSum, bias, two registers each), the row's in Z30 and Z31. Without add, the
// mask K1 makes what was there 0.
func byteStore(a *asm, mr int, sum func(i, h int) string) {
	for i := range 6 {
		a.op("VMOVUPS", mem(64*i, "CX"), fmt.Sprintf("Z%d", 24+i))
	}
	a.op("MOVQ", "add+64(FP)", "AX")
	a.op("NEGQ", "AX")
	a.op("KMOVW", "AX", "K1")
	for i := range mr {
		a.op("VBROADCASTSS", mem(8*i, "R9"), "Z30")
		a.op("VBROADCASTSS", mem(8*i+4, "R9"), "Z31")
		for h := range 2 {
			s := sum(i, h)
			a.op("VCVTDQ2PS", s, s)
			a.op("VMULPS", fmt.Sprintf("Z%d", 24+h), s, s)
			a.op("VFMADD213PS", fmt.Sprintf("Z%d", 28+h), "Z30", s)
			a.op("VFMADD231PS", fmt.Sprintf("Z%d", 26+h), "Z31", s)
			a.op("VADDPS", mem(64*h, "DX"), s, "K1", s)
			a.op("VMOVUPS", s, mem(64*h, "DX"))
		}
		if i < mr-1 {
			a.op("ADDQ", "R10", "DX")
		}
	}
	a.op("VZEROUPPER")
	a.op("RET")
}

// quantize writes a row less its center as bytes from the least value (0) to
// the greatest (255), and the step and the least value to row.
func quantize(a *asm) {
	a.fn("MOVQ", "vnniQuantize", "is kernel.quantize.", [2]string{"R8", "dst []uint8"},
		[2]string{"SI,CX", "src []float32"}, [2]string{"R10", "center []float32"}, [2]string{"R9", "row *[2]float32"})
	a.op("MOVQ", "R10", "R11")
	a.op("VMOVUPS", "(SI)", "Z0")
	a.op("VSUBPS", "(R10)", "Z0", "Z0")
	a.op("VMOVAPS", "Z0", "Z1")
	a.eachRegister(avx512, "range", func() {
		a.op("VMOVUPS", "(DI)", "Z2")
		a.op("VSUBPS", "(R11)", "Z2", "Z2")
		a.op("ADDQ", "$64", "R11")
		a.op("VMAXPS", "Z2", "Z0", "Z0")
		a.op("VMINPS", "Z2", "Z1", "Z1")
	})
	a.foldReg(avx512, "VMAXPS", 0, 2)
	a.foldReg(avx512, "VMINPS", 1, 2)
	a.op("VSUBSS", "X1", "X0", "X0")
	a.op("VADDSS", a.constant(1e-10), "X0", "X0") // a row of equal values has no step
	a.op("VMOVSS", a.constant(255), "X3")
	a.op("VDIVSS", "X3", "X0", "X4")
	a.op("VMOVSS", "X4", "(R9)")
	a.op("VMOVSS", "X1", "4(R9)")
	a.op("VDIVSS", "X0", "X3", "X3")
	a.op("VBROADCASTSS", "X3", "Z3")
	a.op("VBROADCASTSS", "X1", "Z1")
	a.eachRegister(avx512, "bytes", func() {
		a.op("VMOVUPS", "(DI)", "Z2")
		a.op("VSUBPS", "(R10)", "Z2", "Z2")
		a.op("ADDQ", "$64", "R10")
		a.op("VSUBPS", "Z1", "Z2", "Z2")
		a.op("VMULPS", "Z3", "Z2", "Z2")
		a.op("VCVTPS2DQ", "Z2", "Z2")
		a.op("VPMOVUSDB", "Z2", "(R8)")
		a.op("ADDQ", "$16", "R8")
	})
	a.op("VZEROUPPER")
	a.op("RET")
}

// repack goes block by block: widen 32 bytes, multiply by the block's share of
// the row's scale, narrow and scatter the eight groups of four.
func repack(a *asm) {
	a.fn("MOVQ", "vnniRepack", "is kernel.repack.", [2]string{"DI", "dst *int8"},
		[2]string{"SI", "values *uint8"}, [2]string{"DX", "scales *uint8"}, [2]string{"CX", "blocks int"},
		[2]string{"R9", "sum *int32"}, [2]string{"", "share float32"})
	const values, share, factor, ones, top, at = "Z0", "X1", "X2", "Z3", "X4", "Y5"
	a.op("VMOVSS", "share+40(FP)", factor)
	a.op("MOVL", "$0x00010001", "AX")
	a.op("VPBROADCASTD", "AX", ones)
	a.op("MOVL", "$0x7FFF", "AX") // one, nearly
	a.op("VMOVD", "AX", top)
	a.op("MOVQ", "$0x0706050403020100", "AX")
	a.op("VMOVQ", "AX", "X5")
	a.op("VPMOVZXBD", "X5", at)
	a.op("VPSLLD", "$7", at, at)
	a.op("VPXORD", "Z6", "Z6", "Z6")
	a.label("loop")
	a.op("VPBROADCASTW", "(DX)", share)
	a.op("VCVTPH2PS", share, share)
	a.op("VMULSS", factor, share, share)
	a.op("VCVTPS2DQ", share, share)
	a.op("VPMINUD", top, share, share)
	a.op("VPBROADCASTW", share, "Z1")
	a.op("VPMOVSXBW", "(SI)", values)
	a.op("VPMULHRSW", "Z1", values, values)
	a.op("VPMADDWD", ones, values, "Z7")
	a.op("VPADDD", "Z7", "Z6", "Z6")
	a.op("VPMOVWB", values, "Y0")
	a.op("KXNORB", "K1", "K1", "K1")
	a.op("VPSCATTERDD", "Y0", "K1", "(DI)(Y5*1)")
	a.op("ADDQ", "$2", "DX")
	a.op("ADDQ", "$32", "SI")
	a.op("ADDQ", "$1024", "DI")
	a.op("DECQ", "CX")
	a.op("JNZ", "loop")
	a.foldReg(avx512, "VPADDD", 6, 7)
	a.op("VMOVD", "X6", "(R9)")
	a.op("VZEROUPPER")
	a.op("RET")
}
