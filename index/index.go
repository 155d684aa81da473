package index

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"recall/embed"
	"recall/index/archive"
	"recall/index/forward"
	"recall/index/keyword"
	"recall/index/vectors"
	"recall/transcript"
)

// Options say where an index is and what it reads.
type Options struct {
	Dir      string         // data folder; made with mode 0700
	Sources  []string       // folders like ~/.claude/projects
	Embedder embed.Embedder // nil: keyword only
	Wait     time.Duration  // for the lock; 0 means 2 s
	Log      *slog.Logger   // nil: discard
}

// ErrFormat is returned for a data folder written by a newer recall.
var ErrFormat = errors.New("the data folder was written by a newer version")

// Index is an open data folder. Its methods may be called by several
// goroutines; Sync runs one at a time.
type Index struct {
	o       Options
	log     *slog.Logger
	lock    *flock.Flock
	mu      sync.RWMutex // cat, arc, fwd against writes
	writing sync.Mutex   // one Sync at a time
	arc     *archive.Archive
	catLog  *archive.Log
	nodeLog *archive.Log
	fwd     *forward.Index
	key     *keyword.Index
	vec     *vectors.Store
	words   *vectors.Words
	cat     *catalog
	uuids   sync.Once
	closed  bool
	notes   []string // what recovery had to do, told with every answer
	gone    map[string]bool
}

// Open takes the data folder's lock, brings the stores into step with each
// other and returns the index. It returns a *LockedError when another process
// keeps the folder for longer than Options.Wait.
func Open(ctx context.Context, o Options) (*Index, error) {
	if o.Wait == 0 {
		o.Wait = 2 * time.Second
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, err
	}
	l, err := lock(ctx, o.Dir, o.Wait)
	if err != nil {
		return nil, err
	}
	x := &Index{o: o, log: o.Log, lock: l, cat: newCatalog(), gone: map[string]bool{}}
	if err := x.open(); err != nil {
		return nil, errors.Join(fmt.Errorf("index %s: %w", o.Dir, err), x.Close())
	}
	return x, nil
}

// Close releases the stores and the lock. Closing again does nothing.
func (x *Index) Close() error {
	if x.closed {
		return nil
	}
	x.closed = true
	var errs []error
	if x.key != nil {
		errs = append(errs, x.key.Close())
	}
	if x.vec != nil {
		errs = append(errs, x.vec.Close())
	}
	if x.words != nil {
		errs = append(errs, x.words.Close())
	}
	if x.fwd != nil {
		errs = append(errs, x.fwd.Close())
	}
	for _, l := range []*archive.Log{x.catLog, x.nodeLog} {
		if l != nil {
			errs = append(errs, l.Close())
		}
	}
	if x.arc != nil {
		errs = append(errs, x.arc.Close())
	}
	return errors.Join(append(errs, x.lock.Unlock())...)
}

func (x *Index) path(name string) string { return filepath.Join(x.o.Dir, name) }

func (x *Index) open() error {
	var err error
	if x.arc, err = archive.Open(x.path("archive")); err != nil {
		return err
	}
	if x.catLog, err = archive.OpenLog(x.path("catalog.log")); err != nil {
		return err
	}
	if x.nodeLog, err = archive.OpenLog(x.path("nodes.log")); err != nil {
		return err
	}
	if x.fwd, err = forward.Open(x.path("forward.dat")); err != nil {
		return err
	}
	m, err := x.openKeyword()
	if err != nil {
		return err
	}
	if m.Format > format {
		return ErrFormat
	}
	lost := m.Format > 0 && x.arc.Lost(m.Archive)
	if why := x.mistrust(m, lost); why != nil {
		if m, err = x.reset(why); err != nil {
			return err
		}
	}
	x.cat.show()
	if err := x.replay(m.Archive, lost); err != nil {
		return err
	}
	return x.openVectors()
}

// mistrust says why what is derived from the archive must be made anew.
func (x *Index) mistrust(m mark, lost bool) error {
	if lost {
		return errors.New("a part of the archive is missing")
	}
	if exists(x.path(damagedMark)) {
		return errors.New("it was found damaged")
	}
	return x.loadCatalog(m)
}

// damagedMark is the file that asks the next Open for a rebuild.
const damagedMark = "damaged"

// ErrDamaged is returned when a derived store turns out to be damaged. It is
// made anew from the archive when the index is opened next.
var ErrDamaged = errors.New("the index is damaged and is rebuilt when it is opened next")

// damaged notes damage for the next Open; other errors pass.
func (x *Index) damaged(err error) error {
	if !errors.Is(err, keyword.ErrDamaged) && !errors.Is(err, forward.ErrDamaged) {
		return err
	}
	x.log.Warn("damaged", "error", err)
	if werr := os.WriteFile(x.path(damagedMark), nil, 0o600); werr != nil {
		return errors.Join(err, werr)
	}
	return fmt.Errorf("%w (%w)", ErrDamaged, err)
}

// mark is the watermark: how far the other stores were when bleve's documents
// were written. It is in the same transaction as they.
type mark struct {
	Format   int    `json:"format"`
	Archive  uint64 `json:"archive"` // place after the last frame indexed
	Catalog  int64  `json:"catalog"`
	Nodes    int64  `json:"nodes"`
	Forward  int64  `json:"forward"`
	Passages int    `json:"passages"`
}

// format numbers the layout of everything derived from the archive; another
// number on disk means a rebuild.
const format = 2

func (m mark) encode() []byte {
	b, _ := json.Marshal(m)
	return b
}

// mark is the watermark of what is in the stores now.
func (x *Index) mark() mark {
	return mark{format, x.arc.End(), x.catLog.Size(), x.nodeLog.Size(), x.fwd.Size(), len(x.cat.passages)}
}

