package bert

import "strconv"

// load reads all tensors; faults are left in b.err.
func (m *Model) load(b *blob) {
	h := m.size.Hidden
	m.word = b.quantized("emb.word", m.size.Vocab, h)
	m.pos = b.quantized("emb.pos", m.size.MaxPos, h)
	m.segment = b.floats("emb.type", 2, h)
	m.norm = b.affine("emb.ln", h)
	before := m.norm
	for i := range m.size.Layers {
		m.blocks = append(m.blocks, m.loadBlock(b, "l"+strconv.Itoa(i)+".", before))
		if b.err != nil {
			return
		}
		before = m.blocks[i].norm2
	}
	m.segment = m.segment[:h] // all texts are of the first segment
}

// loadBlock reads the layer whose tensors' names start with p; its input was
// normalised by before.
func (m *Model) loadBlock(b *blob, p string, before affine) block {
	h := m.size.Hidden
	query, key := b.matrix(p+"q", h, h), b.matrix(p+"k", h, h)
	value, out := b.matrix(p+"v", h, h), b.matrix(p+"o", h, h)
	up, down := b.matrix(p+"f1", m.size.FFN, h), b.matrix(p+"f2", h, m.size.FFN)
	block := block{norm1: b.affine(p+"ln1", h), norm2: b.affine(p+"ln2", h)}
	if b.err != nil {
		return block
	}
	block.query = m.linear(query, before.shift)
	block.key = m.linear(key, before.shift)
	block.value = m.linear(value, before.shift)
	block.out = m.linear(out, nil)
	for at := 0; at < m.size.FFN; at += h {
		n := min(h, m.size.FFN-at)
		block.up = append(block.up, m.linear(up.outputs(at, n), block.norm1.shift))
		block.down = append(block.down, m.linear(down.inputs(at, n), nil))
	}
	return block
}

func (b *blob) affine(name string, n int) affine {
	return affine{gain: b.floats(name+".g", n), shift: b.floats(name+".b", n)}
}

// matrix is the weights and the bias of a linear as they are stored.
type matrix struct {
	tensor
	bias []float32
}

func (b *blob) matrix(name string, rows, cols int) matrix {
	return matrix{b.quantized(name+".w", rows, cols), b.floats(name+".b", rows)}
}

// outputs returns the part that computes n outputs from at on.
func (m matrix) outputs(at, n int) matrix {
	return matrix{m.part(at, n, 0, m.cols), m.bias[at:][:n]}
}

// inputs returns the part that multiplies n inputs from at on. The bias is with
// the first part.
func (m matrix) inputs(at, n int) matrix {
	bias := m.bias
	if at > 0 {
		bias = make([]float32, m.rows)
	}
	return matrix{m.part(0, m.rows, at, n), bias}
}

// linear makes a matrix ready to multiply values that are spread around center,
// or around 0 where that is nil.
func (m *Model) linear(w matrix, center []float32) linear {
	if m.kernel.intGemm != nil {
		return newIntLinear(m.kernel, w, center)
	}
	return newFloatLinear(m.kernel, w)
}
