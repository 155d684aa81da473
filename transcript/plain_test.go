package transcript

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// plainLive is the algorithm as it is described, step by step and without
// regard to time: what Live must give, apart from the order of what is put in.
func plainLive(nodes []Node) map[string]bool {
	var recs []Node
	at := map[string]int{}
	for _, n := range nodes {
		if i, ok := at[n.UUID]; ok {
			recs[i] = n
		} else {
			at[n.UUID] = len(recs)
			recs = append(recs, n)
		}
	}
	tree := func(n Node) bool { return mayEnd(n.Type) }
	parent := map[string]string{}
	for i, n := range recs {
		parent[n.UUID] = n.Parent
		if _, ok := at[n.Parent]; n.Parent != "" && !ok {
			parent[n.UUID] = ""
			for j := i - 1; j >= 0; j-- {
				if tree(recs[j]) && recs[j].Sidechain == n.Sidechain {
					parent[n.UUID] = recs[j].UUID
					break
				}
			}
		}
	}
	heads := map[string]bool{}
	for _, b := range recs {
		if b.Compact == nil {
			continue
		}
		var list []string
		for _, u := range b.Compact.Preserved {
			if _, ok := at[u]; ok && !slices.Contains(list, u) {
				list = append(list, u)
			}
		}
		if len(b.Compact.Preserved) == 0 {
			for u := b.Compact.Tail; u != "" && !slices.Contains(list, u); u = parent[u] {
				if _, ok := at[u]; !ok {
					break
				}
				list = slices.Insert(list, 0, u)
				if u == b.Compact.Head {
					break
				}
			}
		}
		if len(list) == 0 {
			continue
		}
		anchor := b.Compact.Anchor
		if _, ok := at[anchor]; !ok {
			anchor = b.UUID
		}
		for _, r := range recs {
			if parent[r.UUID] == anchor && !slices.Contains(list, r.UUID) {
				parent[r.UUID] = list[len(list)-1]
			}
		}
		for i, u := range list {
			parent[u] = anchor
			if i > 0 {
				parent[u] = list[i-1]
			}
		}
		heads[b.UUID], heads[anchor] = true, true
	}
	side := !slices.ContainsFunc(recs, func(n Node) bool { return tree(n) && !n.Sidechain })
	leaf := ""
	for _, n := range recs {
		if tree(n) && n.Sidechain == side && !heads[n.UUID] {
			leaf = n.UUID
		}
	}
	on := map[string]bool{}
	for u := leaf; u != "" && !on[u]; u = parent[u] {
		on[u] = true
	}
	messages, calls := map[string]bool{}, map[string]bool{}
	for _, n := range recs {
		if on[n.UUID] && n.Type == "assistant" {
			messages[n.MessageID] = n.MessageID != ""
		}
	}
	for _, n := range recs {
		if n.Type == "assistant" && (on[n.UUID] || messages[n.MessageID]) {
			on[n.UUID] = true
			for _, c := range n.Calls {
				calls[c] = true
			}
		}
	}
	for _, n := range recs {
		if slices.ContainsFunc(n.Results, func(c string) bool { return calls[c] }) {
			on[n.UUID] = true
		}
	}
	for _, n := range recs {
		if n.Type == "queue-operation" && on[n.Parent] {
			on[n.UUID] = true
		}
	}
	return on
}

// randomNodes makes a conversation with every oddity there is. Links forward
// make cycles.
func randomNodes(r *rand.Rand, size int, forward bool) (nodes []Node) {
	types := []string{"user", "assistant", "attachment", "system", "progress", "user", "assistant"}
	some := func() string { return fmt.Sprint("n", r.IntN(size)) }
	boundary := -8 // what one preserves holds no other
	for i := range size {
		n := Node{UUID: fmt.Sprint("n", i), Type: types[r.IntN(len(types))], Sidechain: r.IntN(12) == 0}
		if i > 0 {
			n.Parent = fmt.Sprint("n", max(0, i-1-r.IntN(3)))
		}
		odd := r.IntN(30)
		if odd == 3 || odd == 4 {
			if i-boundary < 8 {
				odd = -1
			} else {
				boundary = i
			}
		}
		switch odd {
		case 0:
			n.Parent = "missing"
		case 1:
			n.Parent = fmt.Sprint("n", r.IntN(i+1))
			if forward {
				n.Parent = some()
			}
		case 2:
			n.UUID = some()
		case 3:
			n.Type, n.Parent = "system", ""
			n.Compact = &Compact{Anchor: fmt.Sprint("n", i+1)}
			for j := max(0, i-r.IntN(5)); j < i; j++ {
				n.Compact.Preserved = append(n.Compact.Preserved, fmt.Sprint("n", j))
			}
		case 4:
			n.Type, n.Parent = "system", ""
			n.Compact = &Compact{Anchor: fmt.Sprint("n", i+r.IntN(2)), Head: fmt.Sprint("n", max(0, i-4)), Tail: fmt.Sprint("n", max(0, i-1))}
		}
		if n.Type == "assistant" {
			n.MessageID = fmt.Sprint("m", i/3, n.Sidechain) // an answer is on one side
			n.Calls = []string{fmt.Sprint("t", i, n.Sidechain)}
		}
		if n.Type == "user" && r.IntN(2) == 0 {
			n.Results = []string{fmt.Sprint("t", max(0, i-1-r.IntN(3)), n.Sidechain)}
		}
		nodes = append(nodes, n)
	}
	return nodes
}
