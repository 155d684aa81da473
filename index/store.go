package index

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"recall/index/forward"
	"recall/index/keyword"
	"recall/index/vectors"
	"recall/transcript"
)

// scope is a Filter worked out against the catalog.
type scope struct {
	c            *catalog
	convs        []bool          // allowed conversations; nil for all
	shared       map[uint32]bool // messages of other conversations that stand in an allowed one
	kinds, roles uint8           // allowed, as bits; 0 for all
	since, until int64           // unix ms; 0 for open
	dropped      bool
	projects     bool // convs are whole projects, nothing else is asked
}

func (x *Index) scope(f Filter) scope {
	s := scope{c: x.cat, dropped: f.Dropped, projects: true}
	for _, k := range f.Kinds {
		s.kinds |= 1 << kindNo(k)
	}
	for _, r := range f.Roles {
		s.roles |= 1 << roleNo(r)
	}
	if !f.Since.IsZero() {
		s.since = f.Since.UnixMilli()
	}
	if !f.Until.IsZero() {
		s.until = f.Until.UnixMilli()
	}
	s.conversations(f)
	if s.kinds|s.roles != 0 || s.since|s.until != 0 || f.Dropped || len(f.Sessions) > 0 || f.Subagents != "" && f.Subagents != "include" {
		s.projects = false
	}
	return s
}

func (s *scope) conversations(f Filter) {
	agents := f.Subagents != "" && f.Subagents != "include"
	if len(f.Sessions) == 0 && len(f.Projects) == 0 && !agents && !f.Dropped {
		return
	}
	s.convs = make([]bool, len(s.c.convs))
	for i := range s.c.convs {
		v := &s.c.convs[i]
		s.convs[i] = (len(f.Sessions) == 0 || slices.Contains(f.Sessions, v.Session)) &&
			(len(f.Projects) == 0 || slices.Contains(f.Projects, s.c.projectOf(uint32(i)))) &&
			(!agents || (f.Subagents == "only") == (v.Agent != "")) &&
			(!f.Dropped || len(v.comps) > 0)
		if s.convs[i] && len(f.Sessions) > 0 {
			for _, m := range v.shared {
				if s.shared == nil {
					s.shared = map[uint32]bool{}
				}
				s.shared[m] = true
			}
		}
	}
}

// projectOf is the project of a conversation; a sub-agent belongs to its
// session's project.
func (c *catalog) projectOf(i uint32) string {
	v := &c.convs[i]
	if v.Agent != "" {
		if main, ok := c.byKey[SessionKey{v.Session, ""}]; ok && c.convs[main].project != "" {
			return c.convs[main].project
		}
	}
	return v.project
}

func (s *scope) allows(id ID) bool {
	if id >= s.c.visible {
		return false
	}
	p := &s.c.passages[id]
	m := &s.c.messages[p.msg]
	if s.convs != nil && !s.convs[m.conv] && !s.shared[p.msg] {
		return false
	}
	if s.kinds != 0 && s.kinds&(1<<p.kind) == 0 || s.roles != 0 && s.roles&(1<<m.role) == 0 {
		return false
	}
	if s.since != 0 && m.time < s.since || s.until != 0 && m.time >= s.until {
		return false
	}
	return !s.dropped || s.wasDropped(p.msg)
}

func (s *scope) wasDropped(msg uint32) bool {
	if c, _ := s.c.convs[s.c.messages[msg].conv].dropped(msg); c != nil {
		return true
	}
	if !s.shared[msg] {
		return false
	}
	for i := range s.c.convs {
		if s.convs[i] {
			if c, _ := s.c.convs[i].dropped(msg); c != nil {
				return true
			}
		}
	}
	return false
}

// Fields of the keyword index's documents.
const (
	fieldConv  = "conv" // conversation number
	fieldKind  = "kind"
	fieldRole  = "role"
	fieldMonth = "month" // 2026-11
)

// fields are what a passage can be filtered by in the keyword index.
func (c *catalog) fields(m *message, kind uint8) []keyword.Field {
	out := []keyword.Field{{Name: fieldConv, Value: convTerm(m.conv)}, {Name: fieldKind, Value: string(kinds[kind])}, {Name: fieldRole, Value: roles[m.role]}}
	if m.time != 0 {
		out = append(out, keyword.Field{Name: fieldMonth, Value: msTime(m.time).Format(monthForm)})
	}
	return out
}

