package anchors

import (
	"regexp"
	"slices"
	"strings"

	"recall/transcript"
)

var (
	// recallText and idText find candidates in free text; parseExact decides.
	recallText = regexp.MustCompile(`(?i)\brecall:(?://)?[a-z0-9_%.-]+(?:/[a-z0-9_%.-]+)*(?:#[a-z0-9_%.-]+|:\d{1,9}(?:-\d{0,9})?)?`)
	idText     = regexp.MustCompile(`\btoolu_[A-Za-z0-9_]{4,}|\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b(?:#[A-Za-z0-9_%.-]+)?`)
	linesText  = regexp.MustCompile(`^(?::|#L)\d{1,9}(?:-L?\d{0,9})?`)
)

// found is a pointer at s[start:end] of a text.
type found struct {
	start, end int
	Pointer
}

// InText returns the pointers that stand in free text, in their order, each
// once: all forms but beginnings of ids that stand alone, which could be any
// word or number.
func InText(s string) []Pointer {
	all := slices.Concat(recallsIn(s), pathsIn(s), idsIn(s))
	slices.SortStableFunc(all, func(a, b found) int { return a.start - b.start })
	var out []Pointer
	seen := map[Pointer]bool{}
	end := 0
	for _, f := range all {
		if f.start < end {
			continue // inside the one before
		}
		end = f.end
		if !seen[f.Pointer] {
			seen[f.Pointer] = true
			out = append(out, f.Pointer)
		}
	}
	return out
}

func recallsIn(s string) (out []found) {
	for _, m := range recallText.FindAllStringIndex(s, -1) {
		text := strings.TrimRight(s[m[0]:m[1]], ".")
		p, ok := parseRecall(text)
		if ok && (p.Agent != "" || p.Message != "" || p.Dropped > 0 || p.FromLine > 0 || isBareID(p.Session)) {
			out = append(out, found{m[0], m[0] + len(text), p})
		}
	}
	return out
}

func idsIn(s string) (out []found) {
	for _, m := range idText.FindAllStringIndex(s, -1) {
		text := strings.TrimRight(s[m[0]:m[1]], ".")
		if p, ok := parseExact(text); ok {
			out = append(out, found{m[0], m[0] + len(text), p})
		}
	}
	return out
}

// pathsIn finds the paths of transcripts. Their folders may have blanks in
// their names, so the end is found first.
func pathsIn(s string) (out []found) {
	from := 0 // where the path may begin
	for at := 0; ; {
		n := strings.Index(s[at:], extension)
		if n < 0 {
			return out
		}
		at += n + len(extension)
		if goesOn(s[at:]) {
			continue
		}
		from += strings.LastIndexAny(s[from:at], "\r\n") + 1
		start := from + pathStart(s[from:at])
		end := at + len(linesText.FindString(s[at:]))
		if p, ok := parsePath(s[start:end]); ok {
			out = append(out, found{start, end, p})
		}
		at, from = end, end
	}
}

// goesOn tells whether the path does not end at the extension before s.
func goesOn(s string) bool {
	if s == "" {
		return false
	}
	return isNameByte(s[0]) || s[0] == '/' || s[0] == '\\' || s[0] == '.' && len(s) > 1 && isNameByte(s[1])
}

func isNameByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= 0x80
}

const sentence = "transcript at: "

func holdsSentence(s string) bool { return strings.Contains(s, sentence) }

var (
	absolute = regexp.MustCompile("(?:^|[\\s\"'`(\\[<=:,])(/|~/|\\.{1,2}/|[A-Za-z]:[\\\\/]|\\\\\\\\)")
	lastWord = regexp.MustCompile("[^\\s\"'`(\\[<=:,;|]*$")
)

// pathStart tells where the path that ends line begins: after a summary's
// words, else at the last absolute or dotted beginning, else at the last word.
func pathStart(line string) int {
	start := lastWord.FindStringIndex(line)[0]
	if i := strings.LastIndex(line, sentence); i >= 0 {
		start = i + len(sentence)
	} else if all := absolute.FindAllStringSubmatchIndex(line, -1); len(all) > 0 {
		start = all[len(all)-1][2]
	}
	if strings.HasSuffix(line[:start], "file:") && strings.HasPrefix(line[start:], "//") {
		start += 2
	}
	return start + len(line[start:]) - len(strings.TrimLeft(line[start:], " \t"))
}

// summaryPath returns the transcript that a summary's text points at.
func summaryPath(s string) (Pointer, bool) {
	path, ok := transcript.SummaryPointer(s)
	if !ok {
		return Pointer{}, false
	}
	return parsePath(strings.TrimSpace(path))
}
