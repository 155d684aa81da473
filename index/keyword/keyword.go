// Package keyword is the bleve index of passages: which passages hold a term,
// best first, and how many do.
//
// Start with [Open]. [Index.Write] adds documents together with a mark that the
// caller reads back with [Index.Mark]: both are in the index or neither, also
// after a crash. Texts are indexed without being stored and without positions:
// they are in the archive, and each would cost as much space as the index.
package keyword

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/keyword"
	"github.com/blevesearch/bleve/v2/document"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search/query"
	bindex "github.com/blevesearch/bleve_index_api"
)

// Index is an open bleve index. Searches may run while one goroutine writes.
type Index struct {
	b      bleve.Index
	closed bool
}

// Doc is one passage.
type Doc struct {
	ID     uint32
	Tokens Tokens
	Fields []Field // to filter by
}

// Field is a name and a value that filters can ask for.
type Field struct{ Name, Value string }

// Filter asks that a field has one of the values.
type Filter struct {
	Name   string
	Values []string
}

// Hit is a passage with bleve's score.
type Hit struct {
	ID    uint32
	Score float64
}

// ErrDamaged is returned when bleve gives up on its own files; it panics then.
var ErrDamaged = errors.New("the keyword index is damaged")

// guard is deferred as guard(&err)(). It turns a panic of bleve's
// into ErrDamaged; a mapped file that is shorter than it says would not even
// panic otherwise, but end the process.
func guard(err *error) func() {
	before := debug.SetPanicOnFault(true)
	return func() {
		debug.SetPanicOnFault(before)
		if p := recover(); p != nil {
			*err = fmt.Errorf("%w: %v", ErrDamaged, p)
		}
	}
}

const (
	textField = "text"
	// bleve waits for its file's lock for ever otherwise.
	boltWait = "1s"
)

var markKey = []byte("mark")

// Open opens the index in dir and makes it when it is missing.
func Open(dir string) (x *Index, err error) {
	defer guard(&err)()
	conf := map[string]any{"bolt_timeout": boltWait}
	b, err := bleve.OpenUsing(dir, conf)
	if errors.Is(err, bleve.ErrorIndexPathDoesNotExist) || errors.Is(err, bleve.ErrorIndexMetaMissing) {
		b, err = create(dir, conf)
	}
	if err != nil {
		return nil, err
	}
	return &Index{b: b}, nil
}

func create(dir string, conf map[string]any) (bleve.Index, error) {
	if err := os.RemoveAll(dir); err != nil {
		return nil, err
	}
	b, err := bleve.NewUsing(dir, newMapping(), "scorch", "scorch", conf)
	if err != nil {
		return nil, err
	}
	// bleve makes this one readable for all.
	return b, os.Chmod(filepath.Join(dir, "index_meta.json"), 0o600)
}

func newMapping() *mapping.IndexMappingImpl {
	m := bleve.NewIndexMapping()
	m.DefaultAnalyzer = keyword.Name
	m.StoreDynamic, m.DocValuesDynamic = false, false
	return m
}

// Close closes the index. Closing again does nothing (bleve would panic).
func (x *Index) Close() error {
	if x.closed {
		return nil
	}
	x.closed = true
	return x.b.Close()
}

// Mark returns the mark of the last Write; nil when there was none.
func (x *Index) Mark() ([]byte, error) { return x.b.GetInternal(markKey) }

// Count is the number of documents.
func (x *Index) Count() (int, error) {
	n, err := x.b.DocCount()
	return int(n), err
}

// Write adds docs and sets the mark, all or nothing. It returns when both are
// on the disk.
func (x *Index) Write(docs []Doc, mark []byte) (err error) {
	defer guard(&err)()
	b := x.b.NewBatch()
	for i := range docs {
		if err := b.IndexAdvanced(docs[i].document()); err != nil {
			return err
		}
	}
	b.SetInternal(markKey, mark)
	return x.b.Batch(b)
}

