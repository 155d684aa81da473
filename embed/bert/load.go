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
		before = m.blocks[i].norm2
		if b.err != nil {
			return
		}
	}
	m.segment = m.segment[:h] // all texts are of the first segment
}

// loadBlock reads the layer whose tensors' names start with p; its input was
// normalised by before.
func (m *Model) loadBlock(b *blob, p string, before affine) block {
	h, ffn := m.size.Hidden, m.size.FFN
	norm1 := b.affine(p+"ln1", h)
	return block{
		qkv:   m.linear(b, h, h, before.shift, p+"q", p+"k", p+"v"),
		out:   m.linear(b, h, h, nil, p+"o"),
		up:    m.linear(b, ffn, h, norm1.shift, p+"f1"),
		down:  m.linear(b, h, ffn, nil, p+"f2"),
		norm1: norm1,
		norm2: b.affine(p+"ln2", h),
	}
}

func (b *blob) affine(name string, n int) affine {
	return affine{gain: b.floats(name+".g", n), shift: b.floats(name+".b", n)}
}

// linear reads matrices of rows outputs each and puts them under one another.
// The input's values are spread around center, or around 0 where that is nil.
func (m *Model) linear(b *blob, rows, cols int, center []float32, names ...string) linear {
	var ts []tensor
	var bias []float32
	for _, n := range names {
		ts = append(ts, b.quantized(n+".w", rows, cols))
		bias = append(bias, b.floats(n+".b", rows)...)
	}
	if b.err != nil {
		return nil
	}
	if m.kernel.byteGemm != nil {
		return newByteLinear(m.kernel, bias, ts, center)
	}
	return newFloatLinear(m.kernel, bias, ts)
}
