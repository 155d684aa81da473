package index

import (
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
	torn        bool             // the last line is not whole yet
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

func msTime(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// titleOf makes a title of a first prompt: its first line, and the next one
// too when the first only leads up to it.
func titleOf(text string) string {
	var title string
	for line := range strings.Lines(text) {
		line = strings.TrimLeft(strings.TrimSpace(line), "# ")
		if line == "" {
			continue
		}
		if title = strings.TrimSpace(title + " " + line); !strings.HasSuffix(title, ":") && len(title) > 12 {
			break
		}
	}
	if r := []rune(title); len(r) > 80 {
		return strings.TrimSpace(string(r[:79])) + "…"
	}
	return title
}
