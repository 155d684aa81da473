package search

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const ellipsis = "…"

// excerptOf returns at most most characters of text, cleaned: the part of
// text[from:to] in which the question's words stand closest, with what stands
// around it as far as there is room. Of an output (lines) it returns the lines
// that match. What was left out is marked by ….
func excerptOf(m *matcher, text string, from, to int, lines bool, most int) string {
	before, passage, after, cutLeft, cutRight := surroundings(text, from, to, most)
	whole := before + passage + after
	if !cutLeft && !cutRight && utf8.RuneCountInString(whole) <= most {
		return tidy(whole, most)
	}
	spans := m.find(passage)
	if lines && len(spans) > 0 {
		return tidy(matchingLines(m, passage, spans, most), most)
	}
	for i := range spans {
		spans[i].at += len(before)
		spans[i].end += len(before)
	}
	lo, hi := m.densest(spans, most-2)
	if hi == 0 {
		lo, hi = len(before), len(before)
	}
	lo, hi = grow(whole, lo, hi, most-2)
	out := whole[lo:hi]
	if lo > 0 || cutLeft {
		out = ellipsis + out
	}
	if hi < len(whole) || cutRight {
		out += ellipsis
	}
	return tidy(out, most)
}

// surroundings cleans text[from:to] and as much before and after it as an
// excerpt can reach.
func surroundings(text string, from, to, most int) (before, passage, after string, cutLeft, cutRight bool) {
	from, to = clampRune(text, from), clampRune(text, to)
	lo, hi := clampRune(text, from-4*most), clampRune(text, to+4*most)
	return Clean(text[lo:from]), Clean(text[from:to]), Clean(text[to:hi]), lo > 0, hi < len(text)
}

// clampRune brings i into text and back to the start of a character.
func clampRune(text string, i int) int {
	i = max(0, min(i, len(text)))
	for i > 0 && i < len(text) && !utf8.RuneStart(text[i]) {
		i--
	}
	return i
}

// tidy trims an excerpt and cleans it once more: an entity may have been cut
// into halves that were put together again.
func tidy(s string, most int) string {
	s = strings.TrimSpace(Clean(s))
	if n := utf8.RuneCountInString(s); n > most {
		return string([]rune(s)[:max(0, most-1)]) + ellipsis
	}
	return s
}

// densest returns the stretch of at most size bytes in which most of the weight
// of different terms stands, or 0, 0 when spans is empty.
func (m *matcher) densest(spans []span, size int) (lo, hi int) {
	best, first := 0.0, 0
	score := 0.0
	count := make([]int, len(m.terms))
	for last, s := range spans {
		score += m.gain(s, count[s.term])
		count[s.term]++
		for first < last && s.end-spans[first].at > size {
			f := spans[first]
			count[f.term]--
			score -= m.gain(f, count[f.term])
			first++
		}
		if score > best+1e-9 {
			best, lo, hi = score, spans[first].at, s.end
		}
	}
	return lo, hi
}

// repeat is what a further occurrence of a term counts.
const repeat = .1

func (m *matcher) gain(s span, before int) float64 {
	if before > 0 {
		return repeat * m.weight(s)
	}
	return m.weight(s)
}

// grow widens text[lo:hi] to at most most characters, as much to the left as to
// the right, ending at line ends or else between words.
func grow(text string, lo, hi, most int) (int, int) {
	room := most - utf8.RuneCountInString(text[lo:hi])
	if room <= 0 {
		return lo, back(text, lo, hi, -room)
	}
	left := utf8.RuneCountInString(text[:lo])
	right := utf8.RuneCountInString(text[hi:])
	wantLeft := min(left, max(room/2, room-right))
	wantRight := min(right, room-wantLeft)
	start, end := back(text, 0, lo, wantLeft), forward(text, hi, wantRight)
	if start > 0 {
		start = softStart(text, start, lo)
	}
	if end < len(text) {
		end = softEnd(text, hi, end)
	}
	return start, end
}

// back moves n characters back from at, not before low.
func back(text string, low, at, n int) int {
	for ; n > 0 && at > low; n-- {
		_, size := utf8.DecodeLastRuneInString(text[:at])
		at -= size
	}
	return at
}

