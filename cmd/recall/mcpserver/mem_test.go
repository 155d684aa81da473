package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"recall/index"
	"recall/search"
	"recall/transcript"
)

// mem is a backend that holds its messages in memory and finds them by shared
// words.
type mem struct {
	messages []index.Message
	session  string // of the asking session
	fresh    search.Fresh
}

func (m *mem) Search(ctx context.Context, q search.Query) (*search.Result, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	res := &search.Result{V: 1, Query: q.Text, Also: q.Also, Fresh: m.fresh}
	res.Scope = search.Scope{Asked: q.Scope, Searched: q.Scope, Session: q.Session, Sessions: 2}
	if q.Scope == "auto" {
		res.Scope.Searched, res.Scope.Project = "project", "/home/dev/shop"
	}
	if q.Session == "" {
		q.Session = m.session
	}
	for _, msg := range m.messages {
		if score := m.score(q, msg); score > 0 {
			res.Hits = append(res.Hits, m.hit(q, msg, score))
		}
	}
	slices.SortStableFunc(res.Hits, func(a, b search.Hit) int { return int(100*b.Score) - int(100*a.Score) })
	res.Hits = res.Hits[:min(len(res.Hits), q.Limit)]
	if res.Found = len(res.Hits) > 0 && res.Hits[0].Score >= .2; !res.Found {
		res.Weak, res.Hits = res.Hits, nil
	}
	return res, nil
}

func (m *mem) score(q search.Query, msg index.Message) float64 {
	f := q.Filter
	switch {
	case len(f.Kinds) > 0 && !slices.Contains(f.Kinds, msg.Kind),
		f.Dropped && msg.Dropped == nil,
		!f.Since.IsZero() && msg.Time.Before(f.Since),
		!f.Until.IsZero() && !msg.Time.Before(f.Until),
		q.Scope == "session" && msg.Session != q.Session:
		return 0
	}
	best := 0.0
	for _, wording := range append([]string{q.Text}, q.Also...) {
		words, n := strings.Fields(strings.ToLower(wording)), 0
		for _, w := range words {
			if strings.Contains(strings.ToLower(text(msg)), w) {
				n++
			}
		}
		best = max(best, float64(n)/float64(max(1, len(words))))
	}
	return best
}

func (m *mem) hit(q search.Query, msg index.Message, score float64) search.Hit {
	h := search.Hit{
		Score: score, Pointer: pointer(msg), Session: msg.Session, Project: msg.Project, Time: msg.Time,
		Role: msg.Role, Kind: string(msg.Kind), Tool: msg.Parts[0].Tool, Subagent: msg.Agent,
		UUIDs: []string{msg.UUID}, Excerpt: clip(text(msg), q.Excerpt), SourceDeleted: msg.Deleted,
	}
	if msg.Dropped != nil {
		h.Dropped = &search.Dropped{Nth: msg.Dropped.Nth}
	}
	if i := slices.IndexFunc(m.messages, func(o index.Message) bool { return o.UUID == msg.UUID }); msg.Role == "user" && i+1 < len(m.messages) {
		next := m.messages[i+1]
		h.After = []search.Near{{UUID: next.UUID, Role: next.Role, Kind: string(next.Kind), Excerpt: clip(text(next), q.Excerpt)}}
	}
	return h
}

func text(m index.Message) string {
	var parts []string
	for _, p := range m.Parts {
		parts = append(parts, p.Text)
	}
	return strings.Join(parts, "\n")
}

func pointer(m index.Message) string { return "recall:" + m.Session[:8] + "#" + m.UUID[:8] }

var errNone = errors.New("nothing stands there: never indexed")

func (m *mem) Read(ctx context.Context, r Range, visit func(Message) bool) (Reading, error) {
	from, to := -1, -1
	for i, msg := range m.messages {
		if r.Pointer == pointer(msg) || r.Pointer == "recall:"+msg.Session || r.Pointer == "recall:"+msg.Session+"#"+msg.UUID {
			if from < 0 {
				from = i
			}
			to = i + 1
		}
	}
	if from < 0 {
		return Reading{}, errNone
	}
	lo, hi := max(0, from-r.Before), min(len(m.messages), to+r.After)
	first := m.messages[from]
	out := Reading{Pointer: r.Pointer, Session: first.Session, Project: first.Project, Title: first.Title, Total: hi - lo}
	for i := lo; i < hi; i++ {
		if !visit(Message{m.messages[i], pointer(m.messages[i]), i < from || i >= to}) {
			break
		}
	}
	return out, nil
}

var day = time.Date(2026, 11, 3, 9, 0, 0, 0, time.UTC)

func say(n int, role string, kind transcript.Kind, words string) index.Message {
	m := index.Message{
		Session: "aaaaaaaa-0000-4000-8000-000000000001", Project: "/home/dev/shop", Title: "Driver upgrade",
		UUID: fmt.Sprintf("%08d-0000-4000-8000-000000000000", n), Role: role, Kind: kind,
		Parts: []transcript.Part{{Kind: kind, Text: words}}, Time: day.Add(time.Duration(n) * time.Hour),
	}
	if kind == transcript.Command || kind == transcript.Output {
		m.Parts[0].Tool = "Bash"
	}
	return m
}

// history is a small conversation, then one of another project.
func history() *mem {
	m := &mem{session: "aaaaaaaa-0000-4000-8000-000000000001", fresh: search.Fresh{AsOf: day.AddDate(0, 0, 2)}}
	m.messages = []index.Message{
		say(1, "user", transcript.Text, "prepared statements keep failing behind pgbouncer after the driver upgrade"),
		say(2, "assistant", transcript.Text, "We pinned pgx to 5.4.3: the newer driver caches statements across pooled connections."),
		say(3, "assistant", transcript.Command, "go get github.com/jackc/pgx/v5@v5.4.3"),
		say(4, "user", transcript.Output, "go: downgraded github.com/jackc/pgx/v5 v5.7.0 => v5.4.3"),
		say(50, "user", transcript.Text, "which port does the pgbouncer admin console use?"),
		say(51, "assistant", transcript.Text, "The pgbouncer console listens on 6432."),
	}
	for i := range m.messages[:3] {
		m.messages[i].Dropped = &index.Dropped{Nth: 1}
	}
	for i := range m.messages[4:] {
		m.messages[4+i].Session, m.messages[4+i].Project = "bbbbbbbb-0000-4000-8000-000000000002", "/home/dev/ops"
	}
	return m
}
