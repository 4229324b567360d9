package figures

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/platform/database"
	"panel/platform/fault"
)

// Sparks are the last day of some nodes, coarse enough for a line beside a name.
type Sparks struct {
	From        time.Time `json:"from" doc:"Beginning of the first step"`
	StepSeconds int       `json:"step_seconds"`
	Items       []Spark   `json:"items" doc:"In the order of the ids; unknown ids are left out"`
}

// Spark is the line of one node.
type Spark struct {
	ID     string     `json:"id" format:"uuid"`
	Points []*float64 `json:"points" doc:"48 means, oldest first; null: nothing was measured"`
}

const (
	mostSparks = 64
	sparkSteps = 48
	sparkStep  = 30 * time.Minute
)

// SparkMetrics can be drawn beside a name.
var SparkMetrics = []string{"net_tx_bps", "net_rx_bps", "cpu_pct", "sessions"}

// Sparks reads the lines of at most 64 nodes in one statement. Fault: bad_parameter (400).
func (f *Fleet) Sparks(ctx context.Context, ids, metric string) (*Sparks, error) {
	asked := strings.Split(ids, ",")
	if len(asked) > mostSparks {
		return nil, fault.Malformed("bad_parameter", "too many nodes are asked for").
			Field("query.ids", "bad_parameter", fmt.Sprintf("must have at most %d ids", mostSparks))
	}
	if !slices.Contains(SparkMetrics, metric) {
		return nil, fault.Malformed("bad_parameter", "there is no such line")
	}
	from := f.now().Truncate(sparkStep).Add(-(sparkSteps - 1) * sparkStep)
	out := &Sparks{From: from, StepSeconds: int(sparkStep / time.Second), Items: []Spark{}}
	known := database.OnlyIDs(asked)
	if len(known) == 0 {
		return out, nil
	}
	var rows []struct {
		ID     string
		Points []*float64 `bun:",type:jsonb"`
	}
	err := f.db.NewRaw(fmt.Sprintf(`select n.id, jsonb_agg(v.value order by s.step) as points
		from nodes n cross join generate_series(0, %[2]d) as s(step)
		left join lateral (
			select sum(m.%[1]s * m.n) / sum(m.n) as value from node_metrics_10m m
			where m.node_id = n.id and m.%[1]s is not null and m.at >= ?0::timestamptz + make_interval(secs => s.step * ?1)
				and m.at < ?0::timestamptz + make_interval(secs => (s.step + 1) * ?1)
		) v on true
		where n.id = any(?2::uuid[]) group by n.id`, metric, sparkSteps-1), from, sparkStep.Seconds(), pgdialect.Array(known)).
		Scan(ctx, &rows)
	if err != nil {
		return nil, database.Fault(fmt.Errorf("read the last day of nodes: %w", err), nil)
	}
	for _, row := range rows {
		out.Items = append(out.Items, Spark{ID: row.ID, Points: row.Points})
	}
	slices.SortFunc(out.Items, func(a, b Spark) int { return slices.Index(known, a.ID) - slices.Index(known, b.ID) })
	return out, nil
}
