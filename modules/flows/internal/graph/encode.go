package graph

import "encoding/json"

// Encode writes a drawing in its one stable form.
func Encode(g Graph) []byte {
	g.Nodes = append([]Node{}, g.Nodes...)
	g.Edges = append([]Edge{}, g.Edges...)
	raw, err := json.Marshal(g)
	if err != nil { // only a non-finite position can do that, and JSON cannot bring one
		return []byte(`{"nodes":[],"edges":[]}`)
	}
	return raw
}
