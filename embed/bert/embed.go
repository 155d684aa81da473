package bert

import "math"

// scratch is the memory of one forward pass, kept for the next.
type scratch struct {
	x, qkv, mix, y, up []float32 // [tokens] rows
	keys, scores       []float32 // of one head of one text
	bytes              []uint8
	ranges             [][2]float32
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
	qkv := grow(&s.qkv, 3*len(x))
	mix, y := grow(&s.mix, len(x)), grow(&s.y, len(x))
	up := grow(&s.up, tokens*m.size.FFN)
	b.qkv.mul(qkv, x, tokens, s)
	m.attend(mix, qkv, lists, s)
	b.out.mul(y, mix, tokens, s)
	m.addNorm(x, y, b.norm1)
	b.up.mul(up, x, tokens, s)
	m.kernel.gelu(up)
	b.down.mul(y, up, tokens, s)
	m.addNorm(x, y, b.norm2)
}

func (m *Model) addNorm(x, y []float32, n affine) {
	for h := m.size.Hidden; len(x) > 0; x, y = x[h:], y[h:] {
		m.kernel.addNorm(x[:h], y[:h], n.gain, n.shift)
	}
}

// attend writes, for each token and head, the mean of the values of its text
// weighted by softmax(query·key). Rows of qkv hold the queries of all heads,
// then the keys, then the values.
func (m *Model) attend(mix, qkv []float32, lists [][]int32, s *scratch) {
	h, width := m.size.Hidden, m.size.Hidden/m.size.Heads
	for _, ids := range lists {
		for head := range m.size.Heads {
			m.attendHead(mix[head*width:], qkv[head*width:], len(ids), s)
		}
		mix, qkv = mix[len(ids)*h:], qkv[len(ids)*3*h:]
	}
}

func (m *Model) attendHead(mix, qkv []float32, n int, s *scratch) {
	k, h, width := m.kernel, m.size.Hidden, m.size.Hidden/m.size.Heads
	wide := (n + k.cols - 1) / k.cols * k.cols
	keys, scores := grow(&s.keys, wide*width), grow(&s.scores, n*wide)
	m.packKeys(keys, qkv[h:], n)
	k.mul(scores, wide, qkv, 3*h, n,
		panel{data: keys, k: width, n: wide, stride: k.cols, next: k.cols * width}, nil)
	scale := float32(1 / math.Sqrt(float64(width)))
	for i := range n {
		row := scores[i*wide:][:wide]
		for j := n; j < wide; j++ {
			row[j] = -1e30 // no key: no weight
		}
		k.softmax(row, scale)
	}
	k.mul(mix, h, scores, wide, n,
		panel{data: qkv[2*h:], k: n, n: width, stride: 3 * h, next: k.cols}, nil)
}

// packKeys writes the n keys of one head as the columns of a panel; columns
// past the last key are zero.
func (m *Model) packKeys(dst, keys []float32, n int) {
	cols, width := m.kernel.cols, m.size.Hidden/m.size.Heads
	for j := 0; j < n; j += cols {
		strip := dst[j*width:][:cols*width]
		if n-j < cols {
			clear(strip)
		}
		for c := range min(cols, n-j) {
			for i, v := range keys[(j+c)*3*m.size.Hidden:][:width] {
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
