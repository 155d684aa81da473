package transcript

import "slices"

// Live returns the indexes of the nodes that the model sees now, in the order
// it sees them (parallel tool results in file order). nodes are those of one
// conversation, in file order; a uuid that is there again stands for its last
// row, at the place of its first one.
//
// The walk starts at the last record and follows Parent to a root, which a
// compaction boundary is. What a boundary preserved hangs on its anchor, and
// what hung on the anchor comes after it. A parent that is not there is taken
// to be the record before. Parallel tool calls make the tree fork: the other
// blocks of an answer on the walk, and the results of its calls, belong to it.
//
// Nodes of sub-agents are left out, unless there are no others.
func Live(nodes []Node) []int {
	t := newTree(len(nodes))
	for i := range nodes {
		t.add(&nodes[i], i)
	}
	for p, n := range t.nodes {
		if n.Compact != nil {
			t.compact(p)
		}
	}
	return t.rows(t.chain(t.leaf()))
}

// Compactions returns the boundaries of a conversation in file order, with what
// each of them took out of the model's sight. A message that was dropped stays
// with the boundary that did it when later rows repeat it.
func Compactions(nodes []Node) []Compaction {
	t := newTree(len(nodes))
	var (
		found []Compaction
		at    []int // place of each boundary
		gone  = map[int]bool{}
	)
	for i := range nodes {
		n := &nodes[i]
		if n.Compact == nil || t.known(n.UUID) {
			t.add(n, i)
			continue
		}
		before := t.chain(t.leaf())
		b := t.add(n, i)
		kept := t.compact(b)
		c := Compaction{
			Nth: len(found) + 1, Boundary: n.UUID, Time: n.Time,
			Trigger: n.Compact.Trigger, PreTokens: n.Compact.PreTokens,
			Preserved: t.rows(kept),
		}
		c.Dropped = t.rows(t.dropped(before, kept, gone))
		found, at = append(found, c), append(at, b)
	}
	for k := range found {
		end := len(t.nodes)
		if k+1 < len(at) {
			end = at[k+1]
		}
		found[k].Summary = t.summary(at[k], end)
	}
	return found
}

// tree links the unique nodes of a conversation. Places are positions among
// them.
type tree struct {
	nodes    []*Node
	row      []int // by place: index of the node's last row
	repeated map[int]bool
	place    map[string]int
	main     int            // nodes that may be the leaf and are no sub-agent's
	forced   map[int]int    // parent of a preserved node
	after    map[int]int    // by anchor: the tail that what hangs on it follows
	awaited  map[string]int // boundaries whose anchor has not come yet
	heads    map[int]bool
	seen     []int // by place: number of the walk that came by last
	walks    int
	answers  map[string][]int // places of assistant nodes by message id
	results  map[string][]int // places of result nodes by call id
	queued   map[string][]int // places of prompts made from the queue, by parent
}

func newTree(size int) *tree {
	return &tree{
		place: make(map[string]int, size), repeated: map[int]bool{},
		forced: map[int]int{}, after: map[int]int{}, awaited: map[string]int{}, heads: map[int]bool{},
		answers: map[string][]int{}, results: map[string][]int{}, queued: map[string][]int{},
	}
}

func (t *tree) known(uuid string) bool {
	_, ok := t.place[uuid]
	return ok
}

// add takes in one row and returns its place.
func (t *tree) add(n *Node, row int) int {
	p, again := t.place[n.UUID]
	if again {
		old := t.nodes[p]
		t.nodes[p], t.row[p], t.repeated[p] = n, row, true
		t.main += mainNodes(n) - mainNodes(old)
		if old.MessageID == n.MessageID && old.Type == n.Type && slices.Equal(old.Results, n.Results) {
			return p
		}
	} else {
		p = len(t.nodes)
		t.nodes, t.row, t.seen = append(t.nodes, n), append(t.row, row), append(t.seen, 0)
		t.place[n.UUID] = p
		t.main += mainNodes(n)
	}
	t.index(n, p)
	if b, ok := t.awaited[n.UUID]; ok && !again {
		delete(t.awaited, n.UUID)
		delete(t.after, b)
		t.compact(b)
	}
	return p
}

// index notes what node n at place p can be found by. Entries of an earlier row
// stay: who uses them looks at the node.
func (t *tree) index(n *Node, p int) {
	if n.Type == "assistant" && n.MessageID != "" {
		t.answers[n.MessageID] = append(t.answers[n.MessageID], p)
	}
	for _, call := range n.Results {
		t.results[call] = append(t.results[call], p)
	}
	if n.Type == "queue-operation" {
		t.queued[n.Parent] = append(t.queued[n.Parent], p)
	}
}

func mainNodes(n *Node) int {
	if !n.Sidechain && mayEnd(n.Type) {
		return 1
	}
	return 0
}

// mayEnd tells whether records of that type may be the leaf of the tree.
func mayEnd(typ string) bool {
	return typ == "user" || typ == "assistant" || typ == "attachment" || typ == "system"
}

// leaf returns the place of the last record of the conversation, -1 when there
// is none. A boundary with its anchor stands before what it preserved.
func (t *tree) leaf() int {
	side := t.main == 0
	for p := len(t.nodes) - 1; p >= 0; p-- {
		n := t.nodes[p]
		if n.Sidechain == side && mayEnd(n.Type) && !t.heads[p] {
			return p
		}
	}
	return -1
}

