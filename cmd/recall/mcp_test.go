package main

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"recall/index"
)

// client is the other end of a recall mcp process: JSON lines on its streams.
type client struct {
	t    *testing.T
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Scanner
	work string
	home string
}

// startMCP runs a real server process over a small history.
func startMCP(t *testing.T, args ...string) *client {
	t.Helper()
	work := t.TempDir()
	if _, err := writeChat(filepath.Join(work, "claude", "projects"), "session 1 /home/dev/shop 2026-11-02T09:00:00Z\n"+
		"user: prepared statements keep failing behind pgbouncer\nassistant: We pinned pgx to 5.4.3.\ncompact: auto 9000\nsummary: Drivers.\nuser: go on"); err != nil {
		t.Fatal(err)
	}
	return startIn(t, work, args...)
}

// startIn runs a server in a folder that holds a client's files.
func startIn(t *testing.T, work string, args ...string) *client {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := &client{t: t, work: work, home: filepath.Join(work, "data")}
	c.cmd = &exec.Cmd{Path: self, Args: append([]string{"recall", "mcp"}, args...), Dir: work, Stderr: os.Stderr, Env: append(os.Environ(),
		"HOME="+work, "CLAUDE_CONFIG_DIR="+filepath.Join(work, "claude"), "RECALL_HOME="+c.home, "RECALL_EMBEDDER=none", "RECALL_SOURCES=", "RECALL_CONFIG=",
		"CLAUDE_CODE_SESSION_ID=11111111-1111-4111-8111-111111111111")}
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.out = bufio.NewScanner(out)
	c.out.Buffer(nil, 1<<20)
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.cmd.Process.Kill() })
	return c
}

func (c *client) send(line string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.t.Fatal(err)
	}
}

type reply struct {
	ID     any
	Result map[string]any
	Error  *struct{ Message string }
}

func (c *client) reply() (r reply) {
	c.t.Helper()
	if !c.out.Scan() {
		c.t.Fatalf("the server said no more: %v", c.out.Err())
	}
	if err := json.Unmarshal(c.out.Bytes(), &r); err != nil {
		c.t.Fatalf("not JSON on standard output: %q", c.out.Text())
	}
	if r.Error != nil {
		c.t.Fatalf("error: %s", r.Error.Message)
	}
	return r
}

// text is what a tool call returned.
func (r reply) text() string {
	blocks, _ := r.Result["content"].([]any)
	if len(blocks) != 1 {
		return ""
	}
	block, _ := blocks[0].(map[string]any)
	s, _ := block["text"].(string)
	return s
}

// end closes standard input and waits for the process.
func (c *client) end() {
	c.t.Helper()
	c.in.Close()
	done := make(chan error, 1)
	go func() { done <- c.cmd.Wait() }()
	select {
	case err := <-done:
		if err != nil {
			c.t.Errorf("the server ended with %v", err)
		}
	case <-time.After(10 * time.Second): // it takes a b at most; a busy machine gets more
		c.t.Error("the server did not end with its input")
	}
}

const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"claude-code","version":"2.1.332"},"io.modelcontextprotocol/clientCapabilities":{"roots":{"listChanged":true},"elicitation":{"form":{},"url":{}}}}`

// TestServerAsTheClientUsesIt sends what Claude Code sends: server/discover with
// a string id first, no initialize.
func TestServerAsTheClientUsesIt(t *testing.T) {
	c := startMCP(t, "--no-sync")
	c.send(`{"jsonrpc":"2.0","id":"discover-1","method":"server/discover","params":{` + meta + `}}`)
	r := c.reply()
	if r.ID != "discover-1" || !strings.Contains(r.Result["instructions"].(string), "recall holds") {
		t.Fatalf("discover: %v", r)
	}
	c.send(`{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{` + meta + `}}`)
	if tools, _ := c.reply().Result["tools"].([]any); len(tools) != 2 {
		t.Fatalf("got %d tools", len(tools))
	}
	if _, err := os.Stat(c.home); err == nil {
		t.Error("the index was opened before the first call")
	}
	c.send(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"search_prior_conversations","arguments":{"query":"pgbouncer statements"},"_meta":{"claudecode/toolUseId":"toolu_1","progressToken":3,` + strings.TrimPrefix(meta, `"_meta":{`) + `}}`)
	if text := c.reply().text(); !strings.Contains(text, "We pinned pgx to 5.4.3.") || !strings.Contains(text, "dropped at compaction 1") {
		t.Errorf("search: %s", text)
	}
	c.send("")
	c.send(`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"read_prior_conversation","arguments":{"pointer":"recall:11111111#dropped-1"},` + meta + `}}`)
	if text := c.reply().text(); !strings.Contains(text, "prepared statements keep failing") {
		t.Errorf("read: %s", text)
	}
	c.end()
}

func TestServerHandshakeOfOlderClients(t *testing.T) {
	c := startMCP(t)
	c.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"old","version":"1"}}}`)
	if v := c.reply().Result["protocolVersion"]; v != "2025-11-25" {
		t.Errorf("protocol version %v", v)
	}
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	c.send(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	if tools, _ := c.reply().Result["tools"].([]any); len(tools) != 2 {
		t.Errorf("got %d tools", len(tools))
	}
	c.end()
}

// TestServerWithLockedIndex: the handshake does not wait, a call says who has it.
func TestServerWithLockedIndex(t *testing.T) {
	c := startMCP(t)
	x, err := index.Open(t.Context(), index.Options{Dir: c.home})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	c.send(`{"jsonrpc":"2.0","id":"d","method":"server/discover","params":{` + meta + `}}`)
	c.reply()
	c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_prior_conversations","arguments":{"query":"pgbouncer"},` + meta + `}}`)
	r := c.reply()
	if r.Result["isError"] != true || !strings.Contains(r.text(), "is in use by process") || !strings.Contains(r.text(), "Call again in a few seconds.") {
		t.Errorf("got %v", r.Result)
	}
	c.end()
}

// TestServersLiveTogether: several servers and commands share one index.
func TestServersLiveTogether(t *testing.T) {
	a := startMCP(t)
	b := startIn(t, a.work)
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_prior_conversations","arguments":{"query":"pgbouncer"},` + meta + `}}`
	for range 5 {
		a.send(call)
		b.send(call)
		for _, c := range []*client{a, b} {
			if text := c.reply().text(); !strings.Contains(text, "5.4.3") {
				t.Errorf("got %s", text)
			}
		}
	}
	a.end()
	b.end()
}

func TestServerEndsWhenToldTo(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no interrupts between processes")
	}
	c := startMCP(t)
	c.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	c.reply()
	if err := c.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if c.out.Scan() {
		t.Errorf("said %q", c.out.Text())
	}
	if err := c.cmd.Wait(); err != nil {
		t.Errorf("ended with %v", err)
	}
}
