package search

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"recall/index"
)

// looking returns a matcher for the words of a question; those named in rare
// weigh more.
func looking(question string, rare ...string) *matcher {
	q := ask([]string{question}, "")
	df := map[string]int{}
	for _, t := range q.terms {
		df[t] = 100
	}
	for _, r := range rare {
		df[index.Terms(r)[0]] = 1
	}
	q.weigh(index.Stats{Total: 1000, DF: df})
	return newMatcher(q)
}

func TestMatcherFinds(t *testing.T) {
	tests := []struct {
		reason, question, text string
		want                   []string
	}{
		{"forms of a word", "retry configuration", "Retries are configured; it retried.", []string{"Retries", "configured", "retried"}},
		{"but not other words that begin alike", "art", "artificial start art", []string{"art"}},
		{"parts of identifiers", "user", "getUserById user_id USER superuser", []string{"User", "user", "USER"}},
		{"whole identifiers and their parts", "token.go:142", "see src/token.go:142", []string{"token", "token.go:142", "token.go", "go", "142"}},
		{"numbers as wholes", "42", "42 4242 x42", []string{"42", "42"}}, // the second one is a part of x42
		{"names with signs", "C++", "C++ and C, not D", []string{"C", "C++", "C"}},
		{"text without spaces", "配置", "文件配置好了", []string{"配置"}},
		{"words with accents", "cafe grosse", "Im Café ist die Größe so; im CAFE auch.", []string{"Café", "Größe", "CAFE"}},
		{"letters that change size in lower case", "istanbul", "İSTANBUL", []string{"İSTANBUL"}},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			var got []string
			for _, s := range looking(tt.question).find(tt.text) {
				got = append(got, tt.text[s.at:s.end])
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error("-want +got", d)
			}
		})
	}
}

func TestExcerpt(t *testing.T) {
	pad := strings.Repeat("Lorem ipsum dolor sit amet. ", 40)
	lines := strings.Repeat("ok  \tpackage/of/no/interest\t0.01s\n", 40)
	tests := []struct {
		reason   string
		m        *matcher
		text     string
		lines    bool
		most     int
		want     string   // all of it, when given
		contains []string // else these, in order
	}{
		{reason: "a short text whole", m: looking("relay"), text: " The relay is up. \n", most: 40, want: "The relay is up."},
		{reason: "centred on the match", m: looking("relay"), text: pad + "The relay is up. " + pad, most: 80,
			contains: []string{ellipsis, "amet. The relay is up. Lorem", ellipsis}},
		{reason: "where the words stand together, not where one stands first", m: looking("relay retries limit"),
			text: "The relay. " + pad + "The limit of retries is 4 for the relay. " + pad, most: 80, contains: []string{"limit of retries is 4 for the relay"}},
		{reason: "where the rare word stands", m: looking("relay ophelia", "ophelia"),
			text: strings.Repeat("The relay again. ", 30) + pad + "Ophelia. " + pad, most: 60, contains: []string{"Ophelia."}},
		{reason: "the beginning when nothing matches", m: looking("relay"), text: "First words. " + pad, most: 40, contains: []string{"First words.", ellipsis}},
		{reason: "the end without a mark behind it", m: looking("relay"), text: pad + "The relay.", most: 40, contains: []string{ellipsis, "The relay."}},
		{reason: "from line to line", m: looking("relay"), text: "first line\nsecond line\nthe relay is up\nfourth line\nfifth line\n" + pad, most: 46,
			want: "…second line\nthe relay is up\nfourth line…"},
		{reason: "of an output the lines that match", m: looking("FAIL TestDrain"), lines: true, most: 130,
			text: lines + "--- FAIL: TestDrain (0.20s)\n    drain_test.go:42: got 3\n" + lines + "FAIL\tapp/relay\n" + lines,
			want: "…\nok  \tpackage/of/no/interest\t0.01s\n--- FAIL: TestDrain (0.20s)\n    drain_test.go:42: got 3\n…\nFAIL\tapp/relay\n…"},
		{reason: "of a line that is too long the part that matches", m: looking("needle"), lines: true, most: 100,
			text: strings.Repeat("hay ", 200) + "needle " + strings.Repeat("hay ", 200), contains: []string{"…", "hay needle hay", "…"}},
		{reason: "characters count, not bytes", m: looking("継電器"), text: strings.Repeat("あ", 100) + "継電器は動いている" + strings.Repeat("い", 100), most: 30,
			contains: []string{"…", "ああ", "継電器は動いている", "いい", "…"}},
		{reason: "what cannot be seen is not there", m: looking("relay"), text: "The re\u200blay is\u202e up. " + pad, most: 30, contains: []string{"The relay is up."}},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			got := excerptOf(tt.m, tt.text, 0, len(tt.text), tt.lines, tt.most)
			if n := utf8.RuneCountInString(got); n > tt.most {
				t.Errorf("%d characters", n)
			}
			if tt.want != "" && got != tt.want {
				t.Errorf("got %q\nwant %q", got, tt.want)
			}
			rest := got
			for _, c := range tt.contains {
				i := strings.Index(rest, c)
				if i < 0 {
					t.Fatalf("%q is not in its place in %q", c, got)
				}
				rest = rest[i+len(c):]
			}
		})
	}
}

// Around a short passage of a long message the rest is shown as far as it fits.
func TestExcerptReachesBeyondThePassage(t *testing.T) {
	text := strings.Repeat("before ", 100) + "The relay is up." + strings.Repeat(" after", 100)
	from := strings.Index(text, "The relay")
	got := excerptOf(looking("relay"), text, from, from+len("The relay is up."), false, 60)
	if !strings.Contains(got, "before The relay is up. after") || !strings.HasPrefix(got, ellipsis) || !strings.HasSuffix(got, ellipsis) {
		t.Errorf("got %q", got)
	}
}

func FuzzExcerpt(f *testing.F) {
	f.Add("The relay is up.", "relay up", 20, 3, 9, true)
	f.Add("a\n\nb\xff\u202e&#x20&shy;2e;", "a b", 5, 0, 100, false)
	f.Add(strings.Repeat("継電器", 50), "電器", 7, 10, 20, true)
	f.Fuzz(func(t *testing.T, text, question string, most, from, to int, lines bool) {
		most = 5 + (most&0x7fffffff)%500
		got := excerptOf(newMatcher(ask([]string{question}, "")), text, from, to, lines, most)
		if !utf8.ValidString(got) {
			t.Fatal("not valid UTF-8")
		}
		if n := utf8.RuneCountInString(got); n > most {
			t.Errorf("%d characters, want at most %d", n, most)
		}
		if Clean(got) != got {
			t.Errorf("not clean: %q", got)
		}
	})
}
