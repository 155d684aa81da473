package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"recall/index"
)

// A sync holds the index for a slice and then lets others have it for a moment,
// who look for it every 10 ms and wait for 2 s.
const (
	slice = time.Second
	turn  = 25 * time.Millisecond
)

func syncCommand(a *app) *cobra.Command {
	var keywordOnly, asJSON bool
	cmd := &cobra.Command{
		Use:  "sync",
		Args: noArguments("recall sync"),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.sync(cmd.Context(), keywordOnly, asJSON) },
	}
	cmd.Flags().BoolVar(&keywordOnly, "keyword-only", false, "leave out the vectors")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// synced is what sync --json prints.
type synced struct {
	V        int            `json:"v"`
	Files    int            `json:"files"`
	Changed  int            `json:"changed"`
	Behind   int            `json:"behind"` // files left for later
	Messages int            `json:"messages"`
	Passages int            `json:"passages"`
	Bytes    int64          `json:"bytes"`
	Records  map[string]int `json:"records"` // by what became of them
	Embedded int            `json:"embedded"`
	Pending  int            `json:"pending"` // passages and words without a vector
	Seconds  float64        `json:"seconds"`
	Notes    []string       `json:"notes"`   // what could not be done
	Remarks  []string       `json:"remarks"` // what is good to know

	read, embed time.Duration
	embedded    bool // nothing was left to embed
}

func (a *app) sync(ctx context.Context, keywordOnly, asJSON bool) error {
	lib, err := a.library()
	if err != nil {
		return err
	}
	lib.opts.Wait, lib.embedWait = 10*time.Second, 2*time.Minute
	lib.busy = func(err error) { a.tell("waiting for %s", holder(err)) }
	out := synced{V: 1, Records: map[string]int{}, Remarks: []string{}}
	bar := a.progress()
	err = lib.syncAll(ctx, bar, &out)
	if err == nil && !keywordOnly && lib.embedder != nil && !out.embedded {
		bar.restart()
		if out.Messages >= manyMessages {
			bar.clear()
			a.tell("everything is found by its words now; what follows lets other words find it too, and can be stopped at any time")
		}
		err = lib.embedAll(ctx, bar.show, &out)
	}
	bar.clear()
	out.Seconds = (out.read + out.embed).Seconds()
	if ctx.Err() != nil {
		a.tell("%s", a.syncLine(out))
		return hint{fmt.Errorf("%w; what was done is kept", errInterrupted), commandLine(append([]string{"recall"}, a.args...)...), "interrupted"}
	}
	if err != nil {
		return err
	}
	return a.printSync(out, asJSON)
}

// manyMessages take so long to embed that people should know what for.
const manyMessages = 500

// holder says who has the data folder.
func holder(err error) string {
	locked, ok := errors.AsType[*index.LockedError](err)
	switch {
	case !ok:
		return err.Error()
	case locked.PID == 0:
		return "another process, which is using " + locked.Dir
	}
	return fmt.Sprintf("process %d (%s), which is using %s", locked.PID, locked.Command, locked.Dir)
}

// syncAll reads everything new in slices, between which the index is closed.
func (l *library) syncAll(ctx context.Context, bar *progress, out *synced) error {
	for {
		var rep index.SyncReport
		var last bool
		err := l.use(ctx, func(x *index.Index) (err error) {
			rep, err = x.Sync(ctx, index.SyncOptions{Budget: slice, Progress: bar.show})
			last = rep.Behind == 0 || rep.Changed == 0
			out.embedded = last && x.Embedded()
			return err
		})
		out.add(rep)
		bar.next(rep.Bytes, rep.Messages)
		if err != nil || last {
			return err
		}
		time.Sleep(turn)
	}
}

func (s *synced) add(r index.SyncReport) {
	s.Files, s.Behind, s.Notes = r.Files, r.Behind, list(r.Notes)
	s.Changed = min(s.Changed+r.Changed, r.Files) // a long file changes in several slices
	s.Messages += r.Messages
	s.Passages += r.Passages
	s.Bytes += r.Bytes
	s.read += r.Took
	for k, n := range r.Records {
		s.Records[k] += n
	}
}

func (l *library) embedAll(ctx context.Context, show func(index.Progress), out *synced) error {
	if l.embedErr != nil {
		out.Notes = append(out.Notes, "no vectors: "+l.embedErr.Error())
		return nil
	}
	rep, err := index.Embed(ctx, l.opts, index.EmbedOptions{Progress: show})
	out.Embedded, out.Pending, out.embed = rep.Done, rep.Left, rep.Took
	switch {
	case errors.Is(err, index.ErrEmbedding):
		out.Remarks = append(out.Remarks, err.Error()+" just now")
		return nil
	case errors.Is(err, index.ErrLocked):
		return opening(l.opts.Dir, err)
	}
	return onDisk(l.opts.Dir, err)
}

func (a *app) printSync(s synced, asJSON bool) error {
	if asJSON {
		if err := a.printJSON(s); err != nil {
			return err
		}
	} else {
		fmt.Fprintln(a.out, a.syncLine(s))
	}
	for _, n := range slices.Concat(s.Notes, s.Remarks) {
		a.tell("note: %s", clipWords(n, 300))
	}
	if len(s.Notes) > 0 || s.Behind > 0 {
		if s.Behind > 0 {
			a.tell("note: %s not read to the end", counted(s.Behind, "file"))
		}
		a.hint("recall", "doctor")
		return errPartly
	}
	return nil
}

func (a *app) syncLine(s synced) string {
	line := fmt.Sprintf("read %s (%s) of %s in %s", counted(s.Messages, "new message"), bytesize(s.Bytes), counted(s.Files, "file"), took(s.read))
	if s.Embedded > 0 || s.Pending > 0 {
		line += fmt.Sprintf(", embedded %s in %s", counted(s.Embedded, "text"), took(s.embed))
	}
	if s.Pending > 0 {
		line += fmt.Sprintf(", %s to go", count(s.Pending))
	}
	return line
}
