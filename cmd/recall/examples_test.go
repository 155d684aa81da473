package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recall/cmd/recall/demo"
)

// onDemo runs a command on the sample history and returns what a terminal of 76
// columns without colours would show.
func onDemo(t *testing.T, dir string, args ...string) string {
	t.Helper()
	var b bytes.Buffer
	d := &demonstration{app: &app{getenv: os.Getenv}, dir: dir, embedder: "none"}
	a := newApp(args, strings.NewReader(""), &b, &b, d.env)
	a.now = func() time.Time { return time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC) }
	a.tty = terminal{width: 76}
	var s silent
	if err := a.execute(context.Background()); err != nil && !errors.As(err, &s) {
		t.Fatalf("%v: %v", args, err)
	}
	return strings.ReplaceAll(strings.ReplaceAll(b.String(), filepath.Join(dir, "data"), "~/.local/share/recall"), filepath.Join(dir, "claude"), "~/.claude")
}

// varying is what differs from run to run.
var varying = regexp.MustCompile(`in [0-9.]+ m?s\b|[0-9.]+ [kM]?B\b|last read [^\n]*|data  .*\n(?:    .*\n)*`)

func sample(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := demo.Extract(filepath.Join(dir, "claude")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestExamplesInHelp runs every example of the help texts. UPDATE=1 rewrites
// them.
func TestExamplesInHelp(t *testing.T) {
	dir := sample(t)
	for _, ex := range []struct {
		name string
		args []string
		tail int // show the last lines only
	}{
		{"sync", []string{"sync", "--keyword-only"}, 0},
		{"search", []string{"search", "load", "test", "serializable", "p99", "-n", "1"}, 0},
		{"show", []string{"show", "POINTER"}, 0},
		{"dropped", []string{"dropped", demo.Session[:8]}, 0},
		{"sessions", []string{"sessions", "-n", "3"}, 0},
		{"status", []string{"status"}, 0},
		{"doctor", []string{"doctor"}, 6},
	} {
		if ex.name == "show" {
			ex.args[1] = answerPointer(t, dir)
		}
		out := onDemo(t, dir, ex.args...)
		line := "$ recall " + commandLine(ex.args...)
		if ex.tail > 0 {
			lines := strings.SplitAfter(strings.TrimRight(out, "\n")+"\n", "\n")
			out = strings.Join(lines[max(0, len(lines)-1-ex.tail):], "")
			line += " | tail -" + string(rune('0'+ex.tail))
		}
		got := strings.ReplaceAll("  "+line+"\n"+indented(out), "  \n", "\n")
		compareExample(t, filepath.Join("help", "examples", ex.name+".txt"), got)
	}
}

func indented(s string) string {
	return "  " + strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n  ") + "\n"
}

func compareExample(t *testing.T, file, got string) {
	t.Helper()
	want, err := os.ReadFile(file)
	if err != nil && os.Getenv("UPDATE") == "" {
		t.Fatal(err)
	}
	same := func(s string) string { return varying.ReplaceAllString(strings.ReplaceAll(s, "\r\n", "\n"), "…") }
	d := cmp.Diff(same(string(want)), same(got))
	if d == "" {
		return
	}
	if os.Getenv("UPDATE") != "" {
		golden(t, file, got)
		return
	}
	t.Errorf("%s (-want +got; UPDATE=1 rewrites it):\n%s", file, d)
}

// answerPointer is the pointer of the message that answers the demo's question.
func answerPointer(t *testing.T, dir string) string {
	t.Helper()
	out := onDemo(t, dir, "search", demo.Question, "-n", "1")
	p := regexp.MustCompile(`recall:\S+#\S+`).FindString(out)
	if p == "" {
		t.Fatalf("no pointer in:\n%s", out)
	}
	return p
}

// TestDemo: the answer is found, dropped, and nothing stays behind.
func TestDemo(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	t.Setenv("TMP", tmp)
	var out, errs bytes.Buffer
	getenv := func(k string) string {
		if k == "HOME" {
			return tmp
		}
		return ""
	}
	if err := run(context.Background(), []string{"demo"}, strings.NewReader(""), &out, &errs, getenv); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	for _, want := range []string{
		"$ recall sync --keyword-only\nread ", "$ recall search 'Which p99", demo.Answer, "dropped at compaction 1",
		"$ recall dropped '", "compaction 2  ", "$ recall show '", "| head -12", "claude mcp add",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in the demo's output:\n%s", want, text)
		}
	}
	if errs.Len() > 0 {
		t.Errorf("standard error: %s", errs.String())
	}
	if left, _ := os.ReadDir(tmp); len(left) > 0 {
		t.Errorf("the demo left %v behind", left)
	}
	compareReadme(t, text)
}

// compareReadme checks that the session in README.md stands in the real one,
// line for line.
func compareReadme(t *testing.T, text string) {
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, block, ok := strings.Cut(strings.ReplaceAll(string(readme), "\r\n", "\n"), "<!-- recall demo -->\n```\n")
	if !ok {
		t.Fatal("README.md has no block after <!-- recall demo -->")
	}
	block, _, _ = strings.Cut(block, "```\n")
	same := func(s string) string { return varying.ReplaceAllString(s, "…") }
	if block == "" || !strings.Contains(same(text), same(block)) {
		t.Errorf("README.md does not show a part of recall demo (-readme +demo):\n%s", cmp.Diff(same(block), same(text)))
	}
}

func TestHead(t *testing.T) {
	var b strings.Builder
	h := &head{w: &b, left: 2}
	for _, s := range []string{"o", "ne\ntw", "o\nthree\n", "four"} {
		io.WriteString(h, s)
	}
	if got, want := b.String(), "one\ntwo\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
