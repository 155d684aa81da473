package index

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/gofrs/flock"

	"recall/embed"
	"recall/index/vectors"
	"recall/transcript"
)

type vector = embed.Vector

// EmbedOptions bound an Embed.
type EmbedOptions struct {
	Budget   time.Duration
	Progress func(Progress)
}

// EmbedReport says what an Embed did.
type EmbedReport struct {
	Done, Left int // passages and words
	Took       time.Duration
}

// embedBatch is how many texts are embedded between two looks at the stores.
const embedBatch = 128

func (x *Index) openVectors() error {
	e := x.o.Embedder
	if e == nil {
		return nil
	}
	dir := filepath.Join(x.path("vec"), vectors.Dir(e.Model()))
	var err error
	if x.vec, err = vectors.Open(dir, e.Dim()); err != nil {
		return err
	}
	x.words, err = vectors.OpenWords(filepath.Join(dir, "words"), e.Dim())
	return err
}

// ErrEmbedding is returned by Embed when another process computes the vectors.
var ErrEmbedding = errors.New("another process computes the vectors")

// Embed computes the vectors that are missing in the data folder: prose first,
// then the table of words, then the first passage of each command and output;
// newest first within each. The folder is locked only for moments between two
// batches. Ended by ctx or budget, what was computed is kept. One process at a
// time does this; any other gets ErrEmbedding at once.
func Embed(ctx context.Context, o Options, e EmbedOptions) (EmbedReport, error) {
	if o.Embedder == nil {
		return EmbedReport{}, errors.New("no embedder")
	}
	r := embedding{begun: time.Now(), e: e}
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return r.rep, err
	}
	l := flock.New(filepath.Join(o.Dir, "embedding.lock"), flock.SetPermissions(0o600))
	if ok, err := l.TryLock(); !ok {
		return r.rep, cmp.Or(err, ErrEmbedding)
	}
	defer l.Unlock()
	err := r.run(ctx, o)
	r.rep.Took = time.Since(r.begun)
	return r.rep, err
}

type embedding struct {
	e     EmbedOptions
	rep   EmbedReport
	begun time.Time
}

func (r *embedding) run(ctx context.Context, o Options) error {
	var done batch
	for {
		next, err := r.exchange(ctx, o, done)
		if err != nil || len(next.texts) == 0 {
			return err
		}
		if r.e.Progress != nil {
			r.e.Progress(Progress{Phase: "embed", Done: int64(r.rep.Done), Total: int64(r.rep.Done + r.rep.Left), Elapsed: time.Since(r.begun)})
		}
		stop := r.e.Budget > 0 && time.Since(r.begun) > r.e.Budget
		if stop || ctx.Err() != nil {
			return ctx.Err()
		}
		embedErr := next.embed(ctx, o.Embedder)
		done = next
		if embedErr != nil {
			_, err := r.exchange(context.WithoutCancel(ctx), o, done)
			return errors.Join(embedErr, err)
		}
	}
}

// exchange opens the index, stores a finished batch and takes the next.
func (r *embedding) exchange(ctx context.Context, o Options, done batch) (batch, error) {
	x, err := Open(ctx, o)
	if err != nil {
		return batch{}, err
	}
	err = x.store(done)
	r.rep.Done += len(done.vecs)
	var next batch
	if err == nil {
		next, r.rep.Left, err = x.missing(embedBatch)
	}
	if err == nil && len(next.texts) == 0 {
		err = x.noteEmbedded()
	}
	return next, errors.Join(err, x.Close())
}

// noteEmbedded keeps how many passages there were when nothing was left to embed.
func (x *Index) noteEmbedded() error {
	if x.Embedded() {
		return nil
	}
	return os.WriteFile(x.embeddedFile(), []byte(strconv.Itoa(int(x.cat.visible))), 0o600)
}

func (x *Index) embeddedFile() string {
	return filepath.Join(x.path("vec"), vectors.Dir(x.o.Embedder.Model()), "complete")
}

// Embedded says that an Embed would find nothing to do; it costs much less. Until
// there are new messages that stays so.
func (x *Index) Embedded() bool {
	if x.vec == nil {
		return false
	}
	b, err := os.ReadFile(x.embeddedFile())
	x.mu.RLock()
	defer x.mu.RUnlock()
	return err == nil && string(b) == strconv.Itoa(int(x.cat.visible)) && x.waiting() == 0
}

// waiting counts the messages with a passage that waits for its vector.
func (x *Index) waiting() (n int) {
	last := -1
	for id := range x.cat.passages {
		p := &x.cat.passages[id]
		if p.wantsVector() && int(p.msg) != last && !x.vec.Has(p.hash) {
			n++
			last = int(p.msg)
		}
	}
	return n
}

// batch is a number of texts on their way to becoming vectors.
type batch struct {
	words  bool
	terms  []string // of words
	hashes []uint64 // of passages
	texts  []string
	vecs   []vector
}

