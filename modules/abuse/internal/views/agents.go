package views

import (
	"context"
	"fmt"
	"time"

	"panel/platform/database"
	"panel/platform/httpapi"
	"panel/platform/keyset"
)

// Agent is how well one agent tells of abuse.
type Agent struct {
	NodeID      string     `json:"node_id" format:"uuid"`
	NodeName    string     `json:"node_name"`
	SignalsAt   *time.Time `json:"signals_at" doc:"When signals came last; null: never"`
	DiversityAt *time.Time `json:"diversity_at" doc:"When session diversity came last; null: never"`
	Dropped     int64      `json:"dropped" doc:"What a full buffer of the agent has lost"`
	Refused     int64      `json:"refused" doc:"What it told and was not taken: of users and flows that its node does not serve, or without sense"`
	RefusedWhy  string     `json:"refused_why" enum:",foreign,senseless" doc:"Of the newest of those"`
	RefusedAt   *time.Time `json:"refused_at"`
	Listeners   int        `json:"listeners" doc:"Listeners of which it told whether it sees them, and entries that a proxy panel serves on its node"`
	Incomplete  int        `json:"incomplete" doc:"Of these, those whose sessions it does not all see"`
}

type agentRow struct {
	NodeID      string
	SignalsAt   *time.Time
	DiversityAt *time.Time
	Dropped     int64
	Refused     int64
	RefusedWhy  string
	RefusedAt   *time.Time
	Listeners   int
	Incomplete  int
	SortKey     string
}

// told are the agents that ever told something, a row for each.
const told = `(select t.node_id, max(t.signals_at) as signals_at, max(t.diversity_at) as diversity_at,
		sum(t.dropped)::bigint as dropped, coalesce(max(r.items), 0) as refused,
		coalesce(max(r.reason), '') as refused_why, max(r.refused_at) as refused_at,
		(select count(*) from abuse_coverage c where c.node_id = t.node_id) as listeners,
		(select count(*) from abuse_coverage c where c.node_id = t.node_id and not c.complete) as incomplete
	from (select node_id, updated_at as signals_at, null::timestamptz as diversity_at, dropped from abuse_signal_streams
		union all select node_id, null, updated_at, dropped from abuse_diversity_streams) t
	left join abuse_refused r on r.node_id = t.node_id
	group by t.node_id) as a`

var agentOrders = map[string]keyset.Order{
	"told_at": {Expression: "greatest(a.signals_at, a.diversity_at)", Kind: httpapi.CursorMoment},
	"refused": {Expression: "a.refused", Kind: httpapi.CursorNumber},
	"dropped": {Expression: "a.dropped", Kind: httpapi.CursorNumber},
}

// Agents lists the agents that ever told something, those first that did so last.
func (v *Views) Agents(ctx context.Context, query httpapi.PageQuery) (page httpapi.Page[Agent], err error) {
	k, err := keyset.New(query, "a.node_id", "-told_at", agentOrders)
	if err != nil {
		return page, err
	}
	var rows []agentRow
	q := v.db.In(ctx).NewSelect().TableExpr(told).ColumnExpr("a.*")
	if err := k.Apply(q, nil).Scan(ctx, &rows); err != nil {
		return page, database.Fault(fmt.Errorf("list the agents that tell of abuse: %w", err), nil)
	}
	total, err := v.db.In(ctx).NewSelect().TableExpr(told).Count(ctx)
	if err != nil {
		return page, database.Fault(fmt.Errorf("count the agents that tell of abuse: %w", err), nil)
	}
	page = keyset.Page(k, rows, int(total), (*agentRow).shown, func(r *agentRow) (string, string) {
		return r.SortKey, r.NodeID
	})
	ids := make([]string, len(page.Items))
	for i := range page.Items {
		ids[i] = page.Items[i].NodeID
	}
	if err := v.addServed(ctx, page.Items, ids); err != nil {
		return page, err
	}
	names, err := v.NodeNames(ctx, ids...)
	for i := range page.Items {
		page.Items[i].NodeName = names[page.Items[i].NodeID]
	}
	return page, err
}

// addServed counts the entries on nodes that their agents see nothing of, because proxy panels serve them.
func (v *Views) addServed(ctx context.Context, agents []Agent, nodeIDs []string) error {
	if len(nodeIDs) == 0 {
		return nil
	}
	served, err := v.ServedOn(ctx, nodeIDs...)
	if err != nil {
		return fmt.Errorf("read what proxy panels serve: %w", err)
	}
	for _, entry := range served {
		for i := range agents {
			if agents[i].NodeID == entry.NodeID {
				agents[i].Listeners++
				agents[i].Incomplete++
			}
		}
	}
	return nil
}

func (r *agentRow) shown() Agent {
	return Agent{
		NodeID: r.NodeID, SignalsAt: utc(r.SignalsAt), DiversityAt: utc(r.DiversityAt), Dropped: r.Dropped,
		Refused: r.Refused, RefusedWhy: r.RefusedWhy, RefusedAt: utc(r.RefusedAt), Listeners: r.Listeners,
		Incomplete: r.Incomplete,
	}
}
