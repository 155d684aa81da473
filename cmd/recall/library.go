package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"recall/embed"
	"recall/embed/e5"
	"recall/index"
	"recall/search"
)

// searchBudget bounds the sync before a search.
const searchBudget = 2 * time.Second

// library opens the index for as long as it is used, so that several processes
// can live with its one lock. Its methods may be called by several goroutines.
type library struct {
	opts index.Options // its embedder is set when the index is first opened
	busy func(error)   // told once before a wait for the lock; may be nil
	keep time.Duration // how long an index out of use stays open
	log  *slog.Logger

	embedder  func(context.Context) (embed.Embedder, error) // nil: keyword only
	embedWait time.Duration                                 // for a server of models
	embedErr  error                                         // why there is no embedder
	tried     time.Time

	mu    sync.Mutex
	x     *index.Index
	users int
	timer *time.Timer
}

// library makes the library that the settings describe.
func (a *app) library() (*library, error) {
	l := &library{log: a.log, embedWait: 5 * time.Second}
	l.opts.Log = a.log
	var err error
	if l.opts.Dir, err = filepath.Abs(a.conf.get("home")); err != nil {
		return nil, err
	}
	for _, s := range a.conf.list("sources") {
		if s, err = filepath.Abs(s); err != nil {
			return nil, err
		}
		l.opts.Sources = append(l.opts.Sources, s)
	}
	l.embedder, err = a.embedder()
	return l, err
}

func (a *app) embedder() (func(context.Context) (embed.Embedder, error), error) {
	name, threads := a.conf.get("embedder"), a.conf.num("threads")
	if model, ok := strings.CutPrefix(name, "ollama:"); ok {
		o := embed.OllamaOptions{URL: a.conf.get("ollama.url"), Model: model, NumThread: a.conf.num("ollama.num_thread")}
		return func(ctx context.Context) (embed.Embedder, error) { return embed.NewOllama(ctx, o) }, nil
	}
	if name == "none" {
		return nil, nil
	}
	e, err := e5.New(e5.Options{Kernel: a.conf.get("kernel"), Threads: threads})
	if err != nil {
		return nil, hintf("config", "recall help config", "%w", err)
	}
	return func(context.Context) (embed.Embedder, error) { return e, nil }, nil
}

// embedRetry is the time after which a server of models is asked again.
const embedRetry = 30 * time.Second

// findEmbedder makes the embedder when it is first needed. Without it the
// library goes on by keyword.
func (l *library) findEmbedder(ctx context.Context) {
	if l.embedder == nil || l.opts.Embedder != nil || time.Since(l.tried) < embedRetry {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, l.embedWait)
	defer cancel()
	l.tried = time.Now()
	e, err := l.embedder(ctx)
	if l.embedErr = err; err != nil {
		l.log.Warn("embedder", "error", err)
		return
	}
	l.opts.Embedder = e
}

// use runs f with an open index.
func (l *library) use(ctx context.Context, f func(*index.Index) error) error {
	err := l.useOnce(ctx, f)
	if errors.Is(err, index.ErrDamaged) { // opening it again repairs it
		l.log.Warn("index", "error", err)
		if err := l.close(); err != nil {
			l.log.Warn("index", "error", err)
		}
		err = l.useOnce(ctx, f)
	}
	return onDisk(l.opts.Dir, err)
}

// onDisk gives an error of the file system that has no hint one.
func onDisk(dir string, err error) error {
	if _, ok := errors.AsType[hint](err); ok || err == nil {
		return err
	}
	if cure, _ := cureOf(err, dir); cure != "" {
		return hint{err, cure, "disk"}
	}
	return err
}

func (l *library) useOnce(ctx context.Context, f func(*index.Index) error) error {
	x, err := l.acquire(ctx)
	if err != nil {
		return err
	}
	return errors.Join(f(x), l.release())
}

func (l *library) acquire(ctx context.Context) (*index.Index, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.timer != nil {
		l.timer.Stop()
	}
	if l.x == nil {
		l.findEmbedder(ctx)
		x, err := l.open(ctx)
		if err != nil {
			return nil, opening(l.opts.Dir, err)
		}
		l.x = x
	}
	l.users++
	return l.x, nil
}

