package bert

import "golang.org/x/sys/cpu"

func nativeKernels() []*kernel {
	x := &cpu.X86
	var ks []*kernel
	if x.HasAVX512F && x.HasAVX512VL && x.HasAVX512DQ && x.HasAVX512BW && x.HasFMA {
		if x.HasAVX512VNNI {
			ks = append(ks, withBytes(avx512Kernel))
		}
		ks = append(ks, &avx512Kernel)
	}
	if x.HasAVX2 && x.HasFMA {
		ks = append(ks, &avx2Kernel)
	}
	return ks
}

func withBytes(k kernel) *kernel {
	k.name = "avx512vnni"
	k.quantize = vnniQuantize
	k.repack = vnniRepack
	k.byteGemm = []rowByteGemm{{12, vnniGemm12}, {8, vnniGemm8}, {4, vnniGemm4}, {2, vnniGemm2}, {1, vnniGemm1}}
	return &k
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

var avx2Kernel = kernel{
	name:    "avx2",
	cols:    16,
	gemm:    []rowGemm{{6, avx2Gemm6}, {4, avx2Gemm4}, {2, avx2Gemm2}, {1, avx2Gemm1}},
	unpack:  avx2Unpack,
	gelu:    avx2Gelu,
	softmax: avx2Softmax,
	addNorm: avx2AddNorm,
}