func (x *Index) readMark() (m mark, err error) {
	b, err := x.key.Mark()
	if err == nil && b != nil {
		err = json.Unmarshal(b, &m)
	}
	return m, err
}

// openKeyword opens bleve; one that does not open is set aside, to be made anew.
func (x *Index) openKeyword() (mark, error) {
	var err error
	if x.key, err = keyword.Open(x.path("bleve")); err == nil {
		m, err := x.readMark()
		if err == nil {
			return m, nil
		}
		x.log.Warn("keyword index has no readable mark", "error", err)
		x.key.Close()
	}
	if errors.Is(err, os.ErrPermission) {
		return mark{}, err
	}
	aside := x.path("bleve.damaged")
	x.note("the keyword index did not open and was rebuilt from the archive")
	x.log.Warn("keyword index set aside", "error", err, "to", aside)
	if err := errors.Join(os.RemoveAll(aside), os.Rename(x.path("bleve"), aside)); err != nil {
		return mark{}, err
	}
	x.key, err = keyword.Open(x.path("bleve"))
	return mark{}, err
}

func (x *Index) note(s string) { x.notes = append(x.notes, s) }

// loadCatalog reads the catalog up to the watermark and cuts off what is
// beyond it. The error says why everything derived must be made anew.
func (x *Index) loadCatalog(m mark) error {
	if m.Format != format {
		if x.arc.End() == 0 && x.catLog.Size() == 0 {
			return nil // a new folder
		}
		return fmt.Errorf("format %d", m.Format)
	}
	if x.catLog.Size() < m.Catalog || x.nodeLog.Size() < m.Nodes || x.fwd.Size() < m.Forward {
		return errors.New("a file is shorter than the watermark")
	}
	if err := errors.Join(x.catLog.Truncate(m.Catalog), x.nodeLog.Truncate(m.Nodes), x.fwd.Truncate(m.Forward)); err != nil {
		return err
	}
	end, err := x.catLog.Scan(0, func(_ int64, b []byte) error { return x.cat.apply(b) })
	if err != nil {
		return err
	}
	if end != m.Catalog || len(x.cat.passages) != m.Passages {
		return errors.New("the catalog is damaged")
	}
	return nil
}

// reset drops everything derived from the archive.
func (x *Index) reset(why error) (mark, error) {
	x.log.Warn("rebuilding from the archive", "why", why)
	x.note("the index was rebuilt from the archive: " + why.Error())
	x.cat = newCatalog()
	if err := x.key.Close(); err != nil {
		x.log.Warn("closing the keyword index", "error", err)
	}
	if err := os.RemoveAll(x.path("bleve")); err != nil {
		return mark{}, err
	}
	if err := errors.Join(x.catLog.Truncate(0), x.nodeLog.Truncate(0), x.fwd.Truncate(0)); err != nil {
		return mark{}, err
	}
	var err error
	if x.key, err = keyword.Open(x.path("bleve")); err != nil {
		return mark{}, err
	}
	if err := os.Remove(x.path(damagedMark)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return mark{}, err
	}
	return mark{}, nil
}

// replay indexes the records of the archive that stand after the watermark. When
// the archive has lost some, the transcripts are read again from their start.
func (x *Index) replay(from uint64, lost bool) error {
	if x.arc.End() <= from && !lost {
		return nil
	}
	w := x.newWriter()
	parsers := map[string]*transcript.Parser{}
	touched := map[uint32]bool{}
	err := x.arc.Replay(from, func(src archive.Source, at archive.Place, a archive.Entry) error {
		s := w.begin(src)
		p := parsers[src.Path]
		if p == nil {
			p = transcript.NewParser(x.cat.files[s.file].state.Memory)
			parsers[src.Path] = p
		}
		w.replayed(s, p, at, a)
		touched[s.conv] = true
		return w.commitFull()
	}, func(seg uint32, off int64) {
		lost = true
		x.note(fmt.Sprintf("archive segment %06d is damaged at byte %d", seg, off))
	})
	if err != nil {
		return err
	}
	if lost {
		if err := x.noteLoss(w); err != nil {
			return err
		}
	}
	for _, i := range sortedKeys(touched) {
		if err := w.chain(i); err != nil {
			return err
		}
	}
	return w.commit()
}

// noteLoss has all transcripts read again, and keeps a note for good.
func (x *Index) noteLoss(w *writer) error {
	for i := range x.cat.files {
		x.cat.files[i].archived = 0
		w.files[uint32(i)] = true
	}
	f := x.readFresh()
	f.Lost = append(f.Lost, fmt.Sprintf("on %s a part of the archive was missing or damaged: messages whose transcripts were deleted by then are lost",
		time.Now().UTC().Format(time.DateOnly)))
	return x.writeFresh(f)
}

// freshFile is what fresh.json says of the last sync.
type freshFile struct {
	AsOf   time.Time `json:"as_of"`
	Behind int       `json:"behind"`
	Notes  []string  `json:"notes,omitempty"`
	// Lost says for good that the archive was found damaged: what its client had
	// deleted by then cannot be read again.
	Lost []string `json:"lost,omitempty"`
}

func (x *Index) readFresh() freshFile {
	var f freshFile
	if b, err := os.ReadFile(x.path("fresh.json")); err == nil {
		_ = json.Unmarshal(b, &f) // a torn one means "not known"
	}
	return f
}

func (x *Index) writeFresh(f freshFile) error {
	b, err := json.Marshal(f)
	if err != nil {
		return err
	}
	tmp := x.path("fresh.json.tmp")
	if err := os.WriteFile(tmp, b, 0o600); err != nil {
		return err
	}
	return os.Rename(tmp, x.path("fresh.json"))
}
