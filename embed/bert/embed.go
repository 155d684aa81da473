package bert

import "math"

// scratch is the memory of one forward pass, kept for the next.
type scratch struct {
	x, q, k, v, mix, y []float32 // [tokens][hidden]
	keys, scores       []float32 // of one head of one text
	in, inner          input
}

// grow makes p at least n long and returns its first n; their content is
// undefined.
func grow[T any](p *[]T, n int) []T {
	if cap(*p) < n {
		*p = make([]T, n)
	}
	return (*p)[:n]
}

// Embed returns the vector of each token list, of length 1. Lists come from
// Tokens: they hold 1 to MaxTokens ids of the vocabulary each, or Embed panics.
//
// All lists are computed as one batch without padding, which takes about 15 kB
// of memory a token. Batches of some 256 tokens are fastest.
func (m *Model) Embed(lists [][]int32) [][]float32 {
	s := m.scratch.Get().(*scratch)
	defer m.scratch.Put(s)
	tokens := 0
	for _, ids := range lists {
		tokens += len(ids)
	}
	if tokens == 0 {
		return nil
	}
	x := grow(&s.x, tokens*m.size.Hidden)
	m.lookUp(x, lists, s)
	for i := range m.blocks {
		m.forward(&m.blocks[i], x, lists, s)
	}
	return m.pool(x, lists)
}

// lookUp writes the sum of word, position and segment of each token to x,
// normalised.
func (m *Model) lookUp(x []float32, lists [][]int32, s *scratch) {
	pos := grow(&s.y, m.size.Hidden)
	for _, ids := range lists {
		for p, id := range ids {
			row := x[:m.size.Hidden]
			x = x[m.size.Hidden:]
			m.word.row(int(id), row)
			m.pos.row(p, pos)
			for i, v := range m.segment {
				pos[i] += v
			}
			m.kernel.addNorm(row, pos, m.norm.gain, m.norm.shift)
		}
	}
}

// forward takes x through one layer.
func (m *Model) forward(b *block, x []float32, lists [][]int32, s *scratch) {
	tokens := len(x) / m.size.Hidden
	mix, y := grow(&s.mix, len(x)), grow(&s.y, len(x))
	q, k, v := grow(&s.q, len(x)), grow(&s.k, len(x)), grow(&s.v, len(x))
	b.query.load(&s.in, x, tokens)
	b.query.mul(q, &s.in, false)
	b.key.mul(k, &s.in, false)
	b.value.mul(v, &s.in, false)
	m.attend(mix, q, k, v, lists, s)
	b.out.load(&s.in, mix, tokens)
	b.out.mul(y, &s.in, false)
	m.addNorm(x, y, b.norm1)
	m.feedForward(b, y, x, s)
	m.addNorm(x, y, b.norm2)
}

// feedForward writes down(gelu(up(x))) to y. It goes part by part of the inner
// columns, so that these stay in the second-level cache: they are four times as
// wide as x.
func (m *Model) feedForward(b *block, y, x []float32, s *scratch) {
	tokens := len(x) / m.size.Hidden
	for i := range b.up {
		up, down := b.up[i], b.down[i]
		if i == 0 {
			up.load(&s.in, x, tokens)
		}
		inner := s.mix[:tokens*min(m.size.Hidden, m.size.FFN-i*m.size.Hidden)]
		up.mul(inner, &s.in, false)
		m.kernel.gelu(inner)
		down.load(&s.inner, inner, tokens)
		down.mul(y, &s.inner, i > 0)
	}
}

func (m *Model) addNorm(x, y []float32, n affine) {
	for h := m.size.Hidden; len(x) > 0; x, y = x[h:], y[h:] {
		m.kernel.addNorm(x[:h], y[:h], n.gain, n.shift)
	}
}

// attend writes, for each token and head, the mean of the values of its text
// weighted by softmax(query·key). Rows hold all heads.
func (m *Model) attend(mix, q, k, v []float32, lists [][]int32, s *scratch) {
	width := m.size.Hidden / m.size.Heads
	row := 0
	for _, ids := range lists {
		for head := range m.size.Heads {
			at := row*m.size.Hidden + head*width
			m.attendHead(mix[at:], q[at:], k[at:], v[at:], len(ids), s)
		}
		row += len(ids)
	}
}

// attendHead is attend for one head of one text of n tokens.
func (m *Model) attendHead(mix, q, k, v []float32, n int, s *scratch) {
	cols, h, width := m.kernel.cols, m.size.Hidden, m.size.Hidden/m.size.Heads
	wide := (n + cols - 1) / cols * cols
	keys, scores := grow(&s.keys, wide*width), grow(&s.scores, n*wide)
	m.packKeys(keys, k, n)
	for j := 0; j < wide; j += cols {
		m.kernel.mul(grid{scores[j:], wide}, grid{q, h}, n, width, grid{keys[j*width:], cols}, grid{})
	}
	scale := float32(1 / math.Sqrt(float64(width)))
	for i := range n {
		row := scores[i*wide:][:wide]
		for j := n; j < wide; j++ {
			row[j] = -1e30 // no key: no weight
		}
		m.kernel.softmax(row, scale)
	}
	for j := 0; j < width; j += cols {
		m.kernel.mul(grid{mix[j:], h}, grid{scores, wide}, n, n, grid{v[j:], h}, grid{})
	}
}

// packKeys writes the n keys of one head as the columns of a panel; columns
// past the last key are zero.
func (m *Model) packKeys(dst, keys []float32, n int) {
	cols, h, width := m.kernel.cols, m.size.Hidden, m.size.Hidden/m.size.Heads
	for j := 0; j < n; j += cols {
		strip := dst[j*width:][:cols*width]
		if n-j < cols {
			clear(strip)
		}
		c := 0
		for ; c+4 <= min(cols, n-j); c += 4 { // four at a time takes half the time
			rows := keys[(j+c)*h:]
			k0, k1, k2, k3 := rows[:width], rows[h:][:width], rows[2*h:][:width], rows[3*h:][:width]
			for i, v := range k0 {
				d := (*[4]float32)(strip[i*cols+c:])
				d[0], d[1], d[2], d[3] = v, k1[i], k2[i], k3[i]
			}
		}
		for ; c < min(cols, n-j); c++ {
			for i, v := range keys[(j+c)*h:][:width] {
				strip[i*cols+c] = v
			}
		}
	}
}

// pool returns the mean row of each text, scaled to length 1.
func (m *Model) pool(x []float32, lists [][]int32) [][]float32 {
	h := m.size.Hidden
	all := make([]float32, len(lists)*h)
	out := make([][]float32, len(lists))
	for i, ids := range lists {
		v := all[i*h:][:h:h]
		for range ids {
			for j, a := range x[:h] {
				v[j] += a
			}
			x = x[h:]
		}
		unit(v)
		out[i] = v
	}
	return out
}

func unit(v []float32) {
	var squares float64
	for _, a := range v {
		squares += float64(a) * float64(a)
	}
	f := float32(1 / math.Sqrt(squares))
	for i := range v {
		v[i] *= f
	}
}
