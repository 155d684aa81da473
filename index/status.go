package index

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"recall/anchors"
	"recall/index/keyword"
	"recall/transcript"
)

// Fresh says how far the index is in step with the files.
type Fresh struct {
	AsOf        time.Time // of the last complete Sync; zero when there was none
	FilesBehind int
	Unembedded  int // messages that are found by keyword only, as yet
	Notes       []string
}

// Fresh reports freshness as of the last Sync.
func (x *Index) Fresh() Fresh {
	x.mu.RLock()
	defer x.mu.RUnlock()
	f := x.readFresh()
	out := Fresh{AsOf: f.AsOf, FilesBehind: f.Behind, Notes: slices.Concat(x.notes, f.Lost, f.Notes)}
	if x.vec != nil {
		out.Unembedded = x.waiting()
	}
	return out
}

// SourceStatus describes one source folder.
type SourceStatus struct {
	Path    string `json:"path"`
	Files   int    `json:"files"`   // on disk
	Indexed int    `json:"indexed"` // of them, read to the end
	Behind  int    `json:"behind"`
	Gone    int    `json:"gone"` // read once and deleted since; still in the archive
	Bytes   int64  `json:"bytes"`
	Err     string `json:"error,omitempty"`
}

// Status describes an index.
type Status struct {
	Dir, Model         string
	Sources            []SourceStatus
	Sessions, Agents   int
	Messages, Passages int
	Vectors, Pending   int // passages with a vector, and those that wait for one
	Words              int // in the word table
	Bytes              map[string]int64
	Fresh              Fresh
	Oldest, Newest     time.Time
}

// Status looks at the stores and stats the source files.
func (x *Index) Status(ctx context.Context) (Status, error) {
	fresh := x.Fresh()
	x.mu.RLock()
	defer x.mu.RUnlock()
	st := Status{Dir: x.o.Dir, Messages: len(x.cat.messages), Passages: len(x.cat.passages), Fresh: fresh, Bytes: map[string]int64{}}
	if x.vec != nil {
		st.Model, st.Vectors, st.Words = x.o.Embedder.Model(), x.vec.Len(), x.words.Len()
		prose, tools := x.unembedded()
		st.Pending = len(prose) + len(tools)
	}
	sessions := map[string]bool{}
	for i := range x.cat.convs {
		v := &x.cat.convs[i]
		if len(v.msgs)+len(v.shared) == 0 {
			continue
		}
		sessions[v.Session] = true
		if v.Agent != "" {
			st.Agents++
		}
		if t := msTime(v.first); !t.IsZero() && (st.Oldest.IsZero() || t.Before(st.Oldest)) {
			st.Oldest = t
		}
		if t := msTime(v.last); t.After(st.Newest) {
			st.Newest = t
		}
	}
	st.Sessions = len(sessions)
	for _, dir := range x.o.Sources {
		st.Sources = append(st.Sources, x.sourceStatus(ctx, dir))
	}
	for _, part := range []string{"archive", "catalog.log", "nodes.log", "forward.dat", "bleve", "vec"} {
		st.Bytes[strings.TrimSuffix(strings.TrimSuffix(part, ".log"), ".dat")] = sizeOf(x.path(part))
	}
	return st, nil
}

func (x *Index) sourceStatus(ctx context.Context, dir string) SourceStatus {
	s := SourceStatus{Path: dir}
	files, problems := transcript.Find(ctx, dir, x.sessionAt)
	if len(problems) > 0 {
		s.Err = problems[0].Error()
	}
	found := map[string]bool{}
	for _, f := range files {
		found[f.Path] = true
		s.Files++
		s.Bytes += f.Size
		if x.unread(f) > 0 {
			s.Behind++
		} else {
			s.Indexed++
		}
	}
	for i := range x.cat.files {
		if p := x.cat.files[i].path; !found[p] && x.sourceOf(p) == dir && !exists(p) {
			s.Gone++
		}
	}
	return s
}

func sizeOf(path string) (n int64) {
	_ = filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		if st, err := d.Info(); err == nil {
			n += st.Size()
		}
		return nil
	})
	return n
}

// FileAccount explains what became of every record of a transcript.
type FileAccount struct {
	Path  string
	Lines int // lines read, an unfinished last one too
	// Records by what became of them: "indexed", "structure", "metadata",
	// "duplicate", "noise:<why>", "unknown:<type>", "broken:<why>".
	Records map[string]int
	Gone    bool
	Behind  bool // not read to the end yet
}

