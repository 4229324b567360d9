package incidents

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/health/healthapi"
	"panel/modules/health/internal/place"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/httpapi"
	"panel/platform/keyset"
)

// Incident is an incident as lists tell it.
type Incident struct {
	ID              string     `json:"id" format:"uuid"`
	Kind            string     `json:"kind" enum:"node,connection_unit" doc:"Of the subject that it is told of by"`
	SubjectID       string     `json:"subject_id" format:"uuid"`
	SubjectName     string     `json:"subject_name"`
	Severity        string     `json:"severity" enum:"info,warning,critical" doc:"The worst so far: critical when somebody is down"`
	State           string     `json:"state" enum:"open,acknowledged,mitigated,resolved" doc:"mitigated: nobody suffers any more, and it has to stay so for a minute, or self-repair led traffic around who does"`
	Hint            string     `json:"root_cause_hint" enum:",unreachable,route,agent,core_failed,blocked_region,overload,ddos,cert,dns" doc:"The likely cause, as far as the evidence says; empty: nothing to say"`
	Cause           *Cause     `json:"cause,omitempty" doc:"What those who suffer have in common; absent: it is about one alone"`
	Nodes           int        `json:"nodes" doc:"Nodes that suffer, or did"`
	ConnectionUnits int        `json:"connection_units" doc:"Flows that suffer, or did"`
	Suffering       int        `json:"suffering" doc:"Of all these, those that still do"`
	SufferingIDs    []string   `json:"suffering_ids" doc:"Nodes and flows that still do, when asked for; the first 500 who joined"`
	BeganAt         time.Time  `json:"began_at" doc:"When the first failure was seen"`
	OpenedAt        time.Time  `json:"opened_at" doc:"When that was certain"`
	AcknowledgedAt  *time.Time `json:"acknowledged_at"`
	AcknowledgedBy  string     `json:"acknowledged_by"`
	MitigatedAt     *time.Time `json:"mitigated_at"`
	ResolvedAt      *time.Time `json:"resolved_at"`
	ResolvedBy      string     `json:"resolved_by" doc:"Empty: it has ended by itself"`
	Reopened        int        `json:"reopened" doc:"How often it has come back"`
}

// Cause is what several have in common.
type Cause struct {
	Kind string `json:"kind" enum:"node,provider,tag,country"`
	Name string `json:"name"`
}

// Detail is an incident with all that happened in it.
type Detail struct {
	Incident
	Subjects []Sufferer `json:"subjects" doc:"In the order in which they joined, at most 500"`
	Entries  []Entry    `json:"entries" doc:"What happened, oldest first, at most the first and the last 250"`
}

// Sufferer is one who suffers from an incident, or did.
type Sufferer struct {
	Kind     string     `json:"kind" enum:"node,connection_unit"`
	ID       string     `json:"id" format:"uuid"`
	Name     string     `json:"name"`
	State    string     `json:"state" enum:"up,degraded,down,unknown" doc:"While it suffered"`
	Reason   string     `json:"reason"`
	Hint     string     `json:"hint"`
	Since    time.Time  `json:"since" doc:"When it joined"`
	LeftAt   *time.Time `json:"left_at" doc:"When it got well; null: it has not"`
	Evidence []Witness  `json:"evidence" doc:"What was seen when it joined"`
}

// Witness is what one vantage saw of one check.
type Witness struct {
	Seen
	VantageKind string `json:"vantage_kind" enum:"panel,agent,self"`
	VantageName string `json:"vantage_name" doc:"Of the node; empty for the panel"`
}

// Entry is one thing that happened.
type Entry struct {
	At     time.Time `json:"at"`
	What   string    `json:"what" enum:"opened,reopened,joined,worse,better,changed,left,rests,gone,moved,acknowledged,mitigated,relapsed,resolved"`
	Kind   string    `json:"kind" enum:",node,connection_unit" doc:"Of the subject; empty: it is about the incident"`
	ID     string    `json:"id,omitempty" format:"uuid" doc:"Of the subject"`
	Name   string    `json:"name"`
	State  string    `json:"state"`
	Reason string    `json:"reason"`
	Hint   string    `json:"hint"`
	Actor  string    `json:"actor" doc:"Who did it; empty: the panel"`
	Note   string    `json:"note"`
}

// Filter chooses the incidents of a page.
type Filter struct {
	httpapi.PageQuery
	State     string // or unresolved; empty: all
	Severity  string
	Kind      string
	SubjectID string
	// SufferingIDs asks who still suffers from each.
	SufferingIDs bool
}

// Unresolved as a state of the filter takes all that are not over.
const Unresolved = "unresolved"

var orders = map[string]keyset.Order{
	"opened_at": {Expression: "i.opened_at", Kind: httpapi.CursorMoment},
	"severity": {
		Expression: "array_position(array['info', 'warning', 'critical'], i.severity)", Kind: httpapi.CursorNumber,
	},
}

