package bert

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// tinySize is a model small enough for tests, with odd numbers of everything
// that need not be a multiple of 32.
var tinySize = shape{Layers: 3, Hidden: 96, Heads: 3, FFN: 160, Vocab: 0, MaxPos: 70, Pooling: "mean"}

var tinyVocab = strings.Join([]string{
	"[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "b", "c", "##a", "##b", "##c", "hello", "##lo", "hel", "world",
	"[", "]", "sep", "!", "-", "naive", "北", "京", "1", "##2", "é", "##é", "\u0308",
}, "\n") + "\n"

// tinyModel returns weights, table of contents and vocabulary of a model with
// random weights.
func tinyModel() (weights, toc, vocab string) {
	size := tinySize
	size.Vocab = strings.Count(tinyVocab, "\n")
	w := tinyWriter{rnd: rand.New(rand.NewPCG(1, 2)), tensors: map[string]any{}}
	h, ffn := size.Hidden, size.FFN
	w.q8("emb.word", size.Vocab, h)
	w.q8("emb.pos", size.MaxPos, h)
	w.f32("emb.type", 0, 2, h)
	w.affine("emb.ln", h)
	for i := range size.Layers {
		p := fmt.Sprintf("l%d.", i)
		for _, name := range []string{"q", "k", "v", "o"} {
			w.q8(p+name+".w", h, h)
			w.f32(p+name+".b", 0, h)
		}
		w.q8(p+"f1.w", ffn, h)
		w.f32(p+"f1.b", 0, ffn)
		w.q8(p+"f2.w", h, ffn)
		w.f32(p+"f2.b", 0, h)
		w.affine(p+"ln1", h)
		w.affine(p+"ln2", h)
	}
	b, err := json.Marshal(map[string]any{
		"layers": size.Layers, "hidden": h, "heads": size.Heads, "ffn": ffn, "vocab": size.Vocab,
		"maxpos": size.MaxPos, "pooling": size.Pooling, "tensors": w.tensors,
	})
	if err != nil {
		panic(err)
	}
	return string(w.data), string(b), tinyVocab
}

type tinyWriter struct {
	rnd     *rand.Rand
	data    []byte
	tensors map[string]any
}

func (w *tinyWriter) enter(name, typ string, shape ...int) {
	w.data = append(w.data, make([]byte, -len(w.data)&63)...)
	w.tensors[name] = map[string]any{"t": typ, "shape": shape, "off": len(w.data)}
}

// q8 writes blocks whose greatest value is 127, with scales that differ by up to
// four between blocks.
func (w *tinyWriter) q8(name string, rows, cols int) {
	w.enter(name, "q8", rows, cols)
	for range rows * cols / blockSize {
		for range blockSize - 1 {
			w.data = append(w.data, byte(int8(w.rnd.IntN(255)-127)))
		}
		w.data = append(w.data, 127)
	}
	for range rows * cols / blockSize {
		exp := uint16(15 - 9 - w.rnd.IntN(2))
		w.data = binary.LittleEndian.AppendUint16(w.data, exp<<10|uint16(w.rnd.IntN(1024)))
	}
}

func (w *tinyWriter) f32(name string, center float32, shape ...int) {
	w.enter(name, "f32", shape...)
	n := 1
	for _, s := range shape {
		n *= s
	}
	for range n {
		v := center + float32(w.rnd.NormFloat64())/4
		w.data = binary.LittleEndian.AppendUint32(w.data, math.Float32bits(v))
	}
}

func (w *tinyWriter) affine(name string, n int) {
	w.f32(name+".g", 1, n)
	w.f32(name+".b", 0, n)
}

func loadTiny(t testing.TB, kernel string) *Model {
	t.Helper()
	weights, toc, vocab := tinyModel()
	m, err := Load(weights, toc, vocab, Options{Kernel: kernel})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// randomLists returns token lists of all lengths that the tiny model takes.
func randomLists(m *Model) [][]int32 {
	rnd := rand.New(rand.NewPCG(3, 4))
	var lists [][]int32
	for n := 1; n <= m.MaxTokens(); n++ {
		ids := make([]int32, n)
		for i := range ids {
			ids[i] = int32(rnd.IntN(m.size.Vocab))
		}
		lists = append(lists, ids)
	}
	return lists
}

func dot(a, b []float32) (s float64) {
	for i := range a {
		s += float64(a[i]) * float64(b[i])
	}
	return s
}