func forward(text string, at, n int) int {
	for ; n > 0 && at < len(text); n-- {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return at
}

// softStart moves start to behind a line end before lo, when one is near, else
// to the beginning of a word.
func softStart(text string, start, lo int) int {
	if i := strings.IndexByte(text[start:lo], '\n'); i >= 0 && i < (lo-start)/2 {
		return start + i + 1
	}
	if i := strings.IndexFunc(text[start:lo], unicode.IsSpace); i >= 0 && i < 80 {
		return start + i
	}
	return start
}

// softEnd moves end back to a line end behind hi, when one is near, else to the
// end of a word.
func softEnd(text string, hi, end int) int {
	if i := strings.LastIndexByte(text[hi:end], '\n'); i >= 0 && i > (end-hi)/2 {
		return hi + i
	}
	if i := strings.LastIndexFunc(text[hi:end], unicode.IsSpace); i >= 0 && end-hi-i < 80 {
		return hi + i
	}
	return end
}

// line is one line of an output and what it holds of the question.
type line struct {
	text   string
	weight float64
	taken  bool
}

// matchingLines puts together the lines of text that hold the question's words,
// the best first as long as there is room, then the lines next to them.
func matchingLines(m *matcher, text string, spans []span, most int) string {
	lines := m.split(text, spans, most)
	order := make([]int, len(lines))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(lines[b].weight, lines[a].weight) })
	room := most
	take := func(i int) {
		if i < 0 || i >= len(lines) || lines[i].taken {
			return
		}
		// A line may need a mark before and behind it, with line ends.
		if n := utf8.RuneCountInString(lines[i].text) + 5; n <= room {
			lines[i].taken = true
			room -= n
		}
	}
	for _, i := range order {
		if lines[i].weight > 0 {
			take(i)
		}
	}
	for d := 1; d <= 3; d++ {
		for _, i := range order {
			if lines[i].weight > 0 && lines[i].taken {
				take(i + d)
				take(i - d)
			}
		}
	}
	return join(lines)
}

// split cuts text into lines and weighs them by the different terms they hold.
// A line that would not fit is cut down to the stretch that matches.
func (m *matcher) split(text string, spans []span, most int) []line {
	var out []line
	at := 0
	for _, l := range strings.SplitAfter(text, "\n") {
		end := at + len(l)
		seen := make(map[int]bool, 4)
		var inside []span
		x := line{text: strings.TrimRight(l, "\n")}
		for len(spans) > 0 && spans[0].at < end {
			s := spans[0]
			inside = append(inside, span{s.at - at, min(s.end, end) - at, s.term})
			if !seen[s.term] {
				seen[s.term] = true
				x.weight += m.weight(s)
			}
			spans = spans[1:]
		}
		if longest := most - 10; utf8.RuneCountInString(x.text) > longest {
			x.text = m.shorten(x.text, inside, longest)
		}
		out = append(out, x)
		at = end
	}
	return out
}

func (m *matcher) shorten(text string, spans []span, most int) string {
	lo, hi := m.densest(spans, most-2)
	lo, hi = grow(text, lo, min(hi, len(text)), most-2)
	return ellipsis + text[lo:hi] + ellipsis
}

func join(lines []line) string {
	var b strings.Builder
	gap := false
	for _, l := range lines {
		if !l.taken {
			gap = true
			continue
		}
		if gap {
			b.WriteString(ellipsis + "\n")
			gap = false
		}
		b.WriteString(l.text + "\n")
	}
	if gap {
		b.WriteString(ellipsis)
	}
	return b.String()
}

// richness is the weight of the different terms in the best stretch of text.
func (m *matcher) richness(text string, size int) float64 {
	text = Clean(text[:clampRune(text, longestRead)])
	spans := m.find(text)
	lo, hi := m.densest(spans, size)
	sum, seen := 0.0, map[int]bool{}
	for _, s := range spans {
		if s.at >= lo && s.end <= hi && !seen[s.term] {
			seen[s.term] = true
			sum += m.weight(s)
		}
	}
	return sum
}
