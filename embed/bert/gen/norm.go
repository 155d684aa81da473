package main

// Registers of addNorm.
const (
	nSum = iota
	nTmp
	nX
	nMean
	nInv
	nCount
)

// addNorm adds a row to x and brings x to mean 0 and variance 1, then scales
// by gain and adds shift.
func addNorm(a *asm, v isa) {
	a.fn("MOVQ", v.name+"AddNorm", "is kernel.addNorm.",
		[2]string{"SI,CX", "x []float32"}, [2]string{"R8", "add []float32"},
		[2]string{"R9", "gain []float32"}, [2]string{"R10", "shift []float32"})
	x, sum := v.r(nX), v.r(nSum)
	a.op("VXORPS", "X5", "X5", "X5")
	a.op("VCVTSI2SSQ", "CX", "X5", "X5")
	a.zero(v, sum)
	a.eachRegister(v, "add", func() {
		a.op("VMOVUPS", "(DI)", x)
		a.op("VADDPS", "(R8)", x, x)
		a.op("ADDQ", v.step(), "R8")
		a.op("VMOVUPS", x, "(DI)")
		a.op("VADDPS", x, sum, sum)
	})
	a.fold(v, "VADDPS")
	a.op("VDIVSS", "X5", "X0", "X0")
	a.op("VBROADCASTSS", "X0", v.r(nMean))
	a.zero(v, sum)
	a.eachRegister(v, "var", func() {
		a.op("VMOVUPS", "(DI)", x)
		a.op("VSUBPS", v.r(nMean), x, x)
		a.op("VFMADD231PS", x, x, sum)
	})
	a.fold(v, "VADDPS")
	a.op("VDIVSS", "X5", "X0", "X0")
	a.op("VADDSS", a.constant(1e-12), "X0", "X0")
	a.op("VSQRTSS", "X0", "X0", "X0")
	a.op("VMOVSS", a.constant(1), "X1")
	a.op("VDIVSS", "X0", "X1", "X0")
	a.op("VBROADCASTSS", "X0", v.r(nInv))
	a.eachRegister(v, "scale", func() {
		a.op("VMOVUPS", "(DI)", x)
		a.op("VSUBPS", v.r(nMean), x, x)
		a.op("VMULPS", v.r(nInv), x, x)
		a.op("VMOVUPS", "(R10)", v.r(nTmp))
		a.op("VFMADD132PS", "(R9)", v.r(nTmp), x)
		a.op("ADDQ", v.step(), "R9")
		a.op("ADDQ", v.step(), "R10")
		a.op("VMOVUPS", x, "(DI)")
	})
	a.op("VZEROUPPER")
	a.op("RET")
}
