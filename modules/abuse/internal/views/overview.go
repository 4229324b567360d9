package views

import (
	"context"
	"fmt"
	"slices"
	"time"

	"panel/modules/flows/flowsapi"
	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/database"
)

// Overview is how abuse protection stands.
type Overview struct {
	CountedAt   *time.Time    `json:"counted_at" doc:"When signals were counted last; null: never"`
	Hours       []Bar         `json:"hours" doc:"The last 24 hours of UTC, the oldest first; the last one goes on"`
	Days        []Bar         `json:"days" doc:"The last seven days of UTC, the oldest first; the last one goes on"`
	Cases       CaseCounts    `json:"cases"`
	Incomplete  []Incomplete  `json:"incomplete" doc:"Agents that do not see all sessions of their node, at most 100"`
	Unprotected []Unprotected `json:"unprotected" doc:"Nodes that can block no address, at most 100"`
	Blocking    int           `json:"blocking" doc:"How many nodes can"`
}

// Bar is how many signals there were in an hour or a day.
type Bar struct {
	At    time.Time   `json:"at" doc:"Its beginning"`
	Total int64       `json:"total"`
	Kinds []KindCount `json:"kinds" doc:"Those that there were, the most frequent first"`
}

// KindCount is how many signals of one kind there were.
type KindCount struct {
	Kind    string `json:"kind" enum:"torrent,port_scan,smtp_spam,brute_force,ddos_out,phishing_dest,blocked_geo,high_rate,too_many_sources"`
	Signals int64  `json:"signals"`
}

// CaseCounts are cases by their state.
type CaseCounts struct {
	Open      int `json:"open"`
	Actioned  int `json:"actioned" doc:"Something is being done about the user"`
	Dismissed int `json:"dismissed" doc:"As long as cases are kept"`
	Expired   int `json:"expired" doc:"As long as cases are kept"`
}

// Incomplete is an agent that does not see all sessions.
type Incomplete struct {
	NodeID     string `json:"node_id" format:"uuid"`
	Node       string `json:"node"`
	Listeners  int    `json:"listeners"`
	Incomplete int    `json:"incomplete" doc:"Of these, those that are not seen whole"`
}

// Unprotected is a node that can block no address.
type Unprotected struct {
	NodeID string `json:"node_id" format:"uuid"`
	Node   string `json:"node"`
	Why    string `json:"why" doc:"In the agent's words; empty: the agent is too old to say"`
}

const (
	hoursShown = 24
	daysShown  = 7
	mostShown  = 100
	day        = 24 * time.Hour
)

// Overview tells how abuse protection stands.
func (v *Views) Overview(ctx context.Context) (out Overview, err error) {
	if err := v.counted(ctx, &out); err != nil {
		return out, err
	}
	err = v.db.In(ctx).NewRaw(`select count(*) filter (where state = 'open') as open,
		count(*) filter (where state = 'actioned') as actioned, count(*) filter (where state = 'dismissed') as dismissed,
		count(*) filter (where state = 'expired') as expired from abuse_cases`).Scan(ctx, &out.Cases)
	if err != nil {
		return out, database.Fault(fmt.Errorf("count cases: %w", err), nil)
	}
	if out.Incomplete, err = v.incomplete(ctx); err != nil {
		return out, err
	}
	out.Unprotected, out.Blocking, err = v.unprotected(ctx)
	return out, err
}

// hourRow is what was counted of one kind in one hour.
type hourRow struct {
	At      time.Time
	Kind    string
	Signals int64
}

// counted fills in the hours and days.
func (v *Views) counted(ctx context.Context, out *Overview) error {
	now := v.clock.Now().UTC()
	today := now.Truncate(day)
	var at []time.Time
	var rows []hourRow
	err := v.db.In(ctx).NewRaw("select alive_at from abuse_progress where alive_at is not null").Scan(ctx, &at)
	if err == nil {
		err = v.db.In(ctx).NewRaw("select at, kind, signals from abuse_hours where at >= ? order by signals desc, kind",
			today.Add(-(daysShown-1)*day)).Scan(ctx, &rows)
	}
	if err != nil {
		return database.Fault(fmt.Errorf("read how many signals there were: %w", err), nil)
	}
	if len(at) > 0 {
		counted := at[0].UTC()
		out.CountedAt = &counted
	}
	out.Hours = bars(now.Truncate(time.Hour), time.Hour, hoursShown, rows)
	out.Days = bars(today, day, daysShown, rows)
	return nil
}

