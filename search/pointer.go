package search

import (
	"context"
	"slices"

	"recall/anchors"
	"recall/index"
)

// Prefixes is what a Store may offer besides: how far ids must be written to
// be told apart. *index.Index does. Without it pointers have 8 characters of
// each id.
type Prefixes interface {
	SessionIDs(ctx context.Context, prefix string) ([]string, error)
	ByUUID(ctx context.Context, session, prefix string) ([]anchors.Place, error)
}

// pointer names a message as short as it can be told from all others.
func (s *Searcher) pointer(ctx context.Context, m *index.Message) string {
	p := anchors.Pointer{Agent: m.Agent, Session: anchors.Short(m.Session, nil), Message: anchors.Short(m.UUID, nil)}
	if pre, ok := s.store.(Prefixes); ok {
		p.Session = anchors.Short(m.Session, func(prefix string) bool {
			ids, err := pre.SessionIDs(ctx, prefix)
			return err == nil && !slices.ContainsFunc(ids, func(id string) bool { return id != m.Session })
		})
		p.Message = anchors.Short(m.UUID, func(prefix string) bool {
			places, err := pre.ByUUID(ctx, m.Session, prefix)
			return err == nil && !slices.ContainsFunc(places, func(x anchors.Place) bool { return x.UUID != m.UUID })
		})
	}
	return p.String()
}
