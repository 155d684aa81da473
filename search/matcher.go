package search

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"recall/index"
)

// matcher finds a question's words in a text. It belongs to one goroutine.
type matcher struct {
	terms []term
	stems map[string]string // of words that were seen
}

// newMatcher looks for the terms of all wordings; expansions count less.
func newMatcher(q *question) *matcher {
	m := &matcher{stems: map[string]string{}}
	seen := map[string]bool{}
	for _, w := range q.wordings {
		for _, t := range w.terms {
			if !seen[t.text] {
				seen[t.text] = true
				m.terms = append(m.terms, t)
			}
		}
	}
	return m
}

// span is where a term stands in a text: bytes [at, end).
type span struct {
	at, end int
	term    int
}

// manySpans bounds the places that are looked at in one text.
const manySpans = 2000

func (m *matcher) weight(s span) float64 {
	t := m.terms[s.term]
	return t.idf * t.weight
}

// find returns where the terms stand in text, which is valid UTF-8, in order.
func (m *matcher) find(text string) []span {
	f := foldedOf(text)
	var out []span
	for i, t := range m.terms {
		for _, form := range forms(t.text) {
			out = m.findForm(out, f, form, i)
		}
	}
	slices.SortStableFunc(out, func(a, b span) int { return cmp.Compare(a.at, b.at) })
	return out
}

// forms are the ways in which words that have a term's stem may begin.
func forms(stem string) []string {
	if n := len(stem) - 1; n > 1 && stem[n] == 'i' { // "retri" of retry and retries
		return []string{stem, stem[:n] + "y"}
	}
	return []string{stem}
}

func (m *matcher) findForm(out []span, f folded, form string, term int) []span {
	want := m.terms[term].text
	for at := 0; len(out) < manySpans; {
		j := strings.Index(f.low[at:], form)
		if j < 0 {
			break
		}
		at += j
		end := f.wordEnd(at, at+len(form))
		if end == at+len(form) && form == want || end > 0 && m.stem(f.low[at:end]) == want {
			out = append(out, span{f.place(at), f.place(end), term})
		}
		at += len(form)
	}
	return out
}

// stem is the index term of a word, "" when it has none of its own.
func (m *matcher) stem(word string) string {
	t, ok := m.stems[word]
	if !ok {
		if terms := index.Terms(word); len(terms) == 1 {
			t = terms[0]
		}
		m.stems[word] = t
	}
	return t
}

// folded is a text as its terms are written, and where each byte came from.
type folded struct {
	text, low string
	from      []int // offset in text of each byte of low and of its end; nil when equal
}

func foldedOf(text string) folded {
	if strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return folded{text: text, low: index.Fold(text)}
	}
	f := folded{text: text, from: make([]int, 0, len(text)+1)}
	var low strings.Builder
	for i, r := range text {
		s := index.Fold(string(r))
		low.WriteString(s)
		for range len(s) {
			f.from = append(f.from, i)
		}
	}
	f.from = append(f.from, len(text))
	f.low = low.String()
	return f
}

// place is where byte i of low came from.
func (f folded) place(i int) int {
	if f.from == nil {
		return i
	}
	return f.from[i]
}

// longestEnding is how far a word may go on behind its stem: "-fulness".
const longestEnding = 7

// wordEnd returns where the word ends, or the part of an identifier, that
// begins with low[at:end]; 0 when none begins there.
func (f folded) wordEnd(at, end int) int {
	if first, _ := utf8.DecodeRuneInString(f.low[at:]); first >= 0x2E80 { // written without spaces
		return end
	}
	if prev, _ := utf8.DecodeLastRuneInString(f.text[:f.place(at)]); !beginsAfter(prev, f.text[f.place(at):]) {
		return 0
	}
	last, _ := utf8.DecodeLastRuneInString(f.low[:end])
	next, _ := utf8.DecodeRuneInString(f.low[end:])
	if unicode.IsDigit(last) && unicode.IsDigit(next) {
		return 0
	}
	grown := end
	for grown < len(f.low) && f.low[grown] >= 'a' && f.low[grown] <= 'z' && !isUpper(f.text[f.place(grown)]) {
		grown++
	}
	if grown-end > longestEnding {
		return 0
	}
	return grown
}

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }

// beginsAfter says whether a word can begin with rest behind the character prev.
func beginsAfter(prev rune, rest string) bool {
	first, _ := utf8.DecodeRuneInString(rest)
	switch {
	case !unicode.IsLetter(prev) && !unicode.IsDigit(prev):
		return true
	case unicode.IsDigit(prev) != unicode.IsDigit(first):
		return true
	}
	return unicode.IsUpper(first) // a hump of an identifier
}
