package transcript

import (
	"sort"
	"strconv"
	"strings"
)

// block is one content block of a message, as it stands in the file.
type block struct {
	typ                     string
	text, id, name, input   []byte
	useID, content, isError []byte
}

func readBlock(v []byte) (b block) {
	if len(v) > 0 && v[0] == '"' {
		return block{typ: "text", text: v}
	}
	fields(v, func(k, v []byte) {
		switch string(k) {
		case "type":
			b.typ = unquote(v)
		case "text":
			b.text = v
		case "id":
			b.id = v
		case "name":
			b.name = v
		case "input":
			b.input = v
		case "tool_use_id":
			b.useID = v
		case "content":
			b.content = v
		case "is_error":
			b.isError = v
		}
	})
	return b
}

// eachBlock visits the blocks of a message's content, which is a string, a list
// or, in damaged files, an object whose keys are the list's indexes.
func eachBlock(content []byte, visit func(block)) {
	if len(content) == 0 {
		return
	}
	switch content[0] {
	case '"':
		visit(block{typ: "text", text: content})
	case '[':
		elements(content, func(v []byte) { visit(readBlock(v)) })
	case '{':
		eachNumbered(content, visit)
	}
}

// eachNumbered visits the members of an object with numeric keys in their
// order. Single characters are one text that was taken apart.
func eachNumbered(content []byte, visit func(block)) {
	type member struct {
		n int
		v []byte
	}
	var all []member
	chars := true
	fields(content, func(k, v []byte) {
		if n, err := strconv.Atoi(string(k)); err == nil {
			all = append(all, member{n, v})
			chars = chars && v[0] == '"'
		}
	})
	sort.SliceStable(all, func(i, j int) bool { return all[i].n < all[j].n })
	if !chars {
		for _, m := range all {
			visit(readBlock(m.v))
		}
		return
	}
	var text strings.Builder
	for _, m := range all {
		text.WriteString(unquote(m.v))
	}
	visit(block{typ: "text", text: quoteRaw(text.String())})
}

// message holds the members of a message that recall reads.
type message struct {
	id, role, model string
	content         []byte
}

func (p *Parser) readMessage(v []byte) (m message) {
	fields(v, func(k, v []byte) {
		switch string(k) {
		case "id":
			m.id = unquote(v)
		case "role":
			m.role = p.intern(v)
		case "model":
			m.model = p.intern(v)
		case "content":
			m.content = v
		}
	})
	if m.content == nil && len(v) > 0 && v[0] != 'n' {
		m.content = v // the message itself was turned into a list or numbered object
	}
	return m
}

func (p *Parser) assistant(rec *Record, e *envelope) {
	m := p.readMessage(e.message)
	rec.Role, rec.MessageID, rec.Model = "assistant", m.id, m.model
	why := "empty"
	eachBlock(m.content, func(b block) {
		switch b.typ {
		case "text":
			p.addPart(rec, Part{Kind: Text, Text: stripANSI(unquote(b.text))})
		case "tool_use", "server_tool_use", "mcp_tool_use":
			if p.call(rec, b) {
				why = "own echo"
			}
		case "thinking", "redacted_thinking":
			why = "thinking"
		default:
			if b.useID != nil {
				p.result(rec, b)
			}
		}
	})
	switch {
	case e.apiError:
		rec.Parts = nil
		why = "api error"
	case m.model == "<synthetic>":
		rec.Parts = nil
		why = "synthetic"
	}
	if len(rec.Parts) == 0 {
		noise(rec, why)
	}
}

// call adds a tool call, unless it is recall's own.
func (p *Parser) call(rec *Record, b block) (own bool) {
	id, name := unquote(b.id), p.intern(b.name)
	if id != "" {
		rec.Calls = append(rec.Calls, id)
	}
	text := renderInput(name, b.input)
	if isOwnCall(name, text) {
		p.calls.add(id, "!"+name)
		return true
	}
	p.calls.add(id, name)
	if text == "" {
		text = name // a call without input
	}
	p.addPart(rec, Part{Kind: Command, Text: text, Tool: name, ToolID: id})
	return false
}

// result adds a tool's output, unless it answers a call of recall's own.
func (p *Parser) result(rec *Record, b block) (own bool) {
	id := unquote(b.useID)
	rec.Results = append(rec.Results, id)
	name, own := p.calls.answer(id)
	if own {
		return true
	}
	text := resultText(b.content)
	p.addPart(rec, Part{Kind: Output, Text: cleanOutput(text), Tool: name, ToolID: id, Error: isTrue(b.isError)})
	return false
}

// resultText joins the text blocks of a tool result.
func resultText(content []byte) string {
	var texts []string
	eachBlock(content, func(b block) {
		if b.typ == "text" {
			texts = append(texts, unquote(b.text))
		}
	})
	return strings.Join(texts, "\n")
}

func (p *Parser) user(rec *Record, e *envelope) {
	m := p.readMessage(e.message)
	rec.Role, rec.MessageID = "user", m.id
	if e.isSummary {
		p.summary(rec, m.content)
		return
	}
	why := "empty"
	eachBlock(m.content, func(b block) {
		switch {
		case b.typ == "tool_result":
			if p.result(rec, b) {
				why = "own echo"
			}
		case b.typ == "text":
			if w := p.userText(rec, unquote(b.text)); w != "" {
				why = w
			}
		case b.typ == "image" && why == "empty":
			why = "image"
		}
	})
	if why = p.unfit(rec, e, why); why != "" {
		rec.Parts = nil
		noise(rec, why)
	}
}

// unfit gives the reason why a user record as a whole is not to be shown, ""
// when it is. why is the reason that goes with a record without parts.
func (p *Parser) unfit(rec *Record, e *envelope, why string) string {
	switch {
	case e.meta:
		return "meta"
	case len(rec.Results) == 0 && !rec.IsSummary && notTyped(e):
		return "task notification"
	case len(rec.Parts) == 0:
		return why
	}
	return ""
}

// notTyped tells whether the record says that no person sent it. Older clients
// say nothing.
func notTyped(e *envelope) bool {
	var kind string
	fields(e.origin, func(k, v []byte) {
		if string(k) == "kind" {
			kind = unquote(v)
		}
	})
	return kind == "task-notification" || kind == "" && (unquote(e.source) == "system" || unquote(e.turn) == "task_notification" && e.source == nil)
}

func (p *Parser) summary(rec *Record, content []byte) {
	rec.IsSummary = true
	text := stripReminders(resultText(content))
	p.addPart(rec, Part{Kind: Summary, Text: strings.TrimSpace(stripANSI(text))})
}
