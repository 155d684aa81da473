package e5

import (
	_ "embed"
	"encoding/binary"
	"encoding/json"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recall/embed/bert"
)

var (
	//go:embed testdata/golden.json
	goldenTexts []byte
	//go:embed testdata/golden.f32
	goldenVectors []byte
)

// goldenCase is a text with the token ids and the vector that the reference
// implementation gives for it, computed in floats from the weights before they
// were rounded to bytes. The text has its prefix.
type goldenCase struct {
	Text string
	Max  int
	IDs  []int32
	want []float32
}

func goldenCases(t testing.TB) []goldenCase {
	var cs []goldenCase
	if err := json.Unmarshal(goldenTexts, &cs); err != nil {
		t.Fatal(err)
	}
	dim := len(goldenVectors) / 4 / len(cs)
	for i := range cs {
		cs[i].want = make([]float32, dim)
		for j := range cs[i].want {
			cs[i].want[j] = math.Float32frombits(binary.LittleEndian.Uint32(goldenVectors[4*(i*dim+j):]))
		}
	}
	return cs
}

func model(t testing.TB, kernel string) *bert.Model {
	m, err := bert.Load(weights, contents, vocab, bert.Options{Kernel: kernel})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestGoldenTokens(t *testing.T) {
	m := model(t, "")
	for _, c := range goldenCases(t) {
		if diff := cmp.Diff(c.IDs, m.Tokens(c.Text, c.Max)); diff != "" {
			t.Errorf("Tokens(%.60q, %d) (-want +got):\n%s", c.Text, c.Max, diff)
		}
	}
}

// least cosine of a text to its reference, by kernel; floats where not named. That
// of "avx2" is greater since its inputs are rounded more finely.
var tolerance = map[string]float64{"avx512vnni": 0.9985, "avxvnni": 0.9985, "avx2": 0.9992}

const floatTolerance = 0.9998

func TestGoldenVectors(t *testing.T) {
	kernels, longest := bert.Kernels(), MaxTokens*2
	if testing.Short() { // on an emulator a long text takes a minute
		kernels, longest = kernels[:1], 32
	}
	for _, kernel := range kernels {
		t.Run(kernel, func(t *testing.T) {
			m := model(t, kernel)
			want, ok := tolerance[kernel]
			if !ok {
				want = floatTolerance
			}
			least := 1.0
			for _, c := range goldenCases(t) {
				if len(c.IDs) > longest || kernel == "go" && len(c.IDs) > 64 {
					continue // plain Go takes seconds for long texts
				}
				got := dot(m.Embed([][]int32{c.IDs})[0], c.want)
				if least = min(least, got); got < want {
					t.Errorf("%.60q: cosine %.6f, want %g", c.Text, got, want)
				}
			}
			t.Logf("least cosine %.6f", least)
		})
	}
}

func dot(a, b []float32) (s float64) {
	for i := range a {
		s += float64(a[i]) * float64(b[i])
	}
	return s
}
