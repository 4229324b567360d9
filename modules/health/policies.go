package health

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/uptrace/bun"

	"panel/modules/flows/flowsapi"
	"panel/modules/health/healthapi"
	"panel/modules/health/internal/rules"
	"panel/modules/nodes/nodesapi"
	"panel/modules/pools/poolsapi"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/fault"
	"panel/platform/httpapi"
	"panel/platform/jobs"
	"panel/platform/keyset"
	"panel/platform/names"
)

// policyRow is a policy as the table keeps it; without content it says what rules.Default does.
type policyRow struct {
	bun.BaseModel `bun:"table:health_policies,alias:p"`

	ID        string        `bun:"id,pk,type:uuid"`
	Name      string        `bun:"name"`
	NameKey   string        `bun:"name_key"`
	Default   bool          `bun:"is_default"`
	Enabled   bool          `bun:"enabled"`
	Content   *rules.Policy `bun:"content,type:jsonb"`
	Revision  int64         `bun:"revision"`
	CreatedAt time.Time     `bun:"created_at"`
	UpdatedAt time.Time     `bun:"updated_at"`
	Nodes     int           `bun:"nodes,scanonly"`
	Flows     int           `bun:"flows,scanonly"`
	ScopeName string        `bun:"scope_name,scanonly"`
	SortKey   string        `bun:"sort_key,scanonly"`
}

func (r *policyRow) policy() rules.Policy {
	if r.Content == nil {
		return rules.Default()
	}
	return r.Content.Filled()
}

func (r *policyRow) object() audit.Object { return audit.Object{Type: object, ID: r.ID, Name: r.Name} }

func (r *policyRow) shown() Policy {
	return Policy{
		ID: r.ID, Name: r.Name, Default: r.Default, Enabled: r.Enabled, Policy: r.policy(), ScopeName: r.ScopeName,
		Nodes: r.Nodes, ConnectionUnits: r.Flows, Revision: r.Revision, CreatedAt: r.CreatedAt.UTC(),
		UpdatedAt: r.UpdatedAt.UTC(),
	}
}

// policies are the rules about health policies: each change, its line in the journal, its event and the placing that
// follows from it commit together.
type policies struct {
	db      *database.DB
	fleet   nodesapi.Fleet
	flows   flowsapi.Flows
	pools   poolsapi.Directory
	journal audit.Journal
	bus     *events.Bus
	queue   *jobs.Enqueuer
	clock   clockwork.Clock
}

func newPolicies(
	db *database.DB, fleet nodesapi.Fleet, flows flowsapi.Flows, pools poolsapi.Directory, j audit.Journal,
	b *events.Bus, q *jobs.Enqueuer, c clockwork.Clock,
) *policies {
	return &policies{db, fleet, flows, pools, j, b, q, c}
}

var constraints = map[string]*fault.Fault{
	"health_policies_name": fault.Conflict("name_taken", "another health policy has this name").
		Field("name", "name_taken", "choose another name"),
}

var errDefault = fault.Conflict("default_policy",
	"this policy speaks of all that no other speaks of: it stays, stays on, and its scope stays")

var policyOrders = map[string]keyset.Order{
	"name":       {Expression: `p.name_key collate "C"`, Kind: httpapi.CursorText},
	"created_at": {Expression: "p.created_at", Kind: httpapi.CursorMoment},
}

// counted adds how many subjects a policy speaks of, and the name of the one that its scope names.
const counted = `(select count(*) from health_states s where s.policy_id = p.id and s.kind = 'node') as nodes,
	(select count(*) from health_states s where s.policy_id = p.id and s.kind = 'connection_unit') as flows,
	coalesce((select s.name from health_states s where s.kind = p.content #>> '{scope,kind}'
		and s.subject_id::text = p.content #>> '{scope,id}'), '') as scope_name`

func (p *policies) page(
	ctx context.Context, query httpapi.PageQuery, part string,
) (page httpapi.Page[Policy], err error) {
	k, err := keyset.New(query, "p.id", "name", policyOrders)
	if err != nil {
		return page, err
	}
	const named = "strpos(p.name_key, ?) > 0"
	var rows []policyRow
	q := p.db.In(ctx).NewSelect().Model(&rows).ColumnExpr("p.*").ColumnExpr(counted).Where(named, names.SearchKey(part))
	if err := k.Apply(q, nil).Scan(ctx); err != nil {
		return page, database.Fault(fmt.Errorf("list health policies: %w", err), nil)
	}
	if err := p.namePools(ctx, rows); err != nil {
		return page, err
	}
	total, err := p.db.In(ctx).NewSelect().Model((*policyRow)(nil)).Where(named, names.SearchKey(part)).Count(ctx)
	if err != nil {
		return page, database.Fault(fmt.Errorf("count health policies: %w", err), nil)
	}
	last := func(r *policyRow) (sortKey, id string) { return r.SortKey, r.ID }
	return keyset.Page(k, rows, int(total), (*policyRow).shown, last), nil
}

