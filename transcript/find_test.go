package transcript

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
)

// plant writes files below dir, each a minute older than the one before.
func plant(t *testing.T, dir string, names ...string) {
	t.Helper()
	now := time.Now()
	for i, name := range names {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(userLine("a", "one")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		at := now.Add(-time.Duration(i) * time.Minute)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	const session = "9dea40ba-d243-4244-869a-ed78e9e414e8"
	plant(t, dir,
		"-p/"+session+".jsonl",
		"-p/"+session+"/subagents/agent-a7c7.jsonl",
		"-p/agent-a0093dc.jsonl",
		"-q/notes.jsonl",
		// no transcripts:
		"-p/"+session+"/subagents/agent-a7c7.meta.json",
		"-p/"+session+"/subagents/deeper/agent-b.jsonl",
		"-p/"+session+"/subagents/other.jsonl",
		"-p/"+session+"/tool-results/x.jsonl",
		"-p/memory/x.jsonl",
		"-p/memory/subagents/agent-x.jsonl",
		"-p/"+session+"/custom-title.json",
		"-p/.jsonl",
		"-p/"+session+".jsonl.bak",
		"stray.jsonl",
		"-p/folder.jsonl/x.txt",
	)
	files, problems := Find(context.Background(), dir, nil)
	if len(problems) > 0 {
		t.Error(problems)
	}
	var got [][3]string
	for _, f := range files {
		rel, _ := filepath.Rel(dir, f.Path)
		got = append(got, [3]string{filepath.ToSlash(rel), f.Session, f.Agent})
		if f.Size == 0 || f.ModTime.IsZero() {
			t.Errorf("%s: size %d, time %v", rel, f.Size, f.ModTime)
		}
	}
	want := [][3]string{
		{"-p/" + session + ".jsonl", session, ""},
		{"-p/" + session + "/subagents/agent-a7c7.jsonl", session, "a7c7"},
		{"-p/agent-a0093dc.jsonl", "s", "a0093dc"},
		{"-q/notes.jsonl", "notes", ""},
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestFindAsksForTheSessionOfOldAgents(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, "-p/agent-a0093dc.jsonl")
	files, _ := Find(context.Background(), dir, func(path string) string { return "known " + filepath.Base(path) })
	if len(files) != 1 || files[0].Session != "known agent-a0093dc.jsonl" {
		t.Errorf("%+v", files)
	}
}

func TestFindLeavesOldAgentsWithoutSession(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "-p", "agent-a0093dc.jsonl")
	plant(t, dir, "-p/agent-a0093dc.jsonl")
	if err := os.WriteFile(path, []byte("{\"type\":\"mode\"}\nnonsense\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if files, problems := Find(context.Background(), dir, nil); len(files)+len(problems) != 0 {
		t.Errorf("%+v %v", files, problems)
	}
}

func TestFindRecordedOldAgents(t *testing.T) {
	files, problems := Find(context.Background(), "testdata/client-runs/2.0.76-compact-and-forged/projects", nil)
	if len(problems) > 0 {
		t.Error(problems)
	}
	agents := 0
	for _, f := range files {
		if f.Agent != "" {
			agents++
			if len(f.Session) != 36 {
				t.Errorf("%s belongs to session %q", f.Path, f.Session)
			}
		}
	}
	if agents != 12 || len(files) != 21 {
		t.Errorf("%d files, %d of agents", len(files), agents)
	}
}

func TestFindFollowsNoLinks(t *testing.T) {
	outside, dir := t.TempDir(), t.TempDir()
	plant(t, outside, "-x/a.jsonl", "b.jsonl")
	plant(t, dir, "-p/good.jsonl")
	for target, name := range map[string]string{
		filepath.Join(outside, "-x"):      "-linked",
		filepath.Join(outside, "b.jsonl"): "-p/out.jsonl",
		filepath.Join(dir, "-p"):          "-again",
		filepath.Join(dir, "nowhere"):     "-p/dangling.jsonl",
	} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Skip(err)
		}
	}
	files, problems := Find(context.Background(), dir, nil)
	if len(files) != 1 || files[0].Session != "good" || len(problems) != 0 {
		t.Errorf("%+v %v", files, problems)
	}
	root := filepath.Join(t.TempDir(), "projects")
	if err := os.Symlink(dir, root); err != nil {
		t.Fatal(err)
	}
	if files, _ := Find(context.Background(), root, nil); len(files) != 1 {
		t.Errorf("the folder itself may be a link: %+v", files)
	}
}

func TestFindReportsAnUnreadableFolder(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, "-p/good.jsonl", "-q/hidden.jsonl")
	locked := filepath.Join(dir, "-q")
	if err := os.Chmod(locked, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(locked, 0o755) })
	if _, err := os.ReadDir(locked); err == nil {
		t.Skip("this user may read everything")
	}
	files, problems := Find(context.Background(), dir, nil)
	if len(files) != 1 || len(problems) != 1 || !errors.Is(problems[0], fs.ErrPermission) {
		t.Errorf("%+v %v", files, problems)
	}
}

func TestFindNoFolder(t *testing.T) {
	files, problems := Find(context.Background(), filepath.Join(t.TempDir(), "none"), nil)
	if len(files) != 0 || len(problems) != 1 || !errors.Is(problems[0], fs.ErrNotExist) {
		t.Errorf("%+v %v", files, problems)
	}
}

func TestFindStops(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, "-p/good.jsonl")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	files, problems := Find(ctx, dir, nil)
	if len(files) != 0 || len(problems) != 1 || !errors.Is(problems[0], context.Canceled) {
		t.Errorf("%+v %v", files, problems)
	}
}

func TestReadMeta(t *testing.T) {
	files, _ := Find(context.Background(), "testdata/client-runs/2.1.332-images-tool-results-subagent/projects", nil)
	metas := 0
	for _, f := range files {
		m := ReadMeta(f)
		if f.Agent == "" {
			if m != (Meta{}) {
				t.Errorf("%s: %+v", f.Path, m)
			}
			continue
		}
		metas++
		want := Meta{AgentType: "general-purpose", Description: "Find port", ToolID: "toolu_01F000mx3osjon0000000005", Model: "claude-opus-5-5"}
		if diff := gocmp.Diff(want, m); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	}
	if metas != 1 {
		t.Errorf("%d descriptions", metas)
	}
}
