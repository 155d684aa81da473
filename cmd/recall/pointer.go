package main

import (
	"context"
	"errors"
	"slices"
	"strings"

	"recall/anchors"
	"recall/cmd/recall/mcpserver"
	"recall/index"
	"recall/search"
)

// resolve finds what a pointer as people paste it leads to. A pointer that is
// not known is looked up again after what is new was read.
func resolve(ctx context.Context, x *index.Index, text string) (anchors.Target, error) {
	p, err := anchors.Parse(text)
	if err != nil {
		return anchors.Target{}, unresolved(text, err)
	}
	t, err := anchors.Resolve(ctx, x, p)
	if errors.Is(err, anchors.ErrNotFound) {
		if _, err := x.Sync(ctx, index.SyncOptions{Budget: searchBudget}); err != nil {
			return t, err
		}
		t, err = anchors.Resolve(ctx, x, p)
	}
	if err != nil {
		return t, unresolved(text, err)
	}
	return t, nil
}

// onePointer joins the words of a pointer, which may be a whole sentence; several
// pointers are refused.
func onePointer(cmd string, args []string) (string, error) {
	var found []string
	for _, arg := range args {
		if _, err := anchors.Parse(arg); err == nil {
			found = append(found, arg)
		}
	}
	if len(found) > 1 && len(found) == len(args) {
		return "", hintf("usage", commandLine("recall", cmd, found[0]), "%s takes one pointer at a time, got %d", cmd, len(found))
	}
	return strings.Join(args, " "), nil
}

// unresolved says why a pointer leads nowhere and what helps.
func unresolved(text string, err error) error {
	var ambiguous *anchors.AmbiguousError
	var unknown *anchors.UnknownError
	switch {
	case errors.As(err, &ambiguous):
		var b strings.Builder
		for _, c := range ambiguous.Candidates {
			b.WriteString("\n  " + c.Pointer().String())
		}
		first := ambiguous.Candidates[0].Pointer().String()
		return hintf("ambiguous", commandLine("recall", "show", first), "%s could be any of:%s", ambiguous.Pointer, b.String())
	case errors.As(err, &unknown):
		cmd := "recall sync"
		switch {
		case unknown.Pointer.Dropped > 0 && unknown.Reason != anchors.NeverIndexed:
			cmd = commandLine("recall", "dropped", anchors.Pointer{Session: unknown.Pointer.Session}.String())
		case unknown.Reason != anchors.NeverIndexed:
			cmd = "recall sessions"
		}
		return hint{err, cmd, "not_found"}
	case errors.Is(err, anchors.ErrNotPointer):
		return hintf("not_a_pointer", commandLine("recall", "search", clipWords(text, 80)), "%q is not a pointer", clipWords(text, 80))
	}
	return err
}

func clipWords(s string, n int) string {
	s = strings.Join(strings.Fields(search.Clean(s)), " ")
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// shorten prints a pointer with the beginnings of its ids that name one thing.
func shorten(ctx context.Context, x *index.Index, p anchors.Pointer) string {
	full := p
	if p.Session != "" {
		p.Session = anchors.Short(p.Session, func(prefix string) bool {
			ids, err := x.SessionIDs(ctx, prefix)
			return err == nil && len(ids) == 1
		})
	}
	one := func(prefix string) bool {
		places, err := x.ByUUID(ctx, full.Session, prefix)
		return err == nil && len(places) == 1
	}
	if p.Message != "" {
		p.Message = anchors.Short(p.Message, one)
	}
	if p.To != "" {
		p.To = anchors.Short(p.To, one)
	}
	return p.String()
}

// read visits the messages behind a pointer; see mcpserver.Backend.
func (l *library) read(ctx context.Context, r mcpserver.Range, visit func(mcpserver.Message) bool) (mcpserver.Reading, error) {
	var out mcpserver.Reading
	err := l.use(ctx, func(x *index.Index) error {
		t, err := resolve(ctx, x, r.Pointer)
		if err != nil {
			return err
		}
		places, from, to, err := around(ctx, x, t, r.Before, r.After)
		if err != nil {
			return err
		}
		if out, err = readingOf(ctx, x, t, len(places)); err != nil {
			return err
		}
		for i, p := range places {
			m, err := x.Message(ctx, p)
			if err != nil {
				return err
			}
			pointer := shorten(ctx, x, p.Pointer())
			if !visit(mcpserver.Message{Message: m, Pointer: pointer, Context: i < from || i >= to}) {
				return nil
			}
		}
		return nil
	})
	return out, err
}

func readingOf(ctx context.Context, x *index.Index, t anchors.Target, total int) (mcpserver.Reading, error) {
	out := mcpserver.Reading{Pointer: shorten(ctx, x, t.Pointer), Session: t.Session, Agent: t.Agent, Total: total}
	sessions, err := x.Sessions(ctx, index.SessionFilter{Prefix: t.Session})
	for _, s := range sessions {
		if s.ID == t.Session {
			out.Project, out.Title = s.Project, s.Title
		}
	}
	if t.Deleted {
		out.Notes = append(out.Notes, "the transcript file was deleted; this is recall's own copy")
	}
	return out, err
}

// around adds the messages that stand before the first and after the last of a
// target; from and to are where the target's own are.
func around(ctx context.Context, x *index.Index, t anchors.Target, before, after int) (all []anchors.Place, from, to int, err error) {
	n := len(t.Places)
	if n == 0 || before == 0 && after == 0 {
		return t.Places, 0, n, nil
	}
	conv, err := x.Conversation(ctx, t.Session, t.Agent)
	if err != nil {
		return nil, 0, 0, err
	}
	at := func(p anchors.Place) int {
		return slices.IndexFunc(conv, func(q anchors.Place) bool { return q.UUID == p.UUID })
	}
	first, last := at(t.Places[0]), at(t.Places[n-1])
	if first < 0 || last < 0 {
		return t.Places, 0, n, nil
	}
	lead := conv[max(0, first-before):first]
	all = slices.Concat(lead, t.Places, conv[last+1:min(len(conv), last+1+after)])
	return all, len(lead), len(lead) + n, nil
}
