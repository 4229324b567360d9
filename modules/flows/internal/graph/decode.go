package graph

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Decode reads a drawing strictly: unknown fields, trailing bytes and oversized drawings are errors.
func Decode(raw []byte) (Graph, error) {
	var g Graph
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&g); err != nil {
		return Graph{}, fmt.Errorf("read the flow graph: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return Graph{}, errors.New("read the flow graph: bytes after its end")
	}
	if len(g.Nodes) > MaxNodes || len(g.Edges) > MaxEdges {
		return Graph{}, fmt.Errorf("read the flow graph: more than %d blocks or %d edges", MaxNodes, MaxEdges)
	}
	return g, nil
}

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
