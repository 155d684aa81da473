package mcpserver

import (
	"testing"
	"time"

	"recall/search"
)

func TestProjectName(t *testing.T) {
	for _, tc := range []struct{ reason, folder, want string }{
		{"a folder", "/home/dev/shop", "shop"},
		{"of another platform", `C:\dev\shop`, "shop"},
		{"a worktree", "/home/dev/cli/.worktrees/3", "cli (3)"},
		{"a worktree of the client", "/home/dev/app/.claude/worktrees/x", "app (x)"},
		{"a worktree of another platform", `C:\dev\app\.claude\worktrees\x`, "app (x)"},
		{"a folder below a worktree", "/home/dev/cli/.worktrees/3/web", "web"},
		{"worktrees of nothing", "/.worktrees/3", "3"},
		{"none", "", "no project"},
		{"the root", "/", "/"},
	} {
		if got := ProjectName(tc.folder); got != tc.want {
			t.Errorf("%s: got %q, want %q", tc.reason, got, tc.want)
		}
	}
}

func TestCounted(t *testing.T) {
	for got, want := range map[string]string{
		Counted(0, "hit"):            "0 hits",
		Counted(1, "conversation"):   "1 conversation",
		Counted(2041, "file"):        "2,041 files",
		Counted(2, "entry"):          "2 entries",
		Counted(1234567, "more hit"): "1,234,567 more hits",
		Counted(-5, "day"):           "-5 days",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// Every answer says what is missing from it.
func TestFreshness(t *testing.T) {
	f := search.Fresh{AsOf: time.Date(2026, 11, 3, 14, 8, 11, 0, time.UTC), FilesBehind: 3, Unembedded: 412}
	want := "Index as of 2026-11-03 14:08:11Z; 3 files not yet indexed; 412 messages found by keyword only until embedded."
	if got := freshness(f); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
