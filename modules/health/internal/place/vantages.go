package place

import (
	"cmp"
	"hash/fnv"
	"slices"

	"panel/modules/health/internal/verdict"
	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
)

// ring are the agents that may look, in the order of hashes of their ids: who joins or leaves moves few watches.
type ring struct {
	places []place
	load   map[string]int // watches by node
}

type place struct {
	hash uint64
	node *nodesapi.Status
}

func hashOf(text string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text))
	x := h.Sum64() // FNV alone leaves neighbours together
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	return x ^ x>>33
}

// watchers gives those who may look: their agents can, and were heard lately. While the panel is cut off from almost
// all of them they keep what they have.
func watchers(nodes []nodesapi.Status) *ring {
	silent, all := 0, 0
	for i := range nodes {
		switch nodes[i].State {
		case "offline":
			silent++
			all++
		case "online", "degraded":
			all++
		}
	}
	cutOff := verdict.CutOff(silent, all)
	r := &ring{load: map[string]int{}}
	for i := range nodes {
		n := &nodes[i]
		if able(n) && (n.State != "offline" || cutOff) {
			r.places = append(r.places, place{hashOf(n.ID), n})
		}
	}
	slices.SortFunc(r.places, func(a, b place) int { return cmp.Compare(a.hash, b.hash) })
	return r
}

// able says whether the agent of a node can look and is not at rest.
func able(n *nodesapi.Status) bool {
	return n.Able && n.State != "pending" && n.State != "disabled" &&
		n.State != "maintenance"
}

// enters chooses whose agent goes through a tunnel, and says whether there is one.
func (r *ring) enters(c *Check) bool {
	chosen := r.choose(c, 1)
	if len(chosen) > 0 {
		c.From = chosen[0]
	}
	return len(chosen) > 0
}

// choose gives who looks at a check, as many as wanted. A node never looks at itself from outside.
func (r *ring) choose(c *Check, want int) (nodes []string) {
	tag := c.Policy.Vantages.Tag
	from, _ := slices.BinarySearchFunc(r.places, hashOf(c.NodeID), func(p place, hash uint64) int {
		return cmp.Compare(p.hash, hash)
	})
	for i := range r.places {
		if len(nodes) == want {
			return nodes
		}
		n := r.places[(from+i)%len(r.places)].node
		if n.ID == c.NodeID || tag != "" && !slices.Contains(n.Tags, tag) || r.load[n.ID] >= agentapi.MaxWatches {
			continue
		}
		r.load[n.ID]++
		nodes = append(nodes, n.ID)
	}
	return nodes
}
