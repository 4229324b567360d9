package graph

import (
	"cmp"
	"encoding/json"
	"slices"
)

// Compare is the order in which the edges of a block are tried: conditions by priority, then the edge that takes the
// rest.
func Compare(a, b Edge) int {
	if a.Match.Empty() != b.Match.Empty() {
		if a.Match.Empty() {
			return 1
		}
		return -1
	}
	return cmp.Or(cmp.Compare(a.Priority, b.Priority), cmp.Compare(a.To, b.To), cmp.Compare(edgeText(a), edgeText(b)))
}

func edgeText(e Edge) string {
	raw, err := json.Marshal(e)
	if err != nil {
		return ""
	}
	return string(raw)
}

// Tried gives the places of the edges of a drawing in the order in which those of each block are tried.
func Tried(g Graph) []int {
	order := make([]int, len(g.Edges))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return Compare(g.Edges[a], g.Edges[b]) })
	return order
}
