package bert

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxWord is the length in characters from which a word is not split into
// pieces but unknown.
const maxWord = 100

// vocabulary knows the pieces of words by id.
type vocabulary struct {
	ids           map[string]int32
	cls, sep, unk int32
}

// newVocabulary reads one piece a line; its id is the number of the line.
func newVocabulary(lines string, size int) (vocabulary, error) {
	v := vocabulary{ids: make(map[string]int32, size)}
	n := int32(0)
	for line := range strings.Lines(lines) {
		v.ids[strings.TrimSuffix(line, "\n")] = n
		n++
	}
	if int(n) != size {
		return v, fmt.Errorf("vocabulary has %d lines, want %d", n, size)
	}
	for name, id := range map[string]*int32{"[CLS]": &v.cls, "[SEP]": &v.sep, "[UNK]": &v.unk} {
		var ok bool
		if *id, ok = v.ids[name]; !ok {
			return v, fmt.Errorf("vocabulary has no %s", name)
		}
	}
	return v, nil
}

// tokens is Model.Tokens.
func (v *vocabulary) tokens(text string, limit int) []int32 {
	limit = max(limit, 2)
	t := tokenizer{vocabulary: v, max: limit - 1}
	t.ids = append(make([]int32, 0, min(limit, 2+len(text)/3)), v.cls)
	for _, r := range text {
		if t.full() {
			break
		}
		t.char(r)
	}
	t.endWord()
	return append(t.ids[:min(len(t.ids), t.max)], v.sep)
}

// tokenizer is the state of one call of tokens.
type tokenizer struct {
	*vocabulary
	ids   []int32
	max   int
	word  []byte // the word so far
	chars int    // its length
	buf   []byte
}

func (t *tokenizer) full() bool { return len(t.ids) >= t.max }

// char takes the next character of the text as it stands there.
func (t *tokenizer) char(r rune) {
	switch {
	case r == '\t' || r == '\n' || r == '\r':
		t.endWord()
	case r < ' ' || r == 0x7f:
	case 'A' <= r && r <= 'Z':
		t.add(r + 'a' - 'A')
	case r < utf8.RuneSelf:
		t.add(r)
	case r == utf8.RuneError || unicode.In(r, unicode.C):
	default:
		var nfd [32]byte
		for _, d := range string(norm.NFD.AppendString(nfd[:0], string(r))) {
			if !unicode.Is(unicode.Mn, d) {
				t.add(unicode.ToLower(d))
			}
		}
	}
}

// add takes the next character of the cleaned text.
func (t *tokenizer) add(r rune) {
	switch {
	case unicode.IsSpace(r):
		t.endWord()
	case isPunct(r) || isCJK(r):
		t.endWord()
		t.append(r)
		t.endWord()
	default:
		t.append(r)
	}
}

// append adds to the word, whose end is not kept once it is too long anyway.
func (t *tokenizer) append(r rune) {
	if t.chars <= maxWord {
		t.word = utf8.AppendRune(t.word, r)
	}
	t.chars++
}

func (t *tokenizer) endWord() {
	if t.chars > 0 {
		t.pieces()
	}
	t.word, t.chars = t.word[:0], 0
}

// pieces splits the word into the longest pieces known, from left to right; if
// that fails anywhere, all of it is unknown.
func (t *tokenizer) pieces() {
	if t.chars > maxWord {
		t.ids = append(t.ids, t.unk)
		return
	}
	before := len(t.ids)
	for start := 0; start < len(t.word); {
		id, n := t.longest(start)
		if n == 0 {
			t.ids = append(t.ids[:before], t.unk)
			return
		}
		t.ids = append(t.ids, id)
		start += n
	}
}

// longest returns the longest known piece that the word has at start, and its
// length, or 0.
func (t *tokenizer) longest(start int) (id int32, n int) {
	t.buf = t.buf[:0]
	if start > 0 {
		t.buf = append(t.buf, "##"...)
	}
	mark := len(t.buf)
	t.buf = append(t.buf, t.word[start:]...)
	for end := len(t.word); end > start; end-- {
		if end < len(t.word) && !utf8.RuneStart(t.word[end]) {
			continue
		}
		if id, ok := t.vocabulary.ids[string(t.buf[:mark+end-start])]; ok {
			return id, end - start
		}
	}
	return 0, 0
}

// isPunct reports what stands apart: Unicode's punctuation and all of ASCII
// that is neither letter, digit nor space.
func isPunct(r rune) bool {
	switch {
	case r >= utf8.RuneSelf:
		return unicode.IsPunct(r)
	case '0' <= r && r <= '9', 'A' <= r && r <= 'Z', 'a' <= r && r <= 'z':
		return false
	}
	return '!' <= r && r <= '~'
}

// isCJK reports the ideographs, which are words by themselves.
func isCJK(r rune) bool {
	return 0x4E00 <= r && r <= 0x9FFF || 0x3400 <= r && r <= 0x4DBF ||
		0xF900 <= r && r <= 0xFAFF || 0x20000 <= r && r <= 0x2CEAF || 0x2F800 <= r && r <= 0x2FA1F
}
