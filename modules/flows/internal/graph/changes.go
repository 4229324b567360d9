package graph

import (
	"bytes"
	"encoding/json"
)

// MaxNamed is how many blocks, and how many ways, are named when two drawings are compared.
const MaxNamed = 20

// Changed is one block or way before and after; nil where there was or is none.
type Changed struct {
	Name     string
	From, To any
}

// Changes tells how the drawing after differs from the one before: blocks by their key, ways by their ends. Where
// blocks stand is left out. More than MaxNamed of a kind are cut off; left counts them.
func Changes(before, after Graph) (named []Changed, left int) {
	blocks := differing(byKey(before), byKey(after), keysOf(before, after), "block ")
	ways := differing(byEnds(before), byEnds(after), endsOf(before, after), "")
	left = max(0, len(blocks)-MaxNamed) + max(0, len(ways)-MaxNamed)
	return append(blocks[:min(len(blocks), MaxNamed)], ways[:min(len(ways), MaxNamed)]...), left
}

func byKey(g Graph) map[string]any {
	found := map[string]any{}
	for _, n := range g.Nodes {
		n.Position = nil
		found[n.Key] = n
	}
	return found
}

// byEnds has a list for each pair of blocks: several ways may lead from one to the other.
func byEnds(g Graph) map[string]any {
	lists := map[string][]Edge{}
	for _, e := range g.Edges {
		lists[e.ends()] = append(lists[e.ends()], e)
	}
	found := map[string]any{}
	for ends, list := range lists {
		if found[ends] = any(list); len(list) == 1 {
			found[ends] = list[0]
		}
	}
	return found
}

func (e Edge) ends() string { return e.From + " → " + e.To }

func keysOf(graphs ...Graph) (keys []string) {
	for _, g := range graphs {
		for _, n := range g.Nodes {
			keys = append(keys, n.Key)
		}
	}
	return keys
}

func endsOf(graphs ...Graph) (ends []string) {
	for _, g := range graphs {
		for _, e := range g.Edges {
			ends = append(ends, e.ends())
		}
	}
	return ends
}

func differing(before, after map[string]any, order []string, prefix string) (found []Changed) {
	seen := map[string]bool{}
	for _, name := range order {
		if seen[name] || bytes.Equal(text(before[name]), text(after[name])) {
			continue
		}
		seen[name] = true
		found = append(found, Changed{Name: prefix + name, From: plain(before[name]), To: plain(after[name])})
	}
	return found
}

func text(value any) []byte {
	written, _ := json.Marshal(value) // blocks and ways always encode
	return written
}

// plain is the value as its JSON has it, so that a reader can compare field by field.
func plain(value any) (fields any) {
	_ = json.Unmarshal(text(value), &fields)
	return fields
}
