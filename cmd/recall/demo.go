package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"recall/cmd/recall/demo"
)

// headLines is how much the demo shows of a long answer.
const headLines = 12

func demoCommand(a *app) *cobra.Command {
	var dir string
	var vectors bool
	cmd := &cobra.Command{
		Use:  "demo",
		Args: noArguments("recall demo"),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.demo(cmd.Context(), dir, vectors) },
	}
	cmd.Flags().StringVar(&dir, "dir", "", "work in `DIR` and keep it, instead of a folder that is removed")
	cmd.Flags().BoolVar(&vectors, "vectors", false, "compute vectors too; takes some seconds more")
	return cmd
}

func (a *app) demo(ctx context.Context, dir string, vectors bool) (err error) {
	if dir == "" {
		if dir, err = os.MkdirTemp("", "recall-demo-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	} else if dir, err = demoDir(dir); err != nil {
		return err
	}
	if err := demo.Extract(filepath.Join(dir, "claude")); err != nil {
		return err
	}
	d := &demonstration{app: a, dir: dir, embedder: "none"}
	sync := []string{"sync", "--keyword-only"}
	if vectors {
		d.embedder, sync = a.conf.get("embedder"), sync[:1]
	}
	fmt.Fprintf(a.out, "A sample history of three made-up projects. The session %.8s was compacted twice.\n", demo.Session)
	d.run(ctx, 0, sync...)
	d.say("What its summaries left out is still found:")
	d.run(ctx, 0, "search", demo.Question, "-n", "1")
	d.say("What each compaction dropped, asked by the sentence in the summary:")
	d.run(ctx, 0, "dropped", demo.Pointer)
	d.say("The same sentence leads to the messages themselves:")
	d.run(ctx, headLines, "show", demo.Pointer)
	if d.err != nil {
		return d.err
	}
	a.farewell()
	return nil
}

// demoDir makes dir absolute and sees that nothing of the user's is in it.
func demoDir(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	_, err = os.Stat(filepath.Join(dir, "claude", demo.Transcript))
	for _, e := range entries {
		if err != nil || e.Name() != "claude" && e.Name() != "data" {
			return "", hintf("not_empty", "recall demo", "%s holds %s: name a new folder, or one of an earlier demo", dir, e.Name())
		}
	}
	return dir, nil
}

func (a *app) farewell() {
	fmt.Fprint(a.out, `
On your own history (it is only read, and nothing leaves this computer):
  recall sync                                  read it, once; then it is kept up by itself
  recall search 'what you remember of it'      find it again
  claude mcp add -s user recall -- recall mcp  let the model look for itself
`)
}

// demonstration runs commands on the sample history, as a user would.
type demonstration struct {
	*app
	dir      string
	embedder string
	err      error
}

func (d *demonstration) say(text string) {
	if d.err == nil {
		fmt.Fprintf(d.out, "\n%s\n", text)
	}
}

// run prints a command and then its output, at most lines of it (0: all).
func (d *demonstration) run(ctx context.Context, lines int, args ...string) {
	if d.err != nil {
		return
	}
	typed := "recall " + commandLine(args...)
	if lines > 0 {
		typed += fmt.Sprintf(" | head -%d", lines)
	}
	fmt.Fprintln(d.out, d.tty.bold("$ "+typed))
	out := io.Writer(d.out)
	if lines > 0 {
		out = &head{w: d.out, left: lines}
	}
	sub := newApp(args, strings.NewReader(""), out, d.out, d.env)
	sub.now, sub.tty, sub.errTTY = d.now, d.tty, d.tty
	d.err = sub.execute(ctx)
}

// env shows the sample history to a command, and nothing of the user's own.
func (d *demonstration) env(name string) string {
	switch name {
	case "CLAUDE_CONFIG_DIR":
		return filepath.Join(d.dir, "claude")
	case "HOME", "USERPROFILE":
		return d.dir
	case "RECALL_HOME":
		return filepath.Join(d.dir, "data")
	case "RECALL_EMBEDDER":
		return d.embedder
	case "RECALL_THREADS", "RECALL_KERNEL", "RECALL_OLLAMA_URL":
		return d.getenv(name)
	}
	if strings.HasPrefix(name, "RECALL_") || strings.HasPrefix(name, "CLAUDE_") || strings.HasPrefix(name, "XDG_") {
		return ""
	}
	return d.getenv(name)
}

// head passes on the first lines of what is written.
type head struct {
	w    io.Writer
	left int
}

func (h *head) Write(p []byte) (int, error) {
	rest := p
	for h.left > 0 && len(rest) > 0 {
		line := rest
		if i := bytes.IndexByte(rest, '\n'); i >= 0 {
			line = rest[:i+1]
			h.left--
		}
		if _, err := h.w.Write(line); err != nil {
			return 0, err
		}
		rest = rest[len(line):]
	}
	return len(p), nil
}
