package bert

// nativeKernels needs no check: every arm64 processor that Go runs on has NEON.
func nativeKernels() []*kernel {
	k := *portable
	k.name = "neon"
	k.cols = 8
	k.gemm = []rowGemm{{8, neonGemm8}, {4, neonGemm4}, {2, neonGemm2}, {1, neonGemm1}}
	return []*kernel{&k}
}
