package index

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"recall/index/archive"
	"recall/transcript"
)

// SyncOptions bound a Sync.
type SyncOptions struct {
	Budget   time.Duration  // stop after about so long; 0: no bound
	Progress func(Progress) // called a few times per second; may be nil
}

// Progress tells how far a Sync or Embed is.
type Progress struct {
	Phase       string // "read" or "embed"
	Done, Total int64  // bytes for "read", passages for "embed"
	Messages    int
	Elapsed     time.Duration
}

// SyncReport says what a Sync did.
type SyncReport struct {
	Files, Changed, Behind int // transcripts found, read, and left for later
	Messages, Passages     int // added
	Bytes                  int64
	Records                map[string]int // by what became of them, as in FileAccount
	Notes                  []string       // what could not be read, and why
	Took                   time.Duration
}

// Sync reads what is new in the sources into the archive, the catalog and the
// keyword index, newest files first. Ended by ctx or by the budget it leaves
// everything consistent, and the report says how many files are behind; an
// ended ctx is also returned as the error. A Sync with nothing to do only reads
// file metadata.
func (x *Index) Sync(ctx context.Context, o SyncOptions) (SyncReport, error) {
	x.writing.Lock()
	defer x.writing.Unlock()
	begun := time.Now()
	s := &syncing{x: x, o: o, ctx: ctx, begun: begun, w: x.newWriter()}
	s.rep.Records = map[string]int{}
	todo := s.find()
	err := s.readAll(todo)
	s.rep.Took, s.rep.Messages, s.rep.Passages = time.Since(begun), s.w.messages, s.w.passages
	if err == nil {
		err = ctx.Err()
	}
	x.recordFresh(&s.rep, err)
	return s.rep, err
}

func (x *Index) recordFresh(rep *SyncReport, err error) {
	f := x.readFresh()
	f.Behind, f.Notes = rep.Behind, rep.Notes
	switch {
	case errors.Is(err, context.Canceled): // Behind says it all
	case err != nil:
		f.Notes = append(slices.Clone(f.Notes), "the last sync ended with: "+err.Error())
	case rep.Behind == 0:
		f.AsOf = time.Now().UTC()
	}
	if err := x.writeFresh(f); err != nil {
		x.log.Warn("fresh.json", "error", err)
	}
}

type syncing struct {
	x         *Index
	o         SyncOptions
	ctx       context.Context
	begun     time.Time
	lastShown time.Time
	w         *writer
	rep       SyncReport
	total     int64
}

// find lists the transcripts that changed, newest first.
func (s *syncing) find() []transcript.File {
	var todo []transcript.File
	found := map[string]bool{}
	for _, dir := range s.x.o.Sources {
		files, problems := transcript.Find(s.ctx, dir, s.x.sessionAt)
		for _, p := range problems {
			s.rep.Notes = append(s.rep.Notes, p.Error())
		}
		if s.ctx.Err() != nil { // the list is not whole
			return nil
		}
		for _, f := range files {
			found[f.Path] = true
			s.rep.Files++
			if rest := s.x.unread(f); rest > 0 {
				todo = append(todo, f)
				s.total += rest
			}
		}
	}
	s.x.mu.Lock()
	defer s.x.mu.Unlock()
	for i := range s.x.cat.files {
		p := s.x.cat.files[i].path
		s.x.gone[p] = !found[p] && !exists(p)
	}
	slices.SortStableFunc(todo, func(a, b transcript.File) int { return b.ModTime.Compare(a.ModTime) })
	return todo
}

// sessionAt returns the session of a transcript that is known.
func (x *Index) sessionAt(path string) string {
	if i, ok := x.cat.byPath[path]; ok {
		return x.cat.convs[x.cat.files[i].conv].Session
	}
	return ""
}

// unread returns about how many bytes of f have not been read, 0 for none.
func (x *Index) unread(f transcript.File) int64 {
	i, ok := x.cat.byPath[f.Path]
	if !ok {
		return max(1, f.Size)
	}
	known := &x.cat.files[i]
	if known.size == f.Size && known.mtime == f.ModTime.UnixNano() {
		return 0
	}
	if f.Size > known.state.Off {
		return f.Size - known.state.Off
	}
	return max(1, f.Size)
}

// exists: a path that may not be looked at counts as there.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, os.ErrNotExist)
}

func (s *syncing) readAll(todo []transcript.File) error {
	for i, f := range todo {
		if s.ended() {
			s.rep.Behind += len(todo) - i
			break
		}
		whole, err := s.readFile(f)
		if err != nil {
			return err
		}
		s.rep.Changed++
		if !whole {
			s.rep.Behind += len(todo) - i
			break
		}
	}
	if err := s.chainStale(); err != nil {
		return err
	}
	return s.locked(s.w.commit)
}

func (s *syncing) ended() bool {
	return s.ctx.Err() != nil || s.o.Budget > 0 && time.Since(s.begun) > s.o.Budget
}

func (s *syncing) locked(fn func() error) error {
	s.x.mu.Lock()
	defer s.x.mu.Unlock()
	return fn()
}

