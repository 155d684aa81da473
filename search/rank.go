package search

import (
	"cmp"
	"context"
	"math"
	"slices"

	"recall/index"
)

// ranked is a passage with its score and where the score came from.
type ranked struct {
	*index.Passage
	score float64 // fused; only its order and ratios within a ranking mean something
	cover float64
	parts Parts
}

func (r *ranked) key() index.SessionKey { return keyOf(r.Passage) }

// ranking is the candidates of one scope, best first, with what the scores say
// about the whole before they were fused.
type ranking struct {
	list   []ranked
	listed map[index.ID]bool
	st     index.Stats
	signal signal
}

// rank scores the passages in a scope.
func (s *Searcher) rank(ctx context.Context, q *question, sc scope) (*ranking, error) {
	p, err := s.gather(ctx, q, sc)
	if err != nil {
		return nil, err
	}
	k, err := p.keywords(ctx, s.store)
	if err != nil {
		return nil, err
	}
	m, err := p.meanings(ctx, s.store)
	if err != nil {
		return nil, err
	}
	r := &ranking{listed: p.listed, st: p.st, signal: signal{cover: k.best, chat: p.chat, lone: q.lone(), scope: sc.name}}
	if s.emb != nil && measured(s.emb.Model()) {
		r.signal.cosine = m.best
	}
	r.list = p.fuse(k, m)
	return r, nil
}

// fuse adds up what words, vectors and the session say of each passage.
func (p *pool) fuse(k keywords, m meanings) []ranked {
	out := make([]ranked, len(p.passages))
	for i := range out {
		x := &p.passages[i]
		out[i] = ranked{Passage: x, cover: k.cover[i], score: k.score[i] + m.score[i]}
		out[i].parts = Parts{Keyword: k.bare[i], Meaning: m.share[i]}
		if k.score[i] > 0 {
			out[i].parts.Context = max(0, k.score[i]-k.bare[i])
		}
		if x.Agent != "" {
			out[i].score *= subagent
		}
		out[i].score *= p.own.weight(x)
	}
	byScore(out)
	if p.w.prior > 0 {
		p.addPrior(out)
		byScore(out)
	}
	return out
}

func byScore(list []ranked) {
	slices.SortStableFunc(list, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(b.score, a.score), b.Time.Compare(a.Time), cmp.Compare(a.ID, b.ID))
	})
}

// weight sets what is near to who asks before the rest: what compactions
// dropped from the session, then its project; and what the session's model
// still sees behind all.
func (o ownPart) weight(x *index.Passage) float64 {
	switch {
	case o.session != "" && x.Session == o.session && x.Agent == "":
		if x.Pos <= o.dropped {
			return ownDropped
		}
		return ownLive
	case o.project != "" && x.Project == o.project:
		return ownProject
	}
	return 1
}

// addPrior adds to each score a share of the mean of the best messages of its
// conversation: what is asked about was talked about more than once. list is
// sorted.
func (p *pool) addPrior(list []ranked) {
	type best struct {
		sum      float64
		messages []uint32
	}
	sessions := map[index.SessionKey]*best{}
	for i := range list {
		b := sessions[list[i].key()]
		if b == nil {
			b = &best{}
			sessions[list[i].key()] = b
		}
		if len(b.messages) < priorHits && !slices.Contains(b.messages, list[i].Message) {
			b.sum, b.messages = b.sum+list[i].score, append(b.messages, list[i].Message)
		}
	}
	for i := range list {
		list[i].score += p.w.prior * sessions[list[i].key()].sum / priorHits
	}
}

// minMax brings scores to 0..1: 1 is the highest, 0 the lowest of the best 200,
// or floor where there are fewer and floor is finite. What has no score is 0.
func minMax(x []float64, floor float64) []float64 {
	out := make([]float64, len(x))
	sorted := slices.DeleteFunc(slices.Clone(x), math.IsNaN)
	if len(sorted) == 0 {
		return out
	}
	slices.SortFunc(sorted, func(a, b float64) int { return cmp.Compare(b, a) })
	hi, lo := sorted[0], sorted[min(candidates, len(sorted))-1]
	if len(sorted) < candidates && !math.IsInf(floor, -1) {
		lo = floor
	}
	for i, v := range x {
		switch {
		case math.IsNaN(v):
		case hi > lo:
			out[i] = max(0, (v-lo)/(hi-lo))
		case hi > floor:
			out[i] = 1
		}
	}
	return out
}
