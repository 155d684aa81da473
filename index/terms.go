package index

import (
	"strings"
	"unicode"
	"unicode/utf8"

	porter "github.com/blevesearch/go-porterstemmer"
	"golang.org/x/text/unicode/norm"
)

// Terms returns the index tokens of text in order of appearance. Prose words
// are lower-cased and stemmed (Porter), stop words dropped. Identifiers, paths,
// versions and addresses give their parts and, besides, their wholes:
// "src/auth/token.go:142" gives src, auth, token, go, 142, token.go,
// src/auth/token.go and src/auth/token.go:142; "getUserById" gives get, user,
// id and getuserbyid. CJK text gives pairs of characters.
func Terms(text string) []string {
	var out []string
	newTokenizer().run(text, func(t []byte) { out = append(out, string(t)) })
	return out
}

// Word is a token of a question with the word it came from.
type Word struct {
	Raw  string // lower-cased, as typed
	Term string // as indexed
}

// QueryWords is Terms for a question, each term once, with the words as typed.
// When every word is a stop word they are kept all the same.
func QueryWords(text string) []Word {
	t := newTokenizer()
	words := t.words(text)
	if len(words) == 0 {
		t.keepStops = true
		words = t.words(text)
	}
	return words
}

func (t *tokenizer) words(text string) []Word {
	var out []Word
	seen := map[string]bool{}
	t.run(text, func(tok []byte) {
		if s := string(tok); !seen[s] {
			seen[s] = true
			out = append(out, Word{Raw: string(t.raw), Term: s})
		}
	})
	return out
}

const (
	maxPart  = 40  // a longer part without separators is data, not a word
	maxWhole = 160 // bytes of an identifier or path kept whole
	maxStems = 1 << 16
)

// tokenizer holds the stem cache and scratch space of one goroutine.
type tokenizer struct {
	stems     map[string][]byte // lower-cased word -> stem, nil for a stop word
	keepStops bool
	low       []byte // lower-cased bytes of the word at hand
	raw       []byte // the lower-cased form of the token being emitted
	emit      func([]byte)
	runes     []rune
}

func newTokenizer() *tokenizer { return &tokenizer{stems: make(map[string][]byte, 1<<10)} }

// run calls emit for each token; the bytes are valid during the call.
func (t *tokenizer) run(text string, emit func([]byte)) {
	t.emit = emit
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			if !wordByte[c] {
				i++
				continue
			}
			i = t.compound(text, i)
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case isCJK(r):
			i = t.cjk(text, i)
		case isWord(r):
			i = t.compound(text, i)
		default:
			i += n
		}
	}
}

// compound reads words joined by single joiners, emits each word's parts, the
// whole, the file name in a path and the path without its line number.
func (t *tokenizer) compound(s string, start int) int {
	i, words := start, 0
	base, cut := start, 0 // start of the file name; end before a final ":…"
	dotted := false       // the file name has an extension
	for {
		end := wordEnd(s, i)
		t.word(s[i:end])
		words++
		i = end
		if i+1 >= len(s) || !joiner[s[i]] || !startsWord(s[i+1:]) {
			break
		}
		switch s[i] {
		case '/', '\\':
			base, dotted = i+1, false
		case '.':
			dotted = true
		case ':':
			cut = i
		}
		i++
	}
	if end := suffixed(s, i, words); end > i {
		t.whole(s[start:end])
		return end
	}
	if words > 1 {
		t.wholes(s, start, base, cut, i, dotted)
	}
	return i
}

func (t *tokenizer) wholes(s string, start, base, cut, end int, dotted bool) {
	t.whole(s[start:end])
	if cut > base {
		t.whole(s[start:cut])
		if base > start {
			t.whole(s[base:cut])
		}
	} else if base > start && dotted {
		t.whole(s[base:end])
	}
}

// suffixed returns the end of names such as C++, C# and F#.
func suffixed(s string, i, words int) int {
	if words != 1 || i >= len(s) {
		return i
	}
	if strings.HasPrefix(s[i:], "++") {
		return i + 2
	}
	if s[i] == '#' && (i+1 == len(s) || !startsWord(s[i+1:])) {
		return i + 1
	}
	return i
}

// word emits the parts of one run of letters, digits and underscores, and the
// run itself when it has several parts.
func (t *tokenizer) word(w string) {
	if len(w) > maxWhole {
		return
	}
	var cuts [12]int
	n := split(w, cuts[:])
	if n < 0 { // an opaque run such as a hash
		t.whole(w)
		return
	}
	prev := 0
	for _, c := range cuts[:n] {
		t.part(w[prev:c])
		prev = c
	}
	t.part(w[prev:])
	if n > 0 {
		t.whole(w)
	}
}

