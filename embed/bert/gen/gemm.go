package main

import "fmt"

// rowBases gives each of up to 15 rows an address from a few registers: three
// rows share one, since x86 scales an index by 1 and 2 but not by 3.
var rowBases = []string{"SI", "R11", "R12", "R13", "BX"}

// setRowBases points the base registers at rows 0, 3, 6 and so on of a matrix
// at SI with its stride in R8. It overwrites R15.
func (a *asm) setRowBases(rows int) int {
	groups := (rows + 2) / 3
	if groups > 1 {
		a.op("LEAQ", "(R8)(R8*2)", "R15")
	}
	for g := 1; g < groups; g++ {
		a.op("LEAQ", "("+rowBases[g-1]+")(R15*1)", rowBases[g])
	}
	return groups
}

func rowAddr(row, off int) string {
	s := mem(off, rowBases[row/3])
	if j := row % 3; j > 0 {
		s += fmt.Sprintf("(R8*%d)", j)
	}
	return s
}

func (a *asm) advanceRows(groups, n int) {
	for g := range groups {
		a.op("ADDQ", imm(n), rowBases[g])
	}
}

// gemm multiplies mr rows by a panel two registers wide. The mr*2 sums stay in
// registers; each step of k loads one row of the panel and broadcasts one
// value of each of the mr rows.
func gemm(a *asm, v isa, mr int) {
	a.fn("MOVQ", fmt.Sprintf("%sGemm%d", v.name, mr),
		fmt.Sprintf("is a gemmFunc for panels of %[2]d columns, %[1]d rows at a time.", mr, 2*v.lanes()),
		[2]string{"AX", "k int"}, [2]string{"SI", "a *float32"}, [2]string{"R8", "lda int"},
		[2]string{"DI", "b *float32"}, [2]string{"R9", "ldb int"},
		[2]string{"DX", "c *float32"}, [2]string{"R10", "ldc int"}, [2]string{"CX", "start *float32"},
		[2]string{"", "lds int"})
	groups := a.setRowBases(mr)
	g := gemmRegs{v, mr}
	g.start(a)
	a.op("LEAQ", "(R9)(R9*2)", "R15")
	a.op("SUBQ", "$8", "AX")
	a.op("JL", "tail")
	a.op("PCALIGN", "$32")
	a.label("loop")
	for u := range 8 {
		g.step(a, u)
	}
	a.advanceRows(groups, 32)
	a.op("SUBQ", "$8", "AX")
	a.op("JGE", "loop")
	a.label("tail")
	a.op("ADDQ", "$8", "AX")
	a.op("JZ", "done")
	a.label("one")
	g.step(a, 0)
	a.op("ADDQ", "R9", "DI")
	a.advanceRows(groups, 4)
	a.op("DECQ", "AX")
	a.op("JNZ", "one")
	a.label("done")
	g.store(a)
}

// gemmRegs lays out the registers of one gemm: sums first, then the two of the
// panel, then two that take turns holding a broadcast value.
type gemmRegs struct {
	isa
	mr int
}

func (g gemmRegs) sum(row, half int) string { return g.r(2*row + half) }
func (g gemmRegs) panel(half int) string    { return g.r(2*g.mr + half) }
func (g gemmRegs) value(row int) string     { return g.r(2*g.mr + 2 + row%2) }

// start fills the sums with the rows at start, or with zeros where it is nil.
func (g gemmRegs) start(a *asm) {
	a.op("MOVQ", "lds+64(FP)", "R15")
	a.op("TESTQ", "CX", "CX")
	a.op("JZ", "zero")
	for i := range g.mr {
		for h := range 2 {
			a.op("VMOVUPS", mem(h*g.bytes, "CX"), g.sum(i, h))
		}
		if i < g.mr-1 {
			a.op("ADDQ", "R15", "CX")
		}
	}
	a.op("JMP", "start")
	a.label("zero")
	for i := range g.mr {
		for h := range 2 {
			a.zero(g.isa, g.sum(i, h))
		}
	}
	a.label("start")
}

// step adds the products of the u-th k to the sums. Every fourth moves on in the
// strip.
func (g gemmRegs) step(a *asm, u int) {
	row := []string{"", "(R9*1)", "(R9*2)", "(R15*1)"}[u%4]
	for h := range 2 {
		a.op("VMOVUPS", mem(h*g.bytes, "DI")+row, g.panel(h))
	}
	if u%4 == 3 {
		a.op("LEAQ", "(DI)(R9*4)", "DI")
	}
	for i := range g.mr {
		a.op("VBROADCASTSS", rowAddr(i, 4*u), g.value(i))
		for h := range 2 {
			a.op("VFMADD231PS", g.panel(h), g.value(i), g.sum(i, h))
		}
	}
}

func (g gemmRegs) store(a *asm) {
	for i := range g.mr {
		for h := range 2 {
			a.op("VMOVUPS", g.sum(i, h), mem(h*g.bytes, "DX"))
		}
		if i < g.mr-1 {
			a.op("ADDQ", "R10", "DX")
		}
	}
	a.op("VZEROUPPER")
	a.op("RET")
}
