package search

import (
	"html"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestClean(t *testing.T) {
	tests := []struct{ reason, in, want string }{
		{"plain text stays", "a\tb\nc – ü 漢字 😀 <b>&amp;&lt;", "a\tb\nc – ü 漢字 😀 <b>&amp;&lt;"},
		{"line ends become one kind", "a\r\nb\rc\u2028d\u0085e", "a\nb\nc\nd\ne"},
		{"control characters go", "a\x00b\x07c\x7fd\u009be", "abcde"},
		{"colours go", "\x1b[31;1mred\x1b[0m \x1b]0;title\x07done", "red done"},
		{"bidirectional controls go", "a\u202eb\u2066c\u200fd", "abcd"},
		{"what cannot be seen goes", "a\u200bb\u2060c\ufeffd\u00ade\U000e0041f\ufe0fg\u3164h\u034fi", "abcdefghi"},
		{"also written as HTML", "a&#x202E;b&#8238;c&ZeroWidthSpace;d&shy;e", "abcde"},
		{"escaped twice", "a&amp;#x202e;b&amp;amp;lrm;c", "abc"},
		{"put together from halves", "a&#x20&#x202e;2e;b", "ab"},
		{"other entities stay", "&eacute;&#65;&nosuch;&", "&eacute;&#65;&nosuch;&"},
		{"Arabic number signs are seen", "\u0600\u0661", "\u0600\u0661"},
		{"broken UTF-8 is mended", "a\xffb", "a\uFFFDb"},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			if got := Clean(tt.in); got != tt.want {
				t.Errorf("Clean(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

// Entities nested deeper than by accident are broken up, in good time.
func TestCleanNested(t *testing.T) {
	got := Clean(strings.Repeat("&#x20", 5000) + strings.Repeat("&shy;2e;", 5000))
	if strings.Contains(got, "&") {
		t.Error("entities are left")
	}
}

func FuzzClean(f *testing.F) {
	for _, s := range []string{"a&#x202e;b", "\x1b[31m", "a\u200bb", "&amp;amp;#8238;", "\xff&", "&#x20&shy;2e;"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Clean(s)
		if !utf8.ValidString(got) {
			t.Fatalf("Clean(%q) is not valid UTF-8", s)
		}
		if again := Clean(got); again != got {
			t.Errorf("Clean(%q) = %q, once more %q", s, got, again)
		}
		for text := got; ; {
			if i := strings.IndexFunc(text, hidden); i >= 0 && !strings.ContainsAny(got, "&") {
				t.Errorf("Clean(%q) = %q holds a hidden character", s, got)
			}
			next := html.UnescapeString(text)
			if next == text {
				break
			}
			text = next
		}
	})
}
