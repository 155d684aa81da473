package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// writeChat turns a conversation in short form into a transcript below dir and
// returns the session's id. The first line is "session DIGIT FOLDER TIME", or
// DIGIT/AGENT for a sub-agent; then each line is a record, a minute after the
// one before:
//
//	user: words        assistant: words
//	Bash: command      output: what it printed
//	compact: auto 1200 summary: words
//
// \n, \u202e and \U000e0041 in a line are those characters. The id of a session is its digit repeated, that of
// message n ends in n.
func writeChat(dir, text string) (string, error) {
	c := &chat{}
	for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
		var err error
		if i == 0 {
			err = c.begin(line)
		} else if line != "" {
			err = c.say(line)
		}
		if err != nil {
			return "", fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	folder := filepath.Join(dir, regexp.MustCompile(`[^A-Za-z0-9]`).ReplaceAllString(c.folder, "-"))
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	c.path = filepath.Join(folder, c.session+".jsonl")
	if c.agent != "" {
		c.path = filepath.Join(folder, c.session, "subagents", "agent-"+c.agent+".jsonl")
		if err := os.MkdirAll(filepath.Dir(c.path), 0o700); err != nil {
			return "", err
		}
	}
	return c.session, os.WriteFile(c.path, []byte(strings.ReplaceAll(strings.Join(c.lines, ""), "@PATH@", filepath.ToSlash(c.path))), 0o600)
}

var escapes = regexp.MustCompile(`\\(n|u[0-9a-f]{4}|U[0-9a-f]{8})`)

type chat struct {
	session, agent string
	folder, path   string
	at             time.Time
	n              int
	parent         string
	lines          []string
}

func (c *chat) begin(line string) error {
	var digit, when string
	if _, err := fmt.Sscanf(line, "session %s %s %s", &digit, &c.folder, &when); err != nil {
		return err
	}
	digit, c.agent, _ = strings.Cut(digit, "/")
	c.session = regexp.MustCompile(`x`).ReplaceAllString("xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx", digit)
	var err error
	c.at, err = time.Parse(time.RFC3339, when)
	return err
}

func (c *chat) say(line string) error {
	kind, text, ok := strings.Cut(line, ": ")
	if !ok {
		return fmt.Errorf("no kind in %q", line)
	}
	text = escapes.ReplaceAllStringFunc(text, func(s string) string {
		r, _, _, err := strconv.UnquoteChar(s, 0)
		if err != nil {
			return s
		}
		return string(r)
	})
	block := func(b ...map[string]any) []map[string]any { return b }
	tool := fmt.Sprintf("toolu_%s%06d", c.session[:4], c.n)
	switch kind {
	case "user":
		c.record("user", map[string]any{"role": "user", "content": text}, nil)
	case "assistant":
		c.record("assistant", map[string]any{"role": "assistant", "content": block(map[string]any{"type": "text", "text": text})}, nil)
	case "Bash":
		c.record("assistant", map[string]any{"role": "assistant", "content": block(map[string]any{"type": "tool_use", "id": tool, "name": "Bash", "input": map[string]any{"command": text}})}, nil)
	case "output":
		call := fmt.Sprintf("toolu_%s%06d", c.session[:4], c.n-1)
		c.record("user", map[string]any{"role": "user", "content": block(map[string]any{"type": "tool_result", "tool_use_id": call, "content": text})}, nil)
	case "compact":
		var trigger string
		var tokens int
		fmt.Sscanf(text, "%s %d", &trigger, &tokens)
		last := c.parent
		c.parent = ""
		c.record("system", nil, map[string]any{"subtype": "compact_boundary", "content": "Conversation compacted", "logicalParentUuid": last,
			"compactMetadata": map[string]any{"trigger": trigger, "preTokens": tokens}})
	case "summary":
		text = "This session is being continued from a previous conversation that ran out of context. The summary below covers the earlier portion of the conversation.\n\nSummary:\n" + text +
			"\n\nIf you need specific details from before compaction (like exact code snippets, error messages, or content you generated), read the full transcript at: @PATH@\n\nContinue the conversation from where it left off."
		c.record("user", map[string]any{"role": "user", "content": text}, map[string]any{"isCompactSummary": true, "isVisibleInTranscriptOnly": true})
	default:
		return fmt.Errorf("unknown kind %q", kind)
	}
	return nil
}

func (c *chat) record(typ string, message, more map[string]any) {
	c.n++
	r := map[string]any{"type": typ, "uuid": fmt.Sprintf("%s%06d-0000-4000-8000-%s%06d", c.session[:2], c.n, c.session[:6], c.n), "parentUuid": nil, "sessionId": c.session,
		"cwd": c.folder, "version": "2.1.332", "gitBranch": "main", "isSidechain": false,
		"timestamp": c.at.Add(time.Duration(c.n) * time.Minute).Format(time.RFC3339)}
	if c.parent != "" {
		r["parentUuid"] = c.parent
	}
	if c.agent != "" {
		r["uuid"] = "a9" + r["uuid"].(string)[2:]
		r["isSidechain"], r["agentId"] = true, c.agent
	}
	if message != nil {
		if typ == "assistant" {
			message["id"], message["model"], message["type"] = fmt.Sprintf("msg_%06d", c.n), "claude-opus-5-5", "message"
		}
		r["message"] = message
	}
	for k, v := range more {
		r[k] = v
	}
	c.parent = r["uuid"].(string)
	b, err := json.Marshal(r)
	if err != nil {
		panic(err) // unreachable: strings, numbers and maps
	}
	c.lines = append(c.lines, string(b)+"\n")
}