const counted = `(select count(*) from health_incident_subjects m where m.incident_id = i.id and m.kind = 'node') as nodes,
	(select count(*) from health_incident_subjects m where m.incident_id = i.id and m.kind = 'connection_unit') as flows,
	(select count(*) from health_incident_subjects m where m.incident_id = i.id and m.left_at is null) as suffering`

// sufferingIDs takes whom an incident is about, up to a number.
const sufferingIDs = `array(select m.subject_id from health_incident_subjects m where m.incident_id = i.id
	and m.left_at is null order by m.joined_at, m.subject_id limit ?) as suffering_ids`

// Page lists incidents, the newest first.
func (i *Incidents) Page(ctx context.Context, f Filter) (page httpapi.Page[Incident], err error) {
	k, err := keyset.New(f.PageQuery, "i.id", "-opened_at", orders)
	if err != nil {
		return page, err
	}
	var rows []incidentRow
	q := f.chosen(i.db.In(ctx).NewSelect().Model(&rows).ColumnExpr("i.*").ColumnExpr(counted))
	if f.SufferingIDs {
		q = q.ColumnExpr(sufferingIDs, mostSufferers)
	}
	if err := k.Apply(q, nil).Scan(ctx); err != nil {
		return page, database.Fault(fmt.Errorf("list incidents: %w", err), nil)
	}
	total, err := f.chosen(i.db.In(ctx).NewSelect().Model((*incidentRow)(nil))).Count(ctx)
	if err != nil {
		return page, database.Fault(fmt.Errorf("count incidents: %w", err), nil)
	}
	if err := i.nameCauses(ctx, rows); err != nil {
		return page, err
	}
	last := func(r *incidentRow) (sortKey, id string) { return r.SortKey, r.ID }
	return keyset.Page(k, rows, int(total), (*incidentRow).shown, last), nil
}

func (f *Filter) chosen(q *bun.SelectQuery) *bun.SelectQuery {
	switch f.State {
	case "":
	case Unresolved:
		q = q.Where("i.state <> ?", Resolved)
	default:
		q = q.Where("i.state = ?", f.State)
	}
	if f.Severity != "" {
		q = q.Where("i.severity = ?", f.Severity)
	}
	if f.Kind != "" {
		q = q.Where("i.kind = ?", f.Kind)
	}
	if f.SubjectID != "" {
		ids := database.OnlyIDs([]string{f.SubjectID})
		if len(ids) == 0 {
			return q.Where("false")
		}
		q = q.Where("exists (select from health_incident_subjects m where m.incident_id = i.id and m.subject_id = ?)", ids[0])
	}
	return q
}

func (i *incidentRow) shown() Incident {
	out := Incident{
		ID: i.ID, Kind: i.Kind, SubjectID: i.SubjectID, SubjectName: i.Name, Severity: i.Severity, State: i.State,
		Hint: i.Hint, Nodes: i.Nodes, ConnectionUnits: i.Flows, Suffering: i.Suffering, BeganAt: i.BeganAt.UTC(),
		OpenedAt: i.OpenedAt.UTC(), AcknowledgedAt: utc(i.AcknowledgedAt), AcknowledgedBy: i.AcknowledgedBy,
		MitigatedAt: utc(i.MitigatedAt), ResolvedAt: utc(i.ResolvedAt), ResolvedBy: i.ResolvedBy, Reopened: i.Reopened,
		SufferingIDs: append([]string{}, i.SufferingIDs...),
	}
	if kind, _ := likeliest(i.Causes); kind != "" && i.CauseName != "" {
		out.Cause = &Cause{Kind: kind, Name: i.CauseName}
	}
	return out
}

func utc(at *time.Time) *time.Time {
	if at == nil {
		return nil
	}
	out := at.UTC()
	return &out
}

// nameCauses gives incidents that several suffer from the name of what these have in common.
func (i *Incidents) nameCauses(ctx context.Context, rows []incidentRow) error {
	ids := map[string]bool{}
	for at := range rows {
		row := &rows[at]
		kind, name := likeliest(row.Causes)
		if row.Nodes+row.Flows < 2 { //nolint:mnd // several
			continue
		}
		if row.CauseName = name; kind == causeNode {
			ids[name] = true
		}
	}
	called, err := i.called(ctx, ids)
	for at := range rows {
		if kind, id := likeliest(rows[at].Causes); kind == causeNode {
			rows[at].CauseName = called[id]
		}
	}
	return err
}

