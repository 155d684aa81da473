package main

import "fmt"

// arith is a way to multiply unsigned integers by signed bytes on registers of
// one width: bytes by VPDPBUSD, which AVX-512 VNNI and AVX-VNNI have, or words
// by VPMADDWD, which every AVX2 has. Both take 32 bits of a row at once.
type arith struct {
	isa
	name  string
	group int // integers in 32 bits: 4 bytes or 2 words
}

var (
	vnni512 = arith{avx512, "vnni512", 4}
	vnni256 = arith{avx2, "vnni256", 4}
	madd256 = arith{avx2, "madd256", 2}
)

// panel is the bytes of a panel, two registers of sums wide, for one group.
func (t arith) panel() int { return 2 * t.lanes() * t.group }

// intKernels is the set of kernels that compute with integers in one way.
func intKernels(t arith, rows []int) *asm {
	a := &asm{prefix: t.name}
	for _, mr := range rows {
		intGemm(a, t, mr)
	}
	quantize(a, t)
	repack(a, t)
	return a
}

// intGemm multiplies mr rows of integers by a panel two registers wide, one
// group of k at a time, and turns the sums into floats. Registers are laid out
// as for gemm.
func intGemm(a *asm, t arith, mr int) {
	a.fn("MOVQ", fmt.Sprintf("%sGemm%d", a.prefix, mr), fmt.Sprintf("is an intGemmFunc for panels of %d columns, %d rows at a time.", 2*t.lanes(), mr),
		[2]string{"AX", "groups int"}, [2]string{"SI", "a *uint8"}, [2]string{"R8", "lda int"},
		[2]string{"DI", "b *int8"}, [2]string{"DX", "c *float32"}, [2]string{"R10", "ldc int"},
		[2]string{"CX", "cols *float32"}, [2]string{"R9", "rows *[2]float32"},
		[2]string{"", "add int"}, [2]string{"", "next int"})
	groups := a.setRowBases(mr)
	g := gemmRegs{t.isa, mr}
	for i := range 2 * mr {
		a.zero(t.isa, g.sum(i/2, i%2))
	}
	a.op("MOVQ", "next+72(FP)", "R15")
	a.op("PCALIGN", "$32")
	a.label("loop")
	for u := range 4 {
		intStep(a, t, g, u)
	}
	a.op("ADDQ", imm(4*t.panel()), "DI")
	a.advanceRows(groups, 16)
	a.op("SUBQ", "$4", "AX")
	a.op("JG", "loop")
	intStore(a, g)
}

// intStep adds the products of the u-th group of k to the sums and fetches the
// same part of the panel that comes next.
func intStep(a *asm, t arith, g gemmRegs, u int) {
	load := "VMOVUPS"
	if t.group == 2 {
		load = "VPMOVSXBW"
	}
	for at := u * t.panel(); at < (u+1)*t.panel(); at += 32 {
		if at%64 == 0 {
			a.op("PREFETCHT1", mem(at, "DI")+"(R15*1)")
		}
	}
	for h := range 2 {
		a.op(load, mem((2*u+h)*t.panel()/2, "DI"), g.panel(h))
	}
	for i := range g.mr {
		if t.group == 2 {
			addWords(a, g, i, u)
		} else {
			addBytes(a, g, i, u)
		}
	}
}

// addBytes adds the products of row i to its sums.
func addBytes(a *asm, g gemmRegs, i, u int) {
	a.op("VPBROADCASTD", rowAddr(i, 4*u), g.value(i))
	for h := range 2 {
		if g.wide() {
			a.op("VPDPBUSD", g.panel(h), g.value(i), g.sum(i, h))
		} else {
			a.vexDotBytes(2*g.mr+h, 2*g.mr+2+i%2, 2*i+h)
		}
	}
}

// addWords is addBytes for words. The second product takes the place of what it
// was made from, or else registers would not do for six rows.
func addWords(a *asm, g gemmRegs, i, u int) {
	value, product := g.value(0), g.value(1)
	a.op("VPBROADCASTD", rowAddr(i, 4*u), value)
	a.op("VPMADDWD", g.panel(0), value, product)
	a.op("VPMADDWD", g.panel(1), value, value)
	a.op("VPADDD", product, g.sum(i, 0), g.sum(i, 0))
	a.op("VPADDD", value, g.sum(i, 1), g.sum(i, 1))
}

// vexDotBytes is VPDPBUSD on narrow registers as AVX-VNNI has it: Go's
// assembler knows only that of AVX-512.
func (a *asm) vexDotBytes(signed, unsigned, sum int) {
	code := []int{
		0xc4,
		(1-sum>>3)<<7 | 1<<6 | (1-signed>>3)<<5 | 2,
		(15-unsigned)<<3 | 1<<2 | 1,
		0x50,
		0xc0 | sum&7<<3 | signed&7,
	}
	a.text.WriteByte('\t')
	for _, b := range code {
		fmt.Fprintf(&a.text, "BYTE $0x%02x; ", b)
	}
	fmt.Fprintf(&a.text, "// VPDPBUSD Y%d, Y%d, Y%d\n", signed, unsigned, sum)
}

// intStore writes sum*colScale*rowScale + colSum*rowLow + bias, and what was
// there before if add is 1. The panel's numbers lie at CX (scale, colSum, bias,
// two registers each). Without add, a mask makes what was there 0.
func intStore(a *asm, g gemmRegs) {
	scale, low, before, mask := g.value(0), g.value(1), g.panel(0), g.panel(1)
	a.op("MOVQ", "add+64(FP)", "AX")
	a.op("NEGQ", "AX")
	if g.wide() {
		a.op("KMOVW", "AX", "K1")
	} else {
		a.op("VMOVQ", "AX", "X"+mask[1:])
		a.op("VPBROADCASTD", "X"+mask[1:], mask)
	}
	for i := range g.mr {
		a.op("VBROADCASTSS", mem(8*i, "R9"), scale)
		a.op("VBROADCASTSS", mem(8*i+4, "R9"), low)
		for h := range 2 {
			s := g.sum(i, h)
			a.op("VCVTDQ2PS", s, s)
			a.op("VMULPS", mem(h*g.bytes, "CX"), s, s)
			a.op("VFMADD213PS", mem((4+h)*g.bytes, "CX"), scale, s)
			a.op("VFMADD231PS", mem((2+h)*g.bytes, "CX"), low, s)
			if g.wide() {
				a.op("VADDPS", mem(h*g.bytes, "DX"), s, "K1", s)
			} else {
				a.op("VMASKMOVPS", mem(h*g.bytes, "DX"), mask, before)
				a.op("VADDPS", before, s, s)
			}
			a.op("VMOVUPS", s, mem(h*g.bytes, "DX"))
		}
		if i < g.mr-1 {
			a.op("ADDQ", "R10", "DX")
		}
	}
	a.op("VZEROUPPER")
	a.op("RET")
}
