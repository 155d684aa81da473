package anchors

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Target is what a pointer leads to.
type Target struct {
	Pointer Pointer // with full ids; of a line range or call, as asked
	Session string  // the conversation that the messages are in
	Agent   string
	Places  []Place // in file order
	Whole   bool    // the pointer names the whole conversation
	Deleted bool    // the transcript is gone; the text is from the archive
}

// Forgetful is a Directory that knows what it was told to forget.
type Forgetful interface {
	// Forgotten tells whether what p names was removed on request.
	Forgotten(ctx context.Context, p Pointer) (bool, error)
}

// Resolve finds the messages that p names.
//
// Ids decide, not lines: a message is found wherever it stands now, through
// rows that a compaction appended again, copies of the session and moved
// folders. A message that is in several sessions is taken from the one that p
// names, else from the oldest. A file that dir does not know is looked up by
// its name, which is the session's id.
//
// Errors: *UnknownError, *AmbiguousError, or those of dir.
func Resolve(ctx context.Context, dir Directory, p Pointer) (Target, error) {
	r := resolver{ctx, dir, p}
	t, err := r.resolve()
	if err != nil {
		return Target{}, r.explain(err)
	}
	if len(t.Places) > 0 {
		t.Session, t.Agent = t.Places[0].Session, t.Places[0].Agent
		t.Deleted = dir.Deleted(t.Places[0].Path)
	}
	return t, nil
}

type resolver struct {
	ctx context.Context
	dir Directory
	p   Pointer
}

func (r resolver) unknown(reason string) error { return &UnknownError{r.p, reason} }

// explain replaces "never indexed" where the directory knows better.
func (r resolver) explain(err error) error {
	var unknown *UnknownError
	f, ok := r.dir.(Forgetful)
	if !ok || !errors.As(err, &unknown) {
		return err
	}
	gone, ferr := f.Forgotten(r.ctx, r.p)
	if ferr != nil {
		return ferr
	}
	if gone {
		unknown.Reason = Forgotten
	}
	return err
}

func (r resolver) resolve() (Target, error) {
	switch {
	case r.p.ID != "":
		return r.bare()
	case r.p.Tool != "":
		return r.tool()
	case r.p.Path != "":
		return r.path()
	case r.p.Session == "":
		return Target{}, r.unknown("empty pointer")
	}
	session, err := r.session(r.p.Session)
	if err != nil {
		return r.elsewhere(err)
	}
	return r.within(session)
}

// session completes the beginning of a session's id.
func (r resolver) session(prefix string) (string, error) {
	ids, err := r.dir.SessionIDs(r.ctx, prefix)
	if err != nil {
		return "", err
	}
	for _, id := range ids {
		if strings.EqualFold(id, prefix) {
			return id, nil
		}
	}
	switch len(ids) {
	case 0:
		return "", r.unknown(NeverIndexed)
	case 1:
		return ids[0], nil
	}
	return "", &AmbiguousError{r.p, sessionPlaces(ids)}
}

func sessionPlaces(ids []string) (out []Place) {
	for _, id := range ids {
		out = append(out, Place{Session: id})
	}
	return out
}

// elsewhere looks for a message whose session is not known: a copy of the
// session may hold it. Only a full uuid says enough for that.
func (r resolver) elsewhere(err error) (Target, error) {
	if !errors.Is(err, ErrNotFound) || !fullUUID.MatchString(r.p.Message) {
		return Target{}, err
	}
	places, derr := r.dir.ByUUID(r.ctx, "", r.p.Message)
	if derr != nil {
		return Target{}, derr
	}
	if len(places) == 0 {
		return Target{}, err
	}
	if r.p.To != "" {
		return r.within(places[0].Session)
	}
	return one(places[0]), nil
}

func one(p Place) Target { return Target{Pointer: p.Pointer(), Places: []Place{p}} }

