package index

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"

	"recall/anchors"
)

const mostCandidates = 20

func (x *Index) place(num, in uint32) anchors.Place {
	m, v := &x.cat.messages[num], &x.cat.convs[in]
	return anchors.Place{Session: v.Session, Agent: v.Agent, UUID: m.uuid, Path: x.cat.files[m.file].path, Line: int(m.line)}
}

// all lists the messages of a conversation in order, shared ones included.
func (v *conv) all(visible uint32) []uint32 {
	out := slices.Concat(v.shared, v.msgs)
	slices.Sort(out)
	for len(out) > 0 && out[len(out)-1] >= visible {
		out = out[:len(out)-1]
	}
	return out
}

// SessionIDs implements anchors.Directory.
func (x *Index) SessionIDs(_ context.Context, prefix string) ([]string, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	var out []string
	for i := range x.cat.convs {
		v := &x.cat.convs[i]
		if hasPrefixFold(v.Session, prefix) && !slices.Contains(out, v.Session) && len(out) < mostCandidates {
			out = append(out, v.Session)
		}
	}
	return out, nil
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// ByUUID implements anchors.Directory.
func (x *Index) ByUUID(_ context.Context, session, prefix string) ([]anchors.Place, error) {
	return x.placesWhere(session, mostCandidates, func(m *message) bool { return hasPrefixFold(m.uuid, prefix) }), nil
}

// ByTool implements anchors.Directory.
func (x *Index) ByTool(_ context.Context, id string) ([]anchors.Place, error) {
	return x.placesWhere("", mostCandidates, func(m *message) bool { return slices.Contains(m.toolIDs, id) }), nil
}

func (x *Index) placesWhere(session string, most int, match func(*message) bool) []anchors.Place {
	x.mu.RLock()
	defer x.mu.RUnlock()
	var out []anchors.Place
	for _, i := range x.oldestFirst() {
		v := &x.cat.convs[i]
		if session != "" && v.Session != session {
			continue
		}
		for _, n := range v.all(x.cat.visibleMessages) {
			if len(out) < most && match(&x.cat.messages[n]) {
				out = append(out, x.place(n, i))
			}
		}
	}
	return out
}

// oldestFirst lists the conversations by the first message that is theirs
// alone: of a fork and its origin the origin comes first, also when it was not
// continued and has none.
func (x *Index) oldestFirst() []uint32 {
	c := x.cat
	forked := map[uint32]bool{}
	for i := range c.convs {
		for _, m := range c.convs[i].shared {
			forked[m] = true
		}
	}
	out, first := make([]uint32, len(c.convs)), make([]int64, len(c.convs))
	for i := range c.convs {
		out[i] = uint32(i)
		for _, n := range c.convs[i].msgs {
			if t := c.messages[n].time; !forked[n] && t != 0 && (first[i] == 0 || t < first[i]) {
				first[i] = t
			}
		}
	}
	slices.SortStableFunc(out, func(a, b uint32) int { return cmp.Compare(first[a], first[b]) })
	return out
}

// ByLines implements anchors.Directory.
func (x *Index) ByLines(_ context.Context, path string, from, to int) ([]anchors.Place, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	fi, ok := x.cat.byPath[path]
	if !ok {
		base := filepath.Base(filepath.FromSlash(strings.ReplaceAll(path, `\`, "/")))
		for i := range x.cat.files {
			if filepath.Base(x.cat.files[i].path) == base {
				fi, ok = uint32(i), true
				break
			}
		}
	}
	if !ok {
		return nil, nil
	}
	var out []anchors.Place
	ci := x.cat.files[fi].conv
	for _, n := range x.cat.convs[ci].msgs {
		m := &x.cat.messages[n]
		if m.file == fi && n < x.cat.visibleMessages && int(m.line) >= from && (to <= 0 || int(m.line) <= to) {
			out = append(out, x.place(n, ci))
		}
	}
	return out, nil
}

// DroppedAt implements anchors.Directory.
func (x *Index) DroppedAt(_ context.Context, session string, nth int) ([]anchors.Place, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	ci, ok := x.cat.byKey[SessionKey{session, ""}]
	if !ok || nth < 1 || nth > len(x.cat.convs[ci].comps) {
		return nil, nil
	}
	return x.droppedPlaces(ci, nth-1), nil
}

func (x *Index) droppedPlaces(ci uint32, k int) []anchors.Place {
	var out []anchors.Place
	for _, s := range x.cat.convs[ci].comps[k].dropped {
		for n := s.from; n <= s.to && n < x.cat.visibleMessages; n++ {
			out = append(out, x.place(n, ci))
		}
	}
	return out
}

// Conversation implements anchors.Directory.
func (x *Index) Conversation(_ context.Context, session, agent string) ([]anchors.Place, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	ci, ok := x.cat.byKey[SessionKey{session, agent}]
	if !ok {
		return nil, nil
	}
	var out []anchors.Place
	for _, n := range x.cat.convs[ci].all(x.cat.visibleMessages) {
		out = append(out, x.place(n, ci))
	}
	return out, nil
}

// Deleted implements anchors.Directory.
func (x *Index) Deleted(path string) bool {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.isGone(path)
}
