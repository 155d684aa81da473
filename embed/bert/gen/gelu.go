package main

// erf(z) is approximated by z*P(z²)/Q(z²) for |z| <= 4; highest power first.
var (
	erfP = []float32{-2.72614225801306e-10, 2.77068142495902e-08, -2.10102402082508e-06, -5.69250639462346e-05, -7.34990630326855e-04, -2.95459980854025e-03, -1.60960333262415e-02}
	erfQ = []float32{-1.45660718464996e-05, -2.13374055278905e-04, -1.68282697438203e-03, -7.37332916720468e-03, -1.42647390514189e-02}
)

// gelu rewrites x to x/2*(1+erf(x/√2)).
func gelu(a *asm, v isa) {
	const x, z, z2, p, root, hi, lo, half, q, t0 = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
	a.fn("MOVQ", v.name+"Gelu", "is kernel.gelu.", [2]string{"SI,CX", "x []float32"})
	a.broadcast(v, 0.7071067811865476, root)
	a.broadcast(v, 4, hi)
	a.broadcast(v, -4, lo)
	a.broadcast(v, 0.5, half)
	poly := narrowPoly(a, v, z2, t0)
	if v.wide() {
		poly = a.widePoly(v, z2, 16, erfP, erfQ)
	}
	a.label("loop")
	a.op("VMOVUPS", "(SI)", v.r(x))
	a.op("VMULPS", v.r(x), v.r(root), v.r(z))
	a.op("VMINPS", v.r(z), v.r(hi), v.r(z))
	a.op("VMAXPS", v.r(z), v.r(lo), v.r(z))
	a.op("VMULPS", v.r(z), v.r(z), v.r(z2))
	poly(erfP, p)
	poly(erfQ, q)
	a.op("VMULPS", v.r(p), v.r(z), v.r(p))
	a.divide(v, p, q, z2, t0)
	a.op("VMULPS", v.r(x), v.r(half), v.r(x))
	a.op("VFMADD213PS", v.r(x), v.r(x), v.r(p))
	a.op("VMOVUPS", v.r(p), "(SI)")
	a.op("ADDQ", v.step(), "SI")
	a.op("SUBQ", imm(v.lanes()), "CX")
	a.op("JG", "loop")
	a.op("VZEROUPPER")
	a.op("RET")
}

func (a *asm) broadcast(v isa, value float32, r int) {
	a.op("VBROADCASTSS", a.constant(value), v.r(r))
}

// divide sets p to p/q by way of an estimate of 1/q, made twice as exact by one
// step of Newton's: division itself would take as long as all the rest.
func (a *asm) divide(v isa, p, q, inv, tmp int) {
	if v.wide() {
		a.op("VRCP14PS", v.r(q), v.r(inv))
	} else {
		a.op("VRCPPS", v.r(q), v.r(inv))
	}
	a.broadcast(v, 2, tmp)
	a.op("VFNMADD213PS", v.r(tmp), v.r(inv), v.r(q)) // q = 2 - q*inv
	a.op("VMULPS", v.r(inv), v.r(q), v.r(inv))
	a.op("VMULPS", v.r(inv), v.r(p), v.r(p))
}

// narrowPoly evaluates a polynomial in register x with its coefficients
// reloaded each time: 16 registers cannot hold them.
func narrowPoly(a *asm, v isa, x, tmp int) func(c []float32, dst int) {
	return func(c []float32, dst int) {
		a.broadcast(v, c[0], dst)
		for i, ci := range c[1:] {
			t := tmp + i%2
			a.broadcast(v, ci, t)
			a.op("VFMADD213PS", v.r(t), v.r(x), v.r(dst))
		}
	}
}

// widePoly keeps the coefficients of all polys in registers from first on.
func (a *asm) widePoly(v isa, x, first int, polys ...[]float32) func(c []float32, dst int) {
	at := map[float32]int{}
	for _, c := range polys {
		for _, ci := range c {
			a.broadcast(v, ci, first)
			at[ci] = first
			first++
		}
	}
	return func(c []float32, dst int) {
		a.op("VMOVAPS", v.r(at[c[0]]), v.r(dst))
		for _, ci := range c[1:] {
			a.op("VFMADD213PS", v.r(at[ci]), v.r(x), v.r(dst))
		}
	}
}
