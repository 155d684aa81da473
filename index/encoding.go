package index

import "encoding/binary"

// encoder appends values in the catalog's encoding: varints, and strings with
// their length in front.
type encoder struct{ b []byte }

func (e *encoder) u(v uint64) { e.b = binary.AppendUvarint(e.b, v) }
func (e *encoder) i(v int64)  { e.b = binary.AppendVarint(e.b, v) }
func (e *encoder) s(v string) { e.u(uint64(len(v))); e.b = append(e.b, v...) }

// decoder reads what encoder wrote. After the first bad value all results are
// zero and bad is set.
type decoder struct {
	b   []byte
	str string // the same bytes, so that strings need no copy
	pos int
	bad bool
}

func newDecoder(b []byte) *decoder { return &decoder{b: b, str: string(b)} }

func (d *decoder) more() bool { return !d.bad && d.pos < len(d.b) }

func (d *decoder) u() uint64 {
	v, n := binary.Uvarint(d.b[d.pos:])
	return d.step(v, n)
}

func (d *decoder) i() int64 {
	v, n := binary.Varint(d.b[d.pos:])
	return int64(d.step(uint64(v), n))
}

func (d *decoder) step(v uint64, n int) uint64 {
	if n <= 0 || d.bad {
		d.bad = true
		d.pos = len(d.b)
		return 0
	}
	d.pos += n
	return v
}

func (d *decoder) s() string {
	n := d.u()
	if d.bad || n > uint64(len(d.b)-d.pos) {
		d.bad, d.pos = true, len(d.b)
		return ""
	}
	v := d.str[d.pos : d.pos+int(n)]
	d.pos += int(n)
	return v
}
