package transcript

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// The scanner walks over JSON text without decoding it: a record is mostly
// payload that recall never looks at (a second copy of tool results, request
// copies), so values are skipped and only the wanted ones are unquoted.
//
// Scanning functions return the index just after what they skipped, or one of
// these negative results.
const (
	cutOff  = -1 // the text ends inside the value
	badJSON = -2 // not JSON
	tooDeep = -3 // nested deeper than maxDepth
)

// maxDepth is the nesting that encoding/json accepts.
const maxDepth = 10000

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\r' || b[i] == '\n') {
		i++
	}
	return i
}

// skipString skips the string whose opening quote is at b[i]. Control
// characters are let through: they do no harm to a reader.
func skipString(b []byte, i int) int {
	start := i + 1
	for i = start; ; i++ {
		q := bytes.IndexByte(b[i:], '"')
		if q < 0 {
			return cutOff
		}
		i += q
		back := i
		for back > start && b[back-1] == '\\' {
			back--
		}
		if (i-back)%2 == 0 {
			return i + 1
		}
	}
}

func skipLiteral(b []byte, i int) int {
	start := i
	for i < len(b) && isLiteralByte(b[i]) {
		i++
	}
	word := b[start:i]
	for _, lit := range [...]string{"true", "false", "null"} {
		if string(word) == lit {
			return i
		}
		if i == len(b) && len(word) > 0 && strings.HasPrefix(lit, string(word)) {
			return cutOff
		}
	}
	if len(word) > 0 && (word[0] == '-' || word[0] >= '0' && word[0] <= '9') {
		return i
	}
	if i == len(b) && len(word) == 0 {
		return cutOff
	}
	return badJSON
}

func isLiteralByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' || c == '+' || c == '.' || c == 'E'
}

// skipValue skips the value that starts at or after b[i].
func skipValue(b []byte, i int) int {
	i = skipSpace(b, i)
	if i >= len(b) {
		return cutOff
	}
	switch b[i] {
	case '"':
		return skipString(b, i)
	case '{', '[':
		return skipNested(b, i)
	}
	return skipLiteral(b, i)
}

// What may come next inside an object or array.
const (
	wantKey = iota
	wantKeyOrEnd
	wantValue
	wantValueOrEnd
	wantCommaOrEnd
)

// skipNested skips the object or array that opens at b[i]. It keeps its own
// stack: a hostile line must not exhaust the goroutine's.
func skipNested(b []byte, i int) int {
	var space [64]byte
	stack := append(space[:0], b[i])
	want := afterOpen(b[i])
	for i++; ; {
		if i = skipSpace(b, i); i >= len(b) {
			return cutOff
		}
		c := b[i]
		switch {
		case want == wantCommaOrEnd && c == ',':
			want = wantValue
			if stack[len(stack)-1] == '{' {
				want = wantKey
			}
			i++
		case (c == '}' || c == ']') && want != wantKey && want != wantValue:
			if stack[len(stack)-1] != c-2 {
				return badJSON
			}
			if stack = stack[:len(stack)-1]; len(stack) == 0 {
				return i + 1
			}
			want = wantCommaOrEnd
			i++
		case want == wantKey || want == wantKeyOrEnd:
			if i = skipKey(b, i); i < 0 {
				return i
			}
			want = wantValue
		case want == wantCommaOrEnd:
			return badJSON
		case c == '{' || c == '[':
			if len(stack) == maxDepth {
				return tooDeep
			}
			stack = append(stack, c)
			want = afterOpen(c)
			i++
		default:
			if i = skipValue(b, i); i < 0 {
				return i
			}
			want = wantCommaOrEnd
		}
	}
}

func afterOpen(c byte) int {
	if c == '{' {
		return wantKeyOrEnd
	}
	return wantValueOrEnd
}

// skipKey skips a key and its colon.
func skipKey(b []byte, i int) int {
	if b[i] != '"' {
		return badJSON
	}
	if i = skipString(b, i); i < 0 {
		return i
	}
	if i = skipSpace(b, i); i >= len(b) {
		return cutOff
	}
	if b[i] != ':' {
		return badJSON
	}
	return i + 1
}

