package index

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"recall/transcript"
)

var epoch = time.Date(2026, 11, 3, 9, 0, 0, 0, time.UTC)

// chat writes a transcript the way the client does, record by record.
type chat struct {
	t       testing.TB
	path    string
	session string
	agent   string
	cwd     string
	last    string // uuid
	n       int
}

// newChat begins a session in a project folder below root.
func newChat(t testing.TB, root, project, session string) *chat {
	t.Helper()
	cwd := "/home/dev/" + project
	dir := filepath.Join(root, transcript.EncodeDir(cwd))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return &chat{t: t, path: filepath.Join(dir, session+".jsonl"), session: session, cwd: cwd}
}

func (c *chat) uuid(n int) string {
	return fmt.Sprintf("%08x-0000-4000-8000-%s", n, c.session[len(c.session)-12:])
}

func (c *chat) add(v map[string]any) string {
	c.t.Helper()
	c.n++
	id := c.uuid(c.n)
	rec := map[string]any{"uuid": id, "parentUuid": nil, "sessionId": c.session, "cwd": c.cwd, "version": "2.1.332",
		"gitBranch": "main", "isSidechain": c.agent != "", "timestamp": epoch.Add(time.Duration(c.n) * time.Minute).Format(time.RFC3339)}
	if c.last != "" {
		rec["parentUuid"] = c.last
	}
	for k, x := range v {
		rec[k] = x
	}
	c.write(rec)
	c.last = rec["uuid"].(string)
	return c.last
}

func (c *chat) write(rec map[string]any) {
	c.t.Helper()
	b, err := json.Marshal(rec)
	if err != nil {
		c.t.Fatal(err)
	}
	c.raw(string(b) + "\n")
}

func (c *chat) raw(s string) {
	c.t.Helper()
	f, err := os.OpenFile(c.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = f.WriteString(s)
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		c.t.Fatal(err)
	}
}

func (c *chat) user(text string) string {
	return c.add(map[string]any{"type": "user", "message": map[string]any{"role": "user", "content": text}})
}

func (c *chat) assistant(text string) string {
	return c.blocks(map[string]any{"type": "text", "text": text})
}

func (c *chat) blocks(b ...map[string]any) string {
	return c.add(map[string]any{"type": "assistant", "message": map[string]any{"role": "assistant", "id": fmt.Sprintf("msg_%d", c.n+1), "model": "claude-test", "content": b}})
}

// bash adds a command and its output.
func (c *chat) bash(command, output string) (call, result string) {
	id := fmt.Sprintf("toolu_%s%04d", c.session[len(c.session)-6:], c.n)
	call = c.blocks(map[string]any{"type": "tool_use", "id": id, "name": "Bash", "input": map[string]any{"command": command}})
	result = c.add(map[string]any{"type": "user", "message": map[string]any{"role": "user",
		"content": []any{map[string]any{"type": "tool_result", "tool_use_id": id, "content": output}}}})
	return call, result
}

// compact adds a boundary and a summary; nothing is kept.
func (c *chat) compact(summary string) (boundary string) {
	boundary = c.add(map[string]any{"type": "system", "subtype": "compact_boundary", "content": "Conversation compacted", "parentUuid": nil,
		"logicalParentUuid": c.last, "compactMetadata": map[string]any{"trigger": "auto", "preTokens": 150000}})
	c.add(map[string]any{"type": "user", "isCompactSummary": true, "isVisibleInTranscriptOnly": true, "message": map[string]any{"role": "user",
		"content": "This session is being continued from a previous conversation that ran out of context.\n\nSummary:\n" + summary +
			"\n\nIf you need specific details from before compaction (like exact code snippets, error messages, or content you generated), read the full transcript at: " + c.path}})
	return boundary
}

const (
	sessionA = "aaaaaaaa-1111-4111-8111-00000000000a"
	sessionB = "bbbbbbbb-2222-4222-8222-00000000000b"
	sessionC = "cccccccc-3333-4333-8333-00000000000c"
)

// history writes two projects: A is compacted once, B has a sub-agent.
func history(t *testing.T) (root string, a, b *chat) {
	root = filepath.Join(t.TempDir(), "projects")
	a = newChat(t, root, "harbor", sessionA)
	a.user("Where does the exporter listen?")
	a.assistant("The exporter listens on port 9188.")
	a.bash("go test ./internal/queue", "--- FAIL: TestRetryJitter (0.41s)\nretry_test.go:88: got 7 want 9")
	a.compact("We looked at the exporter and a flaky test.")
	a.user("Now fix the flaky test.")
	a.assistant("I replaced the wall clock by an injected clock.")
	b = newChat(t, root, "atlas", sessionB)
	b.user("Why did we drop sqlite?")
	b.assistant("Because two writers locked each other out; we moved to bbolt.")
	agent := &chat{t: t, session: sessionB, agent: "a1b2c3", cwd: b.cwd, n: 500,
		path: filepath.Join(strings.TrimSuffix(b.path, ".jsonl"), "subagents", "agent-a1b2c3.jsonl")}
	if err := os.MkdirAll(filepath.Dir(agent.path), 0o700); err != nil {
		t.Fatal(err)
	}
	agent.user("List the migrations.")
	agent.assistant("There are 42 migrations, the newest is zebra_receipts.")
	return root, a, b
}

func open(t *testing.T, dir, root string) *Index {
	t.Helper()
	x, err := Open(context.Background(), Options{Dir: dir, Sources: []string{root}, Wait: 100 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

func syncNow(t *testing.T, x *Index) SyncReport {
	t.Helper()
	rep, err := x.Sync(context.Background(), SyncOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

// find returns the texts of the passages that hold all the words.
func find(t *testing.T, x *Index, words string, f Filter) []string {
	t.Helper()
	ctx := context.Background()
	got, err := x.Lexical(ctx, Terms(words), f, 50)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, h := range got {
		text, err := x.Text(ctx, h.ID)
		if err != nil {
			t.Fatal(err)
		}
		if containsAll(Terms(text), Terms(words)) {
			out = append(out, text)
		}
	}
	return out
}

func containsAll(have, want []string) bool {
	m := map[string]bool{}
	for _, h := range have {
		m[h] = true
	}
	for _, w := range want {
		if !m[w] {
			return false
		}
	}
	return true
}
