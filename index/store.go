package index

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"recall/index/forward"
	"recall/index/vectors"
	"recall/transcript"
)

// Lexical implements search.Store: bleve's default scoring.
func (x *Index) Lexical(ctx context.Context, terms []string, f Filter, n int) ([]Scored, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	s := x.scope(f)
	filters, exact := s.filters()
	if s.nothing || s.convs != nil && !slices.Contains(s.convs, true) {
		return nil, nil
	}
	for fetch := n; ; fetch *= 4 {
		hits, err := x.key.Search(ctx, terms, filters, fetch)
		if err != nil {
			return nil, x.damaged(err)
		}
		whole := len(hits) < fetch
		got := make([]Scored, len(hits))
		for i, h := range hits {
			got[i] = Scored{ID(h.ID), h.Score}
		}
		if !exact {
			got = slices.DeleteFunc(got, func(h Scored) bool { return !s.allows(h.ID) })
		}
		if exact || whole || len(got) >= n || fetch > 50*n {
			return got[:min(n, len(got))], nil
		}
	}
}

// Nearest implements search.Store. Whole projects have a collection of their
// own; for other scopes one is made of the passages in scope.
func (x *Index) Nearest(ctx context.Context, vec []float32, f Filter, n int) ([]Scored, error) {
	x.mu.Lock() // collections are made on the way
	defer x.mu.Unlock()
	if x.vec == nil || x.vec.Len() == 0 {
		return nil, nil
	}
	if len(vec) != x.vec.Dim() {
		return nil, fmt.Errorf("a question vector of %d numbers where the index has %d", len(vec), x.vec.Dim())
	}
	s := x.scope(f)
	cols, err := x.collections(ctx, &s, f.Projects)
	if err != nil {
		return nil, err
	}
	var out []Scored
	for _, col := range cols {
		hits, err := col.Nearest(ctx, vec, n)
		if err != nil {
			return nil, err
		}
		for _, h := range hits {
			out = append(out, Scored{ID(h.ID), h.Cosine})
		}
	}
	slices.SortFunc(out, byScore)
	return out[:min(n, len(out))], nil
}

func (x *Index) collections(ctx context.Context, s *scope, projects []string) ([]*vectors.Collection, error) {
	if !s.projects {
		col, err := x.vec.Collection(ctx, x.entries(x.inScope(s)))
		return []*vectors.Collection{col}, err
	}
	var cols []*vectors.Collection
	for name, ids := range x.cat.byProject() {
		if len(projects) > 0 && !slices.Contains(projects, name) {
			continue
		}
		col, err := x.vec.Kept(ctx, name, func() []vectors.Entry { return x.entries(ids) })
		if err != nil {
			return nil, err
		}
		cols = append(cols, col)
	}
	return cols, nil
}

func (x *Index) entries(ids []ID) []vectors.Entry {
	out := make([]vectors.Entry, len(ids))
	for i, id := range ids {
		out[i] = vectors.Entry{ID: uint32(id), Key: x.cat.passages[id].hash}
	}
	return out
}

func byScore(a, b Scored) int {
	switch {
	case a.Score > b.Score:
		return -1
	case a.Score < b.Score:
		return 1
	}
	return int(a.ID) - int(b.ID)
}

// byProject groups the passages that may have a vector.
func (c *catalog) byProject() map[string][]ID {
	out := map[string][]ID{}
	for i := range c.convs {
		if ids := c.convs[i].passages; len(ids) > 0 {
			p := c.projectOf(uint32(i))
			out[p] = append(out[p], ids...)
		}
	}
	return out
}