// within resolves a pointer whose session is known.
func (r resolver) within(session string) (Target, error) {
	full := r.p
	full.Session = session
	switch {
	case r.p.Dropped > 0:
		return r.dropped(full)
	case r.p.FromLine > 0:
		return r.sessionLines(full)
	case r.p.To != "":
		return r.span(full)
	case r.p.Message != "":
		place, err := r.message(session, r.p.Message)
		if err != nil {
			return r.elsewhere(err)
		}
		return one(place), nil
	}
	return r.whole(full)
}

func (r resolver) whole(full Pointer) (Target, error) {
	places, err := r.dir.Conversation(r.ctx, full.Session, full.Agent)
	if err != nil {
		return Target{}, err
	}
	if len(places) == 0 && full.Agent != "" {
		return Target{}, r.unknown("the session has no such sub-agent")
	}
	return Target{Pointer: full, Session: full.Session, Agent: full.Agent, Places: places, Whole: true}, nil
}

func (r resolver) dropped(full Pointer) (Target, error) {
	places, err := r.dir.DroppedAt(r.ctx, full.Session, full.Dropped)
	if err != nil {
		return Target{}, err
	}
	if len(places) == 0 {
		return Target{}, r.unknown(fmt.Sprintf("the session has no compaction %d that dropped anything", full.Dropped))
	}
	return Target{Pointer: full, Places: places}, nil
}

func (r resolver) sessionLines(full Pointer) (Target, error) {
	name := full.Session + extension
	if full.Agent != "" {
		name = "agent-" + full.Agent + extension
	}
	places, err := r.lines(name, full.FromLine, full.ToLine)
	if err != nil {
		return Target{}, err
	}
	places = slices.DeleteFunc(places, func(p Place) bool { return p.Session != full.Session || p.Agent != full.Agent })
	if len(places) == 0 {
		return Target{}, r.unknown("no message stands at these lines")
	}
	return Target{Pointer: full, Places: places}, nil
}

// span resolves a range: both ends and all between them in the file.
func (r resolver) span(full Pointer) (Target, error) {
	from, err := r.message(full.Session, full.Message)
	if err != nil {
		return Target{}, err
	}
	to, err := r.message(full.Session, full.To)
	if err != nil {
		return Target{}, err
	}
	if from.Agent != to.Agent {
		return Target{}, r.unknown("the range begins and ends in different conversations")
	}
	all, err := r.dir.Conversation(r.ctx, full.Session, from.Agent)
	if err != nil {
		return Target{}, err
	}
	i, j := position(all, from.UUID), position(all, to.UUID)
	if i < 0 || j < 0 {
		return Target{}, r.unknown("the range is not part of the conversation")
	}
	if i > j {
		i, j, from, to = j, i, to, from
	}
	full.Agent, full.Message, full.To = from.Agent, from.UUID, to.UUID
	return Target{Pointer: full, Places: all[i : j+1]}, nil
}

func position(all []Place, uuid string) int {
	return slices.IndexFunc(all, func(p Place) bool { return p.UUID == uuid })
}

// message finds one message of a session, also in its sub-agents unless the
// pointer names one.
func (r resolver) message(session, prefix string) (Place, error) {
	places, err := r.dir.ByUUID(r.ctx, session, prefix)
	if err != nil {
		return Place{}, err
	}
	if r.p.Agent != "" {
		places = slices.DeleteFunc(slices.Clone(places), func(p Place) bool { return p.Agent != r.p.Agent })
	}
	places = distinct(places, prefix)
	switch len(places) {
	case 0:
		return Place{}, r.unknown("the session has no such message")
	case 1:
		return places[0], nil
	}
	return Place{}, &AmbiguousError{r.p, places}
}

