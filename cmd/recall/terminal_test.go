package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recall/index"
	"recall/search"
)

func TestBlockFitsTheTerminal(t *testing.T) {
	for _, tc := range []struct {
		reason, in, want string
		width            int
	}{
		{"a pipe has no width", "one two three four five", "  one two three four five\n", 0},
		{"breaks at spaces", "one two three four five six", "  one two three four\n  five six\n", 22},
		{"a word that is too long is cut", strings.Repeat("x", 30), "  " + strings.Repeat("x", 20) + "\n  " + strings.Repeat("x", 10) + "\n", 22},
		{"lines stay", "a\n\nb", "  a\n\n  b\n", 22},
		{"wide characters take two columns", strings.Repeat("設", 12), "  " + strings.Repeat("設", 10) + "\n  設設\n", 22},
		{"leading blanks are no place to break", "    " + strings.Repeat("y", 18), "      " + strings.Repeat("y", 16) + "\n  yy\n", 22},
		{"empty", "", "", 22},
	} {
		if d := cmp.Diff(tc.want, terminal{width: tc.width}.block("  ", tc.in)); d != "" {
			t.Errorf("%s: %s", tc.reason, d)
		}
	}
}

func TestFieldsGoOnInTheNextLine(t *testing.T) {
	f := []string{"aaaaaaaa", "bbbbbbbb", "cccccccc"}
	if got, want := (terminal{}).fields("    ", f), "aaaaaaaa  bbbbbbbb  cccccccc"; got != want {
		t.Errorf("pipe: got %q, want %q", got, want)
	}
	if got, want := (terminal{width: 20}).fields("    ", f), "aaaaaaaa  bbbbbbbb\n    cccccccc"; got != want {
		t.Errorf("narrow: got %q, want %q", got, want)
	}
}

func hit() search.Hit {
	return search.Hit{
		Rank: 1, Score: 0.91, Pointer: "recall:edd44f35#3fa9c1aa", Project: "/home/dev/shop", Time: noon.Add(-2 * time.Hour),
		Role: "user", Kind: "text", Dropped: &search.Dropped{Nth: 2},
		Excerpt: "prepared statements keep failing behind pgbouncer after the driver upgrade, do we know why it happens\x1b[2J?",
		After:   []search.Near{{Role: "assistant", Kind: "text", Excerpt: "We pinned pgx to 5.4.3."}},
	}
}

func print(tty terminal, res *search.Result) (stdout, stderr string) {
	var out, err bytes.Buffer
	a := &app{out: &out, err: &err, tty: tty, now: func() time.Time { return noon }}
	a.printResult(res, "")
	return out.String(), err.String()
}

func TestHitOnATerminal(t *testing.T) {
	res := &search.Result{Query: "statement failed", Found: true, Hits: []search.Hit{hit()}, Scope: search.Scope{Searched: "dropped"}, Fresh: search.Fresh{AsOf: noon, FilesBehind: 3, Unembedded: 412}}
	got, _ := print(terminal{is: true, colour: true, width: 80}, res)
	want := " 1  0.91  2026-11-03 10:00  shop  user  \x1b[33mdropped at compaction 2\x1b[0m\n" +
		"    \x1b[36mrecall:edd44f35#3fa9c1aa\x1b[0m\n" +
		"    user: prepared \x1b[1mstatements\x1b[0m keep \x1b[1mfailing\x1b[0m behind pgbouncer after the driver\n" +
		"    upgrade, do we know why it happens?\n" +
		"    assistant: We pinned pgx to 5.4.3.\n\n"
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("terminal (-want +got):\n%s", d)
	}
	got, notes := print(terminal{}, res)
	if strings.Contains(got, "\x1b") || strings.Count(got, "\n") != 3 {
		t.Errorf("pipe: want three plain lines, got %q", got)
	}
	want = "1 hit in what this session's compactions dropped; 3 files not yet indexed; 412 messages found by keyword only until embedded\n" +
		"hint: recall show recall:edd44f35#3fa9c1aa -C 2\nhint: recall sync\n"
	if d := cmp.Diff(want, notes); d != "" {
		t.Errorf("notes (-want +got):\n%s", d)
	}
}

