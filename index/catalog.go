package index

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"recall/index/archive"
	"recall/transcript"
)

// The catalog holds what search needs of every conversation, message and
// passage except the texts. It lives in memory; on disk it is catalog.log, a
// archive.Log with one block per batch. A block is a list of entries, each a tag
// and its values (encoder); an entry about a known file or conversation
// replaces the earlier one. 10,000 messages take about 2 MB and 5 ms to load.
type catalog struct {
	convs    []conv
	files    []file
	messages []message
	passages []passage

	byKey  map[SessionKey]uint32 // conversation by key
	byPath map[string]uint32     // file by path
	byUUID map[string]uint32     // message by uuid; made when first needed
	out    encoder               // entries of the batch at hand

	// what is committed: searches do not look beyond
	visible         ID
	visibleMessages uint32
}

// conv is a conversation: a session, or one sub-agent of it.
type conv struct {
	SessionKey
	project, title, branch, version string
	titled                          bool  // title was given, not taken from the first prompt
	first, last                     int64 // unix ms
	prompts                         int
	nodes                           []int64 // blocks of nodes.log
	comps                           []compaction
	live                            []span // messages on the live chain
	msgs                            []uint32
	passages                        []ID
	shared                          []uint32 // messages that belong to another conversation and stand here too
	stale                           bool     // comps and live are older than nodes
}

// compaction is what one boundary dropped, as spans of message numbers.
type compaction struct {
	boundary, summary, trigger string
	time                       int64
	preTokens                  int
	dropped                    []span
}

// span is a run of message numbers, first and last included.
type span struct{ from, to uint32 }

// file is a transcript file and how far it was read.
type file struct {
	path        string
	conv        uint32
	size, mtime int64            // as last seen
	state       transcript.State // where reading goes on
	archived    int64            // the records before this offset are in the archive
	head, tail  uint32           // checksums of the file's first bytes and of those before state.Off
	headLen     int              // how many
	counts      map[string]int   // records by what became of them
}

// message is one record with something to find in it.
type message struct {
	conv, file uint32
	line       uint32
	at         archive.Place
	time       int64 // unix ms, 0 when unknown
	uuid       string
	tool       string // name of the first call
	toolIDs    []string
	role, kind uint8
	prompt     bool
	first      ID // its passages are first..first+n-1
	n          uint16
}

// passage is a piece of one part of a message.
type passage struct {
	msg        uint32
	part       uint16
	chunk      uint16 // within the message
	kind       uint8
	start, end uint32 // bytes of the part's text
	tokens     uint16
	terms      uint16 // distinct terms in the forward index
	fwd        int64  // offset there
	hash       uint64 // of the text; keys its vector
	pos        uint32 // among the passages of its conversation; not stored
}

var kinds = [...]transcript.Kind{transcript.Text, transcript.Command, transcript.Output, transcript.FileRef, transcript.Summary}
var roles = [...]string{"user", "assistant"}

func kindNo(k transcript.Kind) uint8 { return uint8(max(0, slices.Index(kinds[:], k))) }
func roleNo(r string) uint8          { return uint8(max(0, slices.Index(roles[:], r))) }

func newCatalog() *catalog {
	return &catalog{byKey: map[SessionKey]uint32{}, byPath: map[string]uint32{}}
}

// show lets searches see everything that is in the catalog.
func (c *catalog) show() {
	c.visible, c.visibleMessages = ID(len(c.passages)), uint32(len(c.messages))
}

// uuids returns the message of each uuid.
func (c *catalog) uuids() map[string]uint32 {
	if c.byUUID == nil {
		c.byUUID = make(map[string]uint32, len(c.messages))
		for i := range c.messages {
			c.byUUID[c.messages[i].uuid] = uint32(i)
		}
	}
	return c.byUUID
}

// tags of catalog entries.
const (
	tagConv    = 'c'
	tagFile    = 'f'
	tagMessage = 'm' // followed by its passages
	tagShared  = 's'
	tagNodes   = 'n'
	tagChain   = 'l'
)

func (c *catalog) putConv(i uint32) {
	v, e := &c.convs[i], &c.out
	e.u(tagConv)
	e.u(uint64(i))
	for _, s := range []string{v.Session, v.Agent, v.project, v.title, v.branch, v.version} {
		e.s(s)
	}
	e.u(flags(v.titled))
	e.i(v.first)
	e.i(v.last)
	e.u(uint64(v.prompts))
}

