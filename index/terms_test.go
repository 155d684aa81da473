package index

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestTerms(t *testing.T) {
	for _, c := range []struct{ reason, in, want string }{
		{"prose is stemmed and stop words dropped", "The tests were failing in the handlers", "test fail handler"},
		{"camel case gives parts and whole", "getUserById", "get user id getuserbyid"},
		{"path with line", "src/auth/token.go:142", "src auth token go 142 src/auth/token.go:142 src/auth/token.go token.go"},
		{"file name in a path", "see internal/queue/retry.go", "see intern queue retri go internal/queue/retry.go retry.go"},
		{"snake case", "max_retry_count", "max retri count max_retry_count"},
		{"host and port", "ECONNREFUSED 127.0.0.1:5432", "econnrefus 127 0 0 1 5432 127.0.0.1:5432 127.0.0.1"},
		{"version", "v2.1.332", "v 2 v2 1 332 v2.1.332"},
		{"digits split from letters once", "server2", "server 2 server2"},
		{"a hash stays whole", "3fa9c1aa", "3fa9c1aa"},
		{"names with signs", "C++ and C# on F#", "c c++ c c# f f#"},
		{"acronym before a word", "HTTPServer", "http server httpserver"},
		{"CJK in pairs", "検索する ok", "検索 索す する ok"},
		{"one CJK character", "本 x", "本 x"},
		{"apostrophes leave nothing", "don't we've it's", ""},
		{"flag", "--no-sync", "sync no-sync"},
		{"joiners at the ends", "./run. -x- /a/", "run x"},
		{"accents are folded", "Größe café STRASSE Straße", "gross cafe strass strass"},
		{"a lone accent", "x \u0301 y", "x y"},
		{"other scripts are not", "Привет", "привет"},
		{"only signs", `"*\ + ::`, ""},
	} {
		t.Run(c.reason, func(t *testing.T) {
			if d := cmp.Diff(c.want, strings.Join(Terms(c.in), " ")); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestQueryWordsKeepsStopWordsWhenAlone(t *testing.T) {
	want := []Word{{"who", "who"}, {"is", "is"}, {"it", "it"}}
	if d := cmp.Diff(want, QueryWords("who is it")); d != "" {
		t.Error(d)
	}
}

func FuzzTerms(f *testing.F) {
	for _, s := range []string{"foo:bar", `"unclosed`, "C++", "*", `\`, "日本語テキスト", "\xff\xfe", "a\u0301b", "🙂 x_1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, w := range Terms(s) {
			if w == "" || len(w) > 3*maxWhole || utf8.ValidString(s) && !utf8.ValidString(w) {
				t.Fatalf("term %q of %q", w, s)
			}
		}
		QueryWords(s)
	})
}

func BenchmarkTerms(b *testing.B) {
	text := strings.Repeat("The webhook worker retries in internal/queue/retry.go:14: MaxAttempts is 7, base delay 250ms.\n", 12)
	tk := newTokenizer()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		tk.run(text, func([]byte) {})
	}
}
