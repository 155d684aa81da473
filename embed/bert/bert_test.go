package bert

import (
	"math"
	"strings"
	"sync"
	"testing"
)

func TestKernelsAgree(t *testing.T) {
	ref := loadTiny(t, "go")
	lists := randomLists(ref)
	want := ref.Embed(lists)
	for _, name := range Kernels() {
		t.Run(name, func(t *testing.T) {
			m := loadTiny(t, name)
			least := 0.999999
			if m.kernel.intGemm != nil {
				least = 0.998
			}
			for i, v := range m.Embed(lists) {
				if c := dot(v, want[i]); c < least {
					t.Errorf("%d tokens: cosine %.6f to plain Go, want %g", len(lists[i]), c, least)
				}
			}
		})
	}
}

func TestBatchDoesNotMatter(t *testing.T) {
	for _, name := range Kernels() {
		m := loadTiny(t, name)
		lists := randomLists(m)
		together := m.Embed(lists)
		for i, ids := range lists {
			if c := dot(m.Embed([][]int32{ids})[0], together[i]); c < 0.999999 {
				t.Errorf("%s, %d tokens: cosine %.7f between alone and in a batch", name, len(ids), c)
			}
		}
	}
}

func TestUnitLength(t *testing.T) {
	m := loadTiny(t, "")
	for _, v := range m.Embed(randomLists(m)) {
		if n := dot(v, v); math.Abs(n-1) > 1e-5 || len(v) != m.Dim() {
			t.Errorf("%d numbers, length² %f", len(v), n)
		}
	}
}

func TestNoLists(t *testing.T) {
	if vs := loadTiny(t, "").Embed(nil); len(vs) != 0 {
		t.Errorf("Embed(nil) = %d vectors", len(vs))
	}
}

func TestManyCallers(t *testing.T) {
	m := loadTiny(t, "")
	lists := randomLists(m)
	want := m.Embed(lists)
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := g; i < len(lists); i += 4 {
				if c := dot(m.Embed(lists[i : i+1])[0], want[i]); c < 0.999999 {
					t.Errorf("%d tokens: cosine %.7f", len(lists[i]), c)
				}
			}
		})
	}
	wg.Wait()
}

func TestLoadFaults(t *testing.T) {
	weights, toc, vocab := tinyModel()
	for name, c := range map[string]struct{ weights, toc, vocab, kernel, want string }{
		"weights cut off":            {weights[:len(weights)/2], toc, vocab, "", "cut off"},
		"no weights at all":          {"", toc, vocab, "", "cut off"},
		"contents are no JSON":       {weights, "{", vocab, "", "table of contents"},
		"contents name no sizes":     {weights, "{}", vocab, "", "a size is missing"},
		"heads do not divide":        {weights, strings.Replace(toc, `"heads":3`, `"heads":5`, 1), vocab, "", "multiples of 32"},
		"sizes overflow":             {weights, strings.Replace(toc, `"ffn":160`, `"ffn":9000000000`, 1), vocab, "", "absurd"},
		"pooling of another kind":    {weights, strings.Replace(toc, `"mean"`, `"max"`, 1), vocab, "", `"max"`},
		"sums may overflow":          {weights, strings.Replace(toc, `"hidden":96`, `"hidden":3072`, 1), vocab, "", "more than 2048"},
		"tensor of another shape":    {weights, strings.Replace(toc, `"ffn":160`, `"ffn":192`, 1), vocab, "", "l0.f1.w"},
		"tensor missing":             {weights, strings.Replace(toc, `"l2.o.w"`, `"x"`, 1), vocab, "", "no tensor l2.o.w"},
		"vocabulary of another size": {weights, toc, vocab + "more\n", "", "vocabulary has"},
		"vocabulary without [CLS]":   {weights, toc, strings.Replace(vocab, "[CLS]", "[cls]", 1), "", "no [CLS]"},
		"kernel of another machine":  {weights, toc, vocab, "abacus", `"abacus" cannot run here`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Load(c.weights, c.toc, c.vocab, Options{Kernel: c.kernel})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
}

// FuzzLoad checks that no table of contents makes Load or Embed reach outside
// the weights.
func FuzzLoad(f *testing.F) {
	weights, toc, vocab := tinyModel()
	f.Add(toc, vocab)
	f.Add(strings.Replace(toc, `"off":0`, `"off":-64`, 1), vocab)
	f.Fuzz(func(t *testing.T, toc, vocab string) {
		if m, err := Load(weights, toc, vocab, Options{}); err == nil {
			m.Embed([][]int32{m.Tokens("hello world", min(16, m.MaxTokens()))})
		}
	})
}
