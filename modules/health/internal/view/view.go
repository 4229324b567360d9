package view

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/health/healthapi"
	"panel/modules/health/internal/own"
	"panel/modules/health/internal/place"
	"panel/modules/health/internal/rules"
	"panel/modules/health/internal/verdict"
	"panel/modules/nodes/nodesapi"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/httpapi"
	"panel/platform/keyset"
	"panel/platform/names"
)

// Views answers what is known. It changes nothing, and asks nobody outside.
type Views struct {
	db    *database.DB
	fleet nodesapi.Fleet
	looks *own.Looks
	clock clockwork.Clock
}

// New makes the views.
func New(db *database.DB, fleet nodesapi.Fleet, looks *own.Looks, clock clockwork.Clock) *Views {
	return &Views{db, fleet, looks, clock}
}

// Filter chooses the subjects of a page.
type Filter struct {
	httpapi.PageQuery
	Part, State string
	Days        int
	IDs         string // with commas; empty: all
}

type subjectRow struct {
	bun.BaseModel `bun:"table:health_states,alias:s"`

	Kind        string       `bun:"kind"`
	SubjectID   string       `bun:"subject_id,type:uuid"`
	Name        string       `bun:"name"`
	State       string       `bun:"state"`
	Reason      string       `bun:"reason"`
	Hint        string       `bun:"hint"`
	Since       time.Time    `bun:"since"`
	CheckedAt   *time.Time   `bun:"checked_at"`
	Maintenance bool         `bun:"maintenance"`
	Flapping    bool         `bun:"flapping"`
	PolicyID    string       `bun:"policy_id,type:uuid"`
	Layers      place.Layers `bun:"layers,type:jsonb"`
	Cells       []CheckCell  `bun:"cells,type:jsonb"`
	SortKey     string       `bun:"sort_key,scanonly"`
}

func utc(at *time.Time) *time.Time {
	if at == nil {
		return nil
	}
	out := at.UTC()
	return &out
}

// shown is the subject as lists tell it. Seen are the agents' last signs of life, which are evidence as well.
func (r *subjectRow) shown(seen map[string]time.Time, days map[string][]Day) Subject {
	s := Subject{
		Kind: r.Kind, ID: r.SubjectID, Name: r.Name, State: r.State, Reason: r.Reason, Hint: r.Hint,
		Since: r.Since.UTC(), CheckedAt: utc(r.CheckedAt), Maintenance: r.Maintenance, Flapping: r.Flapping,
		Checks: []CheckCell{}, Days: []Day{},
	}
	heard := seen[r.SubjectID]
	for _, c := range r.Cells {
		if c.CheckedAt = utc(c.CheckedAt); c.Check == rules.Heartbeat || c.Check == rules.Core {
			if !heard.IsZero() {
				c.CheckedAt = &heard
			}
		}
		s.Checks = append(s.Checks, c)
	}
	if !heard.IsZero() && (s.CheckedAt == nil || heard.After(*s.CheckedAt)) {
		s.CheckedAt = &heard
	}
	if known := days[r.SubjectID]; known != nil {
		s.Days = known
	}
	return s
}

// seen gives when the agents of nodes were heard last.
func (v *Views) seen(ctx context.Context, kind string, ids []string) (map[string]time.Time, error) {
	out := map[string]time.Time{}
	if kind != healthapi.Node || len(ids) == 0 {
		return out, nil
	}
	nodes, err := v.fleet.Nodes(ctx, ids...)
	if err != nil {
		return nil, fmt.Errorf("read when agents were heard: %w", err)
	}
	for i := range nodes {
		out[nodes[i].ID] = nodes[i].SeenAt
	}
	return out, nil
}

const mostIDs = 200

const columns = `s.kind, s.subject_id, s.name, s.state, s.reason, s.hint, s.since, s.checked_at, s.maintenance, s.flapping,
	s.policy_id, s.layers, s.cells`

var orders = map[string]keyset.Order{
	"name":  {Expression: `s.name_key collate "C"`, Kind: httpapi.CursorText},
	"state": {Expression: "s.rank", Kind: httpapi.CursorNumber},
	"since": {Expression: "s.since", Kind: httpapi.CursorMoment},
}

