package bert

// nativeKernels needs no check: every arm64 processor that Go runs on has NEON.
func nativeKernels() []*kernel { return []*kernel{&neonKernel} }

var neonKernel = kernel{
	name:    "neon",
	cols:    8,
	gemm:    []rowGemm{{8, neonGemm8}, {4, neonGemm4}, {2, neonGemm2}, {1, neonGemm1}},
	unpack:  neonUnpack,
	gelu:    neonGelu,
	softmax: neonSoftmax,
	addNorm: neonAddNorm,
}