// chainStale recomputes the chains that an interrupted run left behind.
func (s *syncing) chainStale() error {
	return s.locked(func() error {
		for i := range s.x.cat.convs {
			if s.x.cat.convs[i].stale {
				if err := s.w.chain(uint32(i)); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// readFile reads a transcript from where it was left. whole is false when ctx
// or the budget ended it; what was read is kept.
func (s *syncing) readFile(f transcript.File) (whole bool, err error) {
	file, err := os.Open(f.Path)
	if err != nil {
		s.skip(f, err)
		return true, nil
	}
	defer file.Close()
	src, from, err := s.resume(f, file)
	if err != nil {
		s.skip(f, err)
		return true, nil
	}
	if _, err := file.Seek(from.Off, io.SeekStart); err != nil {
		s.skip(f, err)
		return true, nil
	}
	r := transcript.NewReader(file, from)
	whole, err = s.readRecords(src, r, f)
	if err != nil {
		return false, err
	}
	return whole, s.locked(func() error { return s.finish(src, f, file, r.State(), whole) })
}

func (s *syncing) skip(f transcript.File, err error) {
	s.rep.Notes = append(s.rep.Notes, fmt.Sprintf("%s was skipped: %v", f.Path, err))
	s.x.log.Warn("transcript skipped", "path", f.Path, "error", err)
}

// readRecords takes the records in groups, so that searches get their turn.
func (s *syncing) readRecords(src source, r *transcript.Reader, f transcript.File) (whole bool, err error) {
	for {
		done := false
		err := s.locked(func() error {
			for range 64 {
				rec, err := r.Next()
				if err == io.EOF {
					done = true
					return nil
				}
				if err != nil {
					s.skip(f, err)
					done = true
					return nil
				}
				s.takeOne(src, rec)
			}
			s.x.cat.files[src.file].state = r.State()
			if s.w.frame.Full() {
				if err := s.w.place(); err != nil {
					return err
				}
			}
			return s.w.commitFull()
		})
		if err != nil || done {
			return done, err
		}
		s.show()
		if s.ended() {
			return false, nil
		}
	}
}

func (s *syncing) takeOne(src source, rec *transcript.Record) {
	s.rep.Bytes += rec.End - rec.Off
	s.x.cat.files[src.file].torn = rec.Torn
	if rec.Torn { // read again when it is whole
		return
	}
	what := s.w.take(src, rec)
	s.rep.Records[what]++
	s.x.cat.files[src.file].counts[what]++
}

func (s *syncing) show() {
	if s.o.Progress == nil || time.Since(s.lastShown) < 200*time.Millisecond {
		return
	}
	s.lastShown = time.Now()
	s.o.Progress(Progress{Phase: "read", Done: s.rep.Bytes, Total: max(s.total, s.rep.Bytes), Messages: s.w.messages, Elapsed: time.Since(s.begun)})
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// fingerprint is the length of what is checksummed at the head of a file and
// before the place where reading stopped.
const fingerprint = 1024

// resume finds out where to go on: at the place where reading stopped when the
// file is still the one that was read, else at the start.
func (s *syncing) resume(f transcript.File, file *os.File) (source, transcript.State, error) {
	s.x.mu.Lock()
	defer s.x.mu.Unlock()
	if err := s.renamed(f, file); err != nil {
		return source{}, transcript.State{}, err
	}
	src := s.w.begin(archive.Source{Path: f.Path, Session: f.Session, Agent: f.Agent})
	known := &s.x.cat.files[src.file]
	if known.state.Off == 0 {
		return src, transcript.State{}, nil
	}
	same, err := known.matches(file)
	if err != nil {
		return source{}, transcript.State{}, err
	}
	if !same {
		s.x.log.Info("transcript was replaced", "path", f.Path)
		known.state, known.counts, known.archived = transcript.State{}, map[string]int{}, 0
	}
	return src, known.state, nil
}

// renamed gives a file that moved, such as with its project's folder, its new path.
func (s *syncing) renamed(f transcript.File, file *os.File) error {
	c := s.x.cat
	if _, ok := c.byPath[f.Path]; ok {
		return nil
	}
	for i := range c.files {
		old := &c.files[i]
		if c.convs[old.conv].SessionKey != (SessionKey{f.Session, f.Agent}) || exists(old.path) || old.state.Off == 0 {
			continue
		}
		same, err := old.matches(file)
		if err != nil {
			return err
		}
		if same {
			delete(c.byPath, old.path)
			old.path = f.Path
			c.byPath[f.Path] = uint32(i)
			return nil
		}
	}
	return nil
}

// matches tells whether file still begins with what was read of f.
func (f *file) matches(file *os.File) (bool, error) {
	head, tail, n, err := prints(file, f.state.Off)
	if errors.Is(err, io.EOF) { // shorter than what was read
		return false, nil
	}
	return n == f.headLen && head == f.head && tail == f.tail, err
}

// prints checksums the head of a file and the bytes before off.
func prints(file *os.File, off int64) (head, tail uint32, n int, err error) {
	n = int(min(off, fingerprint))
	b := make([]byte, n)
	if _, err = file.ReadAt(b, 0); err != nil {
		return 0, 0, 0, err
	}
	head = crc32.Checksum(b, castagnoli)
	if _, err = file.ReadAt(b, off-int64(n)); err != nil {
		return 0, 0, 0, err
	}
	return head, crc32.Checksum(b, castagnoli), n, nil
}

// finish notes how far a file was read and brings its chain up to date.
func (s *syncing) finish(src source, f transcript.File, file *os.File, st transcript.State, whole bool) error {
	if err := s.w.place(); err != nil {
		return err
	}
	known := &s.x.cat.files[src.file]
	known.state = st
	var err error
	if known.head, known.tail, known.headLen, err = prints(file, st.Off); err != nil {
		return fmt.Errorf("%s: %w", f.Path, err)
	}
	if whole { // a partial read must be taken up again although nothing changes
		known.size, known.mtime = f.Size, f.ModTime.UnixNano()
	}
	s.w.files[src.file] = true
	if len(s.w.nodes[src.conv]) > 0 || s.x.cat.convs[src.conv].stale {
		return s.w.chain(src.conv)
	}
	return nil
}

// sourceOf returns the source folder that holds path, "" for none.
func (x *Index) sourceOf(path string) string {
	for _, dir := range x.o.Sources {
		if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
			return dir
		}
	}
	return ""
}
