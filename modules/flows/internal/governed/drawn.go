package governed

import (
	"fmt"
	"slices"

	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/graph"
)

// Drawn is a drawing as policies see it: what an entry leads to, as it is drawn and as it was resolved.
func Drawn(flowID string, drawn, resolved graph.Graph) flowsapi.Drawn {
	d := flowsapi.Drawn{FlowID: flowID}
	left, reached := graph.Unreached(drawn), map[string]bool{}
	for i, b := range drawn.Nodes {
		if slices.Contains(left, i) {
			continue
		}
		reached[b.Key] = true
		path := fmt.Sprintf("nodes[%d]", i)
		d.Blocks = append(d.Blocks, flowsapi.DrawnBlock{
			Path: path, Key: b.Key, Kind: string(b.Kind), NodeID: b.NodeID, PoolID: b.PoolID,
			PlanVersionID: b.PlanVersionID, Private: b.Params.Private == "allow",
		})
		if b.Kind == graph.Entry && b.Params.Listener != nil {
			l := b.Params.Listener.Filled()
			d.Listeners = append(d.Listeners, flowsapi.DrawnListener{
				Path: path + ".params.listener", Protocol: l.Protocol, Transport: l.Transport, Security: l.Security,
				Flow: l.Flow,
			})
		}
	}
	for _, i := range graph.Tried(resolved) {
		if e := drawn.Edges[i]; reached[e.From] {
			d.Ways = append(d.Ways, way(i, e, resolved.Edges[i]))
		}
	}
	return d
}

func way(i int, own, opened graph.Edge) flowsapi.DrawnWay {
	w := flowsapi.DrawnWay{Path: fmt.Sprintf("edges[%d]", i), From: own.From, To: own.To}
	if own.Match == nil {
		return w
	}
	w.Sets, w.Port, w.Protocol = own.Match.Sets, own.Match.Port, own.Match.Protocol
	w.Own, w.Match = setOf(*own.Match), setOf(*opened.Match)
	return w
}

func setOf(m graph.Match) flowsapi.MatchSet {
	return flowsapi.MatchSet{Geosite: m.Geosite, GeoIP: m.GeoIP, Domain: m.Domain, IP: m.IP}
}
