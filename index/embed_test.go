package index

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gofrs/flock"

	"recall/embed"
)

// halting is an embedder that gives up after some texts.
type halting struct {
	embed.Hashed
	left int
}

var errHalted = errors.New("halted")

func (h *halting) Documents(ctx context.Context, texts []string) ([]embed.Vector, error) {
	n := min(h.left, len(texts))
	h.left -= n
	v, err := h.Hashed.Documents(ctx, texts[:n])
	if err == nil && n < len(texts) {
		err = errHalted
	}
	return v, err
}

func embedded(t *testing.T, dir, root string, e embed.Embedder) Options {
	t.Helper()
	x := open(t, dir, root)
	syncNow(t, x)
	x.Close()
	return Options{Dir: dir, Sources: []string{root}, Embedder: e}
}

func TestEmbedGivesEveryWantedPassageAVector(t *testing.T) {
	root, _, _ := history(t)
	o := embedded(t, t.TempDir(), root, embed.NewHashed(64))
	rep, err := Embed(context.Background(), o, EmbedOptions{})
	if err != nil || rep.Left != 0 || rep.Done == 0 {
		t.Fatalf("%+v %v", rep, err)
	}
	x, err := Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if f := x.Fresh(); f.Unembedded != 0 {
		t.Errorf("%+v", f)
	}
	v, err := o.Embedder.Query(context.Background(), "two writers locked each other out")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []Filter{{}, {Projects: []string{"/home/dev/atlas"}}, {Sessions: []string{sessionB}}} {
		got, err := x.Nearest(context.Background(), v, f, 3)
		if err != nil || len(got) == 0 {
			t.Fatalf("%+v: %v %v", f, got, err)
		}
		text, err := x.Text(context.Background(), got[0].ID)
		if err != nil || !strings.Contains(text, "bbolt") {
			t.Errorf("%+v: nearest is %q, %v", f, text, err)
		}
		cos, err := x.Cosines(context.Background(), []ID{got[0].ID}, v)
		if err != nil || math.Abs(cos[0]-got[0].Score) > 1e-5 {
			t.Errorf("cosine %v, score %v, %v", cos, got[0].Score, err)
		}
	}
	if _, err := x.Nearest(context.Background(), v[:5], Filter{}, 3); err == nil {
		t.Error("a vector of another length was taken")
	}
}

func TestEmbedKeepsWhatCameBeforeAnError(t *testing.T) {
	root, _, _ := history(t)
	h := &halting{embed.NewHashed(64), 3}
	o := embedded(t, t.TempDir(), root, h)
	rep, err := Embed(context.Background(), o, EmbedOptions{})
	if !errors.Is(err, errHalted) || rep.Done != 3 {
		t.Fatalf("%+v %v", rep, err)
	}
	h.left = 1000
	again, err := Embed(context.Background(), o, EmbedOptions{})
	if err != nil || again.Left != 0 {
		t.Fatalf("%+v %v", again, err)
	}
	x, err := Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if n := x.vec.Len(); n != 10 { // 11 passages less the summary
		t.Errorf("%d vectors", n)
	}
	if f := x.Fresh(); f.Unembedded != 0 {
		t.Errorf("%+v", f)
	}
}

func TestOneProcessEmbedsAtATime(t *testing.T) {
	root, _, _ := history(t)
	o := embedded(t, t.TempDir(), root, embed.NewHashed(64))
	l := flock.New(filepath.Join(o.Dir, "embedding.lock"))
	if ok, err := l.TryLock(); !ok {
		t.Fatal(err)
	}
	if _, err := Embed(context.Background(), o, EmbedOptions{}); !errors.Is(err, ErrEmbedding) {
		t.Errorf("error %v", err)
	}
	if err := l.Unlock(); err != nil {
		t.Fatal(err)
	}
	if rep, err := Embed(context.Background(), o, EmbedOptions{}); err != nil || rep.Left != 0 {
		t.Errorf("%+v %v", rep, err)
	}
}

// TestCoverageIsOfWhatGetsAVector: the later passages of an output never get one.
func TestCoverageIsOfWhatGetsAVector(t *testing.T) {
	root, a, _ := history(t)
	a.bash("cat log", strings.Repeat("one line of a long log\n", 400))
	o := embedded(t, t.TempDir(), root, embed.NewHashed(8))
	x, err := Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	st, err := x.Stats(context.Background(), nil, Filter{})
	if err != nil || st.Pending != st.Wanted || st.Wanted == 0 || st.Wanted >= st.Passages || x.Embedded() {
		t.Errorf("before: %+v %v", st, err)
	}
	x.Close()
	if _, err := Embed(context.Background(), o, EmbedOptions{}); err != nil {
		t.Fatal(err)
	}
	if x, err = Open(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if st, err := x.Stats(context.Background(), nil, Filter{}); err != nil || st.Pending != 0 || st.Wanted == 0 || !x.Embedded() {
		t.Errorf("after: %+v %v", st, err)
	}
	a.user("One more.")
	if syncNow(t, x); x.Embedded() {
		t.Error("a new message has no vector yet")
	}
}

func TestModelsDoNotMix(t *testing.T) {
	root, _, _ := history(t)
	dir := t.TempDir()
	o := embedded(t, dir, root, embed.NewHashed(64))
	if _, err := Embed(context.Background(), o, EmbedOptions{}); err != nil {
		t.Fatal(err)
	}
	o.Embedder = embed.NewHashed(32)
	x, err := Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if x.vec.Len() != 0 || x.Fresh().Unembedded == 0 {
		t.Errorf("%d vectors of another model", x.vec.Len())
	}
}

func TestARebuildComputesNoVectorAgain(t *testing.T) {
	root, _, _ := history(t)
	dir := t.TempDir()
	o := embedded(t, dir, root, embed.NewHashed(64))
	if _, err := Embed(context.Background(), o, EmbedOptions{}); err != nil {
		t.Fatal(err)
	}
	x := open(t, dir, root)
	if _, err := x.reset(errors.New("for the test")); err != nil {
		t.Fatal(err)
	}
	x.Close()
	if rep, err := Embed(context.Background(), o, EmbedOptions{}); err != nil || rep.Done != 0 {
		t.Errorf("%+v %v", rep, err)
	}
}

func TestProseComesFirstNewestFirst(t *testing.T) {
	root, _, _ := history(t)
	o := embedded(t, t.TempDir(), root, embed.NewHashed(8))
	x, err := Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	prose, tools := x.unembedded()
	if len(prose) == 0 || len(tools) != 2 {
		t.Fatalf("%d prose, %d tools", len(prose), len(tools))
	}
	for i := 1; i < len(prose); i++ {
		if x.messageOf(prose[i-1]).time < x.messageOf(prose[i]).time {
			t.Errorf("passage %d is newer than the one before it", i)
		}
	}
}