// Stats implements search.Store.
func (x *Index) Stats(_ context.Context, terms []string, f Filter) (Stats, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	df, err := x.key.DF(terms)
	if err != nil {
		return Stats{}, x.damaged(err)
	}
	st := Stats{DF: df, Total: len(x.cat.passages)}
	s := x.scope(f)
	tokens, tools := 0, 0
	convs := map[string]bool{}
	for _, id := range x.inScope(&s) {
		p := &x.cat.passages[id]
		st.Passages++
		tokens += int(p.tokens)
		if k := kinds[p.kind]; k == transcript.Command || k == transcript.Output {
			tools++
		}
		if x.vec != nil && p.wantsVector() {
			st.Wanted++
			if !x.vec.Has(p.hash) {
				st.Pending++
			}
		}
		convs[x.cat.convs[x.cat.messages[p.msg].conv].Session] = true
	}
	st.Sessions = len(convs)
	if st.Passages > 0 {
		st.MeanLen = float64(tokens) / float64(st.Passages)
		st.Tools = float64(tools) / float64(st.Passages)
	}
	return st, nil
}

// Passages implements search.Store.
func (x *Index) Passages(_ context.Context, ids []ID, around int, terms []string) ([]Passage, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	want := map[ID]bool{}
	for _, id := range ids {
		if id >= x.cat.visible {
			return nil, fmt.Errorf("no passage %d", id)
		}
		list := x.cat.convs[x.messageOf(id).conv].passages
		pos := int(x.cat.passages[id].pos)
		for _, near := range list[max(0, pos-around):min(len(list), pos+around+1)] {
			if near < x.cat.visible {
				want[near] = true
			}
		}
	}
	hashes := forward.Hashes(terms)
	out := make([]Passage, 0, len(want))
	for id := range want {
		p, err := x.passage(id, hashes)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b Passage) int {
		if c := strings.Compare(a.Session, b.Session); c != 0 {
			return c
		}
		if c := strings.Compare(a.Agent, b.Agent); c != 0 {
			return c
		}
		return a.Pos - b.Pos
	})
	return out, nil
}

func (x *Index) passage(id ID, hashes []uint32) (Passage, error) {
	p := &x.cat.passages[id]
	m := &x.cat.messages[p.msg]
	v := &x.cat.convs[m.conv]
	counts, err := x.fwd.Counts(p.fwd, int(p.terms), hashes)
	if err != nil {
		return Passage{}, x.damaged(err)
	}
	return Passage{ID: id, Message: p.msg, Chunk: int(p.chunk), Session: v.Session, Agent: v.Agent,
		Project: x.cat.projectOf(m.conv), UUID: m.uuid, Kind: kinds[p.kind], Role: roles[m.role],
		Time: msTime(m.time), Pos: int(p.pos), Len: int(p.tokens), Counts: counts}, nil
}

// Totals implements search.Store.
func (x *Index) Totals(_ context.Context, ids []ID, terms []string) (map[SessionKey]Total, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	hashes := forward.Hashes(terms)
	out := map[SessionKey]Total{}
	for _, id := range ids {
		v := &x.cat.convs[x.messageOf(id).conv]
		if _, ok := out[v.SessionKey]; ok {
			continue
		}
		t := Total{Passages: len(v.passages), Counts: make([]int, len(terms))}
		for _, pid := range v.passages {
			if pid >= x.cat.visible {
				break
			}
			p := &x.cat.passages[pid]
			t.Len += int(p.tokens)
			counts, err := x.fwd.Counts(p.fwd, int(p.terms), hashes)
			if err != nil {
				return nil, x.damaged(err)
			}
			for i, n := range counts {
				t.Counts[i] += int(n)
			}
		}
		out[v.SessionKey] = t
	}
	return out, nil
}

// Cosines implements search.Store.
func (x *Index) Cosines(_ context.Context, ids []ID, vec []float32) ([]float64, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	out := make([]float64, len(ids))
	for i, id := range ids {
		out[i] = math.NaN()
		if x.vec == nil || len(vec) != x.vec.Dim() {
			continue
		}
		if v, ok := x.vec.Get(x.cat.passages[id].hash); ok {
			out[i] = vectors.Dot(vec, v)
		}
	}
	return out, nil
}
