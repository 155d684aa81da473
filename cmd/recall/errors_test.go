package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"recall/index"
)

func TestExitCodes(t *testing.T) {
	for _, tc := range []struct {
		reason string
		err    error
		want   int
	}{
		{"done", nil, 0},
		{"nothing found", errNothing, 1},
		{"a check failed", errFinding, 1},
		{"unknown pointer", hintf("not_found", "recall sync", "never indexed"), 1},
		{"not a pointer", hintf("not_a_pointer", "", "no"), 1},
		{"wrong usage", hintf("usage", "recall help", "no"), 2},
		{"ambiguous pointer", hintf("ambiguous", "", "no"), 2},
		{"anything else", errors.New("disk full"), 2},
		{"partly done", fmt.Errorf("sync: %w", errPartly), 3},
		{"interrupted", hint{fmt.Errorf("%w; kept", errInterrupted), "recall sync", "interrupted"}, 130},
		{"cancelled", fmt.Errorf("read: %w", context.Canceled), 130},
	} {
		if got := exitCode(tc.err); got != tc.want {
			t.Errorf("%s: got %d, want %d", tc.reason, got, tc.want)
		}
	}
}

func TestReport(t *testing.T) {
	for _, tc := range []struct {
		reason string
		err    error
		json   bool
		want   string
	}{
		{"an error with its hint", hintf("locked", "recall doctor", "in use"), false, "recall: in use\nhint: recall doctor\n"},
		{"an error from outside", errors.New("bad \x1b[2Jname"), false, "recall: bad name\n"},
		{"what was told is not told again", errNothing, false, ""},
		{"nor as JSON", fmt.Errorf("x: %w", errPartly), true, ""},
		{"JSON", hintf("locked", "recall doctor", "in use"), true, `{"v":1,"error":{"code":"locked","message":"in use","hint":"recall doctor"}}` + "\n"},
		{"JSON without hint", errInterrupted, true, `{"v":1,"error":{"code":"interrupted","message":"interrupted","hint":""}}` + "\n"},
	} {
		var b strings.Builder
		report(&b, tc.err, tc.json)
		if b.String() != tc.want {
			t.Errorf("%s: got %q, want %q", tc.reason, b.String(), tc.want)
		}
	}
}

func TestInterruptedSyncSaysHowToGoOn(t *testing.T) {
	home := t.TempDir()
	if _, err := writeChat(home+"/projects", "session 1 /home/dev/shop 2026-11-02T09:00:00Z\nuser: hello"); err != nil {
		t.Fatal(err)
	}
	getenv := env("HOME", home, "CLAUDE_CONFIG_DIR", home, "RECALL_HOME", home+"/data", "RECALL_EMBEDDER", "none")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	args := []string{"sync", "--keyword-only"}
	err := run(ctx, args, strings.NewReader(""), io.Discard, io.Discard, getenv)
	var h hint
	if exitCode(err) != exitInterrupted || !errors.As(err, &h) || h.cmd != "recall sync --keyword-only" {
		t.Fatalf("got %v (%d), hint %q", err, exitCode(err), h.cmd)
	}
	if err := run(t.Context(), args, strings.NewReader(""), io.Discard, os.Stderr, getenv); err != nil {
		t.Errorf("the next sync: %v", err)
	}
}

// full is a disk without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestOutputThatCannotBeWrittenIsAnError(t *testing.T) {
	home := t.TempDir()
	if _, err := writeChat(home+"/projects", "session 1 /home/dev/shop 2026-11-02T09:00:00Z\nuser: why does pgbouncer fail\nassistant: It is version 1.2."); err != nil {
		t.Fatal(err)
	}
	getenv := env("HOME", home, "CLAUDE_CONFIG_DIR", home, "RECALL_HOME", home+"/data", "RECALL_EMBEDDER", "none")
	for _, args := range [][]string{{"search", "pgbouncer"}, {"show", "recall:11111111"}, {"status"}, {"sessions"}, {"doctor"}, {"help"}} {
		err := run(t.Context(), args, strings.NewReader(""), full{}, io.Discard, getenv)
		if exitCode(err) != exitError || !strings.Contains(err.Error(), "no space left") {
			t.Errorf("%v: got %v", args, err)
		}
	}
}

func TestWhatHelpsWhenTheIndexDoesNotOpen(t *testing.T) {
	for _, tc := range []struct {
		reason     string
		err        error
		code, hint string
	}{
		{"in use", &index.LockedError{Dir: "d", PID: 7, Command: "recall sync"}, "locked", "recall doctor"},
		{"written by a newer recall", fmt.Errorf("index d: %w", index.ErrFormat), "format", "recall version"},
		{"anything else", errors.New("no space"), "index", "recall doctor"},
	} {
		var h hint
		if !errors.As(opening("d", tc.err), &h) || h.code != tc.code || h.cmd != tc.hint {
			t.Errorf("%s: got %+v", tc.reason, h)
		}
	}
	if err := opening("d", context.Canceled); exitCode(err) != exitInterrupted {
		t.Errorf("cancelled: got %v", err)
	}
}
