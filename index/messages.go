package index

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"recall/anchors"
	"recall/index/vectors"
	"recall/transcript"
)

// ErrNoMessage is returned for a place at which the index holds no message.
var ErrNoMessage = errors.New("no such message")

// parts reads a message's record from the archive.
func (x *Index) parts(m *message) (*transcript.Record, error) {
	a, err := x.arc.Record(m.at)
	if err != nil {
		return nil, fmt.Errorf("message %s: %w", m.uuid, err)
	}
	return transcript.NewParser(transcript.Memory{}).Parse(a.Raw), nil
}

// text returns the text of a passage. Read alone, a record may show parts that
// were left out as recall's own when it was read in its place: the content
// hash finds the right one.
func (x *Index) text(id ID) (string, error) {
	p := &x.cat.passages[id]
	r, err := x.parts(&x.cat.messages[p.msg])
	if err != nil {
		return "", err
	}
	_, t, err := p.find(r.Parts)
	return t, err
}

// find looks for a passage in the parts of its record, first where it was.
func (p *passage) find(parts []transcript.Part) (part int, text string, err error) {
	if t, ok := p.in(parts, int(p.part)); ok {
		return int(p.part), t, nil
	}
	for i := range parts {
		if t, ok := p.in(parts, i); ok {
			return i, t, nil
		}
	}
	return 0, "", errors.New("the archived record does not hold the passage")
}

func (p *passage) in(parts []transcript.Part, i int) (string, bool) {
	if i >= len(parts) || int(p.end) > len(parts[i].Text) {
		return "", false
	}
	t := parts[i].Text[p.start:p.end]
	return t, vectors.Key(t) == p.hash
}

// load makes a Message with its text; in is the conversation it is seen from.
func (x *Index) load(num, in uint32) (Message, error) {
	m := &x.cat.messages[num]
	r, err := x.parts(m)
	if err != nil {
		return Message{}, err
	}
	v := &x.cat.convs[in]
	f := &x.cat.files[m.file]
	out := Message{
		Num: num, Session: v.Session, Agent: v.Agent, Project: x.cat.projectOf(in), Title: v.title,
		UUID: m.uuid, Role: roles[m.role], Kind: kinds[m.kind], Parts: x.indexed(m, r.Parts), Time: msTime(m.time),
		CWD: r.CWD, Branch: r.Branch, Version: r.Version, Model: r.Model,
		Path: f.path, Line: int(m.line), Deleted: x.isGone(f.path), Live: within(v.live, num),
	}
	for i := range out.Parts {
		if out.Parts[i].Tool == "" && out.Parts[i].ToolID != "" {
			out.Parts[i].Tool = m.tool
		}
	}
	if c, n := v.dropped(num); c != nil {
		out.Dropped = &Dropped{Boundary: c.boundary, Time: msTime(c.time), Trigger: c.trigger, Nth: n}
	}
	return out, nil
}

// indexed keeps the parts that were indexed.
func (x *Index) indexed(m *message, parts []transcript.Part) []transcript.Part {
	keep := map[int]bool{}
	for id := m.first; id < m.first+ID(m.n); id++ {
		if i, _, err := x.cat.passages[id].find(parts); err == nil {
			keep[i] = true
		}
	}
	var out []transcript.Part
	for i, p := range parts {
		if keep[i] {
			out = append(out, p)
		}
	}
	return out
}

func (x *Index) isGone(path string) bool {
	if g, ok := x.gone[path]; ok {
		return g
	}
	return !exists(path)
}

// Text implements search.Store.
func (x *Index) Text(_ context.Context, id ID) (string, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if id >= x.cat.visible {
		return "", fmt.Errorf("no passage %d", id)
	}
	return x.text(id)
}

// exchangeMost bounds the answers that are returned for a prompt.
const exchangeMost = 8

// Exchange implements search.Store.
func (x *Index) Exchange(_ context.Context, id ID) (Exchange, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if id >= x.cat.visible {
		return Exchange{}, fmt.Errorf("no passage %d", id)
	}
	p := &x.cat.passages[id]
	m := &x.cat.messages[p.msg]
	main, err := x.load(p.msg, m.conv)
	if err != nil {
		return Exchange{}, err
	}
	e := Exchange{Message: main, Start: int(p.start), End: int(p.end)}
	e.Part, _, _ = p.find(main.Parts)
	before, after := x.halves(p.msg, m)
	if e.Before, err = x.loadAll(before, m.conv); err == nil {
		e.After, err = x.loadAll(after, m.conv)
	}
	return e, err
}

func (x *Index) loadAll(nums []uint32, in uint32) ([]Message, error) {
	var out []Message
	for _, n := range nums {
		m, err := x.load(n, in)
		if err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, nil
}

// halves finds the other half of a message's exchange: for a prompt the
// answers in prose up to the next prompt, for anything else the prompt that led
// to it, and for an output also its call.
func (x *Index) halves(num uint32, m *message) (before, after []uint32) {
	v := &x.cat.convs[m.conv]
	list := v.msgs
	at, _ := slices.BinarySearch(list, num)
	asks := func(o *message) bool { // a sub-agent's task is its prompt
		return o.prompt || v.Agent != "" && roles[o.role] == "user" && kinds[o.kind] == transcript.Text
	}
	if asks(m) {
		for _, n := range list[at+1:] {
			o := &x.cat.messages[n]
			if n >= x.cat.visibleMessages || asks(o) || len(after) == exchangeMost {
				break
			}
			if roles[o.role] == "assistant" && kinds[o.kind] == transcript.Text {
				after = append(after, n)
			}
		}
		return nil, after
	}
	for i := at - 1; i >= 0; i-- {
		o := &x.cat.messages[list[i]]
		if kinds[m.kind] == transcript.Output && kinds[o.kind] == transcript.Command && len(before) == 0 && share(o.toolIDs, m.toolIDs) {
			before = append(before, list[i])
		}
		if asks(o) {
			return append([]uint32{list[i]}, before...), nil
		}
	}
	return before, nil
}

func share(a, b []string) bool {
	return slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
}

// Message returns the message at a place, as anchors.Resolve gives it.
func (x *Index) Message(_ context.Context, p anchors.Place) (Message, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	ci, ok := x.cat.byKey[SessionKey{p.Session, p.Agent}]
	num, known := x.uuid(p.UUID)
	if !ok || !known {
		return Message{}, ErrNoMessage
	}
	return x.load(num, ci)
}

// uuid looks up a message; the map is made by whoever opened the index.
func (x *Index) uuid(id string) (uint32, bool) {
	x.uuids.Do(func() { x.cat.uuids() })
	n, ok := x.cat.byUUID[id]
	return n, ok && n < x.cat.visibleMessages
}
