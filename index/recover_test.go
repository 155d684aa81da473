package index

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recall/anchors"
)

// content is what a reader can find in an index, in order.
type content struct {
	Texts   []string
	Places  []string
	Dropped int
}

func contentOf(t *testing.T, x *Index) content {
	t.Helper()
	var c content
	if n, err := x.key.Count(); err != nil || n != len(x.cat.passages) {
		t.Fatalf("%d documents for %d passages, %v", n, len(x.cat.passages), err)
	}
	for id := range x.cat.passages {
		text, err := x.Text(context.Background(), ID(id))
		if err != nil {
			t.Fatal(err)
		}
		c.Texts = append(c.Texts, text)
		same := func(hit string) bool { return hit == text }
		if hits := find(t, x, text, Filter{}); !slices.ContainsFunc(hits, same) {
			t.Fatalf("%q finds %q", text, hits)
		}
	}
	for i := range x.cat.convs {
		for _, m := range x.cat.convs[i].all(x.cat.visibleMessages) {
			c.Places = append(c.Places, x.cat.convs[i].name()+" "+x.cat.messages[m].uuid)
		}
	}
	comps, err := x.Compactions(context.Background(), sessionA)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range comps {
		c.Dropped += len(k.Dropped)
	}
	return c
}

func (v *conv) name() string {
	if v.Agent == "" {
		return v.Session
	}
	return v.Session + "/" + v.Agent
}

