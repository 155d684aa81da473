package mcpserver

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"recall/search"
	"recall/transcript"
)

// page asks for one page of what a pointer names. The offset counts characters
// of message text from the first message on, without headings and fences.
type page struct {
	Range
	chars  int
	offset int
}

func (h *handlers) read(ctx context.Context, a *args) (string, error) {
	p := page{Range: Range{Pointer: a.str("pointer")}}
	p.Before = a.num("before", 0, 0, maxAround)
	p.After = a.num("after", 0, 0, maxAround)
	p.chars = a.num("max_chars", defaultPage, minPage, maxPage)
	p.offset = a.num("offset", 0, 0, 1<<40)
	if p.Pointer == "" && !a.refused("pointer") {
		a.wrong("pointer is missing: send one from a search result, such as recall:edd44f35#3fa9c1aa.")
	}
	if err := a.check(); err != nil {
		return "", err
	}
	return h.page(ctx, p)
}

func (h *handlers) page(ctx context.Context, p page) (string, error) {
	w := writer{page: p}
	r, err := h.back.Read(ctx, p.Range, w.visit)
	if err != nil {
		return "", err
	}
	if w.first == 0 && p.offset > 0 {
		return "", wrong{fmt.Sprintf("offset %d is past the end: %s has %s.", p.offset, r.Pointer, Counted(w.passed, "character"))}
	}
	return w.text(r), nil
}

// writer fills a page with messages as they are visited.
type writer struct {
	page
	body   strings.Builder
	used   int // characters of body
	passed int // characters of text so far, also before the page
	seen   int // messages so far
	first  int // number of the first message on the page, from 1
	more   bool
}

func (w *writer) visit(m Message) bool {
	if w.used > 0 && w.used >= w.chars-40 {
		w.more = true
		return false
	}
	w.seen++
	text := []rune(messageText(m))
	begin := w.passed
	skip := min(max(w.offset-begin, 0), len(text))
	if skip == len(text) && (skip > 0 || begin < w.offset) {
		w.passed += len(text)
		return true
	}
	if w.first == 0 {
		w.first = w.seen
	}
	head := messageHead(m, skip)
	room := max(w.chars-w.used-utf8.RuneCountInString(head)-8, 100)
	piece := cut(text[skip:], room)
	w.write(head, piece)
	w.passed = begin + skip + len(piece)
	if skip+len(piece) < len(text) {
		w.more = true
		return false
	}
	return true
}

func (w *writer) write(head string, piece []rune) {
	before := w.body.Len()
	w.body.WriteString(head + "\n")
	if len(piece) == 0 {
		w.body.WriteString("(no text)\n")
	} else {
		fence(&w.body, string(piece))
	}
	w.used += utf8.RuneCountInString(w.body.String()[before:])
}

// cut takes at most n characters, up to the end of a line if one is near.
func cut(text []rune, n int) []rune {
	if len(text) <= n {
		return text
	}
	for i := n; i > n*3/4; i-- {
		if text[i-1] == '\n' {
			return text[:i]
		}
	}
	return text[:n]
}

func messageHead(m Message, skipped int) string {
	kind, tool := m.Kind, ""
	if len(m.Parts) > 0 {
		kind, tool = m.Parts[0].Kind, m.Parts[0].Tool
	}
	fields := []string{who(m.Role, kind, tool), stamp(m.Time)}
	if m.Agent != "" {
		fields = append(fields, "sub-agent "+oneLine(m.Agent, 20))
	}
	if m.Dropped != nil {
		fields = append(fields, fmt.Sprintf("dropped at compaction %d", m.Dropped.Nth))
	}
	if m.Context {
		fields = append(fields, "context")
	}
	if skipped > 0 {
		fields = append(fields, fmt.Sprintf("from character %d", skipped))
	}
	return strings.Join(append(fields, m.Pointer), " | ")
}

// messageText is the text of a message; parts after the first say what they are.
func messageText(m Message) string {
	var parts []string
	for i, p := range m.Parts {
		text := search.Clean(p.Text)
		if i > 0 && p.Kind != transcript.Text {
			text = who(m.Role, p.Kind, p.Tool) + ":\n" + text
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "\n\n")
}

func (w *writer) text(r Reading) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s | %s | %s", r.Pointer, ProjectName(r.Project), Counted(r.Total, "message"))
	if r.Title != "" {
		fmt.Fprintf(&b, " | %q", oneLine(r.Title, 80))
	}
	fmt.Fprintf(&b, "\nQuoted from a past conversation. Shown: %s.%s\n", span(w.first, w.seen), notes(r.Notes))
	b.WriteString(w.body.String())
	b.WriteString(w.next(r))
	return b.String()
}

func span(from, to int) string {
	if from == to {
		return fmt.Sprintf("message %d", from)
	}
	return fmt.Sprintf("messages %d to %d", from, to)
}

func (w *writer) next(r Reading) string {
	if !w.more {
		return "End. For what came before or after, ask with before and after.\n"
	}
	around := ""
	if w.Before > 0 {
		around += fmt.Sprintf(" before=%d", w.Before)
	}
	if w.After > 0 {
		around += fmt.Sprintf(" after=%d", w.After)
	}
	return fmt.Sprintf("Next page: %s pointer=%q%s offset=%d\n", readName, r.Pointer, around, w.passed)
}