// bars are so many steps of time up to the last one, with what was counted in each.
func bars(last time.Time, step time.Duration, n int, rows []hourRow) []Bar {
	out := make([]Bar, n)
	for i := range out {
		out[i] = Bar{At: last.Add(-time.Duration(n-1-i) * step), Kinds: []KindCount{}}
	}
	for _, row := range rows {
		since := row.At.UTC().Sub(out[0].At)
		at := int(since / step)
		if since < 0 || at >= n {
			continue
		}
		out[at].add(row.Kind, row.Signals)
	}
	for i := range out {
		slices.SortStableFunc(out[i].Kinds, func(a, b KindCount) int { return int(b.Signals - a.Signals) })
	}
	return out
}

func (b *Bar) add(kind string, signals int64) {
	b.Total += signals
	for i := range b.Kinds {
		if b.Kinds[i].Kind == kind {
			b.Kinds[i].Signals += signals
			return
		}
	}
	b.Kinds = append(b.Kinds, KindCount{kind, signals})
}

// incomplete are the agents that do not see all sessions.
func (v *Views) incomplete(ctx context.Context) ([]Incomplete, error) {
	out := []Incomplete{}
	err := v.db.In(ctx).NewRaw(`select node_id, count(*) as listeners, count(*) filter (where not complete) as incomplete
		from abuse_coverage group by node_id having bool_or(not complete) order by 3 desc, 1 limit ?`, mostShown).
		Scan(ctx, &out)
	if err != nil {
		return nil, database.Fault(fmt.Errorf("read what agents do not see: %w", err), nil)
	}
	served, err := v.ServedOn(ctx)
	if err != nil {
		return nil, err
	}
	out = withServed(out, served)
	ids := make([]string, len(out))
	for i := range out {
		ids[i] = out[i].NodeID
	}
	names, err := v.NodeNames(ctx, ids...)
	for i := range out {
		out[i].Node = names[out[i].NodeID]
	}
	return out, err
}

// withServed adds the entries that agents see nothing of, because proxy panels serve them.
func withServed(out []Incomplete, served []flowsapi.ServedEntry) []Incomplete {
	for _, e := range served {
		at := slices.IndexFunc(out, func(one Incomplete) bool { return one.NodeID == e.NodeID })
		if at < 0 && len(out) == mostShown {
			continue
		}
		if at < 0 {
			at, out = len(out), append(out, Incomplete{NodeID: e.NodeID})
		}
		out[at].Listeners++
		out[at].Incomplete++
	}
	return out
}

// unprotected are the nodes in service whose agents can block nothing, and how many can.
func (v *Views) unprotected(ctx context.Context) (out []Unprotected, blocking int, err error) {
	out = []Unprotected{}
	all, err := v.statuses.Statuses(ctx, string(agentapi.DocumentBlocks.Capability()))
	if err != nil {
		return nil, 0, fmt.Errorf("read which nodes can block: %w", err)
	}
	var ids []string
	for i := range all {
		switch {
		case all[i].Able:
			blocking++
		case !all[i].SeenAt.IsZero() && all[i].State != "disabled" && len(ids) < mostShown:
			ids = append(ids, all[i].ID)
		}
	}
	if len(ids) == 0 {
		return out, blocking, nil
	}
	nodes, err := v.fleet.Nodes(ctx, ids...)
	if err != nil {
		return nil, 0, fmt.Errorf("read why nodes cannot block: %w", err)
	}
	for i := range nodes {
		out = append(out, Unprotected{NodeID: nodes[i].ID, Node: nodes[i].Name, Why: whyNot(&nodes[i])})
	}
	return out, blocking, nil
}

// noFirewall is the kind of a firewall by which an agent says that it can block nothing.
const noFirewall = "none"

func whyNot(n *nodesapi.Node) string {
	for _, wall := range n.Firewall {
		if wall.Kind == noFirewall {
			return wall.Detail
		}
	}
	return ""
}