func (b *batch) embed(ctx context.Context, e embed.Embedder) (err error) {
	if b.words {
		b.vecs, err = e.(embed.WordEmbedder).Words(ctx, b.texts)
	} else {
		b.vecs, err = e.Documents(ctx, b.texts)
	}
	if len(b.vecs) > len(b.texts) || len(b.vecs) < len(b.texts) && err == nil {
		return fmt.Errorf("%d vectors for %d texts", len(b.vecs), len(b.texts))
	}
	return err
}

func (x *Index) store(b batch) error {
	if len(b.vecs) == 0 {
		return nil
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	vecs := make([][]float32, len(b.vecs))
	for i, v := range b.vecs {
		vecs[i] = v
	}
	if b.words {
		return x.words.Append(b.terms[:len(vecs)], vecs)
	}
	return x.vec.Append(b.hashes[:len(vecs)], vecs)
}

// missing returns the next texts to embed and how many are left in all.
func (x *Index) missing(n int) (batch, int, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	prose, tools := x.unembedded()
	words, err := x.missingWords()
	if err != nil {
		return batch{}, 0, err
	}
	left := len(prose) + len(tools) + len(words)
	switch {
	case len(prose) > 0:
		b, err := x.passageBatch(prose[:min(n, len(prose))])
		return b, left, err
	case len(words) > 0:
		b, err := x.wordBatch(words[:min(32*n, len(words))])
		return b, left, err
	}
	b, err := x.passageBatch(tools[:min(n, len(tools))])
	return b, left, err
}

// wantsVector tells which passages are embedded. Prose whole and the first
// passage of each command, output and file found as much as everything did.
func (p *passage) wantsVector() bool {
	switch kinds[p.kind] {
	case transcript.Text:
		return true
	case transcript.Summary:
		return false
	}
	return p.chunk == 0
}

// unembedded lists the passages that wait for a vector, newest first, one for
// each text.
func (x *Index) unembedded() (prose, tools []ID) {
	seen := map[uint64]bool{}
	for id := range x.cat.visible {
		p := &x.cat.passages[id]
		if !p.wantsVector() || x.vec.Has(p.hash) || seen[p.hash] {
			continue
		}
		seen[p.hash] = true
		if kinds[p.kind] == transcript.Text {
			prose = append(prose, ID(id))
		} else {
			tools = append(tools, ID(id))
		}
	}
	newest := func(a, b ID) int { return cmp.Compare(x.messageOf(b).time, x.messageOf(a).time) }
	slices.SortStableFunc(prose, newest)
	slices.SortStableFunc(tools, newest)
	return prose, tools
}

func (x *Index) messageOf(id ID) *message { return &x.cat.messages[x.cat.passages[id].msg] }

// passageBatch reads the texts in archive order: neighbours share a frame.
func (x *Index) passageBatch(ids []ID) (batch, error) {
	ids = slices.Clone(ids)
	slices.Sort(ids)
	var b batch
	for _, id := range ids {
		t, err := x.text(id)
		if err != nil {
			return batch{}, err
		}
		b.texts = append(b.texts, t)
		b.hashes = append(b.hashes, x.cat.passages[id].hash)
	}
	return b, nil
}

const (
	wordMinDF = 4     // rarer terms are matched exactly or not at all
	wordMost  = 20000 // the most frequent terms; more were not measured
)

// missingWords lists the terms that belong into the word table and are not
// there, most frequent first.
func (x *Index) missingWords() ([]string, error) {
	if _, ok := x.o.Embedder.(embed.WordEmbedder); !ok {
		return nil, nil
	}
	type entry struct {
		term string
		df   uint64
	}
	var all []entry
	err := x.key.Terms(wordMinDF, func(t string, df uint64) {
		if plainWord(t) {
			all = append(all, entry{t, df})
		}
	})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(all, func(a, b entry) int { return cmp.Compare(b.df, a.df) })
	var out []string
	for _, e := range all[:min(len(all), wordMost)] {
		if !x.words.Has(e.term) {
			out = append(out, e.term)
		}
	}
	return out, nil
}

func plainWord(t string) bool {
	if len(t) < 3 || len(t) > 20 {
		return false
	}
	for i := range len(t) {
		if t[i] < 'a' || t[i] > 'z' {
			return false
		}
	}
	return true
}

// wordBatch pairs each term with the word that most often stands for it in
// prose: the encoder knows words, not stems.
func (x *Index) wordBatch(terms []string) (batch, error) {
	forms := make(map[string]map[string]int, len(terms))
	for _, t := range terms {
		forms[t] = map[string]int{}
	}
	tok := newTokenizer()
	for id := range x.cat.visible {
		if kinds[x.cat.passages[id].kind] != transcript.Text {
			continue
		}
		text, err := x.text(ID(id))
		if err != nil {
			return batch{}, err
		}
		tok.run(text, func(t []byte) {
			if f := forms[string(t)]; f != nil {
				f[string(tok.raw)]++
			}
		})
	}
	b := batch{words: true, terms: terms}
	for _, t := range terms {
		b.texts = append(b.texts, commonest(forms[t], t))
	}
	return b, nil
}

func commonest(forms map[string]int, fallback string) string {
	best, most := fallback, 0
	for w, n := range forms {
		if n > most || n == most && w < best {
			best, most = w, n
		}
	}
	return best
}
