package main

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
)

func TestKnownProject(t *testing.T) {
	root := realPath(t.TempDir())
	for _, dir := range []string{"shop/api/v2", "shop/.git/worktrees/fix", "fix/sub", "other", "a/lab", "b/lab"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	gitdir := "gitdir: " + filepath.Join(root, "shop", ".git", "worktrees", "fix") + "\n"
	if err := os.WriteFile(filepath.Join(root, "fix", ".git"), []byte(gitdir), 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(root, "link")
	if err := os.Symlink(filepath.Join(root, "shop"), link); err != nil {
		t.Skip(err)
	}
	at := func(p ...string) string { return filepath.Join(append([]string{root}, p...)...) }
	known := []string{at("shop"), at("a", "lab"), at("b", "lab"), "/home/dev/gone"}
	for _, tc := range []struct{ reason, dir, want string }{
		{"the folder itself", at("shop"), at("shop")},
		{"a folder below it", at("shop", "api", "v2"), at("shop")},
		{"through a symbolic link", filepath.Join(link, "api"), at("shop")},
		{"a linked worktree", at("fix", "sub"), at("shop")},
		{"no project", at("other"), at("other")},
		{"nowhere", "", ""},
	} {
		if got := knownProject(tc.dir, known); got != tc.want {
			t.Errorf("%s: got %s, want %s", tc.reason, got, tc.want)
		}
	}
	if got := knownProject(at("shop"), append(known, at("shop", "api"))); got != at("shop") {
		t.Errorf("a project below: got %s", got)
	}
	if got := knownProject(at("shop", "api", "v2"), append(known, at("shop", "api"))); got != at("shop", "api") {
		t.Errorf("the nearest wins: got %s", got)
	}
}

func TestProjectsMeant(t *testing.T) {
	here := realPath(t.TempDir())
	t.Chdir(here)
	if err := os.Mkdir("sub", 0o700); err != nil {
		t.Fatal(err)
	}
	known := []string{here, "/home/dev/a/lab", "/home/dev/b/lab", "/home/dev/gone", `C:\dev\shop`}
	for _, tc := range []struct {
		reason, name string
		want         []string
	}{
		{"a name", "gone", []string{"/home/dev/gone"}},
		{"a name of two projects", "lab", []string{"/home/dev/a/lab", "/home/dev/b/lab"}},
		{"a name from another platform", "shop", []string{`C:\dev\shop`}},
		{"one of two by its path", "/home/dev/b/lab", []string{"/home/dev/b/lab"}},
		{"the working folder", ".", []string{here}},
		{"a folder below a project", "sub", []string{here}},
		{"a name that nothing bears", "nope", nil},
		{"a path that is in no project", "/home/dev/other", nil},
	} {
		got, err := projectsMeant(tc.name, known)
		if !slices.Equal(got, tc.want) || (err == nil) != (tc.want != nil) {
			t.Errorf("%s: got %q, %v", tc.reason, got, err)
		}
	}
}

func TestAskingSession(t *testing.T) {
	home := t.TempDir()
	k := asking{place: place{"linux", env("CLAUDE_CONFIG_DIR", home, "CLAUDE_CODE_SESSION_ID", "at-start")}, ppid: 4711}
	if got := k.session(); got != "at-start" {
		t.Errorf("from the environment: got %q", got)
	}
	file := filepath.Join(home, "sessions", strconv.Itoa(k.ppid)+".json")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ reason, text, want string }{
		{"after /clear the client's file is right", `{"pid":4711,"sessionId":"now","cwd":"/x"}`, "now"},
		{"a file of an earlier process is not", `{"pid":4712,"sessionId":"old"}`, "at-start"},
		{"nor one that is damaged", `{"pid":`, "at-start"},
	} {
		if err := os.WriteFile(file, []byte(tc.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := k.session(); got != tc.want {
			t.Errorf("%s: got %q", tc.reason, got)
		}
	}
}
