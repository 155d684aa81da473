package mcpserver

import "testing"

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
