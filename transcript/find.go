package transcript

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// File is a transcript on disk.
type File struct {
	Path    string
	Session string // id of the session, also for a sub-agent's file
	Agent   string // id of the sub-agent, "" for the main conversation
	Size    int64
	ModTime time.Time
}

// Find lists the transcripts below dir, a folder like ~/.claude/projects,
// newest first:
//
//	<project>/<session>.jsonl
//	<project>/<session>/subagents/agent-<id>.jsonl
//	<project>/agent-<id>.jsonl    (2.0.76; the session is in the records)
//
// Only regular files count; symbolic links are not followed, dir itself may be
// one. Files are not opened, except for those of the last form, whose session
// is asked of known first (nil, or "" for a path it does not know).
//
// A folder that cannot be read is reported and the rest listed. When ctx ends,
// its error is the last one reported and the list is not complete.
func Find(ctx context.Context, dir string, known func(path string) (session string)) ([]File, []error) {
	f := finder{known: known}
	projects, err := os.ReadDir(dir)
	if err != nil {
		f.problems = append(f.problems, err)
	}
	for _, p := range projects {
		if err := ctx.Err(); err != nil {
			f.problems = append(f.problems, err)
			break
		}
		if p.IsDir() {
			f.project(filepath.Join(dir, p.Name()))
		}
	}
	slices.SortFunc(f.files, func(a, b File) int {
		return cmp.Or(b.ModTime.Compare(a.ModTime), strings.Compare(a.Path, b.Path))
	})
	return f.files, f.problems
}

type finder struct {
	known    func(string) string
	files    []File
	problems []error
}

// report notes an error, unless what it is about has just vanished.
func (f *finder) report(err error) {
	if !errors.Is(err, fs.ErrNotExist) {
		f.problems = append(f.problems, err)
	}
}

func (f *finder) project(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		f.report(err)
		return
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		name, isTranscript := strings.CutSuffix(e.Name(), ".jsonl")
		switch {
		case e.IsDir() && e.Name() != "memory":
			f.agents(filepath.Join(path, "subagents"), e.Name())
		case !isTranscript || name == "" || !e.Type().IsRegular():
		case isAgentName(name):
			if session := f.owner(path); session != "" {
				f.add(e, File{Path: path, Session: session, Agent: name[len("agent-"):]})
			}
		default:
			f.add(e, File{Path: path, Session: name})
		}
	}
}

func (f *finder) agents(dir, session string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		if !isNotDir(dir) {
			f.report(err)
		}
		return
	}
	for _, e := range entries {
		name, isTranscript := strings.CutSuffix(e.Name(), ".jsonl")
		if isTranscript && isAgentName(name) && e.Type().IsRegular() {
			f.add(e, File{Path: filepath.Join(dir, e.Name()), Session: session, Agent: name[len("agent-"):]})
		}
	}
}

func isNotDir(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && !info.IsDir()
}

func (f *finder) add(e fs.DirEntry, file File) {
	info, err := e.Info()
	if err != nil {
		f.report(err)
		return
	}
	file.Size, file.ModTime = info.Size(), info.ModTime()
	f.files = append(f.files, file)
}

func isAgentName(name string) bool {
	return strings.HasPrefix(name, "agent-") && len(name) > len("agent-")
}

// owner returns the session that a sub-agent's file in the project folder
// belongs to. A file without one is taken for a session of its own.
func (f *finder) owner(path string) string {
	if f.known != nil {
		if s := f.known(path); s != "" {
			return s
		}
	}
	session, err := firstSession(path)
	if err != nil {
		f.report(fmt.Errorf("session of sub-agent: %w", err))
	}
	return session
}

// firstSession returns the session that the first records of a file name.
func firstSession(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	r := NewReader(io.LimitReader(file, 1<<20), State{})
	for range 10 {
		rec, err := r.Next()
		if err != nil {
			break
		}
		if rec.Session != "" {
			return rec.Session, nil
		}
	}
	return "", nil
}
