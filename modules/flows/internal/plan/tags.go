package plan

import (
	"strconv"
	"strings"

	"panel/modules/flows/internal/graph"
)

// InboundTag names the listener of a block in its node's configuration, and in what the node measures.
func InboundTag(flowID, block string) string { return "flow." + flowID + ".in." + block }

// outboundTag names the nth way from one block to another, in the order in which their edges are tried. Each has an
// outbound of its own, because the core counts by outbound.
func outboundTag(flowID, from, to string, nth int) string {
	tag := "flow." + flowID + ".out." + from + "." + to
	if nth > 1 {
		tag += "#" + strconv.Itoa(nth)
	}
	return tag
}

// WayTag names the ways from one block of the drawing to another, as DrawnTag gives it.
func WayTag(flowID, from, to string) string { return outboundTag(flowID, from, to, 1) }

// OutboundTags gives, for each edge of a drawing, the names under which its outbound may stand in a configuration.
func OutboundTags(flowID string, g graph.Graph) [][]string {
	tags := make([][]string, len(g.Edges))
	tried := map[[2]string]int{}
	for _, i := range graph.Tried(g) {
		e := g.Edges[i]
		pair := [2]string{e.From, e.To}
		tried[pair]++
		tag := outboundTag(flowID, e.From, e.To, tried[pair])
		tags[i] = []string{tag, tag + PublicSuffix}
	}
	return tags
}

// DrawnTag is the tag that an outbound to or from a member of a pool has in the drawing.
func DrawnTag(tag string) string {
	for {
		before, member, pooled := strings.Cut(tag, memberMark)
		if !pooled {
			return tag
		}
		rest := ""
		if end := strings.IndexAny(member, ".#"); end >= 0 {
			rest = member[end:]
		}
		tag = before + rest
	}
}

func (c *compiler) inTag(key string) string { return InboundTag(c.in.FlowID, key) }

func (c *compiler) outTag(from, to string, nth int) string {
	return outboundTag(c.in.FlowID, from, to, nth)
}