func (d *Doc) document() *document.Document {
	out := document.NewDocument(docID(d.ID))
	out.AddField(document.NewTextFieldCustom(textField, nil, nil, bindex.IndexField, d.Tokens))
	for _, f := range d.Fields {
		out.AddField(document.NewTextFieldCustom(f.Name, nil, []byte(f.Value), bindex.IndexField, nil))
	}
	return out
}

func docID(id uint32) string { return strconv.FormatUint(uint64(id), 36) }

// Tokens are the terms of a passage, ready made: it is tokenised once, for all
// indexes.
type Tokens struct{ stream analysis.TokenStream }

// NewTokens makes Tokens of terms that stand back to back in flat and end at
// ends. Flat is copied.
func NewTokens(flat []byte, ends []int) Tokens {
	buf := append([]byte(nil), flat...)
	toks := make([]analysis.Token, len(ends))
	s := make(analysis.TokenStream, len(ends))
	from := 0
	for i, e := range ends {
		toks[i] = analysis.Token{Term: buf[from:e:e], Start: from, End: e, Position: i + 1, Type: analysis.AlphaNumeric}
		s[i] = &toks[i]
		from = e
	}
	return Tokens{s}
}

// Analyze hands bleve the tokens.
func (t Tokens) Analyze([]byte) analysis.TokenStream { return t.stream }

// Search returns the n best documents that hold one of the terms and pass all
// filters, best first by bleve's default scoring.
func (x *Index) Search(ctx context.Context, terms []string, filters []Filter, n int) (hits []Hit, err error) {
	defer guard(&err)()
	if len(terms) == 0 || n <= 0 {
		return nil, nil
	}
	res, err := x.b.SearchInContext(ctx, bleve.NewSearchRequestOptions(newQuery(terms, filters), n, 0, false))
	if err != nil {
		return nil, err
	}
	out := make([]Hit, len(res.Hits))
	for i, h := range res.Hits {
		id, err := strconv.ParseUint(h.ID, 36, 32)
		if err != nil {
			return nil, fmt.Errorf("document %q: %w", h.ID, err)
		}
		out[i] = Hit{uint32(id), h.Score}
	}
	return out, nil
}

// newQuery joins filters in a conjunction, which leads with the rarest;
// BooleanQuery.AddFilter reads all matches first and took 20 times as long.
func newQuery(terms []string, filters []Filter) query.Query {
	q := anyOf(Filter{textField, terms}, 1)
	if len(filters) == 0 {
		return q
	}
	all := []query.Query{q}
	for _, f := range filters {
		all = append(all, anyOf(f, 0)) // filters add nothing to the score
	}
	return query.NewConjunctionQuery(all)
}

func anyOf(f Filter, boost float64) query.Query {
	qs := make([]query.Query, len(f.Values))
	for i, v := range f.Values {
		q := query.NewTermQuery(v)
		q.SetField(f.Name)
		q.SetBoost(boost)
		qs[i] = q
	}
	if len(qs) == 1 {
		return qs[0]
	}
	return query.NewDisjunctionQuery(qs)
}

// DF counts the documents that hold each term.
func (x *Index) DF(terms []string) (df map[string]int, err error) {
	defer guard(&err)()
	adv, err := x.b.Advanced()
	if err != nil {
		return nil, err
	}
	r, err := adv.Reader()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	out := make(map[string]int, len(terms))
	for _, t := range terms {
		tr, err := r.TermFieldReader(context.Background(), []byte(t), textField, false, false, false)
		if err != nil {
			return nil, err
		}
		out[t] = int(tr.Count())
		if err := tr.Close(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Terms calls fn for each term that at least min documents hold, in order of
// the terms.
func (x *Index) Terms(min uint64, fn func(term string, df uint64)) (err error) {
	defer guard(&err)()
	d, err := x.b.FieldDict(textField)
	if err != nil {
		return err
	}
	defer d.Close()
	for {
		e, err := d.Next()
		if err != nil || e == nil {
			return err
		}
		if e.Count >= min {
			fn(e.Term, e.Count)
		}
	}
}
