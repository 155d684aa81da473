package vectors

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func unit(dim, i int) []float32 {
	v := make([]float32, dim)
	v[i] = 1
	return v
}

func openStore(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := Open(dir, 4)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestVectorsSurviveReopening(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir)
	if err := s.Append([]uint64{7, 8}, [][]float32{unit(4, 0), unit(4, 1)}); err != nil {
		t.Fatal(err)
	}
	if err := s.Append([]uint64{9}, [][]float32{unit(4, 2)}); err != nil {
		t.Fatal(err)
	}
	s.Close()
	s = openStore(t, dir)
	for i, k := range []uint64{7, 8, 9} {
		if v, ok := s.Get(k); !ok || !cmp.Equal(v, unit(4, i)) {
			t.Errorf("key %d: %v %v", k, v, ok)
		}
	}
	if s.Has(10) {
		t.Error("an unknown key has a vector")
	}
}

func TestTornTailIsCutAndWrittenOver(t *testing.T) {
	for _, c := range []struct {
		reason, file string
		change       func(b []byte) []byte
		want         int
	}{
		{"vector without key", "vectors.key", func(b []byte) []byte { return b[:16] }, 1},
		{"half a key", "vectors.key", func(b []byte) []byte { return b[:25] }, 1},
		{"key without vector", "vectors.f32", func(b []byte) []byte { return b[:20] }, 1},
		{"last vector damaged", "vectors.f32", func(b []byte) []byte { b[20] ^= 1; return b }, 1},
		{"nothing left", "vectors.f32", func([]byte) []byte { return nil }, 0},
		{"longer than acknowledged", "vectors.f32", func(b []byte) []byte { return append(b, 1, 2, 3) }, 2},
	} {
		t.Run(c.reason, func(t *testing.T) {
			dir := t.TempDir()
			s := openStore(t, dir)
			if err := s.Append([]uint64{7, 8}, [][]float32{unit(4, 0), unit(4, 1)}); err != nil {
				t.Fatal(err)
			}
			s.Close()
			path := filepath.Join(dir, c.file)
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, c.change(b), 0o600); err != nil {
				t.Fatal(err)
			}
			s = openStore(t, dir)
			if s.Len() != c.want {
				t.Errorf("%d vectors, want %d", s.Len(), c.want)
			}
			if err := s.Append([]uint64{11}, [][]float32{unit(4, 3)}); err != nil {
				t.Fatal(err)
			}
			s.Close()
			s = openStore(t, dir)
			if v, ok := s.Get(11); !ok || !cmp.Equal(v, unit(4, 3)) {
				t.Errorf("the vector appended afterwards: %v %v", v, ok)
			}
		})
	}
}

func TestBadVectorsAreRefusedWhole(t *testing.T) {
	s := openStore(t, t.TempDir())
	for reason, bad := range map[string][]float32{
		"wrong length": unit(3, 0), "zero": make([]float32, 4),
		"not a number": {float32(math.NaN()), 0, 0, 0}, "not of unit length": {3, 0, 0, 0},
	} {
		if err := s.Append([]uint64{1, 2}, [][]float32{unit(4, 0), bad}); err == nil || s.Len() != 0 {
			t.Errorf("%s: error %v, %d vectors", reason, err, s.Len())
		}
	}
}

func TestNearest(t *testing.T) {
	s := openStore(t, t.TempDir())
	near := []float32{0.8, 0.6, 0, 0}
	if err := s.Append([]uint64{7, 8, 9}, [][]float32{unit(4, 0), near, unit(4, 3)}); err != nil {
		t.Fatal(err)
	}
	col, err := s.Collection(context.Background(), []Entry{{100, 7}, {101, 8}, {102, 9}, {103, 999}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := col.Nearest(context.Background(), unit(4, 0), 2)
	if err != nil || len(got) != 2 || got[0].ID != 100 || got[1].ID != 101 || math.Abs(got[1].Cosine-0.8) > 1e-6 {
		t.Errorf("%v %v", got, err)
	}
	if got, err := col.Nearest(context.Background(), unit(4, 0), 50); err != nil || len(got) != 3 {
		t.Errorf("more than there are: %v %v", got, err)
	}
	empty, err := s.Collection(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := empty.Nearest(context.Background(), unit(4, 0), 5); err != nil || len(got) != 0 {
		t.Errorf("none: %v %v", got, err)
	}
}

func TestKeptCollectionsAreMadeAnewAfterAppend(t *testing.T) {
	s := openStore(t, t.TempDir())
	if err := s.Append([]uint64{7}, [][]float32{unit(4, 0)}); err != nil {
		t.Fatal(err)
	}
	entries := func() []Entry { return []Entry{{1, 7}, {2, 8}} }
	count := func() int {
		c, err := s.Kept(context.Background(), "p", entries)
		if err != nil {
			t.Fatal(err)
		}
		hits, err := c.Nearest(context.Background(), unit(4, 0), 9)
		if err != nil {
			t.Fatal(err)
		}
		return len(hits)
	}
	if n := count(); n != 1 {
		t.Errorf("%d hits", n)
	}
	if err := s.Append([]uint64{8}, [][]float32{unit(4, 1)}); err != nil {
		t.Fatal(err)
	}
	if n := count(); n != 2 {
		t.Errorf("%d hits after the second vector", n)
	}
}

func TestWordsNearLeavesOutTheWordAndTheMean(t *testing.T) {
	dir := t.TempDir()
	w, err := OpenWords(dir, 3)
	if err != nil {
		t.Fatal(err)
	}
	norm := func(v ...float32) []float32 {
		n := float32(math.Sqrt(Dot(v, v)))
		for i := range v {
			v[i] /= n
		}
		return v
	}
	// All share a large first number, as encoders' vectors do.
	if err := w.Append([]string{"port", "socket", "lunch", "dinner"}, [][]float32{
		norm(3, 1, 0), norm(3, .9, .1), norm(3, -1, 0), norm(3, -.9, -.1)}); err != nil {
		t.Fatal(err)
	}
	w.Close()
	if w, err = OpenWords(dir, 3); err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	x, _ := w.Get("port")
	got := w.Near(x, "port", 2)
	if len(got) != 2 || got[0].Term != "socket" || got[0].Cosine < 0.9 || got[1].Cosine > 0 {
		t.Errorf("%+v", got)
	}
}

func TestDot(t *testing.T) {
	a, b := make([]float32, 13), make([]float32, 13)
	want := 0.0
	for i := range a {
		a[i], b[i] = float32(i), float32(2*i-3)
		want += float64(a[i]) * float64(b[i])
	}
	if got := Dot(a, b); got != want {
		t.Errorf("%g, want %g", got, want)
	}
}

func TestDir(t *testing.T) {
	if got := Dir("ollama:nomic/embed@ab/768"); got != "ollama_nomic_embed_ab_768" {
		t.Error(got)
	}
}