// Page lists subjects of a kind.
func (v *Views) Page(ctx context.Context, kind string, f Filter) (page httpapi.Page[Subject], err error) {
	k, err := keyset.New(f.PageQuery, "s.subject_id", "name", orders)
	if err != nil {
		return page, err
	}
	chosen := func(q *bun.SelectQuery) *bun.SelectQuery {
		q = q.Where("s.kind = ?", kind).Where("strpos(s.name_key, ?) > 0", names.SearchKey(f.Part))
		if f.IDs != "" {
			ids := database.OnlyIDs(strings.Split(f.IDs, ","))
			q = q.Where("s.subject_id = any(?::uuid[])", pgdialect.Array(ids[:min(len(ids), mostIDs)]))
		}
		switch f.State {
		case "":
			return q
		case "not_up":
			return q.Where("s.state <> ?", verdict.Up)
		}
		return q.Where("s.state = ?", f.State)
	}
	var rows []subjectRow
	if err := k.Apply(chosen(v.db.In(ctx).NewSelect().Model(&rows).ColumnExpr(columns)), nil).Scan(ctx); err != nil {
		return page, database.Fault(fmt.Errorf("list the health of subjects: %w", err), nil)
	}
	total, err := chosen(v.db.In(ctx).NewSelect().Model((*subjectRow)(nil))).Count(ctx)
	if err != nil {
		return page, database.Fault(fmt.Errorf("count the subjects of health: %w", err), nil)
	}
	ids := make([]string, len(rows))
	for i := range rows {
		ids[i] = rows[i].SubjectID
	}
	seen, err := v.seen(ctx, kind, ids)
	if err != nil {
		return page, err
	}
	days, err := v.days(ctx, kind, ids, f.Days)
	if err != nil {
		return page, err
	}
	show := func(r *subjectRow) Subject { return r.shown(seen, days) }
	last := func(r *subjectRow) (sortKey, id string) { return r.SortKey, r.SubjectID }
	return keyset.Page(k, rows, int(total), show, last), nil
}

// row reads one subject. Fault: not_found (404).
func (v *Views) row(ctx context.Context, kind, id string) (row subjectRow, err error) {
	if !database.IsID(id) {
		return row, fault.Missing(fault.NoSuchThing)
	}
	err = v.db.In(ctx).NewSelect().Model(&row).ColumnExpr(columns).Where("s.kind = ? and s.subject_id = ?", kind, id).Scan(ctx)
	return row, database.Fault(err, nil)
}

type evidenceRow struct {
	ID, Type, Target, ServerName, NodeID string
	IntervalS                            int `bun:"interval_s"`
	Vantage                              string
	State                                string
	OK                                   *bool `bun:"ok"`
	Reason, Error                        string
	LatencyMs                            *float64
	Failures                             int
	At, Since, CertExpiresAt             *time.Time
}

// Subject gives one subject with its evidence. Fault: not_found (404).
func (v *Views) Subject(ctx context.Context, kind, id string, days int) (out SubjectDetail, err error) {
	row, err := v.row(ctx, kind, id)
	if err != nil {
		return out, err
	}
	seen, err := v.seen(ctx, kind, []string{id})
	if err != nil {
		return out, err
	}
	past, err := v.days(ctx, kind, []string{id}, days)
	if err != nil {
		return out, err
	}
	policies, err := place.Policies(ctx, v.db)
	if err != nil {
		return out, err
	}
	out = SubjectDetail{Subject: row.shown(seen, past), PolicyID: row.PolicyID, Evidence: []Evidence{}}
	if at := slices.IndexFunc(policies, func(p rules.Named) bool { return p.ID == row.PolicyID }); at >= 0 {
		out.PolicyName, out.Quorum = policies[at].Name, policies[at].Quorum
	}
	for _, c := range out.Checks {
		if c.Check == rules.Heartbeat || c.Check == rules.Core {
			out.Evidence = append(out.Evidence, reported(&row, c))
		}
	}
	found, err := v.evidence(ctx, kind, id)
	out.Evidence = append(out.Evidence, found...)
	return out, err
}

// reported is what the agent of a node says of itself.
func reported(row *subjectRow, c CheckCell) Evidence {
	ok := c.State == verdict.Up
	e := Evidence{
		Check: c.Check, Target: row.Name, Vantage: Vantage{Kind: "self", NodeID: row.SubjectID, Name: row.Name},
		State: c.State, OK: &ok, Reason: c.Reason, At: c.CheckedAt, Stale: c.State == verdict.Unknown,
	}
	switch c.State {
	case verdict.Degraded:
		e.State = verdict.Down
	case verdict.Unknown:
		e.OK = nil
	}
	return e
}