func (c *catalog) getConv(d *decoder) {
	i := uint32(d.u())
	var v conv
	for _, p := range []*string{&v.Session, &v.Agent, &v.project, &v.title, &v.branch, &v.version} {
		*p = d.s()
	}
	v.titled = d.u()&1 != 0
	v.first, v.last, v.prompts = d.i(), d.i(), int(d.u())
	if d.bad || int(i) > len(c.convs) {
		d.bad = true
		return
	}
	if int(i) == len(c.convs) {
		c.convs = append(c.convs, v)
		c.byKey[v.SessionKey] = i
		return
	}
	old := &c.convs[i]
	v.nodes, v.comps, v.live, v.msgs, v.passages, v.shared = old.nodes, old.comps, old.live, old.msgs, old.passages, old.shared
	*old = v
}

func (c *catalog) putFile(i uint32) {
	f, e := &c.files[i], &c.out
	e.u(tagFile)
	e.u(uint64(i))
	e.s(f.path)
	e.u(uint64(f.conv))
	for _, v := range []int64{f.size, f.mtime, f.archived, int64(f.head), int64(f.tail), int64(f.headLen)} {
		e.i(v)
	}
	state, _ := json.Marshal(f.state)
	e.s(string(state))
	e.u(uint64(len(f.counts)))
	for k, n := range f.counts {
		e.s(k)
		e.u(uint64(n))
	}
}

func (c *catalog) getFile(d *decoder) {
	i := uint32(d.u())
	f := file{path: d.s(), conv: uint32(d.u())}
	var v [6]int64
	for k := range v {
		v[k] = d.i()
	}
	f.size, f.mtime, f.archived, f.head, f.tail, f.headLen = v[0], v[1], v[2], uint32(v[3]), uint32(v[4]), int(v[5])
	if json.Unmarshal([]byte(d.s()), &f.state) != nil {
		d.bad = true
	}
	f.counts = map[string]int{}
	for n := d.u(); n > 0 && !d.bad; n-- {
		k := d.s()
		f.counts[k] = int(d.u())
	}
	switch {
	case d.bad || int(i) > len(c.files) || int(f.conv) >= len(c.convs):
		d.bad = true
	case int(i) == len(c.files):
		c.files = append(c.files, f)
		c.byPath[f.path] = i
	default:
		if old := c.files[i].path; old != f.path {
			delete(c.byPath, old)
		}
		c.files[i] = f
		c.byPath[f.path] = i
	}
}

func (c *catalog) putMessage(i uint32) {
	m, e := &c.messages[i], &c.out
	e.u(tagMessage)
	for _, v := range []uint64{uint64(m.conv), uint64(m.file), uint64(m.line), m.at.Frame, uint64(m.at.Off)} {
		e.u(v)
	}
	e.i(m.time)
	e.s(m.uuid)
	e.s(m.tool)
	e.u(uint64(len(m.toolIDs)))
	for _, s := range m.toolIDs {
		e.s(s)
	}
	e.u(uint64(m.role))
	e.u(uint64(m.kind))
	e.u(flags(m.prompt))
	e.u(uint64(m.n))
	for id := m.first; id < m.first+ID(m.n); id++ {
		p := &c.passages[id]
		for _, v := range []uint64{uint64(p.part), uint64(p.kind), uint64(p.start), uint64(p.end - p.start), uint64(p.tokens), uint64(p.terms), uint64(p.fwd), p.hash} {
			e.u(v)
		}
	}
}

func (c *catalog) getMessage(d *decoder) {
	m := message{conv: uint32(d.u()), file: uint32(d.u()), line: uint32(d.u())}
	m.at = archive.Place{Frame: d.u(), Off: uint32(d.u())}
	m.time, m.uuid, m.tool = d.i(), d.s(), d.s()
	for n := d.u(); n > 0 && !d.bad; n-- {
		m.toolIDs = append(m.toolIDs, d.s())
	}
	m.role, m.kind = uint8(d.u()), uint8(d.u())
	m.prompt = d.u()&1 != 0
	m.n, m.first = uint16(d.u()), ID(len(c.passages))
	if d.bad || int(m.conv) >= len(c.convs) || int(m.file) >= len(c.files) || int(m.role) >= len(roles) || int(m.kind) >= len(kinds) {
		d.bad = true
		return
	}
	for k := range m.n {
		p := passage{msg: uint32(len(c.messages)), chunk: k, part: uint16(d.u()), kind: uint8(d.u()), start: uint32(d.u())}
		p.end = p.start + uint32(d.u())
		p.tokens, p.terms, p.fwd, p.hash = uint16(d.u()), uint16(d.u()), int64(d.u()), d.u()
		if d.bad || int(p.kind) >= len(kinds) {
			d.bad = true
			return
		}
		c.passages = append(c.passages, p)
	}
	c.link(m)
}

// link appends a message whose passages are in place already.
func (c *catalog) link(m message) uint32 {
	i := uint32(len(c.messages))
	c.messages = append(c.messages, m)
	v := &c.convs[m.conv]
	v.msgs = append(v.msgs, i)
	for id := m.first; id < m.first+ID(m.n); id++ {
		c.passages[id].pos = uint32(len(v.passages))
		v.passages = append(v.passages, id)
	}
	if c.byUUID != nil {
		c.byUUID[m.uuid] = i
	}
	return i
}

