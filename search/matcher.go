package search

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"recall/index"
)

// matcher finds a question's words in a text.
type matcher struct {
	terms []term
	stems map[string]string // of words that were seen
}

// forms are the ways in which words that have a term's stem may begin.
func forms(stem string) []string {
	if n := len(stem) - 1; n > 1 && stem[n] == 'i' { // "retri" of retry and retries
		return []string{stem, stem[:n] + "y"}
	}
	return []string{stem}
}

// span is where a term stands in a text: bytes [at, end).
type span struct {
	at, end int
	term    int
}

// manySpans bounds the places that are looked at in one text.
const manySpans = 2000

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

func (m *matcher) weight(s span) float64 {
	t := m.terms[s.term]
	return t.idf * t.weight
}

// find returns where the terms stand in text, which is valid UTF-8, in order.
func (m *matcher) find(text string) []span {
	low := lower(text)
	var out []span
	for i, t := range m.terms {
		for _, form := range forms(t.text) {
			out = m.findForm(out, text, low, form, i)
		}
	}
	slices.SortStableFunc(out, func(a, b span) int { return cmp.Compare(a.at, b.at) })
	return out
}

func (m *matcher) findForm(out []span, text, low, form string, term int) []span {
	for at := 0; len(out) < manySpans; {
		j := strings.Index(low[at:], form)
		if j < 0 {
			break
		}
		s := span{at + j, at + j + len(form), term}
		if end := wordEnd(text, low, s); end == s.end && form == m.terms[term].text || end > 0 && m.stem(low[s.at:end]) == m.terms[term].text {
			s.end = end
			out = append(out, s)
		}
		at += j + len(form)
	}
	return out
}

// lower returns text in lower case with every character where it was.
func lower(text string) string {
	return strings.Map(func(r rune) rune {
		if l := unicode.ToLower(r); utf8.RuneLen(l) == utf8.RuneLen(r) {
			return l
		}
		return r
	}, text)
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

// longestEnding is how far a word may go on behind its stem: "-fulness".
const longestEnding = 7

// wordEnd returns where the word ends that begins with what was found at s, or
// the part of an identifier; 0 when none begins there.
func wordEnd(text, low string, s span) int {
	first, _ := utf8.DecodeRuneInString(low[s.at:])
	if first >= 0x2E80 { // written without spaces
		return s.end
	}
	if prev, _ := utf8.DecodeLastRuneInString(text[:s.at]); !beginsAfter(prev, text[s.at:]) {
		return 0
	}
	last, _ := utf8.DecodeLastRuneInString(low[:s.end])
	next, _ := utf8.DecodeRuneInString(text[s.end:])
	if unicode.IsDigit(last) && unicode.IsDigit(next) {
		return 0
	}
	end := s.end
	for end < len(low) && low[end] >= 'a' && low[end] <= 'z' && text[end] == low[end] {
		end++
	}
	if end-s.end > longestEnding {
		return 0
	}
	return end
}

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
