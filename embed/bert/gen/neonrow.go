package main

// neonGelu is gelu for arm64; see there for the arithmetic.
func neonGelu(a *asm) {
	const x, t, u, coef, end, scale, minus1, zero = 0, 1, 2, 16, 28, 29, 30, 31
	a.fn("MOVD", "neonGelu", "is kernel.gelu.", [2]string{"R0,R1", "x []float32"})
	for i, c := range geluTail {
		a.neonConst(c, coef+i)
	}
	a.neonConst(geluEnd, end)
	a.neonConst(2/geluEnd, scale)
	a.neonConst(-1, minus1)
	a.neonZero(zero)
	a.neonEach("loop", func() {
		a.neonLoad(x)
		a.word("FABS", t, x)
		a.word("FMIN", t, t, end)
		a.neonMove(minus1, u)
		a.op("VFMLA", s4(scale), s4(t), s4(u))
		p := a.neonPoly(len(geluTail), coef, u, 4)
		a.word("FMAX", x, x, zero)
		a.word("FSUB", x, x, p)
		a.neonStore(x)
	})
	a.op("RET")
}

// neonSoftmax is softmax for arm64; see there for the arithmetic.
func neonSoftmax(a *asm) {
	const sum, t, x, n, f, scale, offset, floor, coef = 0, 1, 2, 3, 6, 16, 17, 18, 20
	a.fn("MOVD", "neonSoftmax", "is kernel.softmax.",
		[2]string{"R0,R1", "x []float32"}, [2]string{"", "scale float32"})
	a.op("VLD1", "(R0)", "[V0.S4]")
	a.neonEach("max", func() {
		a.neonLoadNext(x)
		a.word("FMAX", 0, 0, x)
	})
	a.neonFold("FMAXP")
	a.op("FMOVS", "scale+24(FP)", "F16")
	a.op("VDUP", "V16.S[0]", s4(scale))
	a.neonConst(1.44269504088896341, t)
	a.word("FMUL", scale, scale, t)
	a.word("FMUL", t, 0, scale)
	a.neonZero(offset)
	a.word("FSUB", offset, offset, t)
	a.neonConst(-126, floor)
	for i, c := range exp2C {
		a.neonConst(c, coef+i)
	}
	a.neonZero(sum)
	a.neonEach("exp", func() {
		a.neonLoad(x)
		a.neonMove(offset, t)
		a.op("VFMLA", s4(scale), s4(x), s4(t))
		a.word("FMAX", t, t, floor)
		a.word("FRINTN", n, t)
		a.word("FSUB", f, t, n)
		p := a.neonPoly(len(exp2C), coef, f, 4)
		a.word("FCVTNS", n, n)
		a.op("VSHL", "$23", s4(n), s4(n))
		a.op("VADD", s4(n), s4(p), s4(p))
		a.neonStore(p)
		a.word("FADD", sum, sum, p)
	})
	a.neonFold("FADDP")
	a.neonConst(1, t)
	a.word("FDIV", sum, t, sum)
	a.neonEach("scale", func() {
		a.neonLoad(x)
		a.word("FMUL", x, x, sum)
		a.neonStore(x)
	})
	a.op("RET")
}

// neonAddNorm is addNorm for arm64.
func neonAddNorm(a *asm) {
	const sum, x, y, mean, count = 0, 1, 2, 3, 4
	a.fn("MOVD", "neonAddNorm", "is kernel.addNorm.", [2]string{"R0,R1", "x []float32"},
		[2]string{"R2", "add []float32"}, [2]string{"R3", "gain []float32"}, [2]string{"R4", "shift []float32"})
	a.op("SCVTFS", "R1", "F4")
	a.op("VDUP", "V4.S[0]", s4(count))
	a.neonZero(sum)
	a.neonEach("add", func() {
		a.neonLoad(x)
		a.op("VLD1.P", "16(R2)", "[V2.S4]")
		a.word("FADD", x, x, y)
		a.neonStore(x)
		a.word("FADD", sum, sum, x)
	})
	a.neonFold("FADDP")
	a.word("FDIV", mean, sum, count)
	a.neonZero(sum)
	a.neonEach("var", func() {
		a.neonLoadNext(x)
		a.word("FSUB", x, x, mean)
		a.op("VFMLA", s4(x), s4(x), s4(sum))
	})
	a.neonFold("FADDP")
	a.word("FDIV", sum, sum, count)
	a.neonConst(1e-12, y)
	a.word("FADD", sum, sum, y)
	a.word("FSQRT", sum, sum)
	a.neonConst(1, y)
	a.word("FDIV", sum, y, sum)
	a.neonEach("scale", func() {
		a.neonLoad(x)
		a.word("FSUB", x, x, mean)
		a.word("FMUL", x, x, sum)
		a.op("VLD1.P", "16(R3)", "[V5.S4]")
		a.op("VLD1.P", "16(R4)", "[V2.S4]")
		a.op("VFMLA", s4(5), s4(x), s4(y))
		a.neonStore(y)
	})
	a.op("RET")
}