func (c *catalog) putShared(i, msg uint32) {
	c.out.u(tagShared)
	c.out.u(uint64(i))
	c.out.u(uint64(msg))
	c.convs[i].shared = append(c.convs[i].shared, msg)
}

func (c *catalog) getShared(d *decoder) {
	i, m := uint32(d.u()), uint32(d.u())
	if d.bad || int(i) >= len(c.convs) || int(m) >= len(c.messages) {
		d.bad = true
		return
	}
	c.convs[i].shared = append(c.convs[i].shared, m)
}

func (c *catalog) putNodes(i uint32, block int64) {
	c.out.u(tagNodes)
	c.out.u(uint64(i))
	c.out.u(uint64(block))
	c.convs[i].nodes = append(c.convs[i].nodes, block)
}

func (c *catalog) getNodes(d *decoder) {
	i, block := uint32(d.u()), int64(d.u())
	if d.bad || int(i) >= len(c.convs) {
		d.bad = true
		return
	}
	c.convs[i].nodes = append(c.convs[i].nodes, block)
	c.convs[i].stale = true
}

func (c *catalog) putChain(i uint32) {
	v, e := &c.convs[i], &c.out
	e.u(tagChain)
	e.u(uint64(i))
	e.spans(v.live)
	e.u(uint64(len(v.comps)))
	for _, k := range v.comps {
		e.s(k.boundary)
		e.s(k.summary)
		e.s(k.trigger)
		e.i(k.time)
		e.u(uint64(k.preTokens))
		e.spans(k.dropped)
	}
}

func (c *catalog) getChain(d *decoder) {
	i := uint32(d.u())
	live := d.spans()
	var comps []compaction
	for n := d.u(); n > 0 && !d.bad; n-- {
		comps = append(comps, compaction{boundary: d.s(), summary: d.s(), trigger: d.s(), time: d.i(), preTokens: int(d.u()), dropped: d.spans()})
	}
	if d.bad || int(i) >= len(c.convs) {
		d.bad = true
		return
	}
	v := &c.convs[i]
	v.live, v.comps, v.stale = live, comps, false
}

func (e *encoder) spans(s []span) {
	e.u(uint64(len(s)))
	for _, x := range s {
		e.u(uint64(x.from))
		e.u(uint64(x.to - x.from))
	}
}

func (d *decoder) spans() []span {
	var s []span
	for n := d.u(); n > 0 && !d.bad; n-- {
		f := uint32(d.u())
		s = append(s, span{f, f + uint32(d.u())})
	}
	return s
}

// apply adds the entries of one block.
func (c *catalog) apply(block []byte) error {
	d := newDecoder(block)
	for d.more() {
		switch tag := d.u(); tag {
		case tagConv:
			c.getConv(d)
		case tagFile:
			c.getFile(d)
		case tagMessage:
			c.getMessage(d)
		case tagShared:
			c.getShared(d)
		case tagNodes:
			c.getNodes(d)
		case tagChain:
			c.getChain(d)
		default:
			return fmt.Errorf("catalog: unknown entry %d", tag)
		}
	}
	if d.bad {
		return fmt.Errorf("catalog: entry cut short")
	}
	return nil
}

func flags(f ...bool) (v uint64) {
	for i, b := range f {
		if b {
			v |= 1 << i
		}
	}
	return v
}

func within(s []span, m uint32) bool {
	i, ok := slices.BinarySearchFunc(s, m, func(x span, m uint32) int {
		switch {
		case x.to < m:
			return -1
		case x.from > m:
			return 1
		}
		return 0
	})
	return ok && i < len(s)
}

// spansOf joins sorted, distinct message numbers into spans.
func spansOf(nums []uint32) []span {
	var out []span
	for _, n := range nums {
		if k := len(out) - 1; k >= 0 && out[k].to+1 == n {
			out[k].to = n
		} else {
			out = append(out, span{n, n})
		}
	}
	return out
}

// dropped returns the compaction of conversation i that took message m away,
// and its number from 1; nil while m is in the context or was never on the chain.
// The latest compaction counts: a message kept by one may be dropped by the next.
func (v *conv) dropped(m uint32) (*compaction, int) {
	for k := len(v.comps) - 1; k >= 0; k-- {
		if within(v.comps[k].dropped, m) {
			return &v.comps[k], k + 1
		}
	}
	return nil, 0
}

func (v *conv) name() string {
	if v.Agent == "" {
		return v.Session
	}
	return v.Session + "/" + v.Agent
}

func msTime(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// titleOf makes a title of a first prompt.
func titleOf(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if r := []rune(line); len(r) > 80 {
		return strings.TrimSpace(string(r[:79])) + "…"
	}
	return line
}
