package search

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"recall/index"
	"recall/transcript"
)

// collector turns a ranking into hits: one for each message, alike texts
// together, without the question itself.
type collector struct {
	s        *Searcher
	q        Query
	qn       *question
	sc       scope
	m        *matcher
	signal   signal
	listed   map[index.ID]bool
	top      float64
	hits     []Hit
	sketches []sketch
	folds    []fold
	unread   int // passages whose message could not be read
}

// fold is what a hit is compared by before its text is.
type fold struct {
	kind transcript.Kind
	len  int
}

// lookahead is how many messages are looked at behind the last hit, for texts
// like those of the hits.
const lookahead = 20

// collect reads the messages of the best passages.
func (s *Searcher) collect(ctx context.Context, q Query, qn *question, sc scope, r *ranking) (*collector, error) {
	c := &collector{s: s, q: q, qn: qn, sc: sc, m: newMatcher(qn), signal: r.signal, listed: r.listed}
	seen := map[uint32]bool{}
	behind := 0
	for i := range r.list {
		x := &r.list[i]
		if seen[x.Message] || x.score <= 0 {
			continue
		}
		seen[x.Message] = true
		full := len(c.hits) >= q.Limit
		if full {
			if behind++; behind > lookahead {
				break
			}
		}
		// What only stands beside matches is no hit, but may belong to one.
		beside := x.parts.Keyword+x.parts.Meaning == 0
		if (full || beside) && !c.mayFold(x) {
			continue
		}
		if err := c.add(ctx, x, full || beside); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// mayFold says whether a passage can be like that of a hit, or is shown in one.
func (c *collector) mayFold(x *ranked) bool {
	is := func(n Near) bool { return n.UUID == x.UUID }
	for i := range c.hits {
		if slices.ContainsFunc(c.hits[i].Before, is) || slices.ContainsFunc(c.hits[i].After, is) {
			return true
		}
	}
	return slices.ContainsFunc(c.folds, func(f fold) bool {
		return f.kind == x.Kind && 10*min(f.len, x.Len) >= 8*max(f.len, x.Len)
	})
}

// add makes a hit of a passage, or folds it into one. When full it only folds.
func (c *collector) add(ctx context.Context, x *ranked, full bool) error {
	e, err := c.s.store.Exchange(ctx, x.ID)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		c.unread++
		return nil
	}
	if c.excluded(x, &e) || !c.answered(x, &e) || c.shown(&e.Message) {
		return nil
	}
	if c.top == 0 {
		c.top = x.score
	}
	score := hitScore(c.signal.confidence(), x.score/c.top, len(c.hits) == 0)
	if score < c.q.MinScore {
		return nil
	}
	sk := sketchOf(passageText(&e))
	for i := range c.hits {
		if c.folds[i].kind == x.Kind && c.sketches[i].like(sk) {
			c.hits[i].UUIDs = append(c.hits[i].UUIDs, e.Message.UUID)
			return nil
		}
	}
	if full {
		return nil
	}
	c.sketches = append(c.sketches, sk)
	c.folds = append(c.folds, fold{x.Kind, x.Len})
	c.hits = append(c.hits, c.hit(ctx, x, &e, score))
	return nil
}

// answered puts the answer in the place of a prompt that was the question
// itself, word for word: asked before, it is its answer that is looked for. It
// is false when there is none, or when the question is the one being asked.
func (c *collector) answered(x *ranked, e *index.Exchange) bool {
	if x.Role != "user" || x.Kind != transcript.Text || !c.qn.echoed(messageText(&e.Message)) {
		return true
	}
	if len(e.After) == 0 || e.Message.Session == c.sc.from {
		return false
	}
	longest := slices.MaxFunc(e.After, func(a, b index.Message) int {
		return cmp.Compare(len(messageText(&a)), len(messageText(&b)))
	})
	part := slices.IndexFunc(longest.Parts, func(p transcript.Part) bool { return p.Kind == transcript.Text })
	if part < 0 {
		return false
	}
	*e = index.Exchange{Message: longest, Part: part, End: len(longest.Parts[part].Text), Before: []index.Message{e.Message}}
	return true
}

// shown says whether a message stands in a hit already, as itself or as the
// other half of the exchange, which then stands for it.
func (c *collector) shown(m *index.Message) bool {
	is := func(n Near) bool { return n.UUID == m.UUID }
	for i := range c.hits {
		h := &c.hits[i]
		if slices.Contains(h.UUIDs, m.UUID) {
			return true
		}
		if slices.ContainsFunc(h.Before, is) || slices.ContainsFunc(h.After, is) {
			h.UUIDs = append(h.UUIDs, m.UUID)
			return true
		}
	}
	return false
}

// excluded says whether a message may not be a hit: neighbours that the filter
// leaves out, the question itself, and the prompt that is being answered just
// now.
func (c *collector) excluded(x *ranked, e *index.Exchange) bool {
	m := &e.Message
	if c.sc.filter.Dropped && !c.listed[x.ID] && m.Dropped == nil {
		return true
	}
	if x.Role != "user" || x.Kind != transcript.Text {
		return false
	}
	return c.sc.asking != "" && m.Session == c.sc.asking && m.Agent == "" && m.Dropped == nil && len(e.After) == 0
}

func (c *collector) hit(ctx context.Context, x *ranked, e *index.Exchange, score float64) Hit {
	m := &e.Message
	h := Hit{
		Rank: len(c.hits) + 1, Score: round(score), Pointer: c.s.pointer(ctx, m),
		Session: m.Session, Project: Clean(m.Project), Title: oneLine(m.Title), Time: m.Time.UTC(),
		Role: m.Role, Kind: string(x.Kind), Tool: oneLine(partTool(e)), Subagent: m.Agent,
		UUIDs:         []string{m.UUID},
		Excerpt:       excerptOf(c.m, partText(e), e.Start, e.End, x.Kind == transcript.Output, c.q.Excerpt),
		Before:        c.near(e.Before),
		After:         c.near(e.After),
		Parts:         Parts{round(x.parts.Keyword), round(x.parts.Meaning), round(x.parts.Context)},
		SourceDeleted: m.Deleted,
	}
	if m.Dropped != nil {
		h.Dropped = &Dropped{Boundary: m.Dropped.Boundary, Time: m.Dropped.Time.UTC(), Trigger: m.Dropped.Trigger, Nth: m.Dropped.Nth}
	}
	return h
}

// nearMost is how many messages of the other half are shown.
const nearMost = 2

// near shows the other half of an exchange: of several messages the ones that
// match best, in their order.
func (c *collector) near(ms []index.Message) []Near {
	type side struct {
		at     int
		text   string
		weight float64
	}
	sides := make([]side, 0, len(ms))
	for i := range ms {
		if t := messageText(&ms[i]); strings.TrimSpace(t) != "" {
			sides = append(sides, side{i, t, c.m.richness(t, c.q.Excerpt/2)})
		}
	}
	slices.SortStableFunc(sides, func(a, b side) int { return cmp.Compare(b.weight, a.weight) })
	sides = sides[:min(nearMost, len(sides))]
	slices.SortFunc(sides, func(a, b side) int { return cmp.Compare(a.at, b.at) })
	out := make([]Near, len(sides))
	for i, x := range sides {
		m := &ms[x.at]
		out[i] = Near{UUID: m.UUID, Role: m.Role, Kind: string(m.Kind),
			Excerpt: excerptOf(c.m, x.text, 0, min(len(x.text), longestRead), false, c.q.Excerpt/2)}
	}
	return out
}

// longestRead is how much of a message that is no hit is looked at.
const longestRead = 1 << 16

func partText(e *index.Exchange) string {
	if e.Part < 0 || e.Part >= len(e.Message.Parts) {
		return ""
	}
	return e.Message.Parts[e.Part].Text
}

// passageText is the passage that was found.
func passageText(e *index.Exchange) string {
	t := partText(e)
	to := clampRune(t, e.End)
	return t[min(clampRune(t, e.Start), to):to]
}

func partTool(e *index.Exchange) string {
	if e.Part < 0 || e.Part >= len(e.Message.Parts) {
		return ""
	}
	return e.Message.Parts[e.Part].Tool
}

// messageText is what a message says in words, or all of it when it has none.
func messageText(m *index.Message) string {
	var said, all []string
	for _, p := range m.Parts {
		all = append(all, p.Text)
		if p.Kind == transcript.Text {
			said = append(said, p.Text)
		}
	}
	if len(said) > 0 {
		all = said
	}
	return strings.Join(all, "\n")
}

func oneLine(s string) string { return strings.Join(strings.Fields(Clean(s)), " ") }

func round(x float64) float64 { return float64(int(x*1000+.5)) / 1000 }

// note says what could not be read, for Result.Fresh.Notes.
func (c *collector) note() string {
	if c.unread == 0 {
		return ""
	}
	if c.unread == 1 {
		return "1 matching message could not be read"
	}
	return fmt.Sprintf("%d matching messages could not be read", c.unread)
}
