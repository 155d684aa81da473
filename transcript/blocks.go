package transcript

import (
	"hash/maphash"
	"strconv"
	"strings"
)

// Old clients wrote a growing message as several records, each with another
// uuid, the same message id and all blocks so far. A block's identity is
// therefore Part.Block: the message id with the call's id, or with the number
// of the text within the message. A block that comes again unchanged is left
// out of the later record; one that has grown comes again in full under the
// same identity, and the newest is the right one.
//
// Rows that a later compaction appends again have the same uuid and keep their
// parts: a store that knows the uuid has them already.

var seed = maphash.MakeSeed()

type seenBlock struct {
	uuid string
	size int
	hash uint64
}

type seenMessage struct {
	id     string
	texts  []seenBlock
	others map[string]seenBlock
}

// blocks remembers the blocks of the newest messages.
type blocks struct{ recent []*seenMessage }

const maxRecent = 64

func (b *blocks) message(id string) *seenMessage {
	for i := len(b.recent) - 1; i >= 0; i-- {
		if b.recent[i].id == id {
			return b.recent[i]
		}
	}
	if len(b.recent) == maxRecent {
		b.recent = append(b.recent[:0], b.recent[maxRecent/2:]...)
	}
	m := &seenMessage{id: id, others: map[string]seenBlock{}}
	b.recent = append(b.recent, m)
	return m
}

// addPart adds a part with text to rec, unless an earlier record of the same
// message holds it already.
func (p *Parser) addPart(rec *Record, part Part) {
	if strings.TrimSpace(part.Text) == "" {
		return
	}
	if rec.MessageID != "" && rec.Role == "assistant" {
		m := p.blocks.message(rec.MessageID)
		block, repeated := m.place(rec, part)
		if repeated {
			return
		}
		part.Block = rec.MessageID + "/" + block
	}
	rec.Parts = append(rec.Parts, part)
}

// place gives the block's name within the message and tells whether another
// record has shown it before.
func (m *seenMessage) place(rec *Record, part Part) (name string, repeated bool) {
	now := seenBlock{rec.UUID, len(part.Text), maphash.String(seed, part.Text)}
	if part.ToolID != "" {
		name = string(part.Kind) + "/" + part.ToolID
		old, known := m.others[name]
		if known && old.same(now) {
			return name, old.uuid != now.uuid
		}
		m.others[name] = now
		return name, false
	}
	for i, old := range m.texts {
		if old.size > now.size || maphash.String(seed, part.Text[:old.size]) != old.hash {
			continue
		}
		name = strconv.Itoa(i)
		if old.same(now) {
			return name, old.uuid != now.uuid
		}
		m.texts[i] = now
		return name, false
	}
	m.texts = append(m.texts, now)
	return strconv.Itoa(len(m.texts) - 1), false
}

func (s seenBlock) same(t seenBlock) bool { return s.size == t.size && s.hash == t.hash }
