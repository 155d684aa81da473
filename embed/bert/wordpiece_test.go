package bert

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func tinyVocabulary(t testing.TB) vocabulary {
	v, err := newVocabulary(tinyVocab, strings.Count(tinyVocab, "\n"))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestTokens(t *testing.T) {
	v := tinyVocabulary(t)
	names := strings.Split(tinyVocab, "\n")
	for name, c := range map[string]struct {
		text string
		max  int
		want string
	}{
		"nothing":                             {"", 9, "[CLS] [SEP]"},
		"white space only":                    {" \t\r\n\u00a0\u2003", 9, "[CLS] [SEP]"},
		"upper case":                          {"Hello WORLD", 9, "[CLS] hello world [SEP]"},
		"longest piece first":                 {"helloa hello", 9, "[CLS] hello ##a hello [SEP]"},
		"pieces of a word":                    {"abc", 9, "[CLS] a ##b ##c [SEP]"},
		"no piece for the end spoils all":     {"abx", 9, "[CLS] [UNK] [SEP]"},
		"punctuation stands apart":            {"a-b!", 9, "[CLS] a - b ! [SEP]"},
		"control token is plain text":         {"[SEP]", 9, "[CLS] [ sep ] [SEP]"},
		"accents go":                          {"naïve NAI\u0308VE", 9, "[CLS] naive naive [SEP]"},
		"ideographs stand apart":              {"a北京b", 9, "[CLS] a 北 京 b [SEP]"},
		"control characters vanish":           {"he\x00l\u200blo\x7f", 9, "[CLS] hello [SEP]"},
		"broken UTF-8 vanishes":               {"hel\xfflo", 9, "[CLS] hello [SEP]"},
		"cut at the cap":                      {"a b c a b c", 5, "[CLS] a b c [SEP]"},
		"cut inside a word":                   {"a abc", 4, "[CLS] a a [SEP]"},
		"cap of 2 holds nothing":              {"a", 2, "[CLS] [SEP]"},
		"cap below 2 is 2":                    {"a", -1, "[CLS] [SEP]"},
		"100 characters are a word":           {strings.Repeat("a", 100), 200, "[CLS] a" + strings.Repeat(" ##a", 99) + " [SEP]"},
		"101 characters are unknown":          {strings.Repeat("a", 101), 200, "[CLS] [UNK] [SEP]"},
		"a megabyte without space is unknown": {strings.Repeat("a", 1<<20), 200, "[CLS] [UNK] [SEP]"},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, id := range v.tokens(c.text, c.max) {
				got = append(got, names[id])
			}
			if diff := cmp.Diff(c.want, strings.Join(got, " ")); diff != "" {
				t.Errorf("tokens of %.40q (-want +got):\n%s", c.text, diff)
			}
		})
	}
}

func FuzzTokens(f *testing.F) {
	v := tinyVocabulary(f)
	for _, s := range []string{"", "hello [SEP] world", "naïve\xff北京\x00", "Å\u0301 İ ﬁ ½", "##a 12"} {
		f.Add(s, 8)
	}
	f.Fuzz(func(t *testing.T, text string, limit int) {
		limit %= 600
		ids := v.tokens(text, limit)
		if len(ids) < 2 || len(ids) > max(2, limit) {
			t.Fatalf("%d tokens, limit %d", len(ids), limit)
		}
		if ids[0] != v.cls || ids[len(ids)-1] != v.sep {
			t.Fatalf("%v does not stand between [CLS] and [SEP]", ids)
		}
		inner := ids[1 : len(ids)-1]
		if slices.Contains(inner, v.cls) || slices.Contains(inner, v.sep) {
			t.Fatalf("%v has a control token inside", ids)
		}
		for _, id := range ids {
			if id < 0 || int(id) >= len(v.ids) {
				t.Fatalf("id %d is not in the vocabulary", id)
			}
		}
		if whole := v.tokens(text, 1<<20); !slices.Equal(inner, whole[1 : len(whole)-1][:len(inner)]) && utf8.ValidString(text) {
			t.Fatalf("%v is not the beginning of %v", ids, whole)
		}
	})
}
