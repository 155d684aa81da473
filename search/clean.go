package search

import (
	"html"
	"regexp"
	"strings"
	"unicode"
)

var (
	// terminal matches the commands that programs send to terminals.
	terminal = regexp.MustCompile("\x1b\\[[0-?]*[ -/]*[@-~]|\x1b[\\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\\\)?|\x1b[ -/]*[0-~]?")
	// entity matches a character written as HTML, escaped any number of times.
	entity = regexp.MustCompile(`&(?:amp;)*(?:#[0-9]{1,8}|#[xX][0-9a-fA-F]{1,7}|[a-zA-Z]{2,24});`)

	lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n", "\u0085", "\n")
)

// Clean makes text from a transcript fit to be shown: valid UTF-8, line ends
// as \n, without commands to terminals and without control characters,
// characters that show nothing and characters that turn the direction of
// writing, also where these are written as HTML entities. All else stays.
func Clean(s string) string {
	s = lineEnds.Replace(strings.ToValidUTF8(s, "\uFFFD"))
	if strings.Contains(s, "\x1b") {
		s = terminal.ReplaceAllString(s, "")
	}
	s = strings.Map(visible, s)
	for range entityPasses {
		// Taking one entity out can put the halves of another together.
		next := entity.ReplaceAllStringFunc(s, withoutHidden)
		if next == s {
			return s
		}
		s = next
	}
	return strings.ReplaceAll(s, "&", "")
}

// entityPasses is how deep entities may be nested before all of them are broken
// up: nobody writes that by accident.
const entityPasses = 8

func visible(r rune) rune {
	if hidden(r) {
		return -1
	}
	return r
}

func hidden(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < 0x20 || r >= 0x7f && r < 0xa0:
		return true
	case r < 0xad:
		return false
	}
	if unicode.Is(unicode.Prepended_Concatenation_Mark, r) { // format characters that are seen
		return false
	}
	return unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// withoutHidden returns the entity e, or nothing when it stands for hidden
// characters alone.
func withoutHidden(e string) string {
	last := e[strings.LastIndexByte(e[:len(e)-1], ';')+1:]
	for _, r := range html.UnescapeString("&" + strings.TrimPrefix(last, "&")) {
		if !hidden(r) {
			return e
		}
	}
	return ""
}
