package index

import (
	"encoding/json"
	"fmt"

	"recall/index/archive"
)

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
	e.u(flags(f.torn))
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
	f.torn = d.u()&1 != 0
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
