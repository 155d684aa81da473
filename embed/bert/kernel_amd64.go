package bert

import "golang.org/x/sys/cpu"

func nativeKernels() []*kernel {
	x := &cpu.X86
	narrow := x.HasAVX2 && x.HasFMA
	wide := narrow && x.HasAVX512F && x.HasAVX512VL && x.HasAVX512DQ && x.HasAVX512BW
	var ks []*kernel
	for _, k := range []struct {
		can bool
		*kernel
	}{
		{wide && x.HasAVX512VNNI, vnni512Kernel()},
		{narrow && x.HasAVXVNNI, vnni256Kernel()},
		{wide, &avx512Kernel},
		{narrow, avx2Kernel()},
	} {
		if k.can {
			ks = append(ks, k.kernel)
		}
	}
	return ks
}

var avx512Kernel = kernel{
	name:    "avx512",
	cols:    32,
	gemm:    []rowGemm{{14, avx512Gemm14}, {8, avx512Gemm8}, {4, avx512Gemm4}, {2, avx512Gemm2}, {1, avx512Gemm1}},
	unpack:  avx512Unpack,
	gelu:    avx512Gelu,
	softmax: avx512Softmax,
	addNorm: avx512AddNorm,
}

// avx2Floats is what the kernels for narrow registers have in common. They
// multiply integers in layers.
var avx2Floats = kernel{
	cols:    16,
	gemm:    []rowGemm{{6, avx2Gemm6}, {4, avx2Gemm4}, {2, avx2Gemm2}, {1, avx2Gemm1}},
	gelu:    avx2Gelu,
	softmax: avx2Softmax,
	addNorm: avx2AddNorm,
}

// vnni512Kernel is for servers from 2019 and laptops with AVX-512.
func vnni512Kernel() *kernel {
	k := avx512Kernel
	k.name = "avx512vnni"
	k.group, k.intCols = 4, 32
	k.intGemm = []rowIntGemm{{12, vnni512Gemm12}, {8, vnni512Gemm8}, {4, vnni512Gemm4}, {2, vnni512Gemm2}, {1, vnni512Gemm1}}
	k.quantize = vnni512Quantize
	k.repack = vnni512Repack
	return &k
}

// vnni256Kernel is for laptops from 2022, which have no AVX-512.
func vnni256Kernel() *kernel {
	k := avx2Floats
	k.name = "avxvnni"
	k.group, k.intCols = 4, 16
	k.intGemm = []rowIntGemm{{6, vnni256Gemm6}, {4, vnni256Gemm4}, {2, vnni256Gemm2}, {1, vnni256Gemm1}}
	k.quantize = vnni256Quantize
	k.repack = vnni256Repack
	return &k
}

// avx2Kernel is for processors from 2013 on that have neither.
func avx2Kernel() *kernel {
	k := avx2Floats
	k.name = "avx2"
	k.group, k.intCols = 2, 16
	k.intGemm = []rowIntGemm{{6, madd256Gemm6}, {4, madd256Gemm4}, {2, madd256Gemm2}, {1, madd256Gemm1}}
	k.quantize = madd256Quantize
	k.repack = madd256Repack
	return &k
}
