package main

// unpack turns bytes into floats: a register holds four values of k of each of
// its columns, one above the other. It goes block by block, eight registers of
// fours for each half of the columns, and fetches the panel that comes next.
func unpack(a *asm, v isa) {
	a.fn("MOVQ", v.name+"Unpack", "is kernel.unpack.",
		[2]string{"DI", "panel []float32"}, [2]string{"SI,R8", "values []int8"},
		[2]string{"DX", "scales []float32"}, [2]string{"CX", "blocks int"})
	a.label("loop")
	for h := range 2 {
		a.op("VMOVUPS", mem(h*v.bytes, "DX"), v.r(h))
	}
	for group := range 8 {
		for h := range 2 {
			at := (2*group + h) * v.bytes
			a.op("PREFETCHT1", mem(at, "SI")+"(R8*1)")
			a.op("VMOVUPS", mem(at, "SI"), v.r(2))
			for k := range 4 {
				unpackOne(a, v, k, h)
				a.op("VMOVUPS", v.r(3+k), mem((2*(4*group+k)+h)*v.bytes, "DI"))
			}
		}
	}
	a.op("ADDQ", imm(16*v.bytes), "SI")
	a.op("ADDQ", imm(64*v.bytes), "DI")
	a.op("ADDQ", imm(2*v.bytes), "DX")
	a.op("DECQ", "CX")
	a.op("JNZ", "loop")
	a.op("VZEROUPPER")
	a.op("RET")
}

// unpackOne sets register 3+k to the k-th bytes of register 2 times the scales
// in register h.
func unpackOne(a *asm, v isa, k, h int) {
	r := v.r(3 + k)
	if k == 3 {
		a.op("VPSRAD", "$24", v.r(2), r)
	} else {
		a.op("VPSLLD", imm(24-8*k), v.r(2), r)
		a.op("VPSRAD", "$24", r, r)
	}
	a.op("VCVTDQ2PS", r, r)
	a.op("VMULPS", v.r(h), r, r)
}
