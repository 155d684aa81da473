package transcript

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// A prompt that is typed while the model works is queued. Clients from 2.1.100
// on write it as an attachment when the model gets it. Before, the only trace
// of a delivered prompt is in the queue's own records: "enqueue" with the text,
// later "remove" without. ("dequeue" means that it became an ordinary user
// record, "popAll" that it went back to the input line.)
//
// At such a "remove" the parser makes a record of its own, of type
// "queue-operation/prompt", whose Raw is a JSON object that parses to the same
// record. Its uuid is made from time and text, so that reading the file again,
// or a copy of the session, gives the same one; its parent is the tree record
// before it.

// firstAttaching is the first known client that writes queued prompts as
// attachments.
var firstAttaching = [3]int{2, 1, 100}

// madePrompt is the type of the records made here.
const madePrompt = "queue-operation/prompt"

const maxQueue = 256

func (p *Parser) queueOperation(rec *Record, e *envelope) {
	text := unquote(e.content)
	switch unquote(e.operation) {
	case "prompt": // made by this package
		rec.Type, rec.Role, rec.Class = madePrompt, "user", Conversation
		rec.Why = ""
		p.addPart(rec, Part{Kind: Text, Text: text})
	case "enqueue":
		// Notices of background jobs in this form are never taken off again.
		if !strings.HasPrefix(text, `{"task_id"`) && len(p.mem.Queue) < maxQueue {
			p.mem.Queue = append(p.mem.Queue, strings.TrimSpace(text))
		}
	case "popAll":
		p.mem.Queue = nil
	case "dequeue":
		p.unqueue()
	case "remove":
		if queued := p.unqueue(); queued != "" && text == "" {
			p.delivered(rec, queued)
		}
	}
}

func (p *Parser) unqueue() (text string) {
	if len(p.mem.Queue) == 0 {
		return ""
	}
	text = p.mem.Queue[0]
	p.mem.Queue = append([]string(nil), p.mem.Queue[1:]...)
	return text
}

// delivered turns rec into the prompt that was taken off the queue, unless the
// transcript holds it in another form.
func (p *Parser) delivered(rec *Record, text string) {
	if !before(p.mem.Version, firstAttaching) || text[0] == '/' || text[0] == '<' || p.typed.knows(text) {
		return
	}
	p.typed.deliver(text)
	made := queuedPrompt(rec.Session, rec.Time, p.mem.Last, text)
	off, line := rec.Off, rec.Line
	*rec = *p.Parse(made)
	rec.Off, rec.Line = off, line
}

// queuedPrompt makes the record of a prompt that has none.
func queuedPrompt(session string, at time.Time, parent, text string) []byte {
	stamp := at.UTC().Format(time.RFC3339Nano)
	name := stamp
	if at.IsZero() {
		name = session
	}
	h := sha256.Sum256([]byte(name + "\n" + text))
	h[6] = h[6]&0x0f | 0x80 // UUID version 8, made by rules of one's own
	h[8] = h[8]&0x3f | 0x80
	uuid := fmt.Sprintf("%x-%x-%x-%x-%x", h[0:4], h[4:6], h[6:8], h[8:10], h[10:16])
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"type":"queue-operation","operation":"prompt","uuid":"%s","parentUuid":%s,"sessionId":%s,"timestamp":"%s","content":%s}`,
		uuid, quoteRaw(parent), quoteRaw(session), stamp, quoteRaw(text))
	return b.Bytes()
}

// before tells whether version is known and lower than limit.
func before(version string, limit [3]int) bool {
	fields := strings.SplitN(version, ".", 3)
	if len(fields) != 3 {
		return false
	}
	for i, f := range fields {
		f, _, _ = strings.Cut(f, "-")
		n, err := strconv.Atoi(f)
		if err != nil {
			return false
		}
		if n != limit[i] {
			return n < limit[i]
		}
	}
	return false
}

// typed remembers the newest prompts, to tell a repeated one.
type typed struct {
	prompts []string       // newest last
	made    map[string]int // prompts made from the queue, with how many more prompts to watch for
}

const maxTyped = 32

// knows tells whether text was among the newest prompts.
func (t *typed) knows(text string) bool {
	for _, s := range t.prompts {
		if s == text {
			return true
		}
	}
	return false
}

// deliver notes a prompt that was made from the queue.
func (t *typed) deliver(text string) {
	if t.made == nil {
		t.made = map[string]int{}
	}
	t.made[text] = 2
}

// delivered notes a prompt of the transcript and tells whether it has just been
// made from the queue.
func (t *typed) delivered(text string) bool {
	_, twice := t.made[text]
	for s, left := range t.made {
		if s == text || left == 1 {
			delete(t.made, s)
		} else {
			t.made[s] = left - 1
		}
	}
	if len(t.prompts) == maxTyped {
		t.prompts = append(t.prompts[:0], t.prompts[1:]...)
	}
	t.prompts = append(t.prompts, text)
	return twice
}
