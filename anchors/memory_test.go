package anchors

import (
	"context"
	"path"
	"slices"
	"strings"
)

// mem is a Directory in memory. Places are in file order, older sessions first.
type mem struct {
	places  []Place
	tools   map[string][]string   // uuids by call id
	dropped map[string][][]string // by session: uuids that each compaction dropped
	gone    map[string]bool
	empty   []string // sessions without messages
}

func (m *mem) where(match func(Place) bool) (out []Place) {
	for _, p := range m.places {
		if match(p) {
			out = append(out, p)
		}
	}
	return out
}

func hasPrefix(s, prefix string) bool {
	return strings.HasPrefix(strings.ToLower(s), strings.ToLower(prefix))
}

func (m *mem) SessionIDs(_ context.Context, prefix string) (ids []string, _ error) {
	for _, p := range m.places {
		if hasPrefix(p.Session, prefix) && !slices.Contains(ids, p.Session) {
			ids = append(ids, p.Session)
		}
	}
	for _, id := range m.empty {
		if hasPrefix(id, prefix) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

func (m *mem) ByUUID(_ context.Context, session, prefix string) ([]Place, error) {
	return m.where(func(p Place) bool {
		return hasPrefix(p.UUID, prefix) && (session == "" || p.Session == session)
	}), nil
}

func (m *mem) ByTool(_ context.Context, id string) ([]Place, error) {
	return m.where(func(p Place) bool { return slices.Contains(m.tools[id], p.UUID) }), nil
}

func (m *mem) ByLines(_ context.Context, file string, from, to int) ([]Place, error) {
	on := func(known func(string) bool) []Place {
		return m.where(func(p Place) bool { return known(p.Path) && p.Line >= from && (to <= 0 || p.Line <= to) })
	}
	if slices.ContainsFunc(m.places, func(p Place) bool { return p.Path == file }) {
		return on(func(p string) bool { return p == file }), nil
	}
	base := path.Base(strings.ReplaceAll(file, `\`, "/"))
	return on(func(p string) bool { return path.Base(p) == base }), nil
}

func (m *mem) DroppedAt(_ context.Context, session string, nth int) ([]Place, error) {
	all := m.dropped[session]
	if nth < 1 || nth > len(all) {
		return nil, nil
	}
	return m.where(func(p Place) bool { return p.Session == session && slices.Contains(all[nth-1], p.UUID) }), nil
}

func (m *mem) Conversation(_ context.Context, session, agent string) ([]Place, error) {
	return m.where(func(p Place) bool { return p.Session == session && p.Agent == agent }), nil
}

func (m *mem) Deleted(file string) bool { return m.gone[file] }

// forgetful is a mem that was told to forget.
type forgetful struct {
	mem
	sessions []string
}

func (f *forgetful) Forgotten(_ context.Context, p Pointer) (bool, error) {
	return slices.Contains(f.sessions, p.Session), nil
}
