package index

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/keyword"
	"github.com/blevesearch/bleve/v2/document"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search/query"
	bindex "github.com/blevesearch/bleve_index_api"
)

// keywordIndex is the bleve index: one document per passage, its id the passage
// number. Text is indexed without being stored and without positions; the
// other fields exist to be filtered by. Its internal key "mark" is the
// watermark: how far the archive and the catalog were when the documents were
// written, in the same transaction as the documents.
type keywordIndex struct{ b bleve.Index }

const (
	fieldText    = "t"
	fieldConv    = "c" // conversation number
	fieldProject = "p"
	fieldKind    = "k"
	fieldRole    = "r"
	fieldMonth   = "m" // 2026-11
	fieldAgent   = "a" // 1 in sub-agents

	boltWait = "1s" // bleve waits for its file lock for ever otherwise
)

var markKey = []byte("mark")

// mark is the watermark.
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
const format = 1

func openKeyword(dir string) (*keywordIndex, error) {
	conf := map[string]any{"bolt_timeout": boltWait}
	b, err := bleve.OpenUsing(dir, conf)
	if errors.Is(err, bleve.ErrorIndexPathDoesNotExist) || errors.Is(err, bleve.ErrorIndexMetaMissing) {
		if err := os.RemoveAll(dir); err != nil {
			return nil, err
		}
		b, err = bleve.NewUsing(dir, newMapping(), "scorch", "scorch", conf)
		if err == nil { // bleve makes this one readable for all
			err = os.Chmod(filepath.Join(dir, "index_meta.json"), 0o600)
		}
	}
	if err != nil {
		return nil, err
	}
	return &keywordIndex{b}, nil
}

func newMapping() *mapping.IndexMappingImpl {
	m := bleve.NewIndexMapping()
	m.DefaultAnalyzer = keyword.Name
	m.StoreDynamic, m.DocValuesDynamic = false, false
	return m
}

func (k *keywordIndex) close() error { return k.b.Close() }

func (k *keywordIndex) mark() (mark, error) {
	var m mark
	v, err := k.b.GetInternal(markKey)
	if err != nil || v == nil {
		return m, err
	}
	return m, json.Unmarshal(v, &m)
}

// doc is one passage to be indexed.
type doc struct {
	id           ID
	conv         uint32
	project      string
	kind, role   uint8
	agent        bool
	time         int64
	tokenStrings analysis.TokenStream
}

// tokens hands bleve the tokens that were counted already.
type tokens struct{ s analysis.TokenStream }

func (t tokens) Analyze([]byte) analysis.TokenStream { return t.s }

func tokenStream(flat []byte, ends []int) analysis.TokenStream {
	buf := append([]byte(nil), flat...)
	toks := make([]analysis.Token, len(ends))
	s := make(analysis.TokenStream, len(ends))
	from := 0
	for i, e := range ends {
		toks[i] = analysis.Token{Term: buf[from:e:e], Start: from, End: e, Position: i + 1, Type: analysis.AlphaNumeric}
		s[i] = &toks[i]
		from = e
	}
	return s
}

func docID(id ID) string { return strconv.FormatUint(uint64(id), 36) }

func parseDocID(s string) (ID, error) {
	n, err := strconv.ParseUint(s, 36, 32)
	return ID(n), err
}

func (d *doc) document() *document.Document {
	out := document.NewDocument(docID(d.id))
	out.AddField(document.NewTextFieldCustom(fieldText, nil, nil, bindex.IndexField, tokens{d.tokenStrings}))
	add := func(name, value string) {
		out.AddField(document.NewTextFieldCustom(name, nil, []byte(value), bindex.IndexField, nil))
	}
	add(fieldConv, convTerm(d.conv))
	add(fieldProject, d.project)
	add(fieldKind, string(kinds[d.kind]))
	add(fieldRole, roles[d.role])
	if d.time != 0 {
		add(fieldMonth, msTime(d.time).Format("2006-01"))
	}
	if d.agent {
		add(fieldAgent, "1")
	}
	return out
}

func convTerm(c uint32) string { return strconv.FormatUint(uint64(c), 36) }

// write indexes docs and moves the watermark, all or nothing.
func (k *keywordIndex) write(docs []doc, m mark) error {
	b := k.b.NewBatch()
	for i := range docs {
		if err := b.IndexAdvanced(docs[i].document()); err != nil {
			return err
		}
	}
	v, err := json.Marshal(m)
	if err != nil {
		return err
	}
	b.SetInternal(markKey, v)
	return k.b.Batch(b)
}

// search returns the n best passages that hold a term and pass the filters.
func (k *keywordIndex) search(ctx context.Context, terms []string, filters []query.Query, n int) ([]Scored, error) {
	if len(terms) == 0 || n <= 0 {
		return nil, nil
	}
	words := make([]query.Query, len(terms))
	for i, t := range terms {
		q := query.NewTermQuery(t)
		q.SetField(fieldText)
		words[i] = q
	}
	var q query.Query = query.NewDisjunctionQuery(words)
	if len(filters) > 0 { // a conjunction leads with the rarest; AddFilter would not
		q = query.NewConjunctionQuery(append([]query.Query{q}, filters...))
	}
	req := bleve.NewSearchRequestOptions(q, n, 0, false)
	req.Score = ""
	res, err := k.b.SearchInContext(ctx, req)
	if err != nil {
		return nil, fmt.Errorf("keyword index: %w", err)
	}
	out := make([]Scored, 0, len(res.Hits))
	for _, h := range res.Hits {
		id, err := parseDocID(h.ID)
		if err != nil {
			return nil, fmt.Errorf("keyword index: document %q: %w", h.ID, err)
		}
		out = append(out, Scored{id, h.Score})
	}
	return out, nil
}

// df counts the passages that hold each term.
func (k *keywordIndex) df(terms []string) (map[string]int, error) {
	adv, err := k.b.Advanced()
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
		tr, err := r.TermFieldReader(context.Background(), []byte(t), fieldText, false, false, false)
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

// terms calls fn for each term with at least minDF passages, in order.
func (k *keywordIndex) terms(minDF uint64, fn func(term string, df uint64)) error {
	d, err := k.b.FieldDict(fieldText)
	if err != nil {
		return err
	}
	defer d.Close()
	for {
		e, err := d.Next()
		if err != nil || e == nil {
			return err
		}
		if e.Count >= minDF {
			fn(e.Term, e.Count)
		}
	}
}

// anyOf matches documents whose field has one of the values. Boost 0: filters
// add nothing to the score.
func anyOf(field string, values []string) query.Query {
	qs := make([]query.Query, len(values))
	for i, v := range values {
		q := query.NewTermQuery(v)
		q.SetField(field)
		q.SetBoost(0)
		qs[i] = q
	}
	if len(qs) == 1 {
		return qs[0]
	}
	return query.NewDisjunctionQuery(qs)
}

// months lists the months from..to, at most limit; nil when there are more.
func months(from, to time.Time, limit int) []string {
	var out []string
	for t := time.Date(from.Year(), from.Month(), 1, 0, 0, 0, 0, time.UTC); t.Before(to); t = t.AddDate(0, 1, 0) {
		if len(out) == limit {
			return nil
		}
		out = append(out, t.Format("2006-01"))
	}
	return out
}
