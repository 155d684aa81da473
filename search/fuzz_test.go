package search

import (
	"context"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"recall/embed"
)

// Questions that other engines take for syntax.
var awkward = []string{
	"cov-archive-eu2", "foo:bar", `"unclosed`, "C++", "AND", "OR NOT", "*", "?", `\`, "a\\", "(", "[a-", "~", "+", "-x", "field:*",
	"😀", "配置文件", "日本語の質問", "\u202e\u200b", "\x00", "\xff\xfe", "relay^3", "{}", "<script>", "%s%d", "'; drop table --",
	"to be or not", "a", strings.Repeat("word ", 2000), strings.Repeat("x", 10000), strings.Repeat("?", 10000),
}

func fuzzStore() (Store, embed.Embedder) {
	emb := embed.NewHashed(32)
	return newMem(emb,
		talkOf(home, append(filler(20), reply("a", "foo:bar and C++ in cov-archive-eu2"), output("b", "配置文件 \x1b[31m😀 error: field:* AND relay"), call("c", "echo 'a\\'"))...),
		talk{Session: other, Agent: "x", Project: "/home/dev/app", Said: filler(5)},
	), emb
}

func checkAnyQuestion(t *testing.T, s *Searcher, q Query) {
	t.Helper()
	res, err := s.Search(context.Background(), q)
	if err != nil {
		if !errors.Is(err, ErrEmpty) || strings.TrimSpace(q.Text) != "" {
			t.Fatalf("%q: %v", q.Text, err)
		}
		return
	}
	if len(res.Hits) > q.Limit || len(res.Weak) > q.Limit || res.Found != (len(res.Hits) > 0) {
		t.Errorf("%q: found %v with %d hits, %d weak, limit %d", q.Text, res.Found, len(res.Hits), len(res.Weak), q.Limit)
	}
	for _, h := range append(res.Hits, res.Weak...) {
		if !(h.Score >= 0 && h.Score <= 1) || len(h.UUIDs) == 0 || h.Pointer == "" {
			t.Errorf("%q: %+v", q.Text, h)
		}
		if n := utf8.RuneCountInString(h.Excerpt); n > q.Excerpt || !utf8.ValidString(h.Excerpt) || Clean(h.Excerpt) != h.Excerpt {
			t.Errorf("%q: excerpt of %d characters %q", q.Text, n, h.Excerpt)
		}
	}
}

func TestSearchTakesAnyText(t *testing.T) {
	store, emb := fuzzStore()
	for _, text := range awkward {
		checkAnyQuestion(t, New(store, emb), Query{Text: text, Limit: 5, Excerpt: 60})
		checkAnyQuestion(t, New(store, nil), Query{Text: text, Also: []string{text + " relay", "?"}, Limit: 5, Excerpt: 60})
	}
	x := newIndex(t, emb, suiteTalks()...)
	for _, text := range awkward {
		checkAnyQuestion(t, New(x, emb), Query{Text: text, Limit: 5, Excerpt: 60})
	}
}

// What was said word for word is found whatever characters are in it.
func TestSearchFindsOddTokens(t *testing.T) {
	store, _ := fuzzStore()
	for text, want := range map[string]string{"foo:bar": "a", "C++": "a", "cov-archive-eu2": "a", "eu2": "a", "配置文件": "b", "配置": "b"} {
		if hits := all(search(t, store, Query{Text: text})); len(hits) == 0 || hits[0].UUIDs[0] != want {
			t.Errorf("%q: %v", text, ids(hits))
		}
	}
	for _, text := range []string{"*", "?", `\`, "😀"} {
		if hits := all(search(t, store, Query{Text: text})); len(hits) != 0 {
			t.Errorf("%q: %v", text, ids(hits))
		}
	}
}

func FuzzSearch(f *testing.F) {
	for _, text := range awkward {
		if len(text) < 200 {
			f.Add(text, "relay", 7)
		}
	}
	store, emb := fuzzStore()
	f.Fuzz(func(t *testing.T, text, also string, n int) {
		q := Query{Text: text, Also: []string{also}, Limit: 1 + (n&0xffff)%20, Excerpt: 10 + (n&0xffff)%300}
		checkAnyQuestion(t, New(store, emb), q)
	})
}
