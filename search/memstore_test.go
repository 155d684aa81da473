package search

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"recall/anchors"
	"recall/embed"
	"recall/index"
	"recall/transcript"
)

// said is one message of a made-up conversation. A said with Boundary set
// stands for a compaction: everything before it in its conversation was dropped.
type said struct {
	UUID     string
	Role     string // "" means user for prompts; assistant when Kind is command
	Kind     transcript.Kind
	Text     string
	Tool     string
	Time     time.Time // zero: one minute after the message before
	Boundary bool
}

// talk is a made-up conversation: a session, or one sub-agent of it.
type talk struct {
	Session, Agent, Project, Title string
	Deleted                        bool
	Said                           []said
}

// mem is a Store that holds passages in memory and answers by looking at every
// one of them.
type mem struct {
	passages []memPassage
	messages []index.Message
	emb      embed.Embedder
	vectors  map[index.ID]embed.Vector
	words    map[string][]index.Alike
	total    int
	df       map[string]int
}

type memPassage struct {
	index.Passage
	text  string
	start int
	part  int
	tf    map[string]int
}

// memEpoch is when the first message of each talk was said.
var memEpoch = time.Date(2026, 11, 3, 9, 0, 0, 0, time.UTC)

// newMem builds a store of talks; emb may be nil: no vectors then.
func newMem(emb embed.Embedder, talks ...talk) *mem {
	m := &mem{emb: emb, vectors: map[index.ID]embed.Vector{}, df: map[string]int{}, words: map[string][]index.Alike{}}
	for _, t := range talks {
		m.addTalk(t)
	}
	for i := range m.passages {
		p := &m.passages[i]
		if emb != nil {
			v, err := emb.Documents(context.Background(), []string{p.text})
			if err != nil {
				panic(err)
			}
			m.vectors[p.ID] = v[0]
		}
	}
	return m
}

func (m *mem) addTalk(t talk) {
	first, pos, nth := len(m.messages), 0, 0
	now := memEpoch
	for _, s := range t.Said {
		now = now.Add(time.Minute)
		if !s.Time.IsZero() {
			now = s.Time
		}
		if s.Boundary {
			nth++
			m.drop(m.messages[first:], &index.Dropped{Boundary: s.UUID, Time: now, Trigger: "auto", Nth: nth})
			continue
		}
		role, kind := s.Role, cmp.Or(s.Kind, transcript.Text)
		if role == "" {
			role = map[bool]string{true: "assistant", false: "user"}[kind == transcript.Command]
		}
		num := uint32(len(m.messages))
		m.messages = append(m.messages, index.Message{
			Num: num, Session: t.Session, Agent: t.Agent, Project: t.Project, Title: t.Title, UUID: s.UUID,
			Role: role, Kind: kind, Time: now, Live: true, Deleted: t.Deleted,
			Parts: []transcript.Part{{Kind: kind, Text: s.Text, Tool: s.Tool}},
		})
		pos = m.addPassages(m.messages[num], pos)
	}
}

func (m *mem) drop(msgs []index.Message, d *index.Dropped) {
	for i := range msgs {
		if msgs[i].Dropped == nil {
			msgs[i].Dropped, msgs[i].Live = d, false
		}
	}
}

func (m *mem) addPassages(msg index.Message, pos int) int {
	chunk := 0
	for part, p := range msg.Parts {
		for start, end := range memChunks(p.Text) {
			m.addPassage(index.Passage{
				Message: msg.Num, Chunk: chunk, Session: msg.Session, Agent: msg.Agent, Project: msg.Project,
				UUID: msg.UUID, Kind: p.Kind, Role: msg.Role, Time: msg.Time, Pos: pos,
			}, p.Text[start:end], part, start)
			chunk++
			pos++
		}
	}
	return pos
}

func (m *mem) addPassage(p index.Passage, text string, part, start int) {
	tf := map[string]int{}
	for _, w := range index.Terms(text) {
		if tf[w] == 0 {
			m.df[w]++
		}
		tf[w]++
		p.Len++
	}
	p.ID = index.ID(len(m.passages))
	m.total++
	m.passages = append(m.passages, memPassage{Passage: p, text: text, part: part, start: start, tf: tf})
}

