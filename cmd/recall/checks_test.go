package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"recall/index"
)

func TestFindingsFitTheTerminal(t *testing.T) {
	var b strings.Builder
	e := &examination{app: &app{out: &b, tty: terminal{is: true, width: 80}}}
	e.add("warn", "client", "recall "+strings.Repeat("x", 100), "%s", strings.Repeat("words and ", 30)+"end")
	e.add("ok", "data", "", "short")
	e.print()
	for line := range strings.Lines(b.String()) {
		if hint := strings.Contains(line, "hint: "); !hint && columns(strings.TrimSuffix(line, "\n")) > 80 {
			t.Errorf("too long: %q", line)
		}
	}
	if got := b.String(); !strings.HasPrefix(got, "warn   client    words") || !strings.HasSuffix(got, "\nok     data      short\n") ||
		!strings.Contains(got, "\n                 hint: recall xxx") {
		t.Errorf("got\n%s", got)
	}
}

func TestUnknownTypesAreListed(t *testing.T) {
	c := account{Kinds: map[string]int{"unknown:": 2, "unknown:holo\u202egram": 1200, "indexed": 5}}
	if got, want := c.members("unknown"), "hologram 1,200, (none) 2"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A file that is read in several slices counts in each of them.
func TestSlicesOfASyncAddUp(t *testing.T) {
	s := synced{Records: map[string]int{}}
	for behind := range 3 {
		s.add(index.SyncReport{Files: 2, Changed: 1, Behind: 2 - behind, Messages: 10, Records: map[string]int{"indexed": 10}})
	}
	if s.Changed != 2 || s.Files != 2 || s.Behind != 0 || s.Messages != 30 || s.Records["indexed"] != 30 {
		t.Errorf("got %+v", s)
	}
}

// Whatever keeps the index from opening, no advice touches the archive: it may
// be the only copy.
func TestAdviceWhenTheIndexDoesNotOpen(t *testing.T) {
	dir := t.TempDir()
	at := func(err error) error { return &fs.PathError{Op: "open", Path: filepath.Join(dir, "lock"), Err: err} }
	for _, tc := range []struct {
		reason        string
		err           error
		hint, message string
	}{
		{"in use", &index.LockedError{Dir: dir, PID: 7, Command: "recall mcp"}, "recall doctor", "is in use by process 7 (recall mcp)"},
		{"not allowed", at(syscall.EACCES), "chmod -R u+rwX DIR", "you may not write it"},
		{"read-only", at(syscall.EROFS), "df DIR", "its disk is read-only"},
		{"full", at(syscall.ENOSPC), "df -h DIR", "its disk is full"},
		{"full, far below", fmt.Errorf("bleve: %w", at(syscall.ENOSPC)), "df -h DIR", "nothing is lost"},
		{"of a newer version", index.ErrFormat, "recall version", "use that one"},
		{"damaged", errors.New("bleve: bad magic"), "rm -rf DIR/bleve DIR/catalog.log DIR/nodes.log DIR/forward.dat && recall sync", "made anew"},
	} {
		e := &examination{lib: &library{opts: index.Options{Dir: dir}}}
		e.unopened(opening(dir, tc.err))
		f := e.Findings[0]
		f.Hint = strings.ReplaceAll(f.Hint, dir, "DIR")
		if f.Level != "error" || f.Hint != tc.hint || !strings.Contains(f.Message, tc.message) {
			t.Errorf("%s: got %+v, want hint %q and %q", tc.reason, f, tc.hint, tc.message)
		}
		if strings.Contains(f.Hint, "archive") || strings.HasSuffix(f.Hint, "DIR") && strings.HasPrefix(f.Hint, "rm") {
			t.Errorf("%s: %q touches the archive", tc.reason, f.Hint)
		}
	}
}

func TestErrorsOfTheDiskHaveAHint(t *testing.T) {
	dir := t.TempDir()
	for _, tc := range []struct {
		reason string
		err    error
		want   string
	}{
		{"none", nil, ""},
		{"a full disk", fmt.Errorf("archive: %w", syscall.ENOSPC), "df -h " + dir},
		{"has its own", hintf("usage", "recall help", "%w", syscall.ENOSPC), "recall help"},
		{"another", errors.New("x"), ""},
	} {
		h, _ := errors.AsType[hint](onDisk(filepath.Join(dir, "not", "yet"), tc.err))
		if h.cmd != tc.want {
			t.Errorf("%s: got %q, want %q", tc.reason, h.cmd, tc.want)
		}
	}
}
