package external

import (
	"context"
	"fmt"
	"time"

	"panel/platform/database"
	"panel/platform/httpapi"
	"panel/platform/keyset"
)

// Summary is how external checks stand, from what the panel knows by itself.
type Summary struct {
	Configured bool       `json:"configured" doc:"There is a key of the service"`
	Reports    int        `json:"reports" doc:"How many are stored, of all flows"`
	Budget     Budget     `json:"budget"`
	Balance    *int64     `json:"balance" doc:"What the service said last, in kopeks; null: it was not asked yet"`
	BalanceAt  *time.Time `json:"balance_at"`
	LowBalance bool       `json:"low_balance"`
	Trouble    string     `json:"trouble" doc:"Why the service did not work last, in one word; empty: it did"`
}

// Summary asks nobody.
func (s *Service) Summary(ctx context.Context) (sum Summary, err error) {
	set, _, err := s.settings.Get(ctx)
	if err != nil {
		return sum, err
	}
	known, err := s.known(ctx, set)
	if err != nil {
		return sum, err
	}
	sum = Summary{
		Configured: set.APIKey.Set(), Balance: known.Balance, BalanceAt: known.AccountAt, Trouble: known.Trouble,
		LowBalance: known.Balance != nil && *known.Balance < set.LowBalance,
	}
	if sum.Budget, err = s.budget(ctx, set); err != nil {
		return sum, err
	}
	err = s.db.In(ctx).NewRaw("select count(*) from health_reports").Scan(ctx, &sum.Reports)
	return sum, database.Fault(err, nil)
}

// Point is one report in a line of them.
type Point struct {
	At     time.Time `json:"at"`
	Passed int       `json:"passed"`
	Total  int       `json:"total"`
}

// Checked is a flow with its newest reports.
type Checked struct {
	FlowID   string  `json:"flow_id" format:"uuid"`
	FlowName string  `json:"flow_name"`
	Last     Report  `json:"last" doc:"The newest report"`
	Trend    []Point `json:"trend" doc:"The last reports that were done, oldest first, at most 30"`
}

type checkedRow struct {
	row
	Trend   []Point `bun:"trend,type:jsonb,scanonly"`
	SortKey string  `bun:"sort_key,scanonly"`
}

var checkedOrders = map[string]keyset.Order{
	"name": {Expression: `lower(r.flow_name) collate "C"`, Kind: httpapi.CursorText, ID: "r.flow_id"},
	"last": {Expression: "r.asked_at", Kind: httpapi.CursorMoment, ID: "r.flow_id"},
}

// newest are the newest reports of all flows that are there.
const newest = `(select distinct on (flow_id) * from health_reports order by flow_id, asked_at desc, id desc)`

const trend = `(select coalesce(jsonb_agg(jsonb_build_object('at', t.checked_at, 'passed', t.passed, 'total', t.total)
		order by t.checked_at), '[]') from (select checked_at, passed, total from health_reports
		where flow_id = r.flow_id and state = 'done' order by asked_at desc limit 30) t) as trend`

// Flows gives the flows that were checked, with their newest reports.
func (s *Service) Flows(ctx context.Context, query httpapi.PageQuery) (page httpapi.Page[Checked], err error) {
	k, err := keyset.New(query, "r.flow_id", "name", checkedOrders)
	if err != nil {
		return page, err
	}
	var rows []checkedRow
	q := s.db.In(ctx).NewSelect().Model(&rows).ModelTableExpr(newest + " as r").ColumnExpr("r.*").ColumnExpr(trend)
	if err := k.Apply(q, nil).Scan(ctx); err != nil {
		return page, database.Fault(fmt.Errorf("list the flows that were checked: %w", err), nil)
	}
	var total int
	err = s.db.In(ctx).NewRaw("select count(distinct flow_id) from health_reports").Scan(ctx, &total)
	if err != nil {
		return page, database.Fault(fmt.Errorf("count the flows that were checked: %w", err), nil)
	}
	last := func(r *checkedRow) (sortKey, id string) { return r.SortKey, r.FlowID }
	return keyset.Page(k, rows, total, (*checkedRow).checked, last), nil
}

func (r *checkedRow) checked() Checked {
	points := r.Trend
	if points == nil {
		points = []Point{}
	}
	return Checked{FlowID: r.FlowID, FlowName: r.FlowName, Last: r.shown(), Trend: points}
}