// firstTry is how long the lock is waited for without a word.
const firstTry = 100 * time.Millisecond

func (l *library) open(ctx context.Context) (*index.Index, error) {
	if l.busy == nil || l.opts.Wait <= firstTry {
		return index.Open(ctx, l.opts)
	}
	o := l.opts
	o.Wait = firstTry
	x, err := index.Open(ctx, o)
	if !errors.Is(err, index.ErrLocked) {
		return x, err
	}
	l.busy(err)
	l.busy = nil
	return index.Open(ctx, l.opts)
}

func (l *library) release() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.users--
	if l.users > 0 {
		return nil
	}
	if l.keep == 0 {
		return l.shut()
	}
	l.timer = time.AfterFunc(l.keep, func() {
		if err := l.close(); err != nil {
			l.log.Warn("closing the index", "error", err)
		}
	})
	return nil
}

// close ends the time for which an unused index is kept open.
func (l *library) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.users > 0 {
		return nil
	}
	return l.shut()
}

func (l *library) shut() error {
	x := l.x
	l.x = nil
	if x == nil {
		return nil
	}
	return x.Close()
}

// opening says what helps when the index does not open.
func opening(dir string, err error) error {
	var locked *index.LockedError
	switch {
	case errors.As(err, &locked):
		return hint{err, "recall doctor", "locked"}
	case errors.Is(err, index.ErrFormat):
		return hint{fmt.Errorf("%s: %w", dir, err), "recall version", "format"}
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return hint{err, "recall doctor", "index"}
}

// fresh is use after the index was brought up to date, as far as a short time
// allows.
func (l *library) fresh(ctx context.Context, f func(*index.Index) error) error {
	return l.use(ctx, func(x *index.Index) error {
		l.catchUp(ctx, x, searchBudget, nil)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return f(x)
	})
}

// catchUp reads what is new. What it cannot read is told by the index's
// freshness, not as an error.
func (l *library) catchUp(ctx context.Context, x *index.Index, budget time.Duration, show func(index.Progress)) {
	if budget == 0 {
		return
	}
	if _, err := x.Sync(ctx, index.SyncOptions{Budget: budget, Progress: show}); err != nil {
		l.log.Warn("sync", "error", err)
	}
}

// before is what a search does first.
type before struct {
	sync    time.Duration // bring the index up to date, for this long at most
	show    func(index.Progress)
	prepare func(context.Context, *index.Index, *search.Query) error
}

// search answers q. What could not be read is told with the answer, not instead
// of it.
func (l *library) search(ctx context.Context, q search.Query, b before) (*search.Result, error) {
	var res *search.Result
	err := l.use(ctx, func(x *index.Index) error {
		l.catchUp(ctx, x, b.sync, b.show)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		err := b.prepare(ctx, x, &q)
		if err != nil {
			return err
		}
		if res, err = search.New(x, l.opts.Embedder).Search(ctx, q); err != nil {
			return err
		}
		res.Fresh = l.freshness(x, res.Fresh)
		return l.addNotes(ctx, x, q, res, b.sync > 0)
	})
	return res, err
}

// addNotes adds what a reader of the result should know.
func (l *library) addNotes(ctx context.Context, x *index.Index, q search.Query, res *search.Result, synced bool) error {
	why, err := l.whyNothing(ctx, x, q, res, synced)
	if err != nil {
		return err
	}
	vectors, err := withoutVectors(ctx, x, q, res.Scope)
	for _, note := range []string{why, vectors} {
		if note != "" {
			res.Fresh.Notes = append(res.Fresh.Notes, note)
		}
	}
	return err
}

// freshness is the index's own with what a search and the embedder add.
func (l *library) freshness(x *index.Index, had search.Fresh) search.Fresh {
	f := x.Fresh()
	out := search.Fresh{AsOf: f.AsOf.UTC().Truncate(time.Second), FilesBehind: f.FilesBehind, Unembedded: f.Unembedded, Notes: []string{}}
	out.Notes = append(append(out.Notes, f.Notes...), had.Notes...)
	if l.embedErr != nil {
		out.Notes = append(out.Notes, "searched by keyword only: "+l.embedErr.Error())
	}
	return out
}
