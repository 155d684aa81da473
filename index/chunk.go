package index

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"recall/transcript"
)

// Sizes in bytes. Passages of about 1,200 characters with 15% overlap were the
// best of those measured; longer ones are cut by the encoder.
const (
	chunkSize    = 1200
	chunkOverlap = 180
	chunkMin     = 200 // a shorter rest joins the passage before it

	wholeProse = 1 << 20 // a message up to this size is indexed whole; of a longer one
	proseEnds  = 1 << 19 // so much of its head and of its tail
	wholeTool  = 12000   // a command or output up to this size is indexed whole
	toolEnds   = 4800    // of a longer one: so much of its head and of its tail,
	toolErrors = 6       // and at most so many passages around error lines between
)

// chunk cuts a text into passages, given as byte ranges in order. Of a long
// command or output the head, the tail and the error lines are covered, of prose
// of a megabyte and more the head and the tail; the archive has all of it.
func chunk(kind transcript.Kind, text string) [][2]int {
	whole, ends := wholeTool, toolEnds
	prose := kind == transcript.Text || kind == transcript.Summary
	if prose {
		whole, ends = wholeProse, proseEnds
	}
	if len(text) <= whole {
		return pieces(text, 0, len(text), nil)
	}
	head := boundary(text, ends)
	tail := boundary(text, len(text)-ends)
	out := pieces(text, 0, head, nil)
	if !prose {
		out = append(out, errorPieces(text, head, tail)...)
	}
	return pieces(text, tail, len(text), out)
}

func pieces(text string, from, to int, out [][2]int) [][2]int {
	for from < to {
		end := min(from+chunkSize, to)
		if to-end < chunkMin {
			end = to
		} else {
			end = softEnd(text, from, end)
		}
		if strings.TrimSpace(text[from:end]) != "" {
			out = append(out, [2]int{from, end})
		}
		if end == to {
			break
		}
		from = softStart(text, max(end-chunkOverlap, from+1), end)
	}
	return out
}

// softEnd moves end back to a line break, else a space, within the last third.
func softEnd(text string, from, end int) int {
	low := from + (end-from)*2/3
	if i := strings.LastIndexByte(text[low:end], '\n'); i >= 0 {
		return low + i + 1
	}
	if i := strings.LastIndexByte(text[low:end], ' '); i >= 0 {
		return low + i + 1
	}
	return boundary(text, end)
}

// softStart moves start forward behind a line break or space before end.
func softStart(text string, start, end int) int {
	if i := strings.IndexByte(text[start:end], '\n'); i >= 0 && start+i+1 < end {
		return start + i + 1
	}
	if i := strings.IndexByte(text[start:end], ' '); i >= 0 && start+i+1 < end {
		return start + i + 1
	}
	return boundary(text, start)
}

// boundary moves i back to the start of a character.
func boundary(text string, i int) int {
	for i > 0 && i < len(text) && !utf8.RuneStart(text[i]) {
		i--
	}
	return i
}

var errorLine = regexp.MustCompile(`(?i)\b(error|fail(ed|ure|s)?|panic|fatal|exception|traceback|assert(ion)?|undefined|cannot|denied|refused|timed? ?out|not found)\b|^\s*--- FAIL|\bE[A-Z]{4,}\b`)

// errorPieces returns passages around error lines of text[from:to].
func errorPieces(text string, from, to int) [][2]int {
	var out [][2]int
	for at := from; at < to && len(out) < toolErrors; {
		m := errorLine.FindStringIndex(text[at:min(to, at+1<<16)])
		if m == nil {
			at = boundary(text, min(to, at+1<<16))
			continue
		}
		start := boundary(text, max(from, at+m[0]-chunkSize/4))
		end := boundary(text, min(to, start+chunkSize))
		out = append(out, [2]int{start, end})
		at = end
	}
	return out
}