const monthForm = "2006-01"

func convTerm(c uint32) string { return strconv.FormatUint(uint64(c), 36) }

const (
	maxConvs  = 256 // conversations named in a query; more are filtered afterwards
	maxMonths = 36
)

// filters are the parts of the scope that the keyword index can lead with.
// exact is false when hits must still be checked.
func (s *scope) filters() (out []keyword.Filter, exact bool) {
	exact = s.since|s.until == 0 && !s.dropped && s.shared == nil
	if s.convs != nil {
		if names := s.convTerms(); len(names) <= maxConvs {
			out = append(out, keyword.Filter{Name: fieldConv, Values: names})
		} else {
			exact = false
		}
	}
	if s.kinds != 0 {
		out = append(out, keyword.Filter{Name: fieldKind, Values: named(s.kinds, func(i int) string { return string(kinds[i]) })})
	}
	if s.roles != 0 {
		out = append(out, keyword.Filter{Name: fieldRole, Values: named(s.roles, func(i int) string { return roles[i] })})
	}
	if ms := s.months(); ms != nil {
		out = append(out, keyword.Filter{Name: fieldMonth, Values: ms})
	}
	return out, exact
}

// months lists the months of the time asked for; nil when it is open at the
// start or long.
func (s *scope) months() []string {
	if s.since == 0 {
		return nil
	}
	until := time.Now().AddDate(0, 1, 0)
	if s.until != 0 {
		until = msTime(s.until)
	}
	var out []string
	from := msTime(s.since)
	for t := time.Date(from.Year(), from.Month(), 1, 0, 0, 0, 0, time.UTC); t.Before(until); t = t.AddDate(0, 1, 0) {
		if len(out) == maxMonths {
			return nil
		}
		out = append(out, t.Format(monthForm))
	}
	return out
}

// convTerms names the allowed conversations, and the owners of shared messages.
func (s *scope) convTerms() []string {
	var out []string
	seen := make([]bool, len(s.convs))
	add := func(i uint32) {
		if !seen[i] {
			seen[i] = true
			out = append(out, convTerm(i))
		}
	}
	for i, ok := range s.convs {
		if ok {
			add(uint32(i))
		}
	}
	for m := range s.shared {
		add(s.c.messages[m].conv)
	}
	return out
}

func named(bits uint8, name func(int) string) []string {
	var out []string
	for i := range 8 {
		if bits&(1<<i) != 0 {
			out = append(out, name(i))
		}
	}
	return out
}

// Lexical implements search.Store: bleve's default scoring.
func (x *Index) Lexical(ctx context.Context, terms []string, f Filter, n int) ([]Scored, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	s := x.scope(f)
	filters, exact := s.filters()
	if s.convs != nil && len(filters) > 0 && !slices.Contains(s.convs, true) {
		return nil, nil
	}
	for fetch := n; ; fetch *= 4 {
		hits, err := x.key.Search(ctx, terms, filters, fetch)
		if err != nil {
			return nil, fmt.Errorf("keyword index: %w", err)
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

// inScope lists the passages in scope.
func (x *Index) inScope(s *scope) []ID {
	var out []ID
	if s.convs == nil {
		for id := range x.cat.passages {
			if s.allows(ID(id)) {
				out = append(out, ID(id))
			}
		}
		return out
	}
	for i, ok := range s.convs {
		if !ok {
			continue
		}
		for _, id := range x.cat.convs[i].passages {
			if s.allows(id) {
				out = append(out, id)
			}
		}
	}
	for m := range s.shared {
		if s.convs[x.cat.messages[m].conv] {
			continue
		}
		for id := x.cat.messages[m].first; id < x.cat.messages[m].first+ID(x.cat.messages[m].n); id++ {
			if s.allows(id) {
				out = append(out, id)
			}
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
		return Stats{}, fmt.Errorf("keyword index: %w", err)
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
		if x.vec != nil && p.wantsVector() && !x.vec.Has(p.hash) {
			st.Pending++
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
		return Passage{}, fmt.Errorf("forward index: %w", err)
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
				return nil, fmt.Errorf("forward index: %w", err)
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