// distinct keeps the first place of each message, of the main conversation
// where it is in both; a message whose whole uuid was asked stands alone.
func distinct(places []Place, prefix string) (out []Place) {
	at := map[string]int{}
	for _, p := range places {
		if strings.EqualFold(p.UUID, prefix) {
			places = slices.DeleteFunc(slices.Clone(places), func(q Place) bool { return !strings.EqualFold(q.UUID, prefix) })
			break
		}
	}
	for _, p := range places {
		i, known := at[p.UUID]
		switch {
		case !known:
			at[p.UUID] = len(out)
			out = append(out, p)
		case out[i].Session == p.Session && out[i].Agent != "" && p.Agent == "":
			out[i] = p
		}
	}
	return out
}

// bare resolves an id that may be a session's or a message's.
func (r resolver) bare() (Target, error) {
	sessions, err := r.dir.SessionIDs(r.ctx, r.p.ID)
	if err != nil {
		return Target{}, err
	}
	for _, id := range sessions {
		if strings.EqualFold(id, r.p.ID) {
			return r.whole(Pointer{Session: id})
		}
	}
	places, err := r.dir.ByUUID(r.ctx, "", r.p.ID)
	if err != nil {
		return Target{}, err
	}
	places = distinct(places, r.p.ID)
	switch {
	case len(places) == 1 && (len(sessions) == 0 || strings.EqualFold(places[0].UUID, r.p.ID)):
		return one(places[0]), nil
	case len(places) == 0 && len(sessions) == 1:
		return r.whole(Pointer{Session: sessions[0]})
	case len(places) == 0 && len(sessions) == 0:
		return Target{}, r.unknown(NeverIndexed)
	}
	return Target{}, &AmbiguousError{r.p, append(sessionPlaces(sessions), places...)}
}

// tool resolves a call's id to the messages with the call and its result.
func (r resolver) tool() (Target, error) {
	places, err := r.dir.ByTool(r.ctx, r.p.Tool)
	if err != nil {
		return Target{}, err
	}
	if len(places) == 0 {
		return Target{}, r.unknown(NeverIndexed)
	}
	first := places[0] // copies of the session hold the same call
	places = slices.DeleteFunc(slices.Clone(places), func(p Place) bool {
		return p.Session != first.Session || p.Agent != first.Agent
	})
	return Target{Pointer: r.p, Places: distinct(places, "")}, nil
}

// path resolves a transcript file, or lines of it.
func (r resolver) path() (Target, error) {
	from := max(r.p.FromLine, 1)
	places, err := r.lines(r.p.Path, from, r.p.ToLine)
	if err != nil {
		return Target{}, err
	}
	switch {
	case len(places) > 0 && r.p.FromLine > 0:
		return Target{Pointer: r.p, Places: places}, nil
	case len(places) > 0: // the session may hold more than was first read from this file
		return r.whole(Pointer{Session: places[0].Session, Agent: places[0].Agent})
	}
	// All of the file may stand in other sessions as well, and be known from there.
	session, err := r.session(baseName(r.p.Path))
	if err != nil {
		return Target{}, err
	}
	if r.p.FromLine > 0 {
		return Target{}, r.unknown("no message stands at these lines")
	}
	return r.whole(Pointer{Session: session})
}

// lines returns what stands at lines of a file. Several files may have the name
// that was looked up: copies of one are the same, others make it ambiguous.
func (r resolver) lines(path string, from, to int) ([]Place, error) {
	places, err := r.dir.ByLines(r.ctx, path, from, to)
	if err != nil {
		return nil, err
	}
	var files [][]Place
	at := map[string]int{}
	for _, p := range places {
		i, known := at[p.Path]
		if !known {
			i, at[p.Path] = len(files), len(files)
			files = append(files, nil)
		}
		files[i] = append(files[i], p)
	}
	if i, known := at[path]; known {
		return files[i], nil
	}
	for _, f := range files[min(1, len(files)):] {
		if position(files[0], f[0].UUID) < 0 {
			return nil, &AmbiguousError{r.p, firstOfEach(files)}
		}
	}
	if len(files) == 0 {
		return nil, nil
	}
	return files[0], nil
}

func firstOfEach(files [][]Place) (out []Place) {
	for _, f := range files {
		out = append(out, f[0])
	}
	return out
}
