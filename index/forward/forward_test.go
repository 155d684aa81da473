package forward

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCounts(t *testing.T) {
	x, err := Open(filepath.Join(t.TempDir(), "f"))
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	add := func(counts map[string]uint8) int64 {
		byHash := map[uint32]uint8{}
		var keys []uint32
		for term, n := range counts {
			h := Hash([]byte(term))
			byHash[h] = n
			keys = append(keys, h)
		}
		slices.Sort(keys)
		return x.Add(byHash, keys)
	}
	a := add(map[string]uint8{"port": 3, "exporter": 1})
	b := add(map[string]uint8{})
	c := add(map[string]uint8{"port": 255})
	if err := x.Flush(); err != nil {
		t.Fatal(err)
	}
	asked := Hashes([]string{"exporter", "zebra", "port"})
	for _, k := range []struct {
		off  int64
		n    int
		want []uint8
	}{{a, 2, []uint8{1, 0, 3}}, {b, 0, []uint8{0, 0, 0}}, {c, 1, []uint8{0, 0, 255}}} {
		got, err := x.Counts(k.off, k.n, asked)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(k.want, got); d != "" {
			t.Error(d)
		}
	}
	if _, err := x.f.WriteAt([]byte{9}, a+1); err != nil {
		t.Fatal(err)
	}
	if _, err := x.Counts(a, 2, asked); !errors.Is(err, ErrDamaged) {
		t.Errorf("a byte was changed: %v", err)
	}
	if err := x.Truncate(b); err != nil || x.Size() != b {
		t.Errorf("size %d, %v", x.Size(), err)
	}
	if _, err := x.Counts(c, 1, asked); err == nil {
		t.Error("read beyond the end")
	}
}
