package main

import (
	"io"
	"os"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/term"
)

// terminal says what a stream can show. The zero terminal is a file or pipe:
// plain lines of any length.
type terminal struct {
	is     bool
	colour bool
	width  int // 0: no bound
}

func terminalOf(w io.Writer, getenv func(string) string) terminal {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return terminal{}
	}
	t := terminal{is: true, colour: getenv("NO_COLOR") == "" && getenv("TERM") != "dumb", width: 80}
	if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
		t.width = w
	}
	if n, err := strconv.Atoi(getenv("COLUMNS")); err == nil && n > 0 {
		t.width = n
	}
	return t
}

func (t terminal) style(code, s string) string {
	if !t.colour || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

func (t terminal) bold(s string) string { return t.style("1", s) }
func (t terminal) dim(s string) string  { return t.style("2", s) }

// fields lays fields out in a line, two spaces apart, and goes on in the next
// one, indented, where the terminal is too narrow.
func (t terminal) fields(indent string, fields []string) string {
	var b strings.Builder
	col := 0
	for _, f := range fields {
		w := columns(f)
		switch {
		case col == 0:
		case t.width > 0 && col+2+w > t.width:
			b.WriteString("\n" + indent)
			col = len(indent)
		default:
			b.WriteString("  ")
			col += 2
		}
		b.WriteString(f)
		col += w
	}
	return b.String()
}

// block indents text and breaks its lines at the terminal's width, at spaces
// where there are some.
func (t terminal) block(indent, text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\n")
		room := 1 << 30
		if t.width > 0 {
			room = max(20, t.width-len(indent))
		}
		for {
			head, tail := breakLine(line, room)
			b.WriteString(strings.TrimRight(indent+head, " ") + "\n")
			if tail == "" {
				break
			}
			line = tail
		}
	}
	return b.String()
}

// breakLine cuts a line that is wider than room.
func breakLine(line string, room int) (head, tail string) {
	col, space := 0, -1
	for i, r := range line {
		if r == ' ' {
			space = i
		}
		if col += runeColumns(r); col <= room {
			continue
		}
		if space > 0 && strings.TrimSpace(line[:space]) != "" {
			return line[:space], strings.TrimLeft(line[space:], " ")
		}
		if i == 0 {
			return line, ""
		}
		return line[:i], line[i:]
	}
	return line, ""
}

// columns is the width of s on a terminal, without its styles.
func columns(s string) int {
	n, style := 0, false
	for _, r := range s {
		switch {
		case r == '\x1b':
			style = true
		case style:
			style = r != 'm'
		default:
			n += runeColumns(r)
		}
	}
	return n
}

func runeColumns(r rune) int {
	switch {
	case r == '\t':
		return 4
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case r >= 0x1100 && r <= 0x115f, r >= 0x2e80 && r <= 0xa4cf, r >= 0xac00 && r <= 0xd7a3,
		r >= 0xf900 && r <= 0xfaff, r >= 0xfe30 && r <= 0xfe6f, r >= 0xff00 && r <= 0xff60, r >= 0x1f300 && r <= 0x1faff,
		r >= 0x20000 && r <= 0x3fffd:
		return 2
	}
	return 1
}

// emphasise makes the words bold that match, where the terminal can show it.
func (t terminal) emphasise(text string, match func(word string) bool) string {
	if !t.colour {
		return text
	}
	var b strings.Builder
	for text != "" {
		i := strings.IndexFunc(text, isWord)
		if i < 0 {
			break
		}
		b.WriteString(text[:i])
		text = text[i:]
		end := strings.IndexFunc(text, func(r rune) bool { return !isWord(r) })
		if end < 0 {
			end = len(text)
		}
		word := text[:end]
		if match(word) {
			word = t.bold(word)
		}
		b.WriteString(word)
		text = text[end:]
	}
	return b.String() + text
}

func isWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || unicode.Is(unicode.Mn, r)
}
