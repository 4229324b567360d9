package graph

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
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

// Count tells in how many blocks, ways and orders of rules two drawings differ. Names of blocks and where they stand
// do not count: they change nothing of what runs. Screens count in the same way; testdata/changes.json holds for both.
func Count(before, after Graph) int {
	count := distinct(blockForms(before), blockForms(after))
	mine, theirs := wayForms(before, after), wayForms(after, before)
	count += distinct(mine, theirs)
	for _, n := range after.Nodes {
		if reordered(before, after, n.Key) {
			count++
		}
	}
	return count
}

func distinct(before, after map[string]string) (count int) {
	for key, form := range before {
		if after[key] != form {
			count++
		}
	}
	for key := range after {
		if _, known := before[key]; !known {
			count++
		}
	}
	return count
}

func blockForms(g Graph) map[string]string {
	forms := map[string]string{}
	for _, n := range g.Nodes {
		key := n.Key
		n.Key, n.Title, n.Position = "", "", nil
		forms[key] = form(n)
	}
	return forms
}

// wayForms names a way by its ends and its condition where both drawings have that, else by its ends and its turn
// among the others between them.
func wayForms(g, other Graph) map[string]string {
	both, turns, forms := map[string]bool{}, map[string]int{}, map[string]string{}
	for _, e := range other.Edges {
		both[e.exact()] = true
	}
	for _, e := range g.Edges {
		name := e.exact()
		if !both[name] {
			turns[e.ends()]++
			name = e.ends() + " #" + strconv.Itoa(turns[e.ends()])
		}
		e.Priority = 0
		forms[name] = form(e)
	}
	return forms
}

// form is a block or way without the members that say nothing.
func form(value any) string { return string(text(pruned(plain(value)))) }

func pruned(value any) any {
	switch node := value.(type) {
	case map[string]any:
		for key, item := range node {
			if node[key] = pruned(item); node[key] == nil {
				delete(node, key)
			}
		}
		if len(node) == 0 {
			return nil
		}
	case []any:
		if len(node) == 0 {
			return nil
		}
	case string:
		if node == "" {
			return nil
		}
	}
	return value
}

func (e Edge) exact() string {
	if e.Match.Empty() {
		return e.ends() + " null"
	}
	return e.ends() + " " + string(text(e.Match))
}

// reordered reports whether the rules of a block that are in both drawings are tried in another order.
func reordered(before, after Graph, key string) bool {
	left, right := turns(before, key), turns(after, key)
	gone := func(list []string) func(string) bool {
		return func(name string) bool { return !slices.Contains(list, name) }
	}
	return !slices.Equal(slices.DeleteFunc(slices.Clone(left), gone(right)),
		slices.DeleteFunc(slices.Clone(right), gone(left)))
}

// turns are the ways out of a block in the order in which they are tried, as screens show them.
func turns(g Graph, key string) []string {
	var ways []Edge
	for _, e := range g.Edges {
		if e.From == key {
			ways = append(ways, e)
		}
	}
	last := func(e Edge) int {
		switch {
		case !e.Match.Empty():
			return 0
		case e.Match != nil: // still to be written
			return 1
		}
		return 2
	}
	slices.SortStableFunc(ways, func(a, b Edge) int {
		return cmp.Or(cmp.Compare(last(a), last(b)), cmp.Compare(a.Priority, b.Priority))
	})
	names := make([]string, len(ways))
	for i, e := range ways {
		names[i] = e.exact()
	}
	return names
}
