package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recall/cmd/recall/mcpserver"
	"recall/index"
	"recall/search"
)

const (
	callSync = time.Second            // most time that a call spends on new messages
	keepOpen = 300 * time.Millisecond // others get the index when no call came for so long
	idleWait = 2 * time.Second        // from the start to the first work in the background
	bgSlice  = 500 * time.Millisecond // how long such work can hold up a call
	bgPause  = 200 * time.Millisecond // between two slices
	bgAgain  = 5 * time.Minute        // to look again when all was done
	bgRetry  = 30 * time.Second       // after another process kept the index
	endWait  = 700 * time.Millisecond // for background work when the client is gone
)

func mcpCommand(a *app) *cobra.Command {
	var instructions, noSync bool
	cmd := &cobra.Command{
		Use:  "mcp",
		Args: noArguments("recall mcp"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if instructions {
				_, err := fmt.Fprint(a.out, mcpserver.Manual())
				return err
			}
			return a.mcp(cmd.Context(), noSync)
		},
	}
	cmd.Flags().BoolVar(&instructions, "instructions", false, "print how a model should use the server, and exit")
	cmd.Flags().BoolVar(&noSync, "no-sync", false, "do not index in the background")
	return cmd
}

// mcp serves until the client closes standard input. No index is opened before
// the first call or before the client has been quiet for a moment.
func (a *app) mcp(ctx context.Context, noSync bool) error {
	lib, err := a.library()
	if err != nil {
		return err
	}
	lib.keep = keepOpen
	srv := mcpserver.New(&backend{lib, a.asking()}, mcpserver.Options{
		Version: version().Version,
		When:    func(s string) (from, to time.Time, err error) { return when(s, a.now()) },
		Log:     a.log,
	})
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if !noSync {
			lib.background(ctx, idleWait)
		}
	}()
	err = mcpserver.Serve(ctx, srv, a.in, a.out, a.log)
	gone := ctx.Err() != nil
	cancel()
	select {
	case <-done:
	case <-time.After(endWait):
		a.log.Warn("background work did not stop in time")
	}
	if gone {
		err = nil // told to stop, which is how a server ends
	}
	if cerr := lib.close(); err == nil {
		err = cerr
	}
	return err
}

// background reads what is new and then computes vectors, in slices, and looks
// again from time to time, until ctx ends.
func (l *library) background(ctx context.Context, wait time.Duration) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		more, err := l.step(ctx)
		switch {
		case errors.Is(err, index.ErrEmbedding):
			wait = bgRetry
		case err != nil:
			l.log.Warn("background", "error", err)
			wait = bgRetry
		case !more:
			wait = bgAgain
		default:
			wait = bgPause
		}
	}
}

// step does a slice of the work that is left.
func (l *library) step(ctx context.Context) (more bool, err error) {
	var rep index.SyncReport
	err = l.use(ctx, func(x *index.Index) (err error) {
		rep, err = x.Sync(ctx, index.SyncOptions{Budget: bgSlice})
		return err
	})
	if err != nil || rep.Behind > 0 && rep.Changed > 0 {
		return true, err
	}
	if l.opts.Embedder == nil {
		return false, l.embedErr
	}
	if err := l.close(); err != nil { // Embed opens the index itself
		return false, err
	}
	_, err = index.Embed(ctx, l.opts, index.EmbedOptions{})
	return false, err
}

// backend is what the server's tools ask.
type backend struct {
	*library
	asking asking
}

// Search implements mcpserver.Backend.
func (b *backend) Search(ctx context.Context, q search.Query) (*search.Result, error) {
	res, err := b.search(ctx, q, before{sync: callSync, prepare: func(ctx context.Context, x *index.Index, q *search.Query) error {
		if err := b.asking.fill(ctx, x, q); err != nil {
			return err
		}
		if q.Scope == "session" && q.Session == "" {
			return fmt.Errorf("this server does not know which conversation asks: send scope %q or %q, or a pointer to the conversation", "project", "all")
		}
		return nil
	}})
	return res, err
}

// Read implements mcpserver.Backend.
func (b *backend) Read(ctx context.Context, r mcpserver.Range, visit func(mcpserver.Message) bool) (mcpserver.Reading, error) {
	out, err := b.read(ctx, r, visit)
	if err != nil {
		return out, err
	}
	if out.Total == 0 {
		return out, hintf("not_found", "recall sessions", "%s holds no messages", strings.TrimSpace(r.Pointer))
	}
	return out, nil
}
