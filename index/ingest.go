package index

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"recall/index/archive"
	"recall/index/keyword"
	"recall/index/vectors"
	"recall/transcript"
)

// A writer takes records in and commits them in batches. The order makes a
// crash harmless: archive, then nodes, forward index and catalog, all synced,
// then bleve with the watermark. What is beyond the watermark at the next open
// is cut off and made again from the archive.
type writer struct {
	x     *Index
	frame archive.Builder
	// messages of the open frame, whose place is known when it is written
	unplaced []uint32
	docs     []keyword.Doc
	nodes    map[uint32][]transcript.Node
	convs    map[uint32]bool // to be written to the catalog
	files    map[uint32]bool
	chains   map[uint32]bool
	linked   int      // nodes in this batch
	fresh    []uint32 // messages of this batch
	counter  *counter
	messages int // added so far
	passages int
}

// batchSize is the number of passages of a batch: bleve's best by measurement.
const batchSize = 1000

func (x *Index) newWriter() *writer {
	return &writer{
		x: x, counter: newCounter(),
		nodes: map[uint32][]transcript.Node{}, convs: map[uint32]bool{}, files: map[uint32]bool{}, chains: map[uint32]bool{},
	}
}

// source is the file whose records are being read.
type source struct {
	archive.Source
	file, conv uint32
}

// begin makes the conversation and file of a transcript known.
func (w *writer) begin(src archive.Source) source {
	c := w.x.cat
	key := SessionKey{src.Session, src.Agent}
	ci, ok := c.byKey[key]
	if !ok {
		ci = uint32(len(c.convs))
		c.convs = append(c.convs, conv{SessionKey: key})
		c.byKey[key] = ci
		w.convs[ci] = true
	}
	fi, ok := c.byPath[src.Path]
	if !ok {
		fi = uint32(len(c.files))
		c.files = append(c.files, file{path: src.Path, conv: ci, counts: map[string]int{}})
		c.byPath[src.Path] = fi
	}
	w.files[fi] = true
	w.frame.Start(src)
	return source{src, fi, ci}
}

// take handles one record read from a file and tells what became of it, in the
// words of FileAccount.
func (w *writer) take(s source, r *transcript.Record) string {
	f := &w.x.cat.files[s.file]
	what := w.classify(s, r)
	if r.Off < f.archived { // read again after a rebuild
		return what
	}
	f.archived = r.End
	keep := archivable(r)
	if keep == nil {
		return what
	}
	at := archive.Place{Off: w.frame.Add(r.Line, r.Off, keep)}
	if w.known(r) { // archived again: a rebuild must find it in this conversation too
		w.again(s, r)
	} else {
		w.absorb(s, r, at, true)
	}
	return what
}

// replayed handles one record of the archive.
func (w *writer) replayed(s source, p *transcript.Parser, at archive.Place, a archive.Entry) {
	r := p.Parse(a.Raw)
	r.Line, r.Off = a.Line, a.Off
	f := &w.x.cat.files[s.file]
	f.archived = max(f.archived, a.Off+int64(len(a.Raw)))
	if w.known(r) {
		w.again(s, r)
		return
	}
	w.absorb(s, r, at, false)
}

// again handles a message that is indexed: another row of its conversation, or
// of a fork, which has the facts of its own from it.
func (w *writer) again(s source, r *transcript.Record) {
	w.links(s, r)
	if m := w.x.cat.uuids()[r.UUID]; w.x.cat.messages[m].conv != s.conv {
		w.note(s.conv, r)
	}
}

// known tells whether the message is indexed already.
func (w *writer) known(r *transcript.Record) bool {
	if r.UUID == "" || r.Class != transcript.Conversation {
		return false
	}
	_, ok := w.x.cat.uuids()[r.UUID]
	return ok
}

// what becomes of a record; noise, unknown and broken ones carry a reason.
const (
	accIndexed   = "indexed"
	accStructure = "structure"
	accMetadata  = "metadata"
	accDuplicate = "duplicate"
	accNoise     = "noise"
	accUnknown   = "unknown"
	accBroken    = "broken"
)