// memChunks cuts text into pieces of about 1,200 characters.
func memChunks(text string) func(func(int, int) bool) {
	const size, overlap = 1200, 180
	return func(yield func(int, int) bool) {
		for start := 0; start < len(text); {
			end := min(start+size, len(text))
			for end < len(text) && !utf8.RuneStart(text[end]) {
				end++
			}
			if !yield(start, end) || end == len(text) {
				return
			}
			for start = end - overlap; !utf8.RuneStart(text[start]); start++ {
			}
		}
	}
}

func (m *mem) in(p *memPassage, f index.Filter) bool {
	if len(f.Sessions) > 0 && !slices.Contains(f.Sessions, p.Session) ||
		len(f.Projects) > 0 && !slices.Contains(f.Projects, p.Project) ||
		len(f.Kinds) > 0 && !slices.Contains(f.Kinds, p.Kind) ||
		len(f.Roles) > 0 && !slices.Contains(f.Roles, p.Role) {
		return false
	}
	if f.Subagents == "exclude" && p.Agent != "" || f.Subagents == "only" && p.Agent == "" {
		return false
	}
	if !f.Since.IsZero() && p.Time.Before(f.Since) || !f.Until.IsZero() && !p.Time.Before(f.Until) {
		return false
	}
	return !f.Dropped || m.messages[p.Message].Dropped != nil
}

func (m *mem) Lexical(_ context.Context, terms []string, f index.Filter, n int) ([]index.Scored, error) {
	st := m.stats(terms, f)
	return m.best(f, n, func(p *memPassage) float64 {
		s := 0.0
		for _, t := range terms {
			if tf := float64(p.tf[t]); tf > 0 {
				idf := math.Log(1 + (float64(st.Total)-float64(st.DF[t])+.5)/(float64(st.DF[t])+.5))
				s += idf * tf * 2.2 / (tf + 1.2*(.25+.75*float64(p.Len)/st.MeanLen))
			}
		}
		return s
	}), nil
}

func (m *mem) Nearest(_ context.Context, vec []float32, f index.Filter, n int) ([]index.Scored, error) {
	return m.best(f, n, func(p *memPassage) float64 {
		v, ok := m.vectors[p.ID]
		if !ok {
			return 0
		}
		return dot(v, vec)
	}), nil
}

// best returns the n passages in f with the highest score above 0.
func (m *mem) best(f index.Filter, n int, score func(*memPassage) float64) []index.Scored {
	var out []index.Scored
	for i := range m.passages {
		p := &m.passages[i]
		if !m.in(p, f) {
			continue
		}
		if s := score(p); s > 0 {
			out = append(out, index.Scored{ID: p.ID, Score: s})
		}
	}
	slices.SortStableFunc(out, func(a, b index.Scored) int { return cmp.Compare(b.Score, a.Score) })
	return out[:min(n, len(out))]
}

func dot(a, b []float32) float64 {
	s := float32(0)
	for i := range a {
		s += a[i] * b[i]
	}
	return float64(s)
}

func (m *mem) Stats(_ context.Context, terms []string, f index.Filter) (index.Stats, error) {
	return m.stats(terms, f), nil
}

func (m *mem) stats(terms []string, f index.Filter) index.Stats {
	st := index.Stats{Total: m.total, DF: map[string]int{}}
	tokens, tools := 0, 0
	sessions := map[string]bool{}
	for i := range m.passages {
		p := &m.passages[i]
		if !m.in(p, f) {
			continue
		}
		st.Passages++
		tokens += p.Len
		sessions[p.Session] = true
		if p.Kind == transcript.Command || p.Kind == transcript.Output {
			tools++
		}
		st.Wanted++
		if _, ok := m.vectors[p.ID]; !ok {
			st.Pending++
		}
	}
	st.Sessions = len(sessions)
	if st.Passages > 0 {
		st.MeanLen = float64(tokens) / float64(st.Passages)
		st.Tools = float64(tools) / float64(st.Passages)
	}
	for _, t := range terms {
		st.DF[t] = m.df[t]
	}
	return st
}

