// Package demo carries the sample history that recall shows its work on.
//
// The history is eleven sessions of three made-up projects, written by a real
// Claude Code client (2.1.332) that talked to a scripted model: a berth-booking
// service (harbor), its web page (quayside-ui) and its servers (moorings). The
// longest session, [Session], was compacted twice; what those summaries left
// out is what recall is asked for. README.md tells how it was made.
//
// Start with [Extract]: it writes the files where a client would have left
// them, so that the folder serves as CLAUDE_CONFIG_DIR. The constants name one
// question with its answer, for a run that wants to end with a result. The
// package reads nothing and writes nowhere but below the folder it is given.
package demo

import (
	"embed"
	"io/fs"
	"os"
	"path/filepath"
)

// Facts of the history, kept true by the package's test.
const (
	// Session is the id of the session with two compactions.
	Session = "65f0e139-1749-4967-a22a-1b6f27131a9a"
	// Project is the working directory that its records name.
	Project = "/home/dev/src/harbor"
	// Question asks for a detail that was said before the first compaction.
	// No summary holds it: they only say that the latency was measured.
	Question = "Which p99 latency did the load test with serializable transactions show?"
	// Answer is the text that answers Question, as printed at the time.
	Answer = "p99 884 ms"
	// Pointer is the sentence with which the summaries point at the transcript.
	Pointer = "If you need specific details from before compaction " +
		"(like exact code snippets, error messages, or content you generated), " +
		"read the full transcript at: " +
		"/home/dev/.claude/" + Transcript
	// Transcript is the session's file, below the folder that Extract is given.
	Transcript = "projects/-home-dev-src-harbor/" + Session + ".jsonl"
)

//go:embed all:history
var history embed.FS

// Extract writes the history below dir, as dir/projects/<folder>/<session>.jsonl
// and sub-agents beside it. It makes the folders it needs (mode 0700), writes
// the files with mode 0600 and replaces what an earlier call left there. After
// an error part of the files may be written.
func Extract(dir string) error {
	return fs.WalkDir(history, "history", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel("history", filepath.FromSlash(name))
		if err != nil {
			return err
		}
		to := filepath.Join(dir, rel)
		if d.IsDir() {
			return os.MkdirAll(to, 0o700)
		}
		data, err := history.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(to, data, 0o600)
	})
}
