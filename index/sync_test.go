package index

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recall/anchors"
	"recall/transcript"
)

func TestSyncFindsEverythingAndAccountsForIt(t *testing.T) {
	root, _, _ := history(t)
	x := open(t, t.TempDir(), root)
	rep := syncNow(t, x)
	if rep.Files != 3 || rep.Behind != 0 || rep.Messages != 11 {
		t.Errorf("report %+v", rep)
	}
	for _, c := range []struct{ reason, words, want string }{
		{"prose", "exporter listens 9188", "The exporter listens on port 9188."},
		{"output, by a part of a path", "retry_test.go", "--- FAIL"},
		{"command", "internal/queue", "go test"},
		{"sub-agent", "zebra_receipts", "42 migrations"},
	} {
		if got := strings.Join(find(t, x, c.words, Filter{}), "|"); !strings.Contains(got, c.want) {
			t.Errorf("%s: %q gives %q", c.reason, c.words, got)
		}
	}
	accounts, err := x.Account(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range accounts {
		sum := 0
		for _, n := range a.Records {
			sum += n
		}
		if b, _ := os.ReadFile(a.Path); sum != strings.Count(string(b), "\n") || a.Lines != sum {
			t.Errorf("%s: %d records of %d lines, file has %d", a.Path, sum, a.Lines, strings.Count(string(b), "\n"))
		}
	}
}

func TestSyncAgainReadsOnlyWhatIsNew(t *testing.T) {
	root, a, _ := history(t)
	dir := t.TempDir()
	x := open(t, dir, root)
	syncNow(t, x)
	if rep := syncNow(t, x); rep.Changed != 0 || rep.Bytes != 0 {
		t.Errorf("nothing new, but read %+v", rep)
	}
	before := size(t, a.path)
	a.user("One more thing: the quokka.")
	rep := syncNow(t, x)
	if rep.Messages != 1 || rep.Bytes != size(t, a.path)-before {
		t.Errorf("one message appended: %+v", rep)
	}
	x.Close()
	x = open(t, dir, root)
	if rep := syncNow(t, x); rep.Changed != 0 {
		t.Errorf("after reopening: %+v", rep)
	}
	if len(find(t, x, "quokka", Filter{})) != 1 {
		t.Error("the appended message is not found")
	}
}

func size(t *testing.T, path string) int64 {
	t.Helper()
	st, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return st.Size()
}

func TestTornTailIsReadWhenWhole(t *testing.T) {
	root, a, _ := history(t)
	x := open(t, t.TempDir(), root)
	line := `{"type":"user","uuid":"99999999-0000-4000-8000-000000000001","parentUuid":null,"sessionId":"` + sessionA + `","cwd":"/home/dev/harbor","timestamp":"2026-11-03T12:00:00Z","message":{"role":"user","content":"the platypus sentence"}}` + "\n"
	a.raw(line[:90])
	syncNow(t, x)
	if got := find(t, x, "platypus", Filter{}); len(got) != 0 {
		t.Fatalf("half a record gave %q", got)
	}
	unfinished := func() (n int) {
		accounts, err := x.Account(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range accounts {
			n += a.Records["broken:unfinished"]
		}
		return n
	}
	if n := unfinished(); n != 1 {
		t.Errorf("%d unfinished lines", n)
	}
	a.raw(line[90:])
	if rep := syncNow(t, x); rep.Messages != 1 || len(find(t, x, "platypus", Filter{})) != 1 {
		t.Errorf("the whole record: %+v", rep)
	}
	if n := unfinished(); n != 0 {
		t.Errorf("%d unfinished lines afterwards", n)
	}
}

func TestReplacedShrunkRenamedAndDeletedFiles(t *testing.T) {
	root, a, b := history(t)
	x := open(t, t.TempDir(), root)
	syncNow(t, x)

	old, err := os.ReadFile(b.path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(b.path, old[:strings.Index(string(old), "\n")+1], 0o600); err != nil { // slimmed in place
		t.Fatal(err)
	}
	b.user("A different ending with a wombat.")
	if rep := syncNow(t, x); rep.Messages != 1 {
		t.Errorf("shrunk and continued: %+v", rep)
	}
	if len(find(t, x, "wombat", Filter{})) != 1 || len(find(t, x, "bbolt", Filter{})) != 1 {
		t.Error("the new or the former text is not found")
	}

	moved := filepath.Join(root, "-home-dev-harbor2", filepath.Base(a.path))
	if err := os.Rename(filepath.Dir(a.path), filepath.Dir(moved)); err != nil {
		t.Fatal(err)
	}
	if rep := syncNow(t, x); rep.Messages != 0 || rep.Bytes != 0 {
		t.Errorf("renamed folder was read again: %+v", rep)
	}
	if err := os.Remove(moved); err != nil {
		t.Fatal(err)
	}
	syncNow(t, x)
	places, err := x.Conversation(context.Background(), sessionA, "")
	if err != nil || len(places) != 7 {
		t.Fatalf("%d places, %v", len(places), err)
	}
	m, err := x.Message(context.Background(), places[1])
	if err != nil || !m.Deleted || m.Path != moved || m.Parts[0].Text != "The exporter listens on port 9188." {
		t.Errorf("deleted source: %+v, %v", m, err)
	}
}

func TestCompactionDropsAndFilterDropped(t *testing.T) {
	root, a, _ := history(t)
	x := open(t, t.TempDir(), root)
	syncNow(t, x)
	comps, err := x.Compactions(context.Background(), sessionA)
	if err != nil || len(comps) != 1 {
		t.Fatalf("%+v %v", comps, err)
	}
	c := comps[0]
	if c.Trigger != "auto" || c.PreTokens != 150000 || len(c.Dropped) != 4 || c.Pointer != a.path || !strings.Contains(c.SummaryText, "flaky") {
		t.Errorf("%+v", c)
	}
	if got := find(t, x, "test", Filter{Dropped: true}); len(got) != 2 || !strings.Contains(got[0]+got[1], "go test") {
		t.Errorf("dropped: %q", got)
	}
	m, err := x.Message(context.Background(), c.Dropped[1])
	if err != nil || m.Dropped == nil || m.Dropped.Nth != 1 || m.Live {
		t.Errorf("%+v %v", m, err)
	}
}

func TestFilters(t *testing.T) {
	root, _, _ := history(t)
	x := open(t, t.TempDir(), root)
	syncNow(t, x)
	for _, c := range []struct {
		reason string
		f      Filter
		want   int
	}{
		{"nothing asked", Filter{}, 11},
		{"session with its sub-agent", Filter{Sessions: []string{sessionB}}, 4},
		{"unknown session", Filter{Sessions: []string{sessionC}}, 0},
		{"project", Filter{Projects: []string{"/home/dev/atlas"}}, 4},
		{"kind", Filter{Kinds: []transcript.Kind{transcript.Output}}, 1},
		{"summaries", Filter{Kinds: []transcript.Kind{transcript.Summary}}, 1},
		{"role leaves outputs out", Filter{Roles: []string{"user"}}, 5},
		{"role of an output", Filter{Roles: []string{"user"}, Kinds: []transcript.Kind{transcript.Output}}, 0},
		{"no sub-agents", Filter{Subagents: "exclude"}, 9},
		{"only sub-agents", Filter{Subagents: "only"}, 2},
		{"since", Filter{Since: epoch.Add(8 * time.Minute), Sessions: []string{sessionA}}, 1},
		{"until", Filter{Until: epoch.Add(2 * time.Minute), Sessions: []string{sessionA}}, 1},
		{"dropped", Filter{Dropped: true}, 4},
	} {
		st, err := x.Stats(context.Background(), nil, c.f)
		if err != nil || st.Passages != c.want {
			t.Errorf("%s: %d passages, want %d, %v", c.reason, st.Passages, c.want, err)
		}
	}
}

func TestForkSharesMessages(t *testing.T) {
	root, a, _ := history(t)
	fork := newChat(t, root, "harbor", sessionC)
	b, err := os.ReadFile(a.path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(b), "\n")
	fork.raw(strings.ReplaceAll(strings.Join(lines[:2], ""), sessionA, sessionC))
	fork.last, fork.n = a.uuid(2), 700
	fork.user("In the fork: numbat.")
	x := open(t, t.TempDir(), root)
	syncNow(t, x)
	if got := find(t, x, "exporter 9188", Filter{}); len(got) != 1 {
		t.Errorf("the shared message is found %d times", len(got))
	}
	for _, s := range []string{sessionA, sessionC} {
		if got := find(t, x, "exporter 9188", Filter{Sessions: []string{s}}); len(got) != 1 {
			t.Errorf("in session %s: %q", s, got)
		}
	}
	places, err := x.ByUUID(context.Background(), "", a.uuid(2))
	if err != nil || len(places) != 2 || places[0].Session != sessionA {
		t.Errorf("the origin should come first: %v %v", places, err)
	}
	sessions, err := x.Sessions(context.Background(), SessionFilter{})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sessions {
		if s.Title == "" || s.Project == "" || s.Last.IsZero() {
			t.Errorf("facts are missing: %+v", s)
		}
	}
	m, err := x.Message(context.Background(), anchors.Place{Session: sessionC, UUID: a.uuid(2)})
	if err != nil || !m.Live {
		t.Errorf("in the fork the message is live: %+v %v", m, err)
	}
}

func TestReplayedRowsAfterACompactionAreOneMessage(t *testing.T) {
	root, a, _ := history(t)
	b, err := os.ReadFile(a.path)
	if err != nil {
		t.Fatal(err)
	}
	a.raw(string(b)) // all rows once more, as a second compaction writes them
	x := open(t, t.TempDir(), root)
	rep := syncNow(t, x)
	if rep.Messages != 11 || rep.Records["duplicate"] == 0 {
		t.Errorf("%+v", rep)
	}
	if got := find(t, x, "exporter 9188", Filter{}); len(got) != 1 {
		t.Errorf("found %d times", len(got))
	}
}

func TestEndedSyncGoesOnLater(t *testing.T) {
	root, _, _ := history(t)
	x := open(t, t.TempDir(), root)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := x.Sync(ctx, SyncOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	rep, err := x.Sync(context.Background(), SyncOptions{Budget: time.Nanosecond})
	if err != nil || rep.Behind == 0 {
		t.Errorf("%+v %v", rep, err)
	}
	if f := x.Fresh(); f.FilesBehind == 0 || !f.AsOf.IsZero() {
		t.Errorf("fresh %+v", f)
	}
	if rep := syncNow(t, x); rep.Behind != 0 {
		t.Errorf("%+v", rep)
	}
	if f := x.Fresh(); f.FilesBehind != 0 || f.AsOf.IsZero() {
		t.Errorf("fresh %+v", f)
	}
}

func TestSecondOpenSaysWhoHoldsTheFolder(t *testing.T) {
	root, _, _ := history(t)
	dir := t.TempDir()
	open(t, dir, root)
	_, err := Open(context.Background(), Options{Dir: dir, Wait: 30 * time.Millisecond})
	var locked *LockedError
	if !errors.As(err, &locked) || !errors.Is(err, ErrLocked) || locked.PID != os.Getpid() {
		t.Errorf("error %v", err)
	}
}

func TestExchangeGivesTheOtherHalf(t *testing.T) {
	root, _, _ := history(t)
	x := open(t, t.TempDir(), root)
	syncNow(t, x)
	ctx := context.Background()
	half := func(words string, f Filter) (before, after []string) {
		got, err := x.Lexical(ctx, Terms(words), f, 1)
		if err != nil || len(got) != 1 {
			t.Fatal(got, err)
		}
		e, err := x.Exchange(ctx, got[0].ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range e.Before {
			before = append(before, m.Parts[0].Text)
		}
		for _, m := range e.After {
			after = append(after, m.Parts[0].Text)
		}
		return before, after
	}
	if _, after := half("drop sqlite", Filter{}); len(after) != 1 || !strings.Contains(after[0], "bbolt") {
		t.Errorf("answer %q", after)
	}
	if before, _ := half("zebra_receipts", Filter{}); len(before) != 1 || before[0] != "List the migrations." {
		t.Errorf("a sub-agent's task %q", before)
	}
	before, _ := half("TestRetryJitter", Filter{})
	if d := cmp.Diff([]string{"Where does the exporter listen?", "go test ./internal/queue"}, before); d != "" {
		t.Error(d)
	}
}