func TestWeakHitsAreMarked(t *testing.T) {
	res := &search.Result{Query: "x", Weak: []search.Hit{hit()}, Scope: search.Scope{Searched: "all", Sessions: 2}, Fresh: search.Fresh{AsOf: noon}}
	got, notes := print(terminal{}, res)
	if !strings.HasPrefix(got, " 1  weak 0.91  ") {
		t.Errorf("got %q", got)
	}
	if want := "nothing certain in all projects (2 sessions), only weak hits\n"; !strings.HasPrefix(notes, want) {
		t.Errorf("got %q, want %q", notes, want)
	}
}

func TestProgress(t *testing.T) {
	for _, tc := range []struct {
		reason string
		in     index.Progress
		want   string
	}{
		{"at first, no rate", index.Progress{Phase: "read", Total: 2e6}, "reading   0%  0 B of 2.0 MB  0 messages"},
		{"reading", index.Progress{Phase: "read", Done: 5e7, Total: 2e8, Messages: 31204, Elapsed: 10 * time.Second}, "reading  25%  50.0 MB of 200 MB  31,204 messages  5.0 MB/s  30 s left"},
		{"embedding", index.Progress{Phase: "embed", Done: 1200, Total: 9600, Elapsed: time.Minute}, "embedding  12%  1,200 of 9,600 passages  20/s  7 min left"},
	} {
		if got := progressLine(tc.in); got != tc.want {
			t.Errorf("%s: got %q, want %q", tc.reason, got, tc.want)
		}
	}
}

func TestProgressAddsSlicesUp(t *testing.T) {
	var b bytes.Buffer
	p := &progress{w: &b, tty: terminal{is: true, width: 200}, begun: time.Now()}
	p.next(30, 3)
	p.show(index.Progress{Phase: "read", Done: 20, Total: 70, Messages: 2})
	if want := "reading  50%  50 B of 100 B  5 messages"; !strings.Contains(b.String(), want) {
		t.Errorf("got %q, want %q", b.String(), want)
	}
	p.clear()
	if !strings.HasSuffix(b.String(), "\r\x1b[K") {
		t.Errorf("the line stays: %q", b.String())
	}
	b.Reset()
	p = &progress{w: &b, every: time.Hour, begun: time.Now(), last: time.Now()}
	p.show(index.Progress{Phase: "read", Done: 1, Total: 2})
	p.clear()
	if b.Len() > 0 {
		t.Errorf("a pipe got %q before its time", b.String())
	}
}

func TestUnits(t *testing.T) {
	for got, want := range map[string]string{
		count(1234567):                "1,234,567",
		count(-5):                     "-5",
		counted(1, "file"):            "1 file",
		counted(0, "compaction"):      "0 compactions",
		counted(2, "day"):             "2 days",
		counted(2, "entry"):           "2 entries",
		bytesize(999):                 "999 B",
		bytesize(1500):                "1.5 kB",
		bytesize(61_400_000):          "61.4 MB",
		bytesize(612_000_000):         "612 MB",
		took(12 * time.Millisecond):   "12 ms",
		took(4100 * time.Millisecond): "4.1 s",
		took(3 * time.Hour):           "3.0 h",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestNearest(t *testing.T) {
	names := []string{"search", "show", "sync", "status", "sessions"}
	for word, want := range map[string]string{"serach": "search", "synk": "sync", "shwo": "show", "sesions": "sessions", "elephant": "", "": ""} {
		if got := nearest(word, names); got != want && word != "" {
			t.Errorf("%q: got %q, want %q", word, got, want)
		}
	}
}

func TestShellWords(t *testing.T) {
	got := commandLine("recall", "show", "recall:ab#cd", "#x", "it's", "", "a b", "$HOME")
	want := `recall show recall:ab#cd '#x' 'it'\''s' '' 'a b' '$HOME'`
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestNewerVersions(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		want bool
	}{{"2.1.332", "2.1.85", true}, {"2.1.85", "2.1.332", false}, {"2.1.332", "2.1.332", false}, {"3", "2.9.9", true}, {"2.1.0-beta", "2.1", false}, {"", "1", false}} {
		if got := newer(tc.a, tc.b); got != tc.want {
			t.Errorf("newer(%q, %q) = %v", tc.a, tc.b, got)
		}
	}
}
