package search

import (
	"context"
	"math"
	"slices"

	"recall/index"
)

// keywords is what the words say about each passage of a pool.
type keywords struct {
	score []float64 // with context, of all wordings, 0 to 1
	bare  []float64 // of the passage's own words alone, 0 to 1
	cover []float64 // share of the best score that is possible, mean over the wordings
	best  float64   // mean over the wordings of the best share
}

// keywords scores every wording by itself, brings the scores to 0..1 and adds
// them up.
func (p *pool) keywords(ctx context.Context, store Store) (keywords, error) {
	n := len(p.passages)
	k := keywords{score: make([]float64, n), bare: make([]float64, n), cover: make([]float64, n)}
	totals, err := p.totals(ctx, store)
	if err != nil {
		return k, err
	}
	for i := range p.q.wordings {
		w := &p.q.wordings[i]
		bare, cover := p.bm25(w)
		addTo(k.score, minMax(p.inContext(bare, p.sessions(w, totals)), 0), 1)
		addTo(k.bare, bare, 1)
		addTo(k.cover, cover, 1/float64(len(p.q.wordings)))
		k.best += p.most(cover) / float64(len(p.q.wordings))
	}
	k.score, k.bare = minMax(k.score, 0), minMax(k.bare, 0)
	return k, nil
}

// most is the highest value of a passage that may be news to who asks.
func (p *pool) most(values []float64) float64 {
	best := 0.0
	for i, v := range values {
		if v > best && p.own.weight(&p.passages[i]) >= 1 {
			best = v
		}
	}
	return best
}

func addTo(sum, x []float64, weight float64) {
	for i, v := range x {
		sum[i] += weight * v
	}
}

// bm25 scores each passage by its own words for one wording: BM25 × share of
// the asked terms present × weight of its kind; and says which share of the
// best possible BM25 × coordination that is.
func (p *pool) bm25(w *wording) (score, cover []float64) {
	score, cover = make([]float64, len(p.passages)), make([]float64, len(p.passages))
	for i := range p.passages {
		x := &p.passages[i]
		asked, added, present := 0.0, 0.0, 0
		norm := p.w.k1 * (1 - p.w.b + p.w.b*float64(x.Len)/p.st.MeanLen)
		for j, t := range w.terms {
			tf := float64(x.Counts[t.place])
			if tf == 0 {
				continue
			}
			v := t.weight * t.idf * tf * (p.w.k1 + 1) / (tf + norm)
			if j < w.asked {
				asked += v
				present++
			} else {
				added += v
			}
		}
		share := float64(present) / float64(w.asked)
		// Added words count whatever share of the asked ones is present: with it
		// they found nothing that was not found before.
		score[i] = (asked*math.Pow(share, p.w.coord) + added) * kindWeight[string(x.Kind)]
		cover[i] = asked * share / (coverScale * w.idf)
	}
	return score, cover
}

// inContext adds to each score shares of its neighbours' and its session's.
func (p *pool) inContext(bare []float64, sessions map[index.SessionKey]float64) []float64 {
	out := slices.Clone(bare)
	p.neighbours(func(i, j, d int) {
		out[i] += p.w.near[d-1] * bare[j]
		out[j] += p.w.near[d-1] * bare[i]
	})
	for i := range out {
		out[i] += p.w.session * sessions[p.key(i)]
	}
	return out
}

func (p *pool) totals(ctx context.Context, store Store) (map[index.SessionKey]index.Total, error) {
	if p.w.session == 0 || len(p.ids) == 0 {
		return nil, nil
	}
	return store.Totals(ctx, p.ids, p.q.terms)
}

// sessions scores the conversations of the pool as whole documents.
func (p *pool) sessions(w *wording, totals map[index.SessionKey]index.Total) map[index.SessionKey]float64 {
	if len(totals) == 0 {
		return nil
	}
	asked := w.terms[:w.asked]
	n, mean := float64(max(len(totals), p.st.Sessions)), 0.0
	df := make([]float64, len(asked))
	for _, t := range totals {
		mean += float64(t.Len) / float64(len(totals))
		for i, x := range asked {
			if t.Counts[x.place] > 0 {
				df[i]++
			}
		}
	}
	out := make(map[index.SessionKey]float64, len(totals))
	for k, t := range totals {
		sum, present := 0.0, 0
		norm := p.w.k1 * (1 - p.w.b + p.w.b*float64(t.Len)/mean)
		for i, x := range asked {
			if tf := float64(t.Counts[x.place]); tf > 0 {
				sum += idf(n, df[i]) * tf * (p.w.k1 + 1) / (tf + norm)
				present++
			}
		}
		out[k] = sum * math.Pow(float64(present)/float64(w.asked), p.w.coord)
	}
	return out
}
