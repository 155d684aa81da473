package index

import (
	"encoding/json"
	"fmt"
	"slices"

	"recall/transcript"
)

// chain brings the live chain and the compactions of a conversation up to date
// with its nodes.
func (w *writer) chain(i uint32) error {
	x, c := w.x, w.x.cat
	nodes, err := x.readNodes(i)
	if err != nil {
		return err
	}
	nodes = append(nodes, w.nodes[i]...)
	nums := func(idx []int) []span {
		var out []uint32
		for _, k := range idx {
			if m, ok := c.uuids()[nodes[k].UUID]; ok {
				out = append(out, m)
			}
		}
		slices.Sort(out)
		return spansOf(slices.Compact(out))
	}
	v := &c.convs[i]
	v.live, v.comps = nums(transcript.Live(nodes)), nil
	for _, k := range transcript.Compactions(nodes) {
		comp := compaction{boundary: k.Boundary, summary: k.Summary, trigger: k.Trigger, preTokens: k.PreTokens, dropped: nums(k.Dropped)}
		if !k.Time.IsZero() {
			comp.time = k.Time.UnixMilli()
		}
		v.comps = append(v.comps, comp)
	}
	v.stale = false
	w.chains[i] = true
	return nil
}

// readNodes returns the links of a conversation in file order.
func (x *Index) readNodes(i uint32) ([]transcript.Node, error) {
	var out []transcript.Node
	for _, at := range x.cat.convs[i].nodes {
		z, err := x.nodeLog.Read(at)
		if err != nil {
			return nil, fmt.Errorf("nodes at %d: %w", at, err)
		}
		b, err := x.arc.Unpack(z)
		if err != nil {
			return nil, fmt.Errorf("nodes at %d: %w", at, err)
		}
		var part []transcript.Node
		if err := json.Unmarshal(b, &part); err != nil {
			return nil, fmt.Errorf("nodes at %d: %w", at, err)
		}
		out = append(out, part...)
	}
	return out, nil
}