func (v *Views) evidence(ctx context.Context, kind, id string) ([]Evidence, error) {
	var rows []evidenceRow
	err := v.db.In(ctx).NewRaw(`select c.id, c.type, c.target, c.server_name, c.node_id, c.interval_s, w.vantage, w.state,
			w.ok, w.reason, w.error, w.latency_ms, w.failures, w.at, w.since, w.cert_expires_at
		from health_checks c join health_watches w on w.check_id = c.id where c.kind = ? and c.subject_id = ?
		order by c.type, c.target, c.id, w.vantage`, kind, id).Scan(ctx, &rows)
	if err != nil {
		return nil, database.Fault(fmt.Errorf("read the evidence of a subject: %w", err), nil)
	}
	called, err := v.nodeNames(ctx, rows)
	if err != nil {
		return nil, err
	}
	now, out := v.clock.Now(), make([]Evidence, len(rows))
	for i, r := range rows {
		at := r.At
		e := Evidence{
			CheckID: r.ID, Check: r.Type, Target: r.Target, ServerName: r.ServerName, Vantage: r.from(called),
			State: r.State, OK: r.OK, Reason: r.Reason, Error: r.Error, LatencyMs: r.LatencyMs, Failures: r.Failures,
			At: utc(at), Since: utc(r.Since), CertExpiresAt: utc(r.CertExpiresAt),
		}
		e.Stale = at == nil || !verdict.Fresh(*at, now, time.Duration(r.IntervalS)*time.Second)
		out[i] = e
	}
	return out, nil
}

func (r *evidenceRow) from(called map[string]string) Vantage {
	switch r.Vantage {
	case place.Panel:
		return Vantage{Kind: "panel"}
	case r.NodeID:
		return Vantage{Kind: "self", NodeID: r.Vantage, Name: called[r.Vantage]}
	}
	return Vantage{Kind: "agent", NodeID: r.Vantage, Name: called[r.Vantage]}
}

func (v *Views) nodeNames(ctx context.Context, rows []evidenceRow) (map[string]string, error) {
	ids := make([]string, len(rows))
	for i, r := range rows {
		ids[i] = r.Vantage
	}
	var known []struct{ SubjectID, Name string }
	err := v.db.In(ctx).NewRaw("select subject_id, name from health_states where kind = ? and subject_id = any(?::uuid[])",
		healthapi.Node, pgdialect.Array(ids)).Scan(ctx, &known)
	out := map[string]string{}
	for _, one := range known {
		out[one.SubjectID] = one.Name
	}
	return out, database.Fault(err, nil)
}

// Summary says how the whole does.
func (v *Views) Summary(ctx context.Context) (out Summary, err error) {
	var rows []struct {
		Kind, State string
		Maintenance bool
		N           int
		CheckedAt   *time.Time
	}
	err = v.db.In(ctx).NewRaw(`select kind, state, maintenance, count(*) as n, max(checked_at) as checked_at
		from health_states group by 1, 2, 3`).Scan(ctx, &rows)
	if err != nil {
		return out, database.Fault(fmt.Errorf("count the health of subjects: %w", err), nil)
	}
	for _, r := range rows {
		counts := &out.Nodes
		if r.Kind == healthapi.Flow {
			counts = &out.ConnectionUnits
		}
		counts.add(r.State, r.Maintenance, r.N)
		if r.CheckedAt != nil && (out.CheckedAt == nil || r.CheckedAt.After(*out.CheckedAt)) {
			out.CheckedAt = utc(r.CheckedAt)
		}
	}
	out.LateS = v.looks.Late().Seconds()
	err = v.db.In(ctx).NewRaw(`select cut_off, able, lacking, (select count(*) from health_checks),
			(select count(*) from health_watches) from health_progress`).
		Scan(ctx, &out.PanelCutOff, &out.Watchers.Able, &out.Watchers.Lacking, &out.Watchers.Checks,
			&out.Watchers.Pairs)
	if err != nil {
		return out, database.Fault(fmt.Errorf("count the checks: %w", err), nil)
	}
	return out, nil
}

func (c *Counts) add(state string, maintenance bool, n int) {
	c.Total += n
	switch state {
	case verdict.Up:
		c.Up += n
	case verdict.Degraded:
		c.Degraded += n
	case verdict.Down:
		c.Down += n
	default:
		c.Unknown += n
	}
	if maintenance {
		c.Maintenance += n
	}
}

// FlowStates gives the states of flows as the flows' module calls them. What is unknown is left out: their nodes' own
// reports say more.
func (v *Views) FlowStates(ctx context.Context, flowIDs []string) (map[string]string, error) {
	ids := database.OnlyIDs(flowIDs)
	if len(ids) == 0 {
		return nil, nil
	}
	var rows []struct{ SubjectID, State string }
	args := new(database.Arguments)
	err := database.Read(ctx, v.db, &rows, v.db.NewSelect().TableExpr("health_states").
		ColumnExpr("subject_id, state").
		Where("kind = ? and state <> ?", healthapi.Flow, verdict.Unknown).
		Where("subject_id = ?", args.AnyOf(ids)), args)
	out := map[string]string{}
	for _, r := range rows {
		out[r.SubjectID] = r.State
		if r.State == verdict.Up {
			out[r.SubjectID] = "healthy"
		}
	}
	return out, database.Fault(err, nil)
}
