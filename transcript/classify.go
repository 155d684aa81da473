package transcript

import (
	"strings"
)

// kindOfType says how a record type is treated as a whole.
type kindOfType struct {
	class Class
	why   string
}

// plainTypes is the whitelist of record types. Those without a reason are
// looked at more closely.
var plainTypes = map[string]kindOfType{
	"user":       {class: Conversation},
	"assistant":  {class: Conversation},
	"attachment": {class: Conversation},
	"system":     {class: Conversation},

	"custom-title":   {class: Metadata},
	"agent-name":     {class: Metadata},
	"ai-title":       {class: Metadata},
	"summary":        {class: Metadata},
	"last-prompt":    {class: Metadata},
	"pr-link":        {class: Metadata},
	"worktree-state": {class: Metadata},

	"progress":              {class: Noise, why: "progress"},
	"queue-operation":       {class: Noise, why: "queue"},
	"file-history-snapshot": {class: Noise, why: "file history"},
	"file-history-delta":    {class: Noise, why: "file history"},
	"api-request":           {class: Noise, why: "request copy"},
	"api-request-blob":      {class: Noise, why: "request copy"},
	"api-request-shape":     {class: Noise, why: "request copy"},
	"api-request-resumed":   {class: Noise, why: "request copy"},

	"cost-state":           {class: Noise, why: "bookkeeping"},
	"tools-used":           {class: Noise, why: "bookkeeping"},
	"atis-latch":           {class: Noise, why: "bookkeeping"},
	"mode":                 {class: Noise, why: "bookkeeping"},
	"permission-mode":      {class: Noise, why: "bookkeeping"},
	"content-replacement":  {class: Noise, why: "bookkeeping"},
	"history-suppression":  {class: Noise, why: "bookkeeping"},
	"bridge-session":       {class: Noise, why: "bookkeeping"},
	"resume-head-vouch":    {class: Noise, why: "bookkeeping"},
	"frame-link":           {class: Noise, why: "bookkeeping"},
	"host-row":             {class: Noise, why: "bookkeeping"},
	"attribution-snapshot": {class: Noise, why: "bookkeeping"},
	"relocated":            {class: Noise, why: "bookkeeping"},
}

// attachmentNoise lists the attachments that carry nobody's words, with the reason.
var attachmentNoise = map[string]string{
	"hook_additional_context": "hook output",
	"hook_success":            "hook output",
	"hook_system_message":     "hook output",

	"environment": "context", "model": "context", "date": "context", "session_context": "context",
	"mcp_instructions_delta": "context", "deferred_tools_delta": "context",
	"deferred_tools_record": "context", "agent_listing_delta": "context",
	"skill_listing": "context", "remote_session_change": "context",
	"prompt_snapshot": "context", "auto_mode": "context", "nested_memory": "context",
	"edited_text_file": "context", "compact_file_reference": "context",
	"invoked_skills": "context", "already_read_file": "context",

	"task_status": "reminder", "task_reminder": "reminder", "silent_turn_reminder": "reminder",
	"todo_reminder": "reminder", "plan_mode_exit": "reminder",
}

// systemNoise lists the system records that carry nobody's words.
var systemNoise = map[string]string{
	"stop_hook_summary":     "hook output",
	"turn_duration":         "bookkeeping",
	"microcompact_boundary": "bookkeeping",
	"api_error":             "api error",
	"away_summary":          "reminder",
	"informational":         "reminder",
}

func noise(rec *Record, why string) { rec.Class, rec.Why = Noise, why }

func (p *Parser) classify(rec *Record, e *envelope) {
	if rec.Version != "" {
		p.mem.Version = rec.Version
	}
	kind := plainTypes[rec.Type]
	rec.Class, rec.Why = kind.class, kind.why
	switch rec.Type {
	case "user":
		p.user(rec, e)
	case "assistant":
		p.assistant(rec, e)
	case "attachment":
		p.attachment(rec, e)
	case "system":
		p.system(rec, e)
	case "queue-operation":
		p.queueOperation(rec, e)
	case "custom-title", "agent-name", "ai-title":
		rec.Title = unquote(e.title)
	case "summary":
		rec.Title = unquote(e.summary)
	}
	if p.mem.Own && rec.Class == Conversation {
		rec.Parts = nil
		noise(rec, "own chat")
	}
	if rec.Class == Conversation && len(rec.Parts) == 0 {
		noise(rec, "empty")
	}
}

