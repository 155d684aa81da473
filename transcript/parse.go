package transcript

import (
	"bytes"
	"time"
)

// Memory is what a Parser must remember between records: it is the part of a
// State that does not depend on the file's bytes.
type Memory struct {
	// Calls maps the ids of tool calls that are not answered yet to the tool's
	// name, "!" before it when the call is recall's own.
	Calls   map[string]string `json:"calls,omitempty"`
	Queue   []string          `json:"queue,omitempty"`   // prompts typed while the model works, not delivered yet
	Version string            `json:"version,omitempty"` // of the client that wrote the newest record
	Last    string            `json:"last,omitempty"`    // uuid of the newest record in the tree
	Begun   bool              `json:"begun,omitempty"`   // the first prompt has been seen
	Own     bool              `json:"own,omitempty"`     // the chat is recall's own
	Shell   bool              `json:"shell,omitempty"`   // the next shell output answers a command of recall's own
}

// Parser classifies the records of one conversation, which must come in file
// order: names of called tools, queued prompts and repeated blocks are known
// from the records before.
type Parser struct {
	mem    Memory
	calls  calls
	blocks blocks
	typed  typed
	names  map[string]string // repeated strings, kept once
}

// NewParser returns a parser for what follows the records that m remembers.
// The zero Memory is the beginning of a conversation.
func NewParser(m Memory) *Parser {
	p := &Parser{mem: m, names: map[string]string{}}
	p.mem.Calls = nil
	p.mem.Queue = append([]string(nil), m.Queue...)
	for id, name := range m.Calls {
		p.calls.add(id, name)
	}
	return p
}

// Memory returns what a later parser needs to go on from here.
func (p *Parser) Memory() Memory {
	m := p.mem
	m.Queue = append([]string(nil), m.Queue...)
	m.Calls = p.calls.open()
	return m
}

// Parse classifies one JSON object, as Reader.Next does: for replaying records
// that were stored. Off, End and Line are left 0. Raw of the result is raw.
func (p *Parser) Parse(raw []byte) *Record {
	raw = bytes.TrimSpace(raw)
	if len(raw) > 0 && raw[0] == '{' {
		if rec, n := p.parseObject(raw); n == len(raw) {
			return rec
		}
	}
	return &Record{Class: Broken, Why: "not json", Raw: raw}
}

// envelope is a record with the values that classification may need, as they
// stand in the file.
type envelope struct {
	message, attachment, content, compact           []byte
	title, operation, origin, source, turn, summary []byte
	meta, isSummary, apiError                       bool
	subtype                                         string
}

// parseObject parses the object that opens at b[0] and returns its length, or
// a negative result of the scanner.
func (p *Parser) parseObject(b []byte) (*Record, int) {
	var (
		rec Record
		e   envelope
	)
	n := members(b, func(k, v []byte) { p.member(&rec, &e, k, v) })
	if n < 0 {
		return nil, n
	}
	rec.Raw = b[:n]
	p.classify(&rec, &e)
	if rec.UUID != "" && !rec.Sidechain && rec.Type != madePrompt {
		p.mem.Last = rec.UUID
	}
	return &rec, n
}

func (p *Parser) member(rec *Record, e *envelope, k, v []byte) {
	switch string(k) {
	case "uuid":
		rec.UUID = unquote(v)
	case "parentUuid":
		rec.Parent = unquote(v)
	case "logicalParentUuid":
		rec.LogicalParent = unquote(v)
	case "type":
		rec.Type = p.intern(v)
	case "subtype":
		e.subtype = p.intern(v)
	case "sessionId":
		rec.Session = p.intern(v)
	case "agentId":
		rec.Agent = p.intern(v)
	case "cwd":
		rec.CWD = p.intern(v)
	case "gitBranch":
		rec.Branch = p.intern(v)
	case "version":
		rec.Version = p.intern(v)
	case "timestamp":
		rec.Time = parseTime(v)
	case "isSidechain":
		rec.Sidechain = isTrue(v)
	case "isMeta":
		e.meta = isTrue(v)
	case "isCompactSummary":
		e.isSummary = isTrue(v)
	case "isApiErrorMessage":
		e.apiError = isTrue(v)
	case "message":
		e.message = v
	case "attachment":
		e.attachment = v
	case "content":
		e.content = v
	case "compactMetadata":
		e.compact = v
	case "customTitle", "agentName", "aiTitle":
		e.title = v
	case "summary":
		e.summary = v
	case "operation":
		e.operation = v
	case "origin":
		e.origin = v
	case "promptSource":
		e.source = v
	case "turnOrigin":
		e.turn = v
	}
}

// intern returns the string that v is. Envelope values repeat on every record:
// each is kept once.
func (p *Parser) intern(v []byte) string {
	if s, ok := p.names[string(v)]; ok {
		return s
	}
	s := unquote(v)
	if len(p.names) < 4096 && len(v) < 512 {
		p.names[string(v)] = s
	}
	return s
}

func parseTime(v []byte) time.Time {
	if len(v) < 2 {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339Nano, string(v[1:len(v)-1]))
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}

// calls remembers the tool calls of a conversation, the newest maxCalls of them.
type calls struct {
	names   map[string]string
	waiting map[string]bool // not answered yet
	order   []string
}

const (
	maxCalls = 4096
	maxOpen  = 256 // calls that a State remembers: more are never answered
)

func (c *calls) add(id, name string) {
	if id == "" {
		return
	}
	if c.names == nil {
		c.names, c.waiting = map[string]string{}, map[string]bool{}
	}
	if _, known := c.names[id]; !known {
		c.order = append(c.order, id)
	}
	c.names[id], c.waiting[id] = name, true
	if len(c.order) > maxCalls {
		for _, old := range c.order[:maxCalls/4] {
			delete(c.names, old)
			delete(c.waiting, old)
		}
		c.order = append([]string(nil), c.order[maxCalls/4:]...)
	}
}

// answer returns the name of the tool that call id was made of.
func (c *calls) answer(id string) (name string, own bool) {
	name = c.names[id]
	delete(c.waiting, id)
	if len(name) > 0 && name[0] == '!' {
		return name[1:], true
	}
	return name, false
}

// open returns the calls that wait for their result, with their names.
func (c *calls) open() map[string]string {
	if len(c.waiting) == 0 {
		return nil
	}
	open := make(map[string]string, len(c.waiting))
	for i := len(c.order) - 1; i >= 0 && len(open) < min(len(c.waiting), maxOpen); i-- {
		if id := c.order[i]; c.waiting[id] {
			open[id] = c.names[id]
		}
	}
	return open
}
