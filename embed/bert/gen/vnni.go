package main

import "fmt"

// vnniKernels multiply unsigned bytes by signed bytes: AVX-512 with VNNI, or
// AVX-VNNI, which is the same on narrow registers.
func vnniKernels(name string, v isa, rows []int) *asm {
	a := &asm{prefix: name}
	for _, mr := range rows {
		byteGemm(a, v, mr)
	}
	quantize(a, v)
	repack(a, v)
	return a
}

// byteGemm multiplies mr rows of bytes by a panel two registers wide, four
// values of k at a time, and turns the sums into floats. Registers are laid out
// as for gemm.
func byteGemm(a *asm, v isa, mr int) {
	a.fn("MOVQ", fmt.Sprintf("%sGemm%d", a.prefix, mr), fmt.Sprintf("is a byteGemmFunc for panels of %d columns, %d rows at a time.", 2*v.lanes(), mr),
		[2]string{"AX", "k4 int"}, [2]string{"SI", "a *uint8"}, [2]string{"R8", "lda int"},
		[2]string{"DI", "b *int8"}, [2]string{"DX", "c *float32"}, [2]string{"R10", "ldc int"},
		[2]string{"CX", "cols *float32"}, [2]string{"R9", "rows *[2]float32"},
		[2]string{"", "add int"}, [2]string{"", "next int"})
	groups := a.setRowBases(mr)
	g := gemmRegs{v, mr}
	for i := range 2 * mr {
		a.zero(v, g.sum(i/2, i%2))
	}
	a.op("MOVQ", "next+72(FP)", "R15")
	a.op("PCALIGN", "$32")
	a.label("loop")
	for u := range 4 {
		byteStep(a, g, u)
	}
	a.op("ADDQ", imm(8*v.bytes), "DI")
	a.advanceRows(groups, 16)
	a.op("SUBQ", "$4", "AX")
	a.op("JG", "loop")
	byteStore(a, g)
}

// byteStep adds the products of the u-th four of k to the sums and fetches the
// same part of the panel that comes next.
func byteStep(a *asm, g gemmRegs, u int) {
	at := 2 * u * g.bytes
	for off := at; off < at+2*g.bytes; off += 64 {
		a.op("PREFETCHT1", mem(off, "DI")+"(R15*1)")
	}
	for h := range 2 {
		a.op("VMOVUPS", mem(at+h*g.bytes, "DI"), g.panel(h))
	}
	for i := range g.mr {
		a.op("VPBROADCASTD", rowAddr(i, 4*u), g.value(i))
		for h := range 2 {
			if g.wide() {
				a.op("VPDPBUSD", g.panel(h), g.value(i), g.sum(i, h))
			} else {
				a.vexDotBytes(2*g.mr+h, 2*g.mr+2+i%2, 2*i+h)
			}
		}
	}
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

// byteStore writes sum*colScale*rowScale + colSum*rowLow + bias, and what was
// there before if add is 1. The panel's numbers lie at CX (scale, colSum, bias,
// two registers each). Without add, a mask makes what was there 0.
func byteStore(a *asm, g gemmRegs) {
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
