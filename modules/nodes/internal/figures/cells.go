package figures

import (
	"context"
	"encoding/json"
	"fmt"

	"panel/platform/database"
)

// Cells are the fleet in little, for a strip that shows each node.
type Cells struct {
	Total int    `json:"total" doc:"Nodes of the fleet"`
	Cells []Cell `json:"cells" doc:"At most 500: those that need attention first, then of each region the same share"`
}

// Cell is one node as [id, name, state, region, cpu_pct or null].
type Cell []json.RawMessage

const mostCells = 500

// Cells reads them in one statement. Of a fleet that is larger than the strip, every region gives the same share of its
// nodes, so that no region is missing because of its name.
func (f *Fleet) Cells(ctx context.Context) (*Cells, error) {
	now := f.now()
	var rows []struct {
		Cell  Cell `bun:",type:jsonb"`
		Total int
	}
	err := f.db.NewRaw(fmt.Sprintf(`select jsonb_build_array(id, name, state, region, cpu) as cell, total from (
			select n.id, n.name, n.name_key, n.region, %s as state, count(*) over () as total,
				case when m.observed_at > %s then round(m.cpu_pct::numeric, 1) end as cpu
			from nodes n left join node_reports r on r.node_id = n.id left join node_readings m on m.node_id = n.id) f
		order by array_position(array['offline', 'degraded'], state) nulls last,
			row_number() over (partition by region, state in ('offline', 'degraded') order by name_key)::float8
				/ count(*) over (partition by region, state in ('offline', 'degraded')), region, name_key limit %d`,
		f.stateAt(now), moment(now.Add(-StaleAfter)), mostCells)).Scan(ctx, &rows)
	out := &Cells{Cells: make([]Cell, len(rows))}
	for i := range rows {
		out.Cells[i], out.Total = rows[i].Cell, rows[i].Total
	}
	return out, database.Fault(err, nil)
}