// get gives one policy. Fault: not_found (404).
func (p *policies) get(ctx context.Context, id string) (Policy, error) {
	row, err := p.row(ctx, id, false)
	if err != nil {
		return Policy{}, err
	}
	rows := []policyRow{row}
	err = p.namePools(ctx, rows)
	return rows[0].shown(), err
}

// namePools puts in how the pools are called that policies speak of.
func (p *policies) namePools(ctx context.Context, rows []policyRow) error {
	var ids []string
	for i := range rows {
		if scope := rows[i].policy().Scope; scope.Kind == rules.Pool {
			ids = append(ids, scope.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	pools, err := p.pools.Pools(ctx, ids...)
	if err != nil {
		return fmt.Errorf("read the pools that health policies speak of: %w", err)
	}
	for _, pool := range pools {
		for i := range rows {
			if rows[i].policy().Scope.ID == pool.ID {
				rows[i].ScopeName = pool.Name
			}
		}
	}
	return nil
}

func (p *policies) row(ctx context.Context, id string, lock bool) (row policyRow, err error) {
	if !database.IsID(id) {
		return row, fault.Missing(fault.NoSuchThing)
	}
	q := p.db.In(ctx).NewSelect().Model(&row).ColumnExpr("p.*").ColumnExpr(counted).Where("p.id = ?", id)
	if lock {
		q = q.For("update of p")
	}
	return row, database.Fault(q.Scan(ctx), nil)
}

// create stores a policy; what is not said is as in the default one. Faults: name_taken (409), invalid_value (422).
func (p *policies) create(ctx context.Context, in NewPolicy) (id string, err error) {
	now := p.now()
	row := policyRow{
		ID: database.NewID(), Name: in.Name, Enabled: in.Enabled == nil || *in.Enabled, Revision: 1, CreatedAt: now,
		UpdatedAt: now,
	}
	err = p.db.InTx(ctx, func(ctx context.Context) error {
		var base policyRow
		if err := p.db.In(ctx).NewSelect().Model(&base).Where("p.is_default").Scan(ctx); err != nil {
			return database.Fault(err, nil)
		}
		content := in.PolicyParts.over(base.policy())
		content.Scope = in.Scope
		if err := p.settle(ctx, &row, content); err != nil {
			return err
		}
		if _, err := p.db.In(ctx).NewInsert().Model(&row).Exec(ctx); err != nil {
			return database.Fault(err, constraints)
		}
		return p.publish(ctx, healthapi.EventPolicyCreated, &row, nil)
	})
	return row.ID, err
}

// settle checks the content of a policy and puts it into its row.
func (p *policies) settle(ctx context.Context, row *policyRow, content rules.Policy) error {
	content = content.Filled()
	if err := content.Valid(); err != nil {
		return err
	}
	if row.Name = strings.TrimSpace(row.Name); row.Name == "" {
		return fault.InvalidValue("name", "must not be empty")
	}
	row.NameKey, row.Content = names.SearchKey(row.Name), &content
	return p.there(ctx, content.Scope)
}

// there refuses a scope whose node, flow or pool is not there. Fault: invalid_value (422).
func (p *policies) there(ctx context.Context, scope rules.Scope) error {
	var err error
	switch scope.Kind {
	case rules.Node:
		_, err = p.fleet.Node(ctx, scope.ID)
	case rules.Flow:
		_, err = p.flows.Flow(ctx, scope.ID)
	case rules.Pool:
		var found []poolsapi.Pool
		if found, err = p.pools.Pools(ctx, scope.ID); err == nil && len(found) == 0 {
			return fault.InvalidValue("scope.id", "there is no such pool")
		}
	}
	if errors.Is(err, nodesapi.ErrUnknown) || errors.Is(err, flowsapi.ErrUnknown) {
		return fault.InvalidValue("scope.id", "there is no such node or flow")
	}
	return err
}

// change alters what is given. Faults: not_found (404), revision_conflict, name_taken, default_policy (409),
// invalid_value (422).
func (p *policies) change(ctx context.Context, id string, revision int64, to PolicyChange) error {
	return p.db.InTx(ctx, func(ctx context.Context) error {
		row, err := p.row(ctx, id, true)
		if err != nil {
			return err
		}
		if row.Revision != revision {
			return httpapi.ErrRevision
		}
		before := row
		if row.Default && (to.Enabled != nil && !*to.Enabled || to.Scope != nil && to.Scope.Kind != rules.All) {
			return errDefault
		}
		content := to.PolicyParts.over(row.policy())
		if to.Scope != nil {
			content.Scope = *to.Scope
		}
		set(&row.Name, to.Name)
		set(&row.Enabled, to.Enabled)
		if err := p.settle(ctx, &row, content); err != nil {
			return err
		}
		row.Revision, row.UpdatedAt = row.Revision+1, p.now()
		_, err = p.db.In(ctx).NewUpdate().Model(&row).Column("name", "name_key", "enabled", "content", "revision",
			"updated_at").WherePK().Exec(ctx)
		if err != nil {
			return database.Fault(err, constraints)
		}
		return p.publish(ctx, healthapi.EventPolicyUpdated, &row, differences(&before, &row))
	})
}

func set[T any](at *T, to *T) {
	if to != nil {
		*at = *to
	}
}

// over gives the policy with the parts that are said.
func (c PolicyParts) over(p rules.Policy) rules.Policy {
	set(&p.Checks, c.Checks)
	set(&p.Vantages, c.Vantages)
	set(&p.Quorum, c.Quorum)
	set(&p.FailureThreshold, c.FailureThreshold)
	set(&p.SuccessThreshold, c.SuccessThreshold)
	set(&p.Recheck, c.Recheck)
	set(&p.Flap, c.Flap)
	set(&p.Repair, c.Repair)
	set(&p.Windows, c.Windows)
	return p
}

// differences are the parts of a policy that a change alters, for the journal.
func differences(before, after *policyRow) map[string]audit.Change {
	a, b := before.policy(), after.policy()
	out := map[string]audit.Change{}
	for field, pair := range map[string][2]any{
		"name": {before.Name, after.Name}, "enabled": {before.Enabled, after.Enabled}, "scope": {a.Scope, b.Scope},
		"checks": {a.Checks, b.Checks}, "vantages": {a.Vantages, b.Vantages}, "quorum": {a.Quorum, b.Quorum},
		"failure_threshold": {a.FailureThreshold, b.FailureThreshold},
		"success_threshold": {a.SuccessThreshold, b.SuccessThreshold}, "recheck": {a.Recheck, b.Recheck},
		"flap": {a.Flap, b.Flap}, "repair": {a.Repair, b.Repair}, "maintenance_windows": {a.Windows, b.Windows},
	} {
		if !reflect.DeepEqual(pair[0], pair[1]) {
			out[field] = audit.Change{From: pair[0], To: pair[1]}
		}
	}
	return out
}

// remove deletes a policy; its subjects fall to the next wider one. Faults: not_found (404), default_policy (409).
func (p *policies) remove(ctx context.Context, id string) error {
	return p.db.InTx(ctx, func(ctx context.Context) error {
		row, err := p.row(ctx, id, true)
		if err != nil {
			return err
		}
		if row.Default {
			return errDefault
		}
		if _, err := p.db.In(ctx).NewDelete().Model(&row).WherePK().Exec(ctx); err != nil {
			return database.Fault(err, nil)
		}
		return p.publish(ctx, healthapi.EventPolicyDeleted, &row, nil)
	})
}

// publish writes the journal's line, emits the event of the same name and has the checks placed anew.
func (p *policies) publish(ctx context.Context, kind string, row *policyRow, changes map[string]audit.Change) error {
	recorded := p.journal.Record(ctx, p.db.In(ctx), audit.Entry{Action: kind, Object: row.object(), Changes: changes})
	emitted := p.bus.Emit(ctx, events.Event{
		Kind: kind, SubjectID: row.ID, At: p.now(), Data: healthapi.PolicyNews{Name: row.Name},
	})
	placed := p.queue.Insert(ctx, placeArgs{}, jobs.Opts{})
	if err := errors.Join(recorded, emitted, placed); err != nil {
		return fmt.Errorf("publish what happened to a health policy: %w", err)
	}
	return nil
}

func (p *policies) now() time.Time { return p.clock.Now().UTC() }
