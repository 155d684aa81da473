package index

import (
	"slices"
	"strconv"
	"time"

	"recall/index/keyword"
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
	nothing      bool // what is asked excludes itself
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
	if s.roles != 0 { // commands and outputs have no speaker
		if s.kinds == 0 {
			s.kinds = 1<<len(kinds) - 1
		}
		s.kinds &^= 1<<kindNo(transcript.Command) | 1<<kindNo(transcript.Output)
		s.nothing = s.kinds == 0
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
	if id >= s.c.visible || s.nothing {
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
