package main

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"recall/index"
)

// Whatever keeps the index from opening, no advice touches the archive: it may
// be the only copy.
func TestAdviceWhenTheIndexDoesNotOpen(t *testing.T) {
	at := func(err error) error { return &fs.PathError{Op: "open", Path: "/d/i/lock", Err: err} }
	for _, tc := range []struct {
		reason        string
		err           error
		hint, message string
	}{
		{"in use", &index.LockedError{Dir: "/d/i", PID: 7, Command: "recall mcp"}, "recall doctor", "is in use by process 7 (recall mcp)"},
		{"not allowed", at(syscall.EACCES), "chmod -R u+rwX /d/i", "you may not write it"},
		{"read-only", at(syscall.EROFS), "df /d/i", "its disk is read-only"},
		{"full", at(syscall.ENOSPC), "df -h /d/i", "its disk is full"},
		{"full, far below", fmt.Errorf("bleve: %w", at(syscall.ENOSPC)), "df -h /d/i", "nothing is lost"},
		{"of a newer version", index.ErrFormat, "recall version", "use that one"},
		{"damaged", errors.New("bleve: bad magic"), "rm -rf /d/i/bleve /d/i/catalog.log /d/i/nodes.log /d/i/forward.dat && recall sync", "made anew"},
	} {
		e := &examination{lib: &library{opts: index.Options{Dir: "/d/i"}}}
		e.unopened(opening("/d/i", tc.err))
		f := e.Findings[0]
		if f.Level != "error" || f.Hint != tc.hint || !strings.Contains(f.Message, tc.message) {
			t.Errorf("%s: got %+v, want hint %q and %q", tc.reason, f, tc.hint, tc.message)
		}
		if strings.Contains(f.Hint, "archive") || strings.Contains(f.Hint, "/d/i ") && !strings.HasPrefix(f.Hint, "chmod") {
			t.Errorf("%s: %q touches the archive", tc.reason, f.Hint)
		}
	}
}
