package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"recall/index"
	"recall/search"
	"recall/transcript"
)

// asking finds out which conversation and which folder a question comes from.
type asking struct {
	place place
	ppid  int
	dir   string // working folder, or what the client says is the project
}

func (a *app) asking() asking {
	dir := a.getenv("CLAUDE_PROJECT_DIR")
	if dir == "" {
		dir, _ = os.Getwd()
	}
	return asking{place: a.place, ppid: os.Getppid(), dir: dir}
}

// session is the id of the running client's conversation, "" outside of one.
// The client's own file about the process that started this one follows /clear
// and /resume; the environment is that of its start.
func (k asking) session() string {
	b, err := os.ReadFile(filepath.Join(k.place.client(), "sessions", strconv.Itoa(k.ppid)+".json"))
	var s struct {
		PID       int    `json:"pid"`
		SessionID string `json:"sessionId"`
	}
	if err == nil && json.Unmarshal(b, &s) == nil && s.PID == k.ppid && s.SessionID != "" {
		return s.SessionID
	}
	return k.place.getenv("CLAUDE_CODE_SESSION_ID")
}

// fill sets what q leaves open.
func (k asking) fill(ctx context.Context, x *index.Index, q *search.Query) error {
	sessions, err := x.Sessions(ctx, index.SessionFilter{})
	if err != nil {
		return err
	}
	asker := k.session()
	if q.Session == "" {
		q.Session = asker
	}
	if i := slices.IndexFunc(sessions, func(s index.Session) bool { return s.ID == asker }); q.Project == "" && i >= 0 {
		q.Project = sessions[i].Project // the working folder may have changed since
	}
	if q.Project == "" {
		q.Project = k.dir
	}
	q.Project = knownProject(q.Project, projects(sessions))
	if q.Prompt == "" && asker != "" {
		q.Prompt, err = lastPrompt(ctx, x, asker)
	}
	return err
}

func projects(sessions []index.Session) []string {
	var out []string
	for _, s := range sessions {
		if s.Project != "" && !slices.Contains(out, s.Project) {
			out = append(out, s.Project)
		}
	}
	return out
}

// knownProject returns the project that dir belongs to: the nearest known one
// at or above it, also by its path without symbolic links and, in a linked git
// worktree, by the main one. It returns dir itself when none is known.
func knownProject(dir string, known []string) string {
	if dir == "" {
		return ""
	}
	if slices.Contains(known, dir) {
		return dir
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return dir
	}
	for _, d := range []string{abs, realPath(abs), mainWorktree(abs)} {
		for p := d; d != ""; p = filepath.Dir(p) {
			if i := slices.IndexFunc(known, func(k string) bool { return k == p || realPath(k) == p }); i >= 0 {
				return known[i]
			}
			if p == filepath.Dir(p) {
				break
			}
		}
	}
	return abs
}

// projectsMeant returns the known projects that --project means: all that bear
// the name, or the one at or above a folder.
func projectsMeant(name string, known []string) ([]string, error) {
	var found []string
	bare := !strings.ContainsAny(name, `/\`) && name != "." && name != ".."
	for _, k := range known {
		if bare && (baseOf(k) == name || projectName(k) == name) {
			found = append(found, k)
		}
	}
	if found != nil {
		return found, nil
	}
	// A word that is no folder must not come out as the project it was typed in.
	if p := knownProject(name, known); slices.Contains(known, p) && (!bare || isFolder(name)) {
		return []string{p}, nil
	}
	return nil, hintf("unknown_project", "recall sessions", "no project named %s", name)
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func realPath(p string) string {
	r, err := filepath.EvalSymlinks(p)
	if err != nil {
		return ""
	}
	return r
}

// mainWorktree returns the main working folder of the repository whose linked
// worktree holds dir, "" when dir is in none.
func mainWorktree(dir string) string {
	for p := dir; ; p = filepath.Dir(p) {
		b, err := os.ReadFile(filepath.Join(p, ".git"))
		if gitdir, ok := strings.CutPrefix(strings.TrimSpace(string(b)), "gitdir: "); err == nil && ok {
			if !filepath.IsAbs(gitdir) {
				gitdir = filepath.Join(p, gitdir)
			}
			if i := strings.Index(filepath.ToSlash(gitdir), "/.git/worktrees/"); i >= 0 {
				return gitdir[:i]
			}
			return ""
		}
		if p == filepath.Dir(p) {
			return ""
		}
	}
}

// mostBack bounds how far back from its end a conversation is read for its last
// prompt.
const mostBack = 300

// lastPrompt is what a person typed last in a conversation.
func lastPrompt(ctx context.Context, x *index.Index, session string) (string, error) {
	places, err := x.Conversation(ctx, session, "")
	if err != nil {
		return "", err
	}
	for _, p := range slices.Backward(places[max(0, len(places)-mostBack):]) {
		m, err := x.Message(ctx, p)
		if err != nil {
			return "", err
		}
		if m.Role == "user" && m.Kind == transcript.Text {
			return textOf(m), nil
		}
	}
	return "", nil
}

func textOf(m index.Message) string {
	var parts []string
	for _, p := range m.Parts {
		parts = append(parts, p.Text)
	}
	return strings.Join(parts, "\n")
}
