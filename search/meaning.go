package search

import (
	"context"
	"math"
	"slices"

	"recall/index"
)

// meanings is what the vectors say about each passage of a pool.
type meanings struct {
	score  []float64 // weighted, in units of the keyword score
	share  []float64 // 0 to 1
	cosine []float64 // with the question's own vector; NaN where there is none
	best   float64   // the highest cosine, 0 when there is none
}

// meanings compares the question's vectors with those of the passages.
func (p *pool) meanings(ctx context.Context, store Store) (meanings, error) {
	n := len(p.passages)
	m := meanings{score: make([]float64, n), share: make([]float64, n)}
	vec := p.q.wordings[0].vec
	if vec == nil || n == 0 {
		return m, nil
	}
	var err error
	if m.cosine, err = store.Cosines(ctx, p.ids, vec); err != nil {
		return m, err
	}
	m.best = p.most(m.cosine)
	if p.q.mean == nil {
		p.addMeaning(&m, m.cosine, p.w.meaning)
		return m, nil
	}
	cosines, err := store.Cosines(ctx, p.ids, p.q.mean)
	if err != nil {
		return m, err
	}
	p.addMeaning(&m, m.cosine, p.w.own)
	p.addMeaning(&m, cosines, p.w.mean)
	return m, nil
}

// addMeaning adds cosines of weight w, brought to 0..1, to scores of weight 1-w.
func (p *pool) addMeaning(m *meanings, cosines []float64, w float64) {
	x := minMax(p.smooth(cosines), math.Inf(-1))
	addTo(m.score, x, w/(1-w))
	for i, v := range x {
		m.share[i] = max(m.share[i], v)
	}
}

// mean is a running mean.
type mean struct{ sum, n float64 }

func (m *mean) add(x float64) {
	if !math.IsNaN(x) {
		m.sum += x
		m.n++
	}
}

// or returns the mean, or x when there is none.
func (m mean) or(x float64) float64 {
	if m.n == 0 {
		return x
	}
	return m.sum / m.n
}

// smooth adds to each cosine the mean of those around it, itself included, and
// the mean of its session's: a turn of a chat is about what its neighbours are
// about.
func (p *pool) smooth(cosines []float64) []float64 {
	out := slices.Clone(cosines)
	if p.w.meaningNear == 0 && p.w.meaningSess == 0 {
		return out
	}
	windows := make([]mean, len(cosines))
	sessions := map[index.SessionKey]*mean{}
	for i, c := range cosines {
		windows[i].add(c)
		k := p.key(i)
		if sessions[k] == nil {
			sessions[k] = &mean{}
		}
		sessions[k].add(c)
	}
	p.neighbours(func(i, j, _ int) {
		windows[i].add(cosines[j])
		windows[j].add(cosines[i])
	})
	for i, c := range cosines {
		out[i] += p.w.meaningNear*windows[i].or(c) + p.w.meaningSess*sessions[p.key(i)].or(c)
	}
	return out
}
