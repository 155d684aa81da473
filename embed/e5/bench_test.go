package e5

import (
	"strings"
	"testing"

	"recall/embed/bert"
)

// The benchmarks report processor time beside the clock's: other work on the
// machine counts in the latter.

// loop runs f as often as b wants and reports the milliseconds of processor time
// for each of the n things that f does.
func loop(b *testing.B, n int, unit string, f func()) {
	before := cpuTime()
	for b.Loop() {
		f()
	}
	b.ReportMetric((cpuTime()-before).Seconds()*1000/float64(b.N*n), "cpu-ms/"+unit)
}

// eachKernel runs a benchmark once for every kernel of this processor.
func eachKernel(b *testing.B, run func(b *testing.B, kernel string)) {
	for _, k := range bert.Kernels() {
		b.Run(k, func(b *testing.B) { run(b, k) })
	}
}

func BenchmarkLoad(b *testing.B) {
	eachKernel(b, func(b *testing.B, kernel string) {
		loop(b, 1, "load", func() { model(b, kernel) })
	})
}

// BenchmarkQuery embeds one question of 15 tokens.
func BenchmarkQuery(b *testing.B) {
	eachKernel(b, func(b *testing.B, kernel string) {
		m := model(b, kernel)
		loop(b, 1, "query", func() {
			m.Embed([][]int32{m.Tokens("query: which port does the metrics server listen on by now?", MaxTokens)})
		})
	})
}

// BenchmarkPassage128 embeds texts of 128 tokens, two at a time as batches are;
// ms/text is for one.
func BenchmarkPassage128(b *testing.B) {
	text := "passage: " + strings.Repeat("the migration failed because the column user_id was missing; ", 40)
	eachKernel(b, func(b *testing.B, kernel string) {
		m := model(b, kernel)
		lists := [][]int32{m.Tokens(text, 128), m.Tokens(text, 128)}
		loop(b, len(lists), "text", func() { m.Embed(lists) })
	})
}

// BenchmarkWords embeds 50 single words, about one batch.
func BenchmarkWords(b *testing.B) {
	words := strings.Fields(strings.Repeat("port metrics server listen migration ", 10))
	eachKernel(b, func(b *testing.B, kernel string) {
		m := model(b, kernel)
		var lists [][]int32
		for _, w := range words {
			lists = append(lists, m.Tokens("query: "+w, MaxTokens))
		}
		loop(b, len(lists), "word", func() { m.Embed(lists) })
	})
}