func (w *writer) classify(s source, r *transcript.Record) string {
	switch r.Class {
	case transcript.Broken:
		return accBroken + ":" + r.Why
	case transcript.Unknown:
		return accUnknown + ":" + r.Type
	case transcript.Noise:
		return accNoise + ":" + r.Why
	case transcript.Metadata:
		return accMetadata
	case transcript.Structure:
		return accStructure
	}
	if w.known(r) {
		if m := &w.x.cat.messages[w.x.cat.uuids()[r.UUID]]; m.file == s.file && int(m.line) == r.Line {
			return accIndexed // the same record, read again
		}
		return accDuplicate
	}
	switch {
	case len(r.Parts) == 0:
		return accNoise + ":no text"
	case r.UUID == "":
		return accBroken + ":no id"
	}
	return accIndexed
}

// archivable returns what of a record goes into the archive: all of it, or of
// noise in the tree a stub with its links, or nil.
func archivable(r *transcript.Record) []byte {
	switch r.Class {
	case transcript.Broken:
		return nil
	case transcript.Noise:
		if r.UUID == "" {
			return nil
		}
		return stub(r)
	}
	return r.Raw
}

// stub is a noise record without its content: what the tree needs of it.
func stub(r *transcript.Record) []byte {
	if len(r.Raw) < 512 {
		return r.Raw
	}
	typ, sub, _ := strings.Cut(r.Type, "/")
	v := map[string]any{"type": typ, "uuid": r.UUID, "parentUuid": r.Parent, "isSidechain": r.Sidechain, "timestamp": r.Time.Format(time.RFC3339Nano), "isMeta": true}
	switch {
	case typ == "attachment":
		v["attachment"] = map[string]string{"type": sub}
	case sub != "":
		v["subtype"] = sub
	}
	if r.MessageID != "" || r.Role != "" {
		v["message"] = map[string]any{"id": r.MessageID, "role": r.Role, "content": []any{}}
	}
	if r.LogicalParent != "" {
		v["logicalParentUuid"] = r.LogicalParent
	}
	b, _ := json.Marshal(v)
	return b
}

// absorb updates the catalog for an archived record. place says that the
// record stands in the open frame and its frame is not known yet.
func (w *writer) absorb(s source, r *transcript.Record, at archive.Place, place bool) {
	w.links(s, r)
	w.note(s.conv, r)
	if r.Class != transcript.Conversation || len(r.Parts) == 0 || r.UUID == "" {
		return
	}
	i := w.addMessage(s, r, at)
	if place {
		w.unplaced = append(w.unplaced, i)
	}
}

func (w *writer) links(s source, r *transcript.Record) {
	n, ok := r.Node()
	if !ok {
		return
	}
	w.nodes[s.conv] = append(w.nodes[s.conv], n)
	w.linked++
	w.x.cat.convs[s.conv].stale = true
	c := w.x.cat
	if m, ok := c.uuids()[r.UUID]; ok && c.messages[m].conv != s.conv && !slices.Contains(c.convs[s.conv].shared, m) {
		c.putShared(s.conv, m)
	}
}

// note keeps the facts about a conversation.
func (w *writer) note(ci uint32, r *transcript.Record) {
	v := &w.x.cat.convs[ci]
	w.convs[ci] = true
	if v.project == "" {
		v.project = r.CWD
	}
	if r.Branch != "" {
		v.branch = r.Branch
	}
	if r.Version != "" {
		v.version = r.Version
	}
	if r.Title != "" {
		v.title, v.titled = r.Title, true
	}
	if r.Class != transcript.Conversation {
		return
	}
	if !r.Time.IsZero() {
		ms := r.Time.UnixMilli()
		if v.first == 0 || ms < v.first {
			v.first = ms
		}
		v.last = max(v.last, ms)
	}
	if r.Prompt() {
		v.prompts++
		if !v.titled && v.title == "" {
			v.title = titleOf(promptText(r))
		}
	}
}

func promptText(r *transcript.Record) string {
	for _, p := range r.Parts {
		if p.Kind == transcript.Text {
			return p.Text
		}
	}
	return ""
}