// Account lists the files that were read, by path.
func (x *Index) Account(context.Context) ([]FileAccount, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	var out []FileAccount
	for i := range x.cat.files {
		f := &x.cat.files[i]
		a := FileAccount{Path: f.path, Records: maps.Clone(f.counts), Gone: x.isGone(f.path), Behind: f.mtime == 0}
		a.Lines = max(0, f.state.Line-1)
		if f.state.Mid { // the last line has no newline
			a.Lines++
		}
		if f.torn {
			a.Lines++
			a.Records[accBroken+":unfinished"]++
		}
		out = append(out, a)
	}
	slices.SortFunc(out, func(a, b FileAccount) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}

// SessionFilter narrows Sessions. Zero fields do not.
type SessionFilter struct {
	Project string // exact
	Since   time.Time
	Prefix  string // of the id
	Agents  bool   // list sub-agents too
}

// Session describes one conversation.
type Session struct {
	ID, Agent, Project, Title, Branch, Version, Path string
	First, Last                                      time.Time
	Messages, Prompts, Compactions                   int
	Deleted                                          bool
	Bytes                                            int64 // of the transcript
}

// Sessions lists conversations, newest first.
func (x *Index) Sessions(_ context.Context, f SessionFilter) ([]Session, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	file := map[uint32]uint32{}
	for i := range x.cat.files {
		file[x.cat.files[i].conv] = uint32(i)
	}
	var out []Session
	for i := range x.cat.convs {
		v := &x.cat.convs[i]
		last := msTime(v.last)
		n := len(v.msgs) + len(v.shared)
		if n == 0 || v.Agent != "" && !f.Agents || f.Project != "" && x.cat.projectOf(uint32(i)) != f.Project ||
			last.Before(f.Since) || !hasPrefixFold(v.Session, f.Prefix) {
			continue
		}
		s := Session{ID: v.Session, Agent: v.Agent, Project: x.cat.projectOf(uint32(i)), Title: v.title, Branch: v.branch,
			Version: v.version, First: msTime(v.first), Last: last, Messages: n, Prompts: v.prompts, Compactions: len(v.comps)}
		if fi, ok := file[uint32(i)]; ok {
			s.Path, s.Bytes = x.cat.files[fi].path, x.cat.files[fi].size
			s.Deleted = x.isGone(s.Path)
		}
		out = append(out, s)
	}
	slices.SortStableFunc(out, func(a, b Session) int { return b.Last.Compare(a.Last) })
	return out, nil
}

// Compaction is one compaction of a session and what it took away.
type Compaction struct {
	Nth               int
	Boundary, Summary string // uuids
	Time              time.Time
	Trigger           string
	PreTokens         int
	Dropped           []anchors.Place
	SummaryText       string
	Pointer           string // the transcript that the summary names
}

// Compactions lists the compactions of a session in file order.
func (x *Index) Compactions(_ context.Context, session string) ([]Compaction, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	ci, ok := x.cat.byKey[SessionKey{session, ""}]
	if !ok {
		return nil, ErrNoMessage
	}
	var out []Compaction
	for k, c := range x.cat.convs[ci].comps {
		o := Compaction{Nth: k + 1, Boundary: c.boundary, Summary: c.summary, Time: msTime(c.time), Trigger: c.trigger,
			PreTokens: c.preTokens, Dropped: x.droppedPlaces(ci, k)}
		if num, ok := x.uuid(c.summary); ok {
			m, err := x.load(num, ci)
			if err != nil {
				return nil, err
			}
			for _, p := range m.Parts {
				o.SummaryText += p.Text
			}
			o.Pointer, _ = transcript.SummaryPointer(o.SummaryText)
		}
		out = append(out, o)
	}
	return out, nil
}

// Verify reads all of the archive and of the derived stores, and returns what is
// damaged, one sentence each. Damage to a derived store is repaired when the
// index is opened next.
func (x *Index) Verify(ctx context.Context) ([]string, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	var out []string
	err := x.arc.Check(ctx, func(seg uint32, off int64) {
		out = append(out, fmt.Sprintf("archive segment %06d is damaged or missing from byte %d on", seg, off))
	})
	if err != nil {
		return out, err
	}
	for id := range x.cat.visible {
		p := &x.cat.passages[id]
		if _, err := x.fwd.Counts(p.fwd, int(p.terms), nil); err != nil {
			out = append(out, x.damaged(err).Error())
			break
		}
	}
	n, err := x.key.Count()
	if err == nil && n != int(x.cat.visible) {
		err = fmt.Errorf("%w: %d documents where there are %d passages", keyword.ErrDamaged, n, x.cat.visible)
	}
	if err != nil {
		out = append(out, x.damaged(err).Error())
	}
	return out, ctx.Err()
}