// compact applies the boundary at place b and returns what it preserved. While
// its anchor is not there, the boundary itself stands for it.
func (t *tree) compact(b int) (kept []int) {
	c := t.nodes[b].Compact
	if c == nil {
		return nil // the boundary's uuid came again as something else
	}
	if kept = t.preserved(c); len(kept) == 0 {
		return nil
	}
	anchor, ok := t.place[c.Anchor]
	if !ok {
		anchor = b
		t.awaited[c.Anchor] = b
	}
	t.heads[b], t.heads[anchor] = true, true
	t.after[anchor] = kept[len(kept)-1]
	parent := anchor
	for _, p := range kept {
		t.forced[p] = parent
		parent = p
	}
	return kept
}

// preserved returns the places of the records that c lists, or of those from
// its tail up to its head.
func (t *tree) preserved(c *Compact) (kept []int) {
	if len(c.Preserved) > 0 {
		listed := map[int]bool{}
		for _, uuid := range c.Preserved {
			if p, ok := t.place[uuid]; ok && !listed[p] {
				listed[p] = true
				kept = append(kept, p)
			}
		}
		return kept
	}
	p, ok := t.place[c.Tail]
	if !ok {
		return nil
	}
	for seen := map[int]bool{}; p >= 0 && !seen[p]; p = t.parent(p) {
		seen[p] = true
		kept = append(kept, p)
		if t.nodes[p].UUID == c.Head {
			break
		}
	}
	slices.Reverse(kept)
	return kept
}

// parent returns the place of the node's parent, -1 for a root.
func (t *tree) parent(p int) int {
	if q, ok := t.forced[p]; ok {
		return q
	}
	n := t.nodes[p]
	if n.Parent == "" {
		return -1
	}
	q, ok := t.place[n.Parent]
	if !ok {
		q = t.previous(p)
	}
	if tail, ok := t.after[q]; ok {
		return tail
	}
	return q
}

// previous returns the record before p in the file: the parent of a record
// whose own is missing.
func (t *tree) previous(p int) int {
	side := t.nodes[p].Sidechain
	for p--; p >= 0; p-- {
		if t.nodes[p].Sidechain == side && mayEnd(t.nodes[p].Type) {
			return p
		}
	}
	return -1
}

// chain returns the places from the root to leaf, with parallel tool calls and
// their results put in.
func (t *tree) chain(leaf int) []int {
	var walk []int
	t.walks++
	for p := leaf; p >= 0 && t.seen[p] != t.walks; p = t.parent(p) {
		t.seen[p] = t.walks
		walk = append(walk, p)
	}
	slices.Reverse(walk)
	ends := map[string]int{} // by message id: its last block on the walk
	for i, p := range walk {
		if n := t.nodes[p]; n.Type == "assistant" && n.MessageID != "" {
			ends[n.MessageID] = i
		}
	}
	full := make([]int, 0, len(walk)+len(walk)/8)
	put := func(p int) {
		if t.seen[p] != t.walks {
			t.seen[p] = t.walks
			full = append(full, p)
		}
	}
	for i, p := range walk {
		n := t.nodes[p]
		full = append(full, p)
		if n.Type == "assistant" && (n.MessageID == "" || ends[n.MessageID] == i) {
			t.siblings(p, put)
		}
		for _, q := range t.queued[n.UUID] {
			put(q)
		}
	}
	return full
}

// siblings puts the other blocks of the answer that p belongs to, then the
// results of all its calls.
func (t *tree) siblings(p int, put func(int)) {
	side, id := t.nodes[p].Sidechain, t.nodes[p].MessageID
	blocks := []int{p}
	if id != "" {
		blocks = t.answers[id]
	}
	var calls []string
	for _, q := range blocks {
		n := t.nodes[q]
		if n.Sidechain == side && n.MessageID == id && n.Type == "assistant" {
			put(q)
			calls = append(calls, n.Calls...)
		}
	}
	for _, call := range calls {
		for _, r := range t.results[call] {
			if n := t.nodes[r]; n.Sidechain == side && slices.Contains(n.Results, call) {
				put(r)
			}
		}
	}
}

// dropped returns what of the chain before a boundary is not among kept, and
// notes it in gone. What was gone before comes back only where a boundary
// preserved it or the user went back to it: rows that were merely appended
// again stay with the boundary that dropped them.
func (t *tree) dropped(before, kept []int, gone map[int]bool) (out []int) {
	keep := map[int]bool{}
	for _, p := range kept {
		keep[p] = true
		delete(gone, p)
		if t.nodes[p].Type == "assistant" {
			t.siblings(p, func(q int) { keep[q] = true })
		}
	}
	for _, p := range before {
		if keep[p] || gone[p] && t.repeated[p] {
			continue
		}
		gone[p] = true
		out = append(out, p)
	}
	return out
}

// summary returns the uuid of the summary that goes with the boundary at place
// b and stands before place end.
func (t *tree) summary(b, end int) string {
	if c := t.nodes[b].Compact; c != nil && t.known(c.Anchor) {
		if a := t.nodes[t.place[c.Anchor]]; a.Summary {
			return a.UUID
		}
	}
	for p := b + 1; p < end; p++ {
		if t.nodes[p].Summary {
			return t.nodes[p].UUID
		}
	}
	return ""
}

// rows turns places into indexes of the nodes given.
func (t *tree) rows(places []int) []int {
	if len(places) == 0 {
		return nil
	}
	out := make([]int, len(places))
	for i, p := range places {
		out[i] = t.row[p]
	}
	return out
}