func (p *Parser) attachment(rec *Record, e *envelope) {
	var typ, mode string
	var prompt, name, content []byte
	fields(e.attachment, func(k, v []byte) {
		switch string(k) {
		case "type":
			typ = p.intern(v)
		case "commandMode":
			mode = p.intern(v)
		case "prompt":
			prompt = v
		case "filename":
			name = v
		case "content":
			content = v
		}
	})
	rec.Type = "attachment/" + typ
	switch why := attachmentNoise[typ]; {
	case why != "":
		noise(rec, why)
	case typ == "queued_command":
		p.queuedCommand(rec, mode, prompt)
	case typ == "file":
		rec.Role = "user"
		text := strings.TrimRight(unquote(name)+"\n"+fileText(content), "\n")
		p.addPart(rec, Part{Kind: FileRef, Text: cleanOutput(text)})
	default:
		rec.Class = Unknown
	}
}

// fileText returns the text of an attached file, "" for images and the like.
func fileText(content []byte) (text string) {
	if s := unquote(content); s != "" {
		return s
	}
	fields(content, func(k, v []byte) {
		switch string(k) {
		case "content":
			text = unquote(v)
		case "file":
			if s := fileText(v); s != "" {
				text = s
			}
		}
	})
	return text
}

func (p *Parser) queuedCommand(rec *Record, mode string, prompt []byte) {
	if mode != "" && mode != "prompt" && mode != "bash" {
		noise(rec, "task notification")
		return
	}
	rec.Role = "user"
	texts := promptTexts(prompt)
	why := "empty"
	for _, text := range texts {
		if mode == "bash" {
			text = "<bash-input>" + text + "</bash-input>"
		}
		if w := p.userText(rec, text); w != "" {
			why = w
		}
	}
	if len(rec.Parts) == 0 {
		noise(rec, why)
	}
}

// promptTexts returns the text of a prompt that is a string or a list of blocks.
func promptTexts(v []byte) (texts []string) {
	if s := unquote(v); s != "" {
		return []string{s}
	}
	elements(v, func(b []byte) {
		if blk := readBlock(b); blk.typ == "text" {
			texts = append(texts, unquote(blk.text))
		}
	})
	return texts
}

func (p *Parser) system(rec *Record, e *envelope) {
	rec.Type = "system/" + e.subtype
	switch why := systemNoise[e.subtype]; {
	case why != "":
		noise(rec, why)
	case e.subtype == "compact_boundary":
		rec.Class = Structure
		rec.Compact = readCompact(e.compact)
	case e.subtype == "local_command":
		rec.Role = "user"
		if why := p.userText(rec, unquote(e.content)); why != "" {
			noise(rec, why)
		}
	default:
		rec.Class = Unknown
	}
}

func readCompact(v []byte) *Compact {
	c := &Compact{}
	fields(v, func(k, v []byte) {
		switch string(k) {
		case "trigger":
			c.Trigger = unquote(v)
		case "preTokens":
			c.PreTokens = number(v)
		case "postTokens":
			c.PostTokens = number(v)
		case "preservedSegment":
			fields(v, func(k, v []byte) {
				switch string(k) {
				case "headUuid":
					c.Head = unquote(v)
				case "tailUuid":
					c.Tail = unquote(v)
				case "anchorUuid":
					if c.Anchor == "" {
						c.Anchor = unquote(v)
					}
				}
			})
		case "preservedMessages":
			fields(v, func(k, v []byte) {
				switch string(k) {
				case "anchorUuid":
					if s := unquote(v); s != "" {
						c.Anchor = s
					}
				case "uuids":
					elements(v, func(v []byte) { c.Preserved = append(c.Preserved, unquote(v)) })
				}
			})
		}
	})
	return c
}
