package main

// exp2C approximates 2^f for |f| <= 1/2, highest power first, to 8e-8, fitted
// like geluTail.
var exp2C = []float32{0.00134100052, 0.00967603636, 0.055502973, 0.240221074, 0.693147225, 1.00000008}

// Registers of softmax.
const (
	sSum = iota
	sX
	sN
	sP
	sScale  // scale*log2(e)
	sOffset // -max*scale*log2(e)
	sFloor
	sCoef // and the next five
)

// softmax rewrites a row to e^(scale*(x-max)), divided by their sum.
func softmax(a *asm, v isa) {
	a.fn("MOVQ", v.name+"Softmax", "is kernel.softmax.",
		[2]string{"SI,CX", "x []float32"}, [2]string{"", "scale float32"})
	rowMax(a, v)
	a.op("VMOVSS", "scale+24(FP)", "X1")
	a.op("VMULSS", a.constant(1.44269504088896341), "X1", "X1")
	a.op("VBROADCASTSS", "X1", v.r(sScale))
	a.op("VMULSS", "X1", "X0", "X0")
	a.op("VXORPS", "X1", "X1", "X1")
	a.op("VSUBSS", "X0", "X1", "X0")
	a.op("VBROADCASTSS", "X0", v.r(sOffset))
	a.broadcast(v, -126, sFloor)
	for i, c := range exp2C {
		a.broadcast(v, c, sCoef+i)
	}
	a.zero(v, v.r(sSum))
	a.eachRegister(v, "exp", func() { expStep(a, v) })
	a.fold(v, "VADDPS")
	a.op("VMOVSS", a.constant(1), "X1")
	a.op("VDIVSS", "X0", "X1", "X0")
	a.op("VBROADCASTSS", "X0", v.r(sSum))
	a.eachRegister(v, "scale", func() {
		a.op("VMULPS", "(DI)", v.r(sSum), v.r(sX))
		a.op("VMOVUPS", v.r(sX), "(DI)")
	})
	a.op("VZEROUPPER")
	a.op("RET")
}

// eachRegister runs body for each register-wide part of the CX floats at SI,
// its address in DI.
func (a *asm) eachRegister(v isa, label string, body func()) {
	a.op("MOVQ", "SI", "DI")
	a.op("MOVQ", "CX", "DX")
	a.label(label)
	body()
	a.op("ADDQ", v.step(), "DI")
	a.op("SUBQ", imm(v.lanes()), "DX")
	a.op("JG", label)
}

func rowMax(a *asm, v isa) {
	a.op("VMOVUPS", "(SI)", v.r(0))
	a.eachRegister(v, "max", func() { a.op("VMAXPS", "(DI)", v.r(0), v.r(0)) })
	a.fold(v, "VMAXPS")
}

// expStep replaces one register by its powers and adds them to the sum:
// 2^x = 2^n * 2^f, n the nearest integer to x.
func expStep(a *asm, v isa) {
	x, n, p := v.r(sX), v.r(sN), v.r(sP)
	a.op("VMOVUPS", "(DI)", x)
	a.op("VFMADD213PS", v.r(sOffset), v.r(sScale), x)
	a.op("VMAXPS", v.r(sFloor), x, x)
	if v.wide() {
		a.op("VRNDSCALEPS", "$0", x, n)
	} else {
		a.op("VROUNDPS", "$0", x, n)
	}
	a.op("VSUBPS", n, x, x)
	a.op("VMOVAPS", v.r(sCoef), p)
	for i := 1; i < len(exp2C); i++ {
		a.op("VFMADD213PS", v.r(sCoef+i), x, p)
	}
	if v.wide() {
		a.op("VSCALEFPS", n, p, p)
	} else { // add n to the exponent
		a.op("VCVTPS2DQ", n, n)
		a.op("VPSLLD", "$23", n, n)
		a.op("VPADDD", n, p, p)
	}
	a.op("VMOVUPS", p, "(DI)")
	a.op("VADDPS", p, v.r(sSum), v.r(sSum))
}
