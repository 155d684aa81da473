package main

import "math"

// geluTail approximates u/2*erfc(u/√2) for 0 <= u <= geluEnd as a polynomial in
// 2u/geluEnd-1, highest power first, to 8e-6: fitted by least squares, reweighted
// until the error was level. What lies beyond the end is less than 5e-6.
var geluTail = []float32{
	0.0239053532, -0.0597210928, -0.0562990578, 0.254067806, -0.097590915, -0.340327566,
	0.452249433, -0.119253685, -0.209101063, 0.244393512, -0.113161335, 0.0208353273,
}

const geluEnd = 4.75

// Registers of gelu.
const (
	gX = iota
	gT
	gP
	gAbs
	gEnd
	gScale
	gMinus1
	gZero
	gTmp  // and the next
	gCoef = 16
)

// gelu rewrites x to x/2*(1+erf(x/√2)), which is max(x,0) less the tail at |x|.
func gelu(a *asm, v isa) {
	a.fn("MOVQ", v.name+"Gelu", "is kernel.gelu.", [2]string{"SI,CX", "x []float32"})
	x, t, p := v.r(gX), v.r(gT), v.r(gP)
	a.broadcastBits(v, 0x7fffffff, gAbs)
	a.broadcast(v, geluEnd, gEnd)
	a.broadcast(v, 2/geluEnd, gScale)
	a.broadcast(v, -1, gMinus1)
	a.zero(v, v.r(gZero))
	if v.wide() {
		for i, c := range geluTail {
			a.broadcast(v, c, gCoef+i)
		}
	}
	a.label("loop")
	a.op("VMOVUPS", "(SI)", x)
	a.op("VANDPS", v.r(gAbs), x, t)
	a.op("VMINPS", v.r(gEnd), t, t)
	a.op("VFMADD213PS", v.r(gMinus1), v.r(gScale), t)
	a.poly(v, geluTail, gP, gT, gCoef, gTmp)
	a.op("VMAXPS", v.r(gZero), x, x)
	a.op("VSUBPS", p, x, x)
	a.op("VMOVUPS", x, "(SI)")
	a.op("ADDQ", v.step(), "SI")
	a.op("SUBQ", imm(v.lanes()), "CX")
	a.op("JG", "loop")
	a.op("VZEROUPPER")
	a.op("RET")
}

func (a *asm) broadcast(v isa, value float32, r int) {
	a.op("VBROADCASTSS", a.constant(value), v.r(r))
}

func (a *asm) broadcastBits(v isa, bits uint32, r int) {
	a.broadcast(v, math.Float32frombits(bits), r)
}

// poly evaluates a polynomial at register x. Wide registers hold its
// coefficients from first on; of narrow ones there are too few, so that they
// are loaded each time, by turns into tmp and the next.
func (a *asm) poly(v isa, c []float32, dst, x, first, tmp int) {
	if v.wide() {
		a.op("VMOVAPS", v.r(first), v.r(dst))
	} else {
		a.broadcast(v, c[0], dst)
	}
	for i := 1; i < len(c); i++ {
		r := first + i
		if !v.wide() {
			r = tmp + i%2
			a.broadcast(v, c[i], r)
		}
		a.op("VFMADD213PS", v.r(r), v.r(x), v.r(dst))
	}
}
