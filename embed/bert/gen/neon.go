package main

import "fmt"

// neonKernels are the float kernels for arm64.
func neonKernels(rows []int) *asm {
	a := &asm{prefix: "neon"}
	for _, mr := range rows {
		neonGemm(a, mr)
	}
	neonUnpack(a)
	neonGelu(a)
	neonSoftmax(a)
	neonAddNorm(a)
	return a
}

// Instructions on four floats that Go's assembler does not know, by their code
// without registers.
var neonCodes = map[string]uint32{
	"FADD":   0x4e20d400,
	"FADDP":  0x6e20d400, // sums of neighbours
	"FSUB":   0x4ea0d400,
	"FMUL":   0x6e20dc00,
	"FDIV":   0x6e20fc00,
	"FMAX":   0x4e20f400,
	"FMAXP":  0x6e20f400, // greater of neighbours
	"FMIN":   0x4ea0f400,
	"FABS":   0x4ea0f800,
	"FSQRT":  0x6ea1f800,
	"FRINTN": 0x4e218800, // to the nearest integer
	"FCVTNS": 0x4e21a800, // the same, as an integer
	"SCVTF":  0x4e21d800, // integer to float
	"SSHR24": 0x4f280400, // integer shifted right by 24 bits, with its sign
}

// word writes an instruction by its code, destination first as in Arm's own
// order. One-operand instructions leave m away.
func (a *asm) word(name string, d, n int, m ...int) {
	code := neonCodes[name] | uint32(n)<<5 | uint32(d)
	comment := fmt.Sprintf("%s V%d.4S, V%d.4S", name, d, n)
	if len(m) > 0 {
		code |= uint32(m[0]) << 16
		comment += fmt.Sprintf(", V%d.4S", m[0])
	}
	fmt.Fprintf(&a.text, "\tWORD $0x%08x // %s\n", code, comment)
}

func s4(r int) string  { return fmt.Sprintf("V%d.S4", r) }
func b16(r int) string { return fmt.Sprintf("V%d.B16", r) }

func (a *asm) neonMove(from, to int) { a.op("VMOV", b16(from), b16(to)) }

func (a *asm) neonZero(r int) { a.op("VEOR", b16(r), b16(r), b16(r)) }

// neonConst sets all of a register to v, by way of R9.
func (a *asm) neonConst(v float32, r int) {
	a.op("MOVD", "$"+a.constant(v), "R9")
	a.op("VLD1R", "(R9)", fmt.Sprintf("[%s]", s4(r)))
}

// neonPoly evaluates a polynomial whose coefficients are in registers from first
// on, at register x. The result is in r or the register after it, which is
// returned.
func (a *asm) neonPoly(n, first, x, r int) int {
	at, next := r, r+1
	a.neonMove(first, at)
	for i := 1; i < n; i++ {
		a.neonMove(first+i, next)
		a.op("VFMLA", s4(x), s4(at), s4(next))
		at, next = next, at
	}
	return at
}

// neonFold combines all four of register 0 by a pairwise op; all become the
// result.
func (a *asm) neonFold(op string) {
	a.word(op, 0, 0, 0)
	a.word(op, 0, 0, 0)
}

// neonEach runs body for each four of the R1 floats at R0, its address in R10.
// body moves R10 on.
func (a *asm) neonEach(label string, body func()) {
	a.op("MOVD", "R0", "R10")
	a.op("MOVD", "R1", "R11")
	a.label(label)
	body()
	a.op("SUBS", "$4", "R11", "R11")
	a.op("BNE", label)
}

func (a *asm) neonLoad(r int)     { a.op("VLD1", "(R10)", fmt.Sprintf("[%s]", s4(r))) }
func (a *asm) neonLoadNext(r int) { a.op("VLD1.P", "16(R10)", fmt.Sprintf("[%s]", s4(r))) }
func (a *asm) neonStore(r int)    { a.op("VST1.P", fmt.Sprintf("[%s]", s4(r)), "16(R10)") }