func (t *tokenizer) part(p string) {
	p = strings.Trim(p, "_")
	if p == "" || len(p) > maxPart {
		return
	}
	t.lower(p)
	t.raw = t.low
	if len(t.low) == 0 { // a lone accent
		return
	}
	if c := t.low[0]; c < 'a' || c > 'z' { // digits and foreign letters have no stem
		t.emit(t.low)
		return
	}
	stem, ok := t.stems[string(t.low)]
	if !ok {
		stem = t.stem(string(t.low))
	}
	if stem == nil {
		if t.keepStops {
			t.emit(t.low)
		}
		return
	}
	t.emit(stem)
}

func (t *tokenizer) whole(w string) {
	if len(w) > maxWhole {
		return
	}
	t.lower(w)
	t.raw = t.low
	if len(t.low) > 0 {
		t.emit(t.low)
	}
}

// lower sets t.low to the lower-cased bytes of s.
func (t *tokenizer) lower(s string) {
	t.low = t.low[:0]
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= utf8.RuneSelf {
			t.low = append(t.low[:0], Fold(s)...)
			return
		}
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		t.low = append(t.low, c)
	}
}

// Fold lower-cases s and takes the accents off Latin letters, as Terms does: café
// is found by cafe, Straße by strasse. Whoever looks for a term in a text looks
// for it in Fold of the text.
func Fold(s string) string {
	s = strings.ToLower(s)
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == 'ß':
			b.WriteString("ss")
		case unicode.Is(unicode.Mn, r):
		case r >= utf8.RuneSelf && unicode.Is(unicode.Latin, r):
			d, _ := utf8.DecodeRuneInString(norm.NFD.String(string(r)))
			b.WriteRune(d)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func (t *tokenizer) stem(w string) []byte {
	var s []byte
	if !stops[w] {
		s = []byte(w)
		if len(w) > 2 && ascii(w) {
			t.runes = append(t.runes[:0], []rune(w)...)
			s = []byte(string(porter.StemWithoutLowerCasing(t.runes)))
		}
	}
	if len(t.stems) < maxStems {
		t.stems[w] = s
	}
	return s
}

// cjk emits the overlapping pairs of a run of CJK characters.
func (t *tokenizer) cjk(s string, i int) int {
	prev := -1
	for i < len(s) {
		r, n := utf8.DecodeRuneInString(s[i:])
		if !isCJK(r) {
			break
		}
		if prev >= 0 {
			t.whole(s[prev : i+n])
		} else if next, _ := utf8.DecodeRuneInString(s[i+n:]); !isCJK(next) {
			t.whole(s[i : i+n])
		}
		prev = i
		i += n
	}
	return i
}

// split finds where the parts of an identifier begin: after underscores, at
// camel humps, between letters and digits. It returns the number of cuts, or -1
// for a run that changes between letters and digits more than twice.
func split(w string, cuts []int) int {
	n, switches := 0, 0
	for i := 1; i < len(w); i++ {
		a, b := w[i-1], w[i]
		cut := false
		switch {
		case a == '_' || b == '_':
			cut = b != '_' // one cut, behind the underscores
		case digit(a) != digit(b):
			switches++
			cut = true
		case upper(b) && lowerCase(a):
			cut = true
		case upper(a) && upper(b) && i+1 < len(w) && lowerCase(w[i+1]):
			cut = true
		}
		if cut {
			if n == len(cuts) {
				return -1
			}
			cuts[n] = i
			n++
		}
	}
	if switches > 2 {
		return -1
	}
	return n
}

func wordEnd(s string, i int) int {
	for i < len(s) {
		c := s[i]
		if c < utf8.RuneSelf {
			if !wordByte[c] {
				return i
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if !isWord(r) || isCJK(r) {
			return i
		}
		i += n
	}
	return i
}

func startsWord(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return isWord(r) && !isCJK(r)
}

func isWord(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r)
}

func isCJK(r rune) bool {
	return r >= 0x2E80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}

func digit(c byte) bool     { return '0' <= c && c <= '9' }
func upper(c byte) bool     { return 'A' <= c && c <= 'Z' }
func lowerCase(c byte) bool { return 'a' <= c && c <= 'z' }

func ascii(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

var wordByte, joiner = func() (w, j [256]bool) {
	for c := range 256 {
		b := byte(c)
		w[c] = b == '_' || digit(b) || upper(b) || lowerCase(b)
	}
	for _, c := range `/.:-@\` {
		j[c] = true
	}
	return w, j
}()

// stops are words too common to tell passages apart, and the shards that
// apostrophes leave.
var stops = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`a about after again all also am an and any are as at be because been
before being between both but by can could d did didn do does doesn doing don during each for from had hadn
has hasn have haven having he her here hers him his how i if in into is isn it its just let ll m me more most
my no nor not of off on once only or other our ours out over own re s same she should shouldn so some such t
than that the their theirs them then there these they this those through to too under until up ve very was
wasn we were weren what when where which while who whom why will with won would wouldn you your yours`) {
		m[w] = true
	}
	return m
}()
