package mcpserver

import (
	"fmt"
	"path"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"recall/search"
	"recall/transcript"
)

// maxChars bounds every answer. Clients cut or refuse answers that are much
// longer; 20,000 is the promise, the rest is for what the client adds.
const maxChars = 19500

// clip cuts s to n characters.
func clip(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}

// fence puts text between two lines that no line of it can imitate: they have
// more backticks than any run within.
func fence(b *strings.Builder, text string) {
	longest, run := 2, 0
	for i := 0; i < len(text); i++ {
		if text[i] != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	bar := strings.Repeat("`", longest+1)
	fmt.Fprintf(b, "%squote\n%s\n%s\n", bar, strings.TrimRight(text, "\n"), bar)
}

func stamp(t time.Time) string {
	if t.IsZero() {
		return "time unknown"
	}
	return t.UTC().Format("2006-01-02 15:04Z")
}

// ProjectName shortens a project folder, of either platform, to its last
// element; a worktree within a project is "project (worktree)".
func ProjectName(folder string) string {
	if folder == "" {
		return "no project"
	}
	folder = path.Clean(strings.ReplaceAll(folder, `\`, "/"))
	dir, base := path.Dir(folder)+"/", path.Base(folder)
	for _, in := range []string{"/.worktrees/", "/.claude/worktrees/"} {
		if main, ok := strings.CutSuffix(dir, in); ok && main != "" {
			base = path.Base(main) + " (" + base + ")"
		}
	}
	return oneLine(base, 40)
}

// oneLine makes a label of text that others wrote.
func oneLine(s string, n int) string {
	return clip(strings.Join(strings.Fields(search.Clean(s)), " "), n)
}

// who names the speaker or, where nobody spoke, what it is.
func who(role string, kind transcript.Kind, tool string) string {
	switch {
	case kind == transcript.Text || kind == "":
		return role
	case tool != "":
		return string(kind) + " of " + oneLine(tool, 40)
	}
	return string(kind)
}

// Count writes a number with a comma every three digits.
func Count(n int) string {
	s := strconv.Itoa(n)
	if n < 0 {
		return s
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Counted is a number of things: "1 file", "2,041 files".
func Counted(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	many := one + "s"
	if stem, ok := strings.CutSuffix(one, "y"); ok && !strings.ContainsAny(stem[len(stem)-1:], "aeou") {
		many = stem + "ies"
	}
	return Count(n) + " " + many
}

// notes lists what a reader should know, a sentence each.
func notes(list []string) string {
	var b strings.Builder
	for _, n := range list {
		b.WriteString(" " + strings.TrimRight(oneLine(n, 200), ".") + ".")
	}
	return b.String()
}