func (w *writer) addMessage(s source, r *transcript.Record, at archive.Place) uint32 {
	c := w.x.cat
	m := message{conv: s.conv, file: s.file, line: uint32(r.Line), at: at, uuid: r.UUID,
		role: roleNo(r.Role), kind: kindNo(r.Parts[0].Kind), prompt: r.Prompt(), first: ID(len(c.passages))}
	if !r.Time.IsZero() {
		m.time = r.Time.UnixMilli()
	}
	for pi, p := range r.Parts {
		if m.tool == "" {
			m.tool = p.Tool
		}
		if p.ToolID != "" && !slices.Contains(m.toolIDs, p.ToolID) {
			m.toolIDs = append(m.toolIDs, p.ToolID)
		}
		for _, se := range chunk(p.Kind, p.Text) {
			if m.n == 1<<16-1 {
				break
			}
			w.addPassage(&m, uint16(pi), p.Kind, p.Text, se)
		}
	}
	i := c.link(m)
	w.fresh = append(w.fresh, i)
	w.messages++
	return i
}

func (w *writer) addPassage(m *message, part uint16, k transcript.Kind, text string, se [2]int) {
	c := w.x.cat
	t := text[se[0]:se[1]]
	w.counter.count(t)
	off := w.x.fwd.Add(w.counter.counts, w.counter.keys)
	p := passage{msg: uint32(len(c.messages)), part: part, chunk: m.n, kind: kindNo(k), start: uint32(se[0]), end: uint32(se[1]),
		tokens: uint16(min(w.counter.tokens, 1<<16-1)), terms: uint16(len(w.counter.keys)), fwd: off, hash: vectors.Key(t)}
	w.docs = append(w.docs, keyword.Doc{ID: uint32(len(c.passages)), Tokens: keyword.NewTokens(w.counter.flat, w.counter.ends),
		Fields: w.x.cat.fields(m, p.kind)})
	c.passages = append(c.passages, p)
	m.n++
	w.passages++
}

// place writes the open frame and tells its messages where it stands.
func (w *writer) place() error {
	at, written, err := w.frame.Flush(w.x.arc)
	if err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	if !written {
		return nil
	}
	for _, m := range w.unplaced {
		w.x.cat.messages[m].at.Frame = at
	}
	w.unplaced = w.unplaced[:0]
	return nil
}

// commit makes everything taken so far durable and searchable.
func (w *writer) commit() error {
	x, c := w.x, w.x.cat
	if err := w.place(); err != nil {
		return err
	}
	if len(w.fresh)+len(w.nodes)+len(w.files)+len(w.convs)+len(w.chains)+len(c.out.b) == 0 {
		return nil
	}
	if err := x.arc.Sync(); err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	if err := w.writeCatalog(); err != nil {
		return fmt.Errorf("catalog: %w", err)
	}
	if err := x.key.Write(w.docs, x.mark().encode()); err != nil {
		return fmt.Errorf("keyword index: %w", err)
	}
	c.show()
	w.docs, w.fresh, w.linked = w.docs[:0], w.fresh[:0], 0
	clear(w.nodes)
	clear(w.convs)
	clear(w.files)
	clear(w.chains)
	return nil
}

// commitFull commits when a batch is full.
func (w *writer) commitFull() error {
	if len(w.docs) < batchSize && w.linked < 20*batchSize {
		return nil
	}
	return w.commit()
}

func (w *writer) writeCatalog() error {
	x, c := w.x, w.x.cat
	shared := c.out.b // entries made on the way; they refer to conversations and messages below
	c.out.b = nil
	for _, i := range sortedKeys(w.convs) {
		c.putConv(i)
	}
	for _, i := range sortedKeys(w.files) {
		c.putFile(i)
	}
	for _, i := range w.fresh {
		c.putMessage(i)
	}
	c.out.b = append(c.out.b, shared...)
	for _, i := range sortedKeys(w.nodes) {
		b, err := json.Marshal(w.nodes[i])
		if err != nil {
			return err
		}
		at, err := x.nodeLog.Append(x.arc.Pack(b))
		if err != nil {
			return err
		}
		c.putNodes(i, at)
	}
	for _, i := range sortedKeys(w.chains) {
		c.putChain(i)
	}
	_, err := x.catLog.Append(c.out.b)
	c.out.b = nil
	return errors.Join(err, x.fwd.Flush(), x.nodeLog.Sync(), x.catLog.Sync())
}

func sortedKeys[V any](m map[uint32]V) []uint32 {
	out := make([]uint32, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
