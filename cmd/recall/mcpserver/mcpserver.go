// Package mcpserver lets a model search and read past conversations over the
// Model Context Protocol.
//
// Start with [New], which makes the server from a [Backend], and [Serve], which
// runs it on a pair of streams. The server has two tools,
// search_prior_conversations and read_prior_conversation, a prompt and two
// resource templates; the texts that a model reads stand in the .md files beside
// the code.
//
// What it promises: every call ends within its deadline; an answer is text of
// less than 20,000 characters; whatever comes from a transcript stands between
// fences that it cannot close, without invisible characters and terminal
// commands; a wrong argument is answered with a sentence that says what to send
// instead; nothing found is an answer, not an error. The package opens no files
// and keeps no state: that is the backend's business.
package mcpserver

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"recall/index"
	"recall/search"
)

// Backend is what the server asks of the rest of recall. Methods may be called
// by several goroutines at once.
type Backend interface {
	// Search answers q. Where q.Session, q.Project and q.Prompt are empty the
	// backend fills in those of the session that asks, as far as it knows them.
	Search(ctx context.Context, q search.Query) (*search.Result, error)
	// Read calls visit with the messages that r names, context included, in
	// their order, until visit returns false.
	Read(ctx context.Context, r Range, visit func(Message) bool) (Reading, error)
}

// Range names messages and how many more to show before and after them.
type Range struct {
	Pointer       string
	Before, After int
}

// Message is a message of a reading.
type Message struct {
	index.Message
	Pointer string
	Context bool // not named by the pointer, only near it
}

// Reading says what a pointer named.
type Reading struct {
	Pointer string // in its short, lasting form
	Session string // full id
	Agent   string // sub-agent id, "" for the main conversation
	Project string
	Title   string
	Total   int      // messages, context included, also those not visited
	Notes   []string // what a reader should know: the source file is gone, …
}

// Options are settings of the server. The zero value of each field but When
// is usable.
type Options struct {
	Version string
	// When reads a date or time as people write it and returns the stretch it
	// means: a day for a date, an instant otherwise.
	When func(string) (from, to time.Time, err error)
	// Deadline is the time a call may take; 0 means 20 s.
	Deadline time.Duration
	// Answer adds an exact answer to a result. Without it the parameter
	// "answer" is not published.
	Answer func(context.Context, *search.Result) (*search.Answer, error)
	Log    *slog.Logger
}

//go:embed instructions.md
var instructions string

//go:embed manual.md
var manual string

// Manual returns the long form of the server's instructions.
func Manual() string { return manual }

type handlers struct {
	Options
	back Backend
}

// New makes the server. Nothing is asked of back before the first call.
func New(back Backend, o Options) *server.MCPServer {
	if o.Deadline == 0 {
		o.Deadline = 20 * time.Second
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	h := &handlers{o, back}
	s := server.NewMCPServer("recall", o.Version,
		server.WithTitle("recall"),
		server.WithInstructions(strings.TrimSpace(instructions)),
		server.WithToolCapabilities(false),
		server.WithResourceCapabilities(false, false),
		server.WithPromptCapabilities(false),
		server.WithRecovery(),
		server.WithResourceRecovery(),
	)
	s.AddTool(searchTool(o.Answer != nil), h.timed("search", h.search))
	s.AddTool(readTool(), h.timed("read", h.read))
	h.addResources(s)
	h.addPrompt(s)
	return s
}

// wrong is an error that the caller can put right; its text says how.
type wrong struct{ text string }

func (e wrong) Error() string { return e.text }

// timed gives a handler its deadline and turns its errors into results that the
// model can read: a protocol error would only say "internal error". The answer
// does not wait for a handler that overlooks its deadline.
func (h *handlers) timed(name string, f func(context.Context, *args) (string, error)) server.ToolHandlerFunc {
	return func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		begin := time.Now()
		ctx, cancel := context.WithTimeout(ctx, h.Deadline)
		defer cancel()
		done := make(chan outcome, 1)
		go func() { done <- guarded(ctx, f, &args{all: req.GetArguments()}) }()
		var o outcome
		select {
		case o = <-done:
		case <-ctx.Done():
			o.err = ctx.Err()
		}
		h.Log.Info("tool call", "tool", name, "took", time.Since(begin).Round(time.Millisecond), "chars", len(o.text), "err", o.err)
		if o.err != nil {
			return mcp.NewToolResultError(h.explain(o.err)), nil
		}
		return mcp.NewToolResultText(o.text), nil
	}
}

type outcome struct {
	text string
	err  error
}

// guarded keeps a panic from ending the process and all later calls with it.
func guarded(ctx context.Context, f func(context.Context, *args) (string, error), a *args) (o outcome) {
	defer func() {
		if r := recover(); r != nil {
			o.err = fmt.Errorf("recall met a fault of its own: %v", r)
		}
	}()
	o.text, o.err = f(ctx, a)
	return o
}

// explain words an error for the model.
func (h *handlers) explain(err error) string {
	var w wrong
	switch {
	case errors.As(err, &w):
		return w.text
	case errors.Is(err, context.DeadlineExceeded):
		return "No answer within " + h.Deadline.String() + ". Ask again, with a narrower scope or fewer alternatives."
	}
	text := clip(search.Clean(err.Error()), 2000)
	hint, ok := errors.AsType[hinted](err)
	if !ok {
		return text
	}
	if next := nextCall[hint.Code()]; next != "" {
		return text + "\n" + next
	}
	if hint.Hint() != "" {
		text += "\nNo other call helps before this is mended: say so, and that the user can run: " + search.Clean(hint.Hint())
	}
	return text
}

const findIt = "Call " + searchName + " with words from the message: its results have pointers that can be read."

// nextCall says, for the codes of errors that a model can get over by itself,
// what to call next.
var nextCall = map[string]string{
	"not_found":     findIt,
	"not_a_pointer": findIt,
	"ambiguous":     "Call again with one of these pointers.",
	"locked":        "Call again in a few seconds.",
}

// hinted is an error that knows the command that helps, and its kind in a word.
type hinted interface {
	error
	Hint() string
	Code() string
}
