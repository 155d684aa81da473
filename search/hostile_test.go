package search

import "testing"

// TestCleanHostile: what hides text, turns it around or commands a terminal.
func TestCleanHostile(t *testing.T) {
	for _, tc := range []struct{ reason, in, want string }{
		{"plain text stays", "a\tb\nc é 設定 🙂", "a\tb\nc é 設定 🙂"},
		{"code stays", "if a < b && c[i] != '\\n' { x &amp; y }", "if a < b && c[i] != '\\n' { x &amp; y }"},
		{"zero width", "pass\u200bword\ufeff", "password"},
		{"direction of writing", "abc\u202ecba\u2066x\u2069", "abccbax"},
		{"tag characters", "hi\U000e0041\U000e0042", "hi"},
		{"variation selectors", "a\ufe0f\U000e0101", "a"},
		{"soft hyphen", "co\u00adop", "coop"},
		{"Arabic number sign is seen", "\u0600 12", "\u0600 12"},
		{"colours", "\x1b[31mred\x1b[0m", "red"},
		{"window title", "\x1b]0;evil\x07text", "text"},
		{"lone escape at the end", "x\x1b", "x"},
		{"other control characters", "a\x00b\x08c\x7fd\u0085e", "abcd\ne"},
		{"line ends", "a\r\nb\rc\u2028d", "a\nb\nc\nd"},
		{"written for HTML", "x&#8203;y&#x202E;z&zwj;!", "xyz!"},
		{"written for HTML twice", "x&amp;amp;#8203;y", "xy"},
		{"assembled by taking one out", "x&#8&#8203;203;y", "xy"},
		{"assembled from what was invisible", "x&#82\u200b03;y", "xy"},
		{"escape written for HTML", "&#27;[31m", "[31m"},
		{"other entities stay", "&lt;b&gt; &eacute; &#233; &nope;", "&lt;b&gt; &eacute; &#233; &nope;"},
		{"not UTF-8", "a\xffb", "a\uFFFDb"},
	} {
		if got := Clean(tc.in); got != tc.want {
			t.Errorf("%s: got %q, want %q", tc.reason, got, tc.want)
		}
	}
}
