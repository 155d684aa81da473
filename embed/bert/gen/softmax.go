package main

// expC are the coefficients of (e^r-1-r)/r² for |r| <= ln2/2, highest power
// first.
var expC = []float32{1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1}

// Registers of softmax: the sum, a value, its power of two, the polynomial,
// and constants from there on.
const (
	sSum = iota
	sX
	sN
	sP
	sScale
	sMax
	sLog2e
	sLn2Hi
	sLn2Lo
	sFloor
	sCoef
)

// softmax rewrites a row to e^(scale*(x-max)), divided by their sum.
func softmax(a *asm, v isa) {
	a.fn("MOVQ", v.name+"Softmax", "is kernel.softmax.",
		[2]string{"SI,CX", "x []float32"}, [2]string{"", "scale float32"})
	a.op("VBROADCASTSS", "scale+24(FP)", v.r(sScale))
	rowMax(a, v)
	a.op("VBROADCASTSS", "X0", v.r(sMax))
	a.broadcast(v, 1.44269504088896341, sLog2e)
	a.broadcast(v, -0.693359375, sLn2Hi)
	a.broadcast(v, 2.12194440e-4, sLn2Lo)
	a.broadcast(v, -87, sFloor)
	for i, c := range expC {
		a.broadcast(v, c, sCoef+i)
	}
	a.op("VXORPS", "X0", "X0", "X0")
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
// e^x = 2^n * e^r, n the nearest integer to x/ln2.
func expStep(a *asm, v isa) {
	x, n, p := v.r(sX), v.r(sN), v.r(sP)
	a.op("VMOVUPS", "(DI)", x)
	a.op("VSUBPS", v.r(sMax), x, x)
	a.op("VMULPS", v.r(sScale), x, x)
	a.op("VMAXPS", v.r(sFloor), x, x)
	a.op("VMULPS", v.r(sLog2e), x, n)
	if v.wide() {
		a.op("VRNDSCALEPS", "$0", n, n)
	} else {
		a.op("VROUNDPS", "$0", n, n)
	}
	a.op("VFMADD231PS", v.r(sLn2Hi), n, x)
	a.op("VFMADD231PS", v.r(sLn2Lo), n, x)
	a.op("VMOVAPS", v.r(sCoef), p)
	for i := 1; i < len(expC); i++ {
		a.op("VFMADD213PS", v.r(sCoef+i), x, p)
	}
	a.op("VMULPS", x, p, p)
	a.op("VFMADD213PS", x, x, p)
	a.broadcast(v, 1, sX)
	a.op("VADDPS", x, p, p)
	if v.wide() {
		a.op("VSCALEFPS", n, p, p)
	} else {
		a.op("VCVTPS2DQ", n, n)
		a.op("VPSLLD", "$23", n, n)
		a.op("VPADDD", n, p, p)
	}
	a.op("VMOVUPS", p, "(DI)")
	a.op("VADDPS", p, v.r(sSum), v.r(sSum))
}
