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
	r := regionOf(text, from, to, most)
	whole := r.before + r.passage + r.after
	if !r.cutLeft && !r.cutRight && utf8.RuneCountInString(whole) <= most {
		return tidy(whole, most)
	}
	spans := m.find(r.passage)
	if lines && len(spans) > 0 {
		return tidy(matchingLines(m, r, spans, most), most)
	}
	for i := range spans {
		spans[i].at += len(r.before)
		spans[i].end += len(r.before)
	}
	lo, hi := m.densest(spans, most-2)
	if hi == 0 {
		lo, hi = len(r.before), len(r.before)
	}
	lo, hi = grow(whole, lo, hi, most-2)
	out := strings.TrimSpace(whole[lo:hi])
	if lo > 0 || r.cutLeft {
		out = ellipsis + out
	}
	if hi < len(whole) || r.cutRight {
		out += ellipsis
	}
	return tidy(out, most)
}

// region is a passage and as much around it as an excerpt can reach, cleaned.
type region struct {
	before, passage, after string
	cutLeft, cutRight      bool // there is more
}

func regionOf(text string, from, to, most int) region {
	from, to = clampRune(text, from), clampRune(text, to)
	from = min(from, to)
	lo, hi := clampRune(text, from-4*most), clampRune(text, to+4*most)
	return region{Clean(text[lo:from]), Clean(text[from:to]), Clean(text[to:hi]), lo > 0, hi < len(text)}
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

// matchingLines puts together the lines of a passage that hold the question's
// words, the best first as long as there is room, then the lines next to them.
func matchingLines(m *matcher, r region, spans []span, most int) string {
	lines := m.split(r.passage, spans, most)
	order := make([]int, 0, len(lines))
	for i := range lines {
		if lines[i].weight > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(lines[b].weight, lines[a].weight) })
	room := most
	for d := range lineContext + 1 {
		for _, i := range order {
			if d == 0 || lines[i].taken {
				room = take(lines, i+d, room)
				room = take(lines, i-d, room)
			}
		}
	}
	return join(lines, r.cutLeft || r.before != "", r.cutRight || r.after != "")
}

// lineContext is how many lines before and after a matching one are shown
// when there is room.
const lineContext = 3

// take marks line i if it fits and returns the room that is left.
func take(lines []line, i, room int) int {
	if i < 0 || i >= len(lines) || lines[i].taken {
		return room
	}
	n := utf8.RuneCountInString(lines[i].text) + 5 // with marks and line ends before and behind
	if n > room {
		return room
	}
	lines[i].taken = true
	return room - n
}

// split cuts text into lines and weighs them by the different terms they hold.
// A line that would not fit is cut down to the stretch that matches.
func (m *matcher) split(text string, spans []span, most int) []line {
	var out []line
	at := 0
	for l := range strings.SplitAfterSeq(text, "\n") {
		end := at + len(l)
		var inside []span
		for len(spans) > 0 && spans[0].at < end {
			inside = append(inside, span{spans[0].at - at, min(spans[0].end, end) - at, spans[0].term})
			spans = spans[1:]
		}
		x := line{text: strings.TrimRight(l, "\n"), weight: m.distinct(inside)}
		if longest := most - 10; utf8.RuneCountInString(x.text) > longest {
			x.text = m.shorten(x.text, inside, longest)
		}
		out = append(out, x)
		at = end
	}
	return out
}

// distinct is the weight of the different terms among spans.
func (m *matcher) distinct(spans []span) float64 {
	sum, seen := 0.0, map[int]bool{}
	for _, s := range spans {
		if !seen[s.term] {
			seen[s.term] = true
			sum += m.weight(s)
		}
	}
	return sum
}

func (m *matcher) shorten(text string, spans []span, most int) string {
	lo, hi := m.densest(spans, most-2)
	lo, hi = grow(text, lo, min(hi, len(text)), most-2)
	return ellipsis + text[lo:hi] + ellipsis
}

func join(lines []line, more, after bool) string {
	var b strings.Builder
	gap := more
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
	if gap || after {
		b.WriteString(ellipsis)
	}
	return b.String()
}

// richness is the weight of the different terms in the best stretch of text.
func (m *matcher) richness(text string, size int) float64 {
	spans := m.find(Clean(text[:clampRune(text, longestRead)]))
	lo, hi := m.densest(spans, size)
	return m.distinct(slices.DeleteFunc(spans, func(s span) bool { return s.at < lo || s.end > hi }))
}