// Detail gives one incident. Fault: not_found (404).
func (i *Incidents) Detail(ctx context.Context, id string) (out Detail, err error) {
	if !database.IsID(id) {
		return out, fault.Missing(fault.NoSuchThing)
	}
	rows := make([]incidentRow, 1)
	err = i.db.In(ctx).NewSelect().Model(&rows[0]).ColumnExpr("i.*").ColumnExpr(counted).Where("i.id = ?", id).Scan(ctx)
	if err != nil {
		return out, database.Fault(err, nil)
	}
	if err := i.nameCauses(ctx, rows); err != nil {
		return out, err
	}
	out = Detail{Incident: rows[0].shown(), Subjects: []Sufferer{}, Entries: []Entry{}}
	if out.Subjects, err = i.sufferers(ctx, id); err != nil {
		return out, err
	}
	out.Entries, err = i.history(ctx, id)
	return out, err
}

const mostSufferers = 500

func (i *Incidents) sufferers(ctx context.Context, id string) ([]Sufferer, error) {
	var rows []subjectRow
	err := i.db.In(ctx).NewSelect().Model(&rows).Where("m.incident_id = ?", id).
		OrderExpr("m.joined_at, m.kind desc, m.subject_id").Limit(mostSufferers).Scan(ctx)
	if err != nil {
		return nil, database.Fault(fmt.Errorf("read who suffers: %w", err), nil)
	}
	ids := map[string]bool{}
	for at := range rows {
		for _, seen := range rows[at].Evidence {
			ids[seen.Vantage] = true
		}
	}
	called, err := i.called(ctx, ids)
	if err != nil {
		return nil, err
	}
	out := make([]Sufferer, len(rows))
	for at := range rows {
		m := &rows[at]
		out[at] = Sufferer{
			Kind: m.Kind, ID: m.SubjectID, Name: m.Name, State: m.State, Reason: m.Reason, Hint: m.Hint,
			Since: m.JoinedAt.UTC(), LeftAt: utc(m.LeftAt), Evidence: []Witness{},
		}
		for _, seen := range m.Evidence {
			out[at].Evidence = append(out[at].Evidence, seen.by(m, called))
		}
	}
	return out, nil
}

func (s Seen) by(m *subjectRow, called map[string]string) Witness {
	kind := "agent"
	switch s.Vantage {
	case place.Panel:
		kind = "panel"
	case m.SubjectID:
		kind = "self"
	}
	s.At = utc(s.At)
	return Witness{Seen: s, VantageKind: kind, VantageName: called[s.Vantage]}
}

// called gives nodes their names.
func (i *Incidents) called(ctx context.Context, nodes map[string]bool) (map[string]string, error) {
	out, ids := map[string]string{}, make([]string, 0, len(nodes))
	for id := range nodes {
		ids = append(ids, id)
	}
	if ids = database.OnlyIDs(ids); len(ids) == 0 {
		return out, nil
	}
	var rows []struct{ SubjectID, Name string }
	err := i.db.In(ctx).NewRaw("select subject_id, name from health_states where kind = ? and subject_id = any(?::uuid[])",
		healthapi.Node, pgdialect.Array(ids)).Scan(ctx, &rows)
	for _, row := range rows {
		out[row.SubjectID] = row.Name
	}
	return out, database.Fault(err, nil)
}

// history gives the entries of an incident. Of very many the first and the last say most.
func (i *Incidents) history(ctx context.Context, id string) ([]Entry, error) {
	const each = 250
	var rows []entryRow
	err := i.db.In(ctx).NewRaw(`(select * from health_incident_entries where incident_id = ?0 order by id limit ?1)
		union (select * from health_incident_entries where incident_id = ?0 order by id desc limit ?1) order by id`, id, each).
		Scan(ctx, &rows)
	if err != nil {
		return nil, database.Fault(fmt.Errorf("read what happened in an incident: %w", err), nil)
	}
	out := make([]Entry, len(rows))
	for at, row := range rows {
		out[at] = Entry{
			At: row.At.UTC(), What: row.What, Kind: row.Kind, ID: row.SubjectID, Name: row.Name, State: row.State,
			Reason: row.Reason, Hint: row.Hint, Actor: row.Actor, Note: row.Note,
		}
	}
	return out, nil
}

// Counts gives how many incidents go on, by severity.
func Counts(ctx context.Context, db *database.DB) (map[string]float64, error) {
	out := map[string]float64{}
	for _, severity := range severities {
		out[severity] = 0
	}
	var rows []struct {
		Severity string
		N        float64
	}
	err := db.NewRaw(`select severity, count(*) as n from health_incidents where state in (?, ?) group by 1`, Open,
		Acknowledged).Scan(ctx, &rows)
	for _, row := range rows {
		out[row.Severity] = row.N
	}
	return out, database.Fault(err, nil)
}

// Detection gives the mean time from the first failure to the incident, in seconds, of those of the last 24 hours.
func Detection(ctx context.Context, db *database.DB) (seconds float64, err error) {
	err = db.NewRaw(`select coalesce(avg(extract(epoch from opened_at - began_at)), 0)::float8 from health_incidents
		where opened_at > now() - interval '24 hours'`).Scan(ctx, &seconds)
	return seconds, database.Fault(err, nil)
}