func copyDir(t *testing.T, from string) string {
	t.Helper()
	to := t.TempDir()
	if err := os.CopyFS(filepath.Join(to, "d"), os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(to, "d")
}

// TestDamagedStoresAreRebuilt cuts and spoils every derived file at several
// places: opening must give back all that was archived, without the sources.
func TestDamagedStoresAreRebuilt(t *testing.T) {
	root, _, _ := history(t)
	dir := filepath.Join(t.TempDir(), "data")
	x := open(t, dir, root)
	syncNow(t, x)
	want := contentOf(t, x)
	x.Close()

	spoil := func(name string, change func(b []byte) []byte) {
		t.Helper()
		d := copyDir(t, dir)
		path := filepath.Join(d, name)
		b, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(path, change(b), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		x := open(t, d, t.TempDir()) // no sources
		if diff := cmp.Diff(want, contentOf(t, x)); diff != "" {
			t.Errorf("%s spoilt: %s", name, diff)
		}
		x.Close()
	}
	for _, name := range []string{"catalog.log", "nodes.log", "forward.dat"} {
		spoil(name, func(b []byte) []byte { return nil })
		spoil(name, func(b []byte) []byte { return b[:len(b)/2] })
		spoil(name, func(b []byte) []byte { return b[:len(b)-1] })
		spoil(name, func(b []byte) []byte { return append(b, "left over from a crash"...) })
	}
	spoil("catalog.log", func(b []byte) []byte { b[len(b)/2] ^= 0x40; return b })
	spoil("bleve/index_meta.json", func([]byte) []byte { return []byte("{") })
	spoil("bleve/store/root.bolt", func([]byte) []byte { return []byte("not a database") })
	spoil("archive/000001.zst", func(b []byte) []byte { return append(b, b[:20]...) })

	t.Run("keyword index removed", func(t *testing.T) {
		d := copyDir(t, dir)
		if err := os.RemoveAll(filepath.Join(d, "bleve")); err != nil {
			t.Fatal(err)
		}
		x := open(t, d, root)
		if diff := cmp.Diff(want, contentOf(t, x)); diff != "" {
			t.Error(diff)
		}
		if rep := syncNow(t, x); rep.Messages != 0 || rep.Records[accDuplicate] != 0 {
			t.Errorf("sync after the rebuild: %+v", rep)
		}
		if n := x.arc.End(); n != archiveEnd(t, dir) {
			t.Errorf("the archive grew from %d to %d", archiveEnd(t, dir), n)
		}
	})
}

func archiveEnd(t *testing.T, dir string) uint64 {
	t.Helper()
	return 1<<32 | uint64(size(t, filepath.Join(dir, "archive", "000001.zst")))
}

// TestCrashBetweenStores stops after each step of a commit, by putting back the
// files that the later steps write.
func TestCrashBetweenStores(t *testing.T) {
	root, a, _ := history(t)
	dir := filepath.Join(t.TempDir(), "data")
	x := open(t, dir, root)
	syncNow(t, x)
	x.Close()
	before := copyDir(t, dir)
	a.user("Added later: the axolotl.")
	x = open(t, dir, root)
	syncNow(t, x)
	want := contentOf(t, x)
	x.Close()

	steps := []string{"archive", "nodes.log", "forward.dat", "catalog.log", "bleve"}
	for i := range steps {
		t.Run("before "+steps[i], func(t *testing.T) {
			d := copyDir(t, dir)
			for _, name := range steps[i:] {
				putBack(t, filepath.Join(before, name), filepath.Join(d, name))
			}
			x := open(t, d, root)
			syncNow(t, x)
			got := contentOf(t, x)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func putBack(t *testing.T, from, to string) {
	t.Helper()
	if err := os.RemoveAll(to); err != nil {
		t.Fatal(err)
	}
	st, err := os.Stat(from)
	if err != nil {
		t.Fatal(err)
	}
	if st.IsDir() {
		err = os.CopyFS(to, os.DirFS(from))
	} else {
		b, rerr := os.ReadFile(from)
		err = errors.Join(rerr, os.WriteFile(to, b, 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestNewerFormatIsRefused(t *testing.T) {
	root, _, _ := history(t)
	dir := t.TempDir()
	x := open(t, dir, root)
	syncNow(t, x)
	m, err := x.readMark()
	if err != nil {
		t.Fatal(err)
	}
	m.Format = format + 1
	if err := x.key.Write(nil, m.encode()); err != nil {
		t.Fatal(err)
	}
	x.Close()
	if _, err := Open(context.Background(), Options{Dir: dir}); !errors.Is(err, ErrFormat) {
		t.Errorf("error %v", err)
	}
}

func TestFilesAreForTheUserAlone(t *testing.T) {
	root, _, _ := history(t)
	dir := filepath.Join(t.TempDir(), "data")
	x := open(t, dir, root)
	syncNow(t, x)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		st, err := d.Info()
		if err == nil && st.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, st.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func FuzzCatalog(f *testing.F) {
	c := newCatalog()
	c.convs = []conv{{SessionKey: SessionKey{Session: sessionA}}}
	c.files = []file{{path: "p", counts: map[string]int{"indexed": 1}}}
	c.passages = []passage{{end: 5, tokens: 2, hash: 7}}
	c.link(message{uuid: "u", n: 1, toolIDs: []string{"toolu_1"}})
	c.putConv(0)
	c.putFile(0)
	c.putMessage(0)
	c.putNodes(0, 9)
	c.putChain(0)
	f.Add(c.out.b)
	f.Fuzz(func(t *testing.T, b []byte) { _ = newCatalog().apply(b) })
}

func TestLostArchiveIsReadAgainFromTheSources(t *testing.T) {
	for reason, spoil := range map[string]func(path string) error{
		"segment removed": os.Remove,
		"segment cut":     func(path string) error { return os.Truncate(path, 900) },
	} {
		t.Run(reason, func(t *testing.T) {
			root, _, _ := history(t)
			dir := filepath.Join(t.TempDir(), "data")
			x := open(t, dir, root)
			syncNow(t, x)
			want := contentOf(t, x)
			x.Close()
			if err := spoil(filepath.Join(dir, "archive", "000001.zst")); err != nil {
				t.Fatal(err)
			}
			x = open(t, dir, root)
			if len(x.Fresh().Notes) == 0 {
				t.Error("nothing is said")
			}
			syncNow(t, x)
			got := contentOf(t, x)
			for _, c := range []*content{&want, &got} {
				slices.Sort(c.Texts)
				slices.Sort(c.Places)
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Error(d)
			}
			x.Close()
			x = open(t, dir, root)
			if n := x.Fresh().Notes; len(n) != 1 || !strings.Contains(n[0], "archive") {
				t.Errorf("the loss is not told for good: %q", n)
			}
			if bad, err := x.Verify(context.Background()); len(bad) > 0 || err != nil {
				t.Errorf("%q %v", bad, err)
			}
		})
	}
}

func TestDamageFoundByASearchIsRepairedAtTheNextOpen(t *testing.T) {
	root, _, _ := history(t)
	dir := filepath.Join(t.TempDir(), "data")
	x := open(t, dir, root)
	syncNow(t, x)
	want := contentOf(t, x)
	x.Close()
	path := filepath.Join(dir, "forward.dat")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, make([]byte, len(b)), 0o600); err != nil {
		t.Fatal(err)
	}
	x = open(t, dir, root)
	if _, err := x.Passages(context.Background(), []ID{0}, 1, []string{"port"}); !errors.Is(err, ErrDamaged) {
		t.Errorf("error %v", err)
	}
	if bad, err := x.Verify(context.Background()); len(bad) != 1 || err != nil {
		t.Errorf("%q %v", bad, err)
	}
	x.Close()
	x = open(t, dir, root)
	if d := cmp.Diff(want, contentOf(t, x)); d != "" {
		t.Error(d)
	}
	x.Close()
	x = open(t, dir, root)
	if n := x.Fresh().Notes; len(n) != 0 {
		t.Errorf("rebuilt again: %q", n)
	}
}

// TestEachCutOfBoltIsRebuilt: bleve's root file makes bbolt panic when it is
// damaged in the middle.
func TestEachCutOfBoltIsRebuilt(t *testing.T) {
	root, _, _ := history(t)
	dir := filepath.Join(t.TempDir(), "data")
	x := open(t, dir, root)
	syncNow(t, x)
	want := contentOf(t, x)
	x.Close()
	b, err := os.ReadFile(filepath.Join(dir, "bleve/store/root.bolt"))
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; n < len(b); n += len(b) / 8 {
		d := copyDir(t, dir)
		if err := os.WriteFile(filepath.Join(d, "bleve/store/root.bolt"), b[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		x := open(t, d, root)
		if diff := cmp.Diff(want, contentOf(t, x)); diff != "" {
			t.Errorf("cut at %d of %d: %s", n, len(b), diff)
		}
		x.Close()
	}
}

// TestARebuildKeepsForksAndReplayedRows: what stands in a conversation is in
// the archive for it, also when another has it too.
func TestARebuildKeepsForksAndReplayedRows(t *testing.T) {
	root, a, _ := history(t)
	b, err := os.ReadFile(a.path)
	if err != nil {
		t.Fatal(err)
	}
	fork := newChat(t, root, "harbor", sessionC)
	fork.raw(strings.ReplaceAll(strings.Join(strings.SplitAfter(string(b), "\n")[:2], ""), sessionA, sessionC))
	fork.last, fork.n = a.uuid(2), 700
	fork.user("In the fork: numbat.")
	a.raw(string(b)) // rows once more, as after a second compaction
	dir := filepath.Join(t.TempDir(), "data")
	state := func(x *Index) (out struct {
		Sessions []Session
		Places   [][]anchors.Place
	}) {
		var err error
		if out.Sessions, err = x.Sessions(context.Background(), SessionFilter{Agents: true}); err != nil {
			t.Fatal(err)
		}
		for i, s := range out.Sessions {
			p, err := x.Conversation(context.Background(), s.ID, s.Agent)
			if err != nil {
				t.Fatal(err)
			}
			out.Places = append(out.Places, p)
			out.Sessions[i].Bytes = 0 // of the file: known after the next sync
		}
		return out
	}
	x := open(t, dir, root)
	syncNow(t, x)
	want := state(x)
	x.Close()
	if err := os.RemoveAll(filepath.Join(dir, "bleve")); err != nil {
		t.Fatal(err)
	}
	x = open(t, dir, root)
	if d := cmp.Diff(want, state(x)); d != "" {
		t.Error("after the rebuild", d)
	}
	end := x.arc.End()
	syncNow(t, x)
	if d := cmp.Diff(want, state(x)); d != "" || x.arc.End() != end {
		t.Error("after the next sync", d, end, x.arc.End())
	}
}
