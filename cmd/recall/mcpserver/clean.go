package mcpserver

import (
	"html"
	"regexp"
	"strings"
	"unicode"
)

var (
	// terminal matches the commands that programs send to terminals.
	terminal = regexp.MustCompile("\x1b\\[[0-?]*[ -/]*[@-~]|\x1b[\\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\\\)?|\x1b[ -/]*[0-~]?")
	// entity matches a character written for HTML, escaped any number of times.
	entity = regexp.MustCompile(`&(?:amp;)*(#[0-9]{1,8}|#[xX][0-9a-fA-F]{1,7}|[a-zA-Z]{2,24});`)
)

// hidden holds characters that show nothing but can carry text or turn it around:
// format characters but for the Arabic ones that are seen, variation selectors,
// fillers.
var hidden = []*unicode.RangeTable{
	{R16: []unicode.Range16{
		{Lo: 0x034f, Hi: 0x034f, Stride: 1}, {Lo: 0x115f, Hi: 0x1160, Stride: 1}, {Lo: 0x17b4, Hi: 0x17b5, Stride: 1},
		{Lo: 0x180b, Hi: 0x180f, Stride: 1}, {Lo: 0x3164, Hi: 0x3164, Stride: 1}, {Lo: 0xfe00, Hi: 0xfe0f, Stride: 1},
		{Lo: 0xffa0, Hi: 0xffa0, Stride: 1},
	}, R32: []unicode.Range32{
		{Lo: 0xe0000, Hi: 0xe0fff, Stride: 1},
	}},
	unicode.Cf,
}

func isHidden(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < 0x20 || r >= 0x7f && r < 0xa0:
		return true
	case r < 0xad, r >= 0x600 && r <= 0x605, r == 0x6dd, r == 0x8e2, r == 0x110bd, r == 0x110cd:
		return false
	}
	return unicode.In(r, hidden...)
}

// Clean makes text from a transcript fit to be shown: terminal commands and
// characters that are invisible or change the direction of writing are taken
// out, also where they are written as HTML entities; line ends become \n. All
// else stays as it was.
func Clean(s string) string {
	s = newlines.Replace(strings.ToValidUTF8(s, "\uFFFD"))
	s = strings.Map(visible, terminal.ReplaceAllString(s, ""))
	for strings.Contains(s, "&") {
		// Taking one out can put the halves of another together.
		next := entity.ReplaceAllStringFunc(s, withoutHidden)
		if next == s {
			break
		}
		s = next
	}
	return s
}

var newlines = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n", "\u0085", "\n")

func visible(r rune) rune {
	if isHidden(r) {
		return -1
	}
	return r
}

func withoutHidden(e string) string {
	name := strings.TrimPrefix(e[strings.LastIndexByte(e[:len(e)-1], ';')+1:], "&")
	for _, r := range html.UnescapeString("&" + name) {
		if !isHidden(r) {
			return e
		}
	}
	return ""
}