// members calls visit for each member of the object that opens at b[0], with
// the key unquoted and the value as it stands in b. A key that is there twice
// is visited twice. It returns the index after the object, or a negative
// result: then the members visited so far mean nothing.
func members(b []byte, visit func(key, value []byte)) int {
	i := skipSpace(b, 1)
	if i < len(b) && b[i] == '}' {
		return i + 1
	}
	for {
		if i = skipSpace(b, i); i >= len(b) {
			return cutOff
		}
		start := i
		if i = skipKey(b, i); i < 0 {
			return i
		}
		key := keyBytes(b[start:i])
		i = skipSpace(b, i)
		start = i
		if i = skipValue(b, i); i < 0 {
			return i
		}
		visit(key, b[start:i])
		if i = skipSpace(b, i); i >= len(b) {
			return cutOff
		}
		switch b[i] {
		case ',':
			i++
		case '}':
			return i + 1
		default:
			return badJSON
		}
	}
}

// keyBytes unquotes a key that may be followed by blanks and a colon.
func keyBytes(k []byte) []byte {
	k = bytes.TrimRight(k, ": \t\r\n")
	// A key that ends in blanks or a colon inside its quotes keeps them: the
	// closing quote stops the trimming.
	k = k[1 : len(k)-1]
	if bytes.IndexByte(k, '\\') >= 0 || !utf8.Valid(k) {
		return []byte(unescape(k))
	}
	return k
}

// elements calls visit for each element of the array that is v.
func elements(v []byte, visit func(value []byte)) {
	if len(v) == 0 || v[0] != '[' {
		return
	}
	for i := 1; ; i++ {
		i = skipSpace(v, i)
		if i >= len(v) || v[i] == ']' {
			return
		}
		start := i
		if i = skipValue(v, i); i < 0 {
			return
		}
		visit(v[start:i])
		if i = skipSpace(v, i); i >= len(v) || v[i] != ',' {
			return
		}
	}
}

// fields visits the members of v if v is an object.
func fields(v []byte, visit func(key, value []byte)) {
	if len(v) > 0 && v[0] == '{' {
		members(v, visit)
	}
}

// unquote returns the string that v is, as valid UTF-8, or "" when v is no string.
func unquote(v []byte) string {
	if len(v) < 2 || v[0] != '"' {
		return ""
	}
	v = v[1 : len(v)-1]
	if bytes.IndexByte(v, '\\') >= 0 {
		return unescape(v)
	}
	return validUTF8(v)
}

func validUTF8(v []byte) string {
	if utf8.Valid(v) {
		return string(v)
	}
	out := make([]byte, 0, len(v)+16)
	for len(v) > 0 {
		r, n := utf8.DecodeRune(v)
		out = utf8.AppendRune(out, r)
		v = v[n:]
	}
	return string(out)
}

// unescape resolves the escapes of a string's inside. An unknown escape stands
// for the character itself.
func unescape(v []byte) string {
	out := make([]byte, 0, len(v))
	for {
		i := bytes.IndexByte(v, '\\')
		if i < 0 || i+1 >= len(v) {
			out = append(out, v...)
			break
		}
		out = append(out, v[:i]...)
		var n int
		out, n = appendEscape(out, v[i:])
		v = v[i+n:]
	}
	return validUTF8(out)
}

// appendEscape appends what the escape at the start of v stands for and
// returns the escape's length.
func appendEscape(out, v []byte) ([]byte, int) {
	switch v[1] {
	case 'n':
		return append(out, '\n'), 2
	case 't':
		return append(out, '\t'), 2
	case 'r':
		return append(out, '\r'), 2
	case 'b':
		return append(out, '\b'), 2
	case 'f':
		return append(out, '\f'), 2
	case 'u':
		r, n := hexRune(v)
		if !utf16.IsSurrogate(r) {
			return utf8.AppendRune(out, r), n
		}
		if low, m := hexRune(v[n:]); m > 0 {
			if full := utf16.DecodeRune(r, low); full != utf8.RuneError {
				return utf8.AppendRune(out, full), n + m
			}
		}
		return utf8.AppendRune(out, utf8.RuneError), n
	}
	return append(out, v[1]), 2
}

// hexRune reads \uXXXX; n is 0 when v is no such escape, and 2 with
// utf8.RuneError when the digits are bad.
func hexRune(v []byte) (r rune, n int) {
	if len(v) < 2 || v[0] != '\\' || v[1] != 'u' {
		return utf8.RuneError, 0
	}
	if len(v) < 6 {
		return utf8.RuneError, 2
	}
	x, err := strconv.ParseUint(string(v[2:6]), 16, 16)
	if err != nil {
		return utf8.RuneError, 2
	}
	return rune(x), 6
}

func isTrue(v []byte) bool { return string(v) == "true" }

func number(v []byte) int {
	n, err := strconv.Atoi(string(v))
	if err != nil {
		f, _ := strconv.ParseFloat(string(v), 64)
		n = int(f)
	}
	return n
}
