package search

import (
	"context"
	"slices"

	"recall/index"
	"recall/transcript"
)

// pool holds the passages that may answer a question within one scope: what
// the store's lists returned, and what stands around it.
type pool struct {
	q        *question
	st       index.Stats
	w        weights
	chat     float64         // 1 chat, 0 code
	passages []index.Passage // by session, agent, Pos
	ids      []index.ID      // of passages
	listed   map[index.ID]bool
	from     string // the session that asks
	own      ownPart
}

// ownPart is what ranking knows of who asks.
type ownPart struct {
	session string // "" when its messages are treated as all others
	dropped int    // passages up to this Pos left the model's context; -1: none
	project string // "" when it is treated as all others
}

// gather fills a pool with candidates from the scope.
func (s *Searcher) gather(ctx context.Context, q *question, sc scope) (*pool, error) {
	p := &pool{q: q, listed: map[index.ID]bool{}, from: sc.from, own: ownPart{session: sc.asking, dropped: -1, project: sc.home}}
	var err error
	if p.st, err = s.store.Stats(ctx, q.terms, sc.filter); err != nil {
		return nil, err
	}
	q.weigh(p.st)
	if p.chat, err = s.material(ctx, p.st, sc.filter); err != nil {
		return nil, err
	}
	p.w = weightsFor(p.chat)
	if p.st.Passages == 0 {
		return p, nil
	}
	ids, err := s.list(ctx, q, sc.filter)
	if err != nil {
		return nil, err
	}
	var own []index.ID
	if sc.asking != "" {
		if own, err = s.list(ctx, q, sc.ownDropped()); err != nil {
			return nil, err
		}
	}
	for _, id := range slices.Concat(ids, own) {
		p.listed[id] = true
	}
	if err := p.describe(ctx, s.store, sc.filter); err != nil {
		return nil, err
	}
	p.ownCut(own)
	return p, nil
}

// material says how chat-like the scope is, whatever kinds were asked for.
func (s *Searcher) material(ctx context.Context, st index.Stats, f index.Filter) (float64, error) {
	if len(f.Kinds) > 1 && len(f.Roles) == 0 {
		return chatness(st), nil
	}
	f.Kinds, f.Roles = spoken, nil
	all, err := s.store.Stats(ctx, nil, f)
	return chatness(all), err
}

// list asks the store for the passages that match each wording and those that
// are nearest in meaning.
func (s *Searcher) list(ctx context.Context, q *question, f index.Filter) ([]index.ID, error) {
	var out []index.ID
	add := func(list []index.Scored, err error) error {
		for _, x := range list {
			out = append(out, x.ID)
		}
		return err
	}
	for _, w := range q.wordings {
		terms := make([]string, w.asked)
		for i, t := range w.terms[:w.asked] {
			terms[i] = t.text
		}
		if err := add(s.store.Lexical(ctx, terms, f, candidates)); err != nil {
			return nil, err
		}
	}
	for _, v := range [][]float32{q.wordings[0].vec, q.mean} {
		if v == nil {
			continue
		}
		if err := add(s.store.Nearest(ctx, v, f, candidates)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// describe loads the listed passages and their neighbours. Of the neighbours
// those that the filter leaves out go.
func (p *pool) describe(ctx context.Context, store Store, f index.Filter) error {
	ids := make([]index.ID, 0, len(p.listed))
	for id := range p.listed {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	all, err := store.Passages(ctx, ids, around, p.q.terms)
	if err != nil {
		return err
	}
	p.passages = all[:0]
	for i, x := range all {
		if !p.listed[x.ID] && !allows(f, &x) {
			continue
		}
		echo, err := p.echo(ctx, store, &x)
		if err != nil {
			return err
		}
		if !echo || x.Session != p.from && i+1 < len(all) && keyOf(&x) == keyOf(&all[i+1]) {
			p.passages = append(p.passages, x)
		}
	}
	p.ids = make([]index.ID, len(p.passages))
	for i := range p.passages {
		p.ids[i] = p.passages[i].ID
	}
	return nil
}

// echo says whether a passage is the question itself. It is no sign of an
// answer where it was asked just now, or where nothing follows it; elsewhere
// the answer it got then follows.
func (p *pool) echo(ctx context.Context, store Store, x *index.Passage) (bool, error) {
	if x.Role != "user" || x.Kind != transcript.Text || x.Chunk > 0 || !p.q.mayEcho(x.Len) {
		return false, nil
	}
	text, err := store.Text(ctx, x.ID)
	return err == nil && p.q.echoed(text), ctx.Err()
}

// allows says whether a neighbour of a passage in scope is in scope too, as far
// as a Passage tells; whether it was dropped is seen when its text is read.
func allows(f index.Filter, p *index.Passage) bool {
	return (len(f.Kinds) == 0 || slices.Contains(f.Kinds, p.Kind)) &&
		(len(f.Roles) == 0 || slices.Contains(f.Roles, p.Role) && p.Kind != transcript.Command && p.Kind != transcript.Output) &&
		(f.Since.IsZero() || !p.Time.Before(f.Since)) &&
		(f.Until.IsZero() || p.Time.Before(f.Until))
}

// ownCut finds how far the asking session was dropped: what stands before a
// dropped passage was dropped too, but for the few messages that were preserved.
func (p *pool) ownCut(own []index.ID) {
	for i := range p.passages {
		x := &p.passages[i]
		if x.Session == p.own.session && x.Agent == "" && x.Pos > p.own.dropped && slices.Contains(own, x.ID) {
			p.own.dropped = x.Pos
		}
	}
}

func (p *pool) key(i int) index.SessionKey { return keyOf(&p.passages[i]) }

func keyOf(p *index.Passage) index.SessionKey {
	return index.SessionKey{Session: p.Session, Agent: p.Agent}
}

// neighbours calls f for every two passages of one conversation that stand at
// most around places apart, with their distance.
func (p *pool) neighbours(f func(i, j, distance int)) {
	for i := range p.passages {
		for j := i + 1; j < len(p.passages) && p.key(i) == p.key(j); j++ {
			d := p.passages[j].Pos - p.passages[i].Pos
			if d > around {
				break
			}
			f(i, j, d)
		}
	}
}