func (m *mem) Passages(_ context.Context, ids []index.ID, around int, terms []string) ([]index.Passage, error) {
	want := map[index.ID]bool{}
	for _, id := range ids {
		p := m.passages[id]
		for j := max(0, int(id)-around); j <= int(id)+around && j < len(m.passages); j++ {
			if n := m.passages[j]; n.Session == p.Session && n.Agent == p.Agent {
				want[n.ID] = true
			}
		}
	}
	var out []index.Passage
	for id := range want {
		p := m.passages[id].Passage
		p.Counts = make([]uint8, len(terms))
		for i, t := range terms {
			p.Counts[i] = uint8(min(m.passages[id].tf[t], 255))
		}
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b index.Passage) int {
		return cmp.Or(strings.Compare(a.Session, b.Session), strings.Compare(a.Agent, b.Agent), cmp.Compare(a.Pos, b.Pos))
	})
	return out, nil
}

func (m *mem) Totals(_ context.Context, ids []index.ID, terms []string) (map[index.SessionKey]index.Total, error) {
	out := map[index.SessionKey]index.Total{}
	for _, id := range ids {
		out[index.SessionKey{Session: m.passages[id].Session, Agent: m.passages[id].Agent}] = index.Total{}
	}
	for i := range m.passages {
		p := &m.passages[i]
		k := index.SessionKey{Session: p.Session, Agent: p.Agent}
		t, ok := out[k]
		if !ok {
			continue
		}
		if t.Counts == nil {
			t.Counts = make([]int, len(terms))
		}
		t.Passages++
		t.Len += p.Len
		for j, w := range terms {
			t.Counts[j] += p.tf[w]
		}
		out[k] = t
	}
	return out, nil
}

func (m *mem) Cosines(_ context.Context, ids []index.ID, vec []float32) ([]float64, error) {
	out := make([]float64, len(ids))
	for i, id := range ids {
		out[i] = math.NaN()
		if v, ok := m.vectors[id]; ok {
			out[i] = dot(v, vec)
		}
	}
	return out, nil
}

func (m *mem) Similar(_ context.Context, words []string, k int) ([][]index.Alike, error) {
	out := make([][]index.Alike, len(words))
	for i, w := range words {
		a := m.words[w]
		out[i] = a[:min(k, len(a))]
	}
	return out, nil
}

func (m *mem) Text(_ context.Context, id index.ID) (string, error) {
	return m.passages[id].text, nil
}

func (m *mem) Exchange(_ context.Context, id index.ID) (index.Exchange, error) {
	p := m.passages[id]
	x := index.Exchange{Message: m.messages[p.Message], Part: p.part, Start: p.start, End: p.start + len(p.text)}
	i := int(p.Message)
	if memPrompt(x.Message) {
		x.After = m.answers(i)
		return x, nil
	}
	for j := i - 1; j >= 0 && m.together(i, j); j-- {
		if memPrompt(m.messages[j]) {
			x.Before = append(x.Before, m.messages[j])
			break
		}
	}
	if x.Message.Kind == transcript.Output && i > 0 && m.messages[i-1].Kind == transcript.Command {
		x.Before = append(x.Before, m.messages[i-1])
	}
	return x, nil
}

// answers returns what the assistant wrote between prompt i and the next prompt.
func (m *mem) answers(i int) []index.Message {
	var out []index.Message
	for j := i + 1; j < len(m.messages) && m.together(i, j) && !memPrompt(m.messages[j]); j++ {
		if x := m.messages[j]; x.Role == "assistant" && x.Kind == transcript.Text {
			out = append(out, x)
		}
	}
	return out
}

func (m *mem) together(i, j int) bool {
	a, b := m.messages[i], m.messages[j]
	return a.Session == b.Session && a.Agent == b.Agent
}

func memPrompt(x index.Message) bool { return x.Role == "user" && x.Kind == transcript.Text }

// SessionIDs and ByUUID let the searcher find how long an id's prefix must be.
func (m *mem) SessionIDs(_ context.Context, prefix string) ([]string, error) {
	var out []string
	for _, x := range m.messages {
		if strings.HasPrefix(x.Session, prefix) && !slices.Contains(out, x.Session) {
			out = append(out, x.Session)
		}
	}
	return out, nil
}

func (m *mem) ByUUID(_ context.Context, session, prefix string) ([]anchors.Place, error) {
	var out []anchors.Place
	for _, x := range m.messages {
		if (session == "" || x.Session == session) && strings.HasPrefix(x.UUID, prefix) {
			out = append(out, anchors.Place{Session: x.Session, Agent: x.Agent, UUID: x.UUID})
		}
	}
	return out, nil
}
