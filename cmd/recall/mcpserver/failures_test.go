package mcpserver

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"recall/search"
)

// broken is a backend that fails.
type broken struct{ err error }

func (b broken) Search(context.Context, search.Query) (*search.Result, error) { return nil, b.err }
func (b broken) Read(context.Context, Range, func(Message) bool) (Reading, error) {
	panic(b.err)
}

type coded struct{ code string }

func (coded) Error() string  { return "it went wrong" }
func (coded) Hint() string   { return "recall doctor" }
func (c coded) Code() string { return c.code }

func TestFailuresAreTextForTheModel(t *testing.T) {
	for code, want := range map[string]string{
		"index":         "No other call helps before this is mended: say so, and that the user can run: recall doctor",
		"locked":        "Call again in a few seconds.",
		"not_found":     "Call search_prior_conversations with words from the message: its results have pointers that can be read.",
		"not_a_pointer": "Call search_prior_conversations with words from the message: its results have pointers that can be read.",
		"ambiguous":     "Call again with one of these pointers.",
	} {
		got, isErr := call(t, dial(t, broken{coded{code}}, Options{}), searchName, map[string]any{"query": "x"})
		if want = "it went wrong\n" + want; !isErr || got != want {
			t.Errorf("%s: got error %v, %q, want %q", code, isErr, got, want)
		}
	}
	got, isErr := call(t, dial(t, broken{coded{}}, Options{}), readName, map[string]any{"pointer": "x"})
	if !isErr || !strings.Contains(got, "a fault of its own") {
		t.Errorf("after a panic: got error %v, %q", isErr, got)
	}
}

// deaf is a backend that overlooks its deadline.
type deaf struct {
	broken
	release chan struct{}
}

func (d deaf) Search(context.Context, search.Query) (*search.Result, error) {
	<-d.release
	return nil, errors.New("too late")
}

func TestEveryCallEndsAtItsDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := deaf{release: make(chan struct{})}
		h := &handlers{Options{Deadline: time.Second, When: when, Log: quiet}, d}
		var req mcp.CallToolRequest
		req.Params.Arguments = map[string]any{"query": "x"}
		begin := time.Now()
		res, err := h.timed("search", h.search)(t.Context(), req)
		close(d.release)
		if err != nil || !res.IsError || time.Since(begin) != time.Second {
			t.Errorf("got %v, %v after %v", res, err, time.Since(begin))
		}
		if text := res.Content[0].(mcp.TextContent).Text; !strings.HasPrefix(text, "No answer within 1s") {
			t.Errorf("got %q", text)
		}
	})
}
