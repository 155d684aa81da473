package main

// The greatest integers that stand for an input. That of words is such that sums
// fit 32 bits, see maxDepth in package bert.
const (
	greatestByte = 255
	greatestWord = 1<<13 - 1
)

// quantize writes a row less its center as integers, 0 for the least value, and
// the step and the least value to row.
func quantize(a *asm, t arith) {
	v, greatest := t.isa, float32(greatestByte)
	if t.group == 2 {
		greatest = greatestWord
	}
	a.fn("MOVQ", a.prefix+"Quantize", "is kernel.quantize.", [2]string{"R8", "dst []uint8"},
		[2]string{"SI,CX", "src []float32"}, [2]string{"R10", "center []float32"}, [2]string{"R9", "row *[2]float32"})
	top, low, x, inv := v.r(0), v.r(1), v.r(2), v.r(3)
	a.op("MOVQ", "R10", "R11")
	a.op("VMOVUPS", "(SI)", top)
	a.op("VSUBPS", "(R10)", top, top)
	a.op("VMOVAPS", top, low)
	a.eachRegister(v, "range", func() {
		a.op("VMOVUPS", "(DI)", x)
		a.op("VSUBPS", "(R11)", x, x)
		a.op("ADDQ", v.step(), "R11")
		a.op("VMAXPS", x, top, top)
		a.op("VMINPS", x, low, low)
	})
	a.foldReg(v, "VMAXPS", 0, 2)
	a.foldReg(v, "VMINPS", 1, 2)
	a.op("VSUBSS", "X1", "X0", "X0")
	a.op("VADDSS", a.constant(1e-10), "X0", "X0") // a row of equal values has no step
	a.op("VMOVSS", a.constant(greatest), "X3")
	a.op("VDIVSS", "X3", "X0", "X4")
	a.op("VMOVSS", "X4", "(R9)")
	a.op("VMOVSS", "X1", "4(R9)")
	a.op("VDIVSS", "X0", "X3", "X3")
	a.op("VBROADCASTSS", "X3", inv)
	a.op("VBROADCASTSS", "X1", low)
	a.eachRegister(v, "integers", func() {
		a.op("VMOVUPS", "(DI)", x)
		a.op("VSUBPS", "(R10)", x, x)
		a.op("ADDQ", v.step(), "R10")
		a.op("VSUBPS", low, x, x)
		a.op("VMULPS", inv, x, x)
		a.op("VCVTPS2DQ", x, x)
		a.narrow(t)
		a.op("ADDQ", imm(v.bytes/t.group), "R8")
	})
	a.op("VZEROUPPER")
	a.op("RET")
}

// narrow writes the integers in register 2 as bytes or words to R8.
func (a *asm) narrow(t arith) {
	if t.wide() {
		a.op("VPMOVUSDB", t.r(2), "(R8)")
		return
	}
	a.op("VEXTRACTI128", "$1", "Y2", "X5")
	a.op("VPACKUSDW", "X5", "X2", "X2")
	if t.group == 2 {
		a.op("VMOVDQU", "X2", "(R8)")
		return
	}
	a.op("VPACKUSWB", "X2", "X2", "X2")
	a.op("VMOVQ", "X2", "(R8)")
}

// repack goes block by block: widen 32 bytes, multiply by the block's share of
// the row's scale, narrow, and write the groups where they belong in a panel.
// Narrow registers do for all.
func repack(a *asm, t arith) {
	a.fn("MOVQ", a.prefix+"Repack", "is kernel.repack.", [2]string{"DI", "dst *int8"},
		[2]string{"SI", "values *uint8"}, [2]string{"DX", "scales *uint8"}, [2]string{"CX", "blocks int"},
		[2]string{"R9", "sum *int32"}, [2]string{"", "share float32"})
	const share, factor, ones, top, sum, tmp = "X1", "X3", "Y4", "X5", "Y6", "Y7"
	a.op("VMOVSS", "share+40(FP)", factor)
	a.op("MOVL", "$0x00010001", "AX")
	a.op("VMOVD", "AX", "X4")
	a.op("VPBROADCASTD", "X4", ones)
	a.op("MOVL", "$0x7FFF", "AX") // one, nearly
	a.op("VMOVD", "AX", top)
	a.op("VPXOR", sum, sum, sum)
	a.label("loop")
	a.op("MOVWLZX", "(DX)", "AX")
	a.op("VMOVD", "AX", share)
	a.op("VCVTPH2PS", share, share)
	a.op("VMULSS", factor, share, share)
	a.op("VCVTPS2DQ", share, share)
	a.op("VPMINUD", top, share, share)
	a.op("VPBROADCASTW", share, "Y1")
	for i, r := range []string{"Y0", "Y2"} {
		a.op("VPMOVSXBW", mem(16*i, "SI"), r)
		a.op("VPMULHRSW", "Y1", r, r)
		a.op("VPMADDWD", ones, r, tmp)
		a.op("VPADDD", tmp, sum, sum)
	}
	a.op("VPACKSSWB", "Y2", "Y0", "Y0")
	a.op("VPERMQ", "$0xD8", "Y0", "Y0")
	a.op("VEXTRACTI128", "$1", "Y0", "X2")
	extract, half := "VPEXTRD", 4
	if t.group == 2 {
		extract, half = "VPEXTRW", 8
	}
	for i := range 2 * half {
		a.op(extract, imm(i%half), []string{"X0", "X2"}[i/half], mem(i*t.panel(), "DI"))
	}
	a.op("ADDQ", "$2", "DX")
	a.op("ADDQ", "$32", "SI")
	a.op("ADDQ", imm(32/t.group*t.panel()), "DI")
	a.op("DECQ", "CX")
	a.op("JNZ", "loop")
	a.foldReg(avx2, "VPADDD", 6, 7)
	a.op("VMOVD", "X6", "(R9)")
	a.op("VZEROUPPER")
	a.op("RET")
}
