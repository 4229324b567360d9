package traffic

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/flows/internal/graph"
	"panel/modules/nodes/nodesapi"
	"panel/platform/database"
	"panel/platform/fault"
)

// Sums are what some flows carry now, over all their entries.
type Sums struct {
	At                time.Time `json:"at"`
	StaleAfterSeconds int       `json:"stale_after_s" doc:"Older readings say nothing about now; sums leave them out"`
	Items             []Sum     `json:"items" doc:"Unknown ids are left out"`
}

// Sum is what one flow carries. The figures that nobody measured are null.
type Sum struct {
	ID       string `json:"id" format:"uuid"`
	Sessions *int64 `json:"sessions" doc:"Of all entries; null while nobody counts them"`
	UpBps    *int64 `json:"up_bps" doc:"Bits per second from clients, over all entries"`
	DownBps  *int64 `json:"down_bps" doc:"Bits per second to clients, over all entries"`
}

const mostSums = 64

// SumsOf reads what at most 64 flows carry in two statements, however many they are; ids have commas between them.
// Fault: bad_parameter (400).
func SumsOf(ctx context.Context, db *database.DB, from nodesapi.Readings, ids string, now time.Time) (Sums, error) {
	out := Sums{At: now, StaleAfterSeconds: int(nodesapi.ReadingStaleAfter / time.Second), Items: []Sum{}}
	asked := strings.Split(ids, ",")
	if len(asked) > mostSums {
		return out, fault.Malformed("bad_parameter", "too many flows are asked for").
			Field("query.ids", "bad_parameter", fmt.Sprintf("must have at most %d ids", mostSums))
	}
	flows, err := entriesOf(ctx, db, database.OnlyIDs(asked))
	if err != nil {
		return out, err
	}
	var nodes []string
	for _, f := range flows {
		for _, e := range f.Entries {
			nodes = append(nodes, e.NodeID)
		}
	}
	readings := map[string]nodesapi.Reading{}
	if nodes = database.OnlyIDs(nodes); len(nodes) > 0 {
		if readings, err = from.Newest(ctx, nodes...); err != nil {
			return out, fmt.Errorf("read what the nodes of flows carry: %w", err)
		}
	}
	for _, f := range flows {
		t := Of(f.ID, graph.Graph{Nodes: f.Entries}, readings, now)
		out.Items = append(out.Items, Sum{ID: f.ID, Sessions: t.Sessions, UpBps: t.UpBps, DownBps: t.DownBps})
	}
	return out, nil
}

// installed is a flow with the entries of its installed version: none where it is not installed or switched off.
type installed struct {
	ID      string
	Entries []graph.Node `bun:",type:jsonb"`
}

func entriesOf(ctx context.Context, db *database.DB, ids []string) (flows []installed, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	err = db.NewRaw(`select f.id,
			coalesce(jsonb_path_query_array(v.graph, '$.nodes[*] \? (@.kind == "entry")'), '[]') as entries
		from flows f left join flow_versions v on v.id = f.installed_version_id and f.enabled
		where f.id = any(?::uuid[]) and not f.deleting`, pgdialect.Array(ids)).Scan(ctx, &flows)
	if err != nil {
		return nil, database.Fault(fmt.Errorf("read what flows have installed: %w", err), nil)
	}
	return flows, nil
}
