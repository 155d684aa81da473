package archive

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func openArchive(t *testing.T, dir string) *Archive {
	t.Helper()
	a, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return a
}

// fill writes frames of three records each.
func fill(t *testing.T, a *Archive, frames int) []Place {
	t.Helper()
	var out []Place
	var b Builder
	for f := range frames {
		b.Start(Source{Path: fmt.Sprintf("/p/%d.jsonl", f), Session: "s"})
		var offs []uint32
		for r := range 3 {
			offs = append(offs, b.Add(r+1, int64(100*r), []byte(fmt.Sprintf(`{"n":%d}`, 3*f+r))))
		}
		at, ok, err := b.Flush(a)
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		for _, o := range offs {
			out = append(out, Place{at, o})
		}
	}
	if err := a.Sync(); err != nil {
		t.Fatal(err)
	}
	return out
}

func replayed(t *testing.T, a *Archive, from uint64) (out []string, bad int) {
	t.Helper()
	err := a.Replay(from, func(s Source, at Place, e Entry) error {
		got, err := a.Record(at)
		if err != nil || string(got.Raw) != string(e.Raw) {
			t.Errorf("record %q read alone: %q %v", e.Raw, got.Raw, err)
		}
		out = append(out, fmt.Sprintf("%s:%d@%d %s", s.Path, e.Line, e.Off, e.Raw))
		return nil
	}, func(uint32, int64) { bad++ })
	if err != nil {
		t.Fatal(err)
	}
	return out, bad
}

func TestRecordsComeBack(t *testing.T) {
	dir := t.TempDir()
	a := openArchive(t, dir)
	places := fill(t, a, 2)
	a.Close()
	a = openArchive(t, dir)
	e, err := a.Record(places[4])
	if err != nil || string(e.Raw) != `{"n":4}` || e.Line != 2 || e.Off != 100 {
		t.Errorf("%+v %v", e, err)
	}
	all, _ := replayed(t, a, 0)
	if len(all) != 6 || all[5] != `/p/1.jsonl:3@200 {"n":5}` {
		t.Errorf("%q", all)
	}
	if later, _ := replayed(t, a, places[3].Frame); len(later) != 3 {
		t.Errorf("from the second frame: %q", later)
	}
	if end, _ := replayed(t, a, a.End()); len(end) != 0 {
		t.Errorf("from the end: %q", end)
	}
}

func TestEachCutAndEachFlippedByteLosesOnlyWhatItHit(t *testing.T) {
	dir := t.TempDir()
	a := openArchive(t, dir)
	places := fill(t, a, 2)
	a.Close()
	b, err := os.ReadFile(filepath.Join(dir, "000001.zst"))
	if err != nil {
		t.Fatal(err)
	}
	second := int(places[3].Frame & 0xffffffff)
	try := func(b []byte, want int, what string) {
		d := t.TempDir()
		if err := os.WriteFile(filepath.Join(d, "000001.zst"), b, 0o600); err != nil {
			t.Fatal(err)
		}
		a := openArchive(t, d)
		if got, _ := replayed(t, a, 0); len(got) != want {
			t.Fatalf("%s: %d records, want %d", what, len(got), want)
		}
		fill(t, a, 1) // what is written afterwards is found
		if got, _ := replayed(t, a, 0); len(got) != want+3 {
			t.Fatalf("%s: %d records after writing, want %d", what, len(got), want+3)
		}
		a.Close()
	}
	for n := range b {
		want := 3
		if n < second {
			want = 0
		}
		try(b[:n], want, fmt.Sprintf("cut at %d", n))
	}
	for i := second; i < len(b); i += 3 {
		c := append([]byte(nil), b...)
		c[i] ^= 0x10
		try(c, 3, fmt.Sprintf("byte %d flipped", i))
	}
}

func TestDamageInAnOlderSegmentIsReported(t *testing.T) {
	dir := t.TempDir()
	a := openArchive(t, dir)
	fill(t, a, 2)
	a.Close()
	b, err := os.ReadFile(filepath.Join(dir, "000001.zst"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "000002.zst"), b, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "000001.zst"), b[:len(b)-2], 0o600); err != nil {
		t.Fatal(err)
	}
	got, bad := replayed(t, openArchive(t, dir), 0)
	if len(got) != 9 || bad != 1 {
		t.Errorf("%d records, %d reports", len(got), bad)
	}
}

func TestMissingSegmentIsAnError(t *testing.T) {
	a := openArchive(t, t.TempDir())
	if _, err := a.Record(Place{Frame: 7 << 32}); err == nil || !strings.Contains(err.Error(), "000007") {
		t.Errorf("error %v", err)
	}
}

func TestLogScanStopsAtTheFirstTornBlock(t *testing.T) {
	l, err := OpenLog(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, s := range []string{"one", "", "three"} {
		if _, err := l.Append([]byte(s)); err != nil {
			t.Fatal(err)
		}
	}
	whole := l.Size()
	if _, err := l.Append([]byte("four")); err != nil {
		t.Fatal(err)
	}
	if err := l.Truncate(l.Size() - 1); err != nil {
		t.Fatal(err)
	}
	var got []string
	end, err := l.Scan(0, func(_ int64, p []byte) error { got = append(got, string(p)); return nil })
	if d := cmp.Diff([]string{"one", "", "three"}, got); d != "" || end != whole || err != nil {
		t.Error(d, end, err)
	}
	if _, err := l.Read(whole); !errors.Is(err, ErrTorn) {
		t.Errorf("error %v", err)
	}
}

func FuzzFrame(f *testing.F) {
	var b Builder
	b.Start(Source{Path: "p", Session: "s"})
	b.Add(1, 0, []byte("{}"))
	f.Add(b.buf)
	f.Fuzz(func(t *testing.T, p []byte) {
		_, pos, err := decodeSource(p)
		for err == nil && pos < len(p) {
			var n int
			if _, n, err = decodeRecord(p[pos:]); err == nil && n <= 0 {
				t.Fatal("no progress")
			}
			pos += n
		}
	})
}
