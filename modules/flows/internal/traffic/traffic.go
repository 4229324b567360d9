// Package traffic tells what an installed flow carries, from what its nodes measured of their listeners and outbounds.
package traffic

import (
	"slices"
	"strings"
	"time"

	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
	"panel/modules/nodes/nodesapi"
)

// Traffic is what a flow carries now. The figures that nobody measured are null.
type Traffic struct {
	At                time.Time `json:"at"`
	StaleAfterSeconds int       `json:"stale_after_s" doc:"Older readings say nothing about now; totals leave them out"`
	Entries           []Entry   `json:"entries"`
	Edges             []Edge    `json:"edges" doc:"Of the installed version, without those that end in a block"`
	Sessions          *int64    `json:"sessions" doc:"Of all entries; null while nobody counts them"`
	UpBps             *int64    `json:"up_bps" doc:"Bits per second from clients, over all entries"`
	DownBps           *int64    `json:"down_bps" doc:"Bits per second to clients, over all entries"`
}

// Entry is what arrives at an entry.
type Entry struct {
	Block    string `json:"block"`
	NodeID   string `json:"node_id"`
	Sessions *int64 `json:"sessions" doc:"Established connections; null where nobody counts them, as with UDP"`
	Rates
}

// Edge is what leaves over an edge of the drawing.
type Edge struct {
	Index  int    `json:"index" doc:"Place among the edges of the installed version, from 0"`
	From   string `json:"from"`
	To     string `json:"to"`
	NodeID string `json:"node_id" doc:"Where it is measured: the node of the block that it comes from; empty for a pool, whose members are summed up"`
	Rates
}

// Rates are null while the node's agent does not measure them.
type Rates struct {
	UpBps      *int64     `json:"up_bps" doc:"A stream that the kernel forwards is counted when it ends"`
	DownBps    *int64     `json:"down_bps"`
	ObservedAt *time.Time `json:"observed_at"`
}

// Of puts together what the nodes measured, by their ids, into the traffic of a drawing.
func Of(flowID string, g graph.Graph, readings map[string]nodesapi.Reading, now time.Time) Traffic {
	t := Traffic{
		At: now, StaleAfterSeconds: int(nodesapi.ReadingStaleAfter / time.Second), Entries: []Entry{}, Edges: []Edge{},
	}
	blocks := map[string]graph.Node{}
	for _, b := range g.Nodes {
		blocks[b.Key] = b
		if b.Kind == graph.Entry {
			t.enter(flowID, b, readings)
		}
	}
	tags, members := plan.OutboundTags(flowID, g), membersOf(flowID, g, readings)
	for i, e := range g.Edges {
		from, known := blocks[e.From]
		if !known || blocks[e.To].Kind == graph.Block {
			continue
		}
		edge := Edge{Index: i, From: e.From, To: e.To, NodeID: from.NodeID}
		if r, measured := members[from.NodeID]; measured && (from.NodeID != "" || from.Kind == graph.TransitPool) {
			edge.Rates = ratesOf(r, r.Outbounds, tags[i]...)
		}
		t.Edges = append(t.Edges, edge)
	}
	return t
}

// membersOf sums up the outbounds to the members of pools, as the drawing has them. Under no id stands the sum of what
// all nodes that are members send on.
func membersOf(flowID string, g graph.Graph, readings map[string]nodesapi.Reading) map[string]nodesapi.Reading {
	if !slices.ContainsFunc(g.Nodes, func(b graph.Node) bool { return b.Kind == graph.TransitPool }) {
		return readings
	}
	out, own := map[string]nodesapi.Reading{}, "flow."+flowID+".out."
	all := nodesapi.Reading{Outbounds: map[string]nodesapi.Carried{}}
	for id, r := range readings {
		summed := map[string]nodesapi.Carried{}
		for tag, carried := range r.Outbounds {
			if !strings.HasPrefix(tag, own) {
				continue
			}
			drawn := plan.DrawnTag(tag)
			plus(summed, drawn, carried)
			plus(all.Outbounds, drawn, carried)
		}
		if all.ObservedAt.IsZero() || r.ObservedAt.Before(all.ObservedAt) {
			all.ObservedAt = r.ObservedAt
		}
		r.Outbounds = summed
		out[id] = r
	}
	if len(readings) > 0 {
		out[""] = all
	}
	return out
}

func plus(sums map[string]nodesapi.Carried, tag string, carried nodesapi.Carried) {
	sum := sums[tag]
	sum.UpBps, sum.DownBps = sum.UpBps+carried.UpBps, sum.DownBps+carried.DownBps
	sums[tag] = sum
}

func (t *Traffic) enter(flowID string, b graph.Node, readings map[string]nodesapi.Reading) {
	e := Entry{Block: b.Key, NodeID: b.NodeID}
	r, measured := readings[b.NodeID]
	if measured {
		tag := plan.InboundTag(flowID, b.Key)
		e.Sessions, e.Rates = r.Listeners[tag].Sessions, ratesOf(r, r.Listeners, tag)
	}
	t.Entries = append(t.Entries, e)
	if measured && r.Fresh(t.At) {
		add(&t.Sessions, e.Sessions)
		add(&t.UpBps, e.UpBps)
		add(&t.DownBps, e.DownBps)
	}
}

// ratesOf sums what stands under these tags; what a measuring agent does not name carried nothing.
func ratesOf(r nodesapi.Reading, from map[string]nodesapi.Carried, tags ...string) Rates {
	var up, down int64
	for _, tag := range tags {
		up, down = up+from[tag].UpBps, down+from[tag].DownBps
	}
	at := r.ObservedAt.UTC()
	return Rates{UpBps: &up, DownBps: &down, ObservedAt: &at}
}

func add(total **int64, more *int64) {
	if more == nil {
		return
	}
	if *total == nil {
		*total = new(int64)
	}
	**total += *more
}
