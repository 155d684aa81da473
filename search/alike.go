package search

import (
	"regexp"
	"strings"
	"unicode"
)

// sketch is what a text is compared by: its different words. Texts are alike
// when they share nearly all words and every word that holds a digit: two runs
// of one test differ in what matters.
type sketch struct {
	words map[string]bool
}

// alikeShare is the share of common words above which texts are alike.
const alikeShare = .9

// gutter is the line number that file listings put before each line.
var gutter = regexp.MustCompile(`(?m)^[ \t]*\d+(?:→|\t|: |\| )`)

func sketchOf(text string) sketch {
	s := sketch{words: map[string]bool{}}
	for _, w := range words(gutter.ReplaceAllString(text, "")) {
		s.words[w] = true
	}
	return s
}

// words returns the runs of letters and digits in text, in lower case.
func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}

func (s sketch) like(o sketch) bool {
	small, big := s.words, o.words
	if len(small) > len(big) {
		small, big = big, small
	}
	if len(small) == 0 || float64(len(small)) < alikeShare*float64(len(big)) {
		return false
	}
	common := 0
	for w := range small {
		switch {
		case big[w]:
			common++
		case hasDigit(w):
			return false
		}
	}
	if float64(common) < alikeShare*float64(len(small)+len(big)-common) {
		return false
	}
	for w := range big {
		if !small[w] && hasDigit(w) {
			return false
		}
	}
	return true
}

func hasDigit(w string) bool { return strings.ContainsAny(w, "0123456789") }

// sameWords says whether two texts consist of the same words in the same order.
func sameWords(a, b string) bool {
	x, y := words(a), words(b)
	if len(x) != len(y) || len(x) == 0 {
		return false
	}
	for i := range x {
		if x[i] != y[i] {
			return false
		}
	}
	return true
}
