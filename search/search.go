package search

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"recall/embed"
)

// ErrEmpty is returned for a question without any text.
var ErrEmpty = errors.New("empty question")

// Searcher answers questions from a store. It may be used by several
// goroutines at once.
type Searcher struct {
	store Store
	emb   embed.Embedder
}

// New returns a Searcher over store. emb must be the embedder whose vectors the
// store holds; without one (nil) words alone decide.
func New(store Store, emb embed.Embedder) *Searcher { return &Searcher{store: store, emb: emb} }

// Search answers a question. Any text is a question; one without a word in it
// finds nothing. Errors: ErrEmpty, ErrScope, and what the store or ctx says.
//
// The caller fills Result.Fresh, but for notes that are already there: an
// embedder that fails, or a message that cannot be read, costs hits, not the
// answer. Result.Answer is left nil.
func (s *Searcher) Search(ctx context.Context, q Query) (*Result, error) {
	q = q.withDefaults()
	if len(q.texts()) == 0 {
		return nil, ErrEmpty
	}
	places, err := scopes(q)
	if err != nil {
		return nil, err
	}
	res := newResult(q)
	qn := ask(q.texts(), q.Prompt)
	if len(qn.wordings) == 0 {
		sc := places[len(places)-1]
		st, err := s.store.Stats(ctx, nil, sc.filter)
		res.searched(sc, st.Sessions)
		return res, err
	}
	if err := s.prepare(ctx, qn, res); err != nil {
		return nil, err
	}
	for i, sc := range places {
		if err := s.look(ctx, q, qn, sc, res); err != nil {
			return nil, err
		}
		if res.Found || i == len(places)-1 {
			break
		}
	}
	return res, nil
}

// prepare finds words used like the question's, and its vectors.
func (s *Searcher) prepare(ctx context.Context, qn *question, res *Result) error {
	if err := qn.widen(ctx, s.store); err != nil {
		return err
	}
	if s.emb == nil {
		return nil
	}
	if err := qn.embed(ctx, s.emb); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		res.Fresh.Notes = append(res.Fresh.Notes, fmt.Sprintf("found by keyword only: %v", err))
	}
	return nil
}

// look searches one scope and puts what it finds into res.
func (s *Searcher) look(ctx context.Context, q Query, qn *question, sc scope, res *Result) error {
	r, err := s.rank(ctx, qn, sc)
	if err != nil {
		return err
	}
	c, err := s.collect(ctx, q, qn, sc, r)
	if err != nil {
		return err
	}
	res.searched(sc, r.st.Sessions)
	res.Hits, res.Weak = []Hit{}, nil
	if res.Found = len(c.hits) > 0 && r.signal.found(); res.Found {
		res.Hits = c.hits
	} else {
		res.Weak = c.hits
	}
	if n := c.note(); n != "" {
		res.Fresh.Notes = append(res.Fresh.Notes, n)
	}
	return nil
}

func newResult(q Query) *Result {
	r := &Result{V: 1, Query: q.Text, Also: q.Also, Hits: []Hit{}}
	if r.Also == nil {
		r.Also = []string{}
	}
	r.Fresh.Notes = []string{}
	r.Scope = Scope{Asked: q.Scope, Session: q.Session, Project: q.Project}
	return r
}

func (r *Result) searched(sc scope, sessions int) {
	r.Scope.Searched, r.Scope.Sessions = sc.name, sessions
}

func (q Query) withDefaults() Query {
	if q.Limit <= 0 {
		q.Limit = 10
	}
	if q.Excerpt <= 0 {
		q.Excerpt = 700
	}
	if q.Scope == "" {
		q.Scope = "auto"
	}
	return q
}

// texts are the wordings that have any text, the question first.
func (q Query) texts() []string {
	var out []string
	for _, t := range append([]string{q.Text}, q.Also...) {
		if strings.TrimSpace(t) != "" && len(out) < mostWordings {
			out = append(out, t)
		}
	}
	return out
}
