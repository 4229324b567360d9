package domains

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jonboulle/clockwork"
	"github.com/uptrace/bun"

	"panel/modules/domains/domainsapi"
	"panel/modules/nodes/nodesapi"
	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/fault"
	"panel/platform/httpapi"
	"panel/platform/keyset"
	"panel/platform/owners"
)

// domains stores which host names belong to which nodes and to whom. Somebody else's binding is answered exactly like
// one that does not exist; full access sees and changes all of them. A flow may name its owner's bindings alone,
// whoever draws it. It is domainsapi.Domains.
type domains struct {
	db       *database.DB
	journal  audit.Journal
	clock    clockwork.Clock
	accounts owners.Accounts
	fleet    nodesapi.Fleet
	states   *states
	bus      *events.Bus
}

func newDomains(
	db *database.DB, j audit.Journal, clock clockwork.Clock, a owners.Accounts, f nodesapi.Fleet, st *states,
	bus *events.Bus,
) *domains {
	return &domains{db: db, journal: j, clock: clock, accounts: a, fleet: f, states: st, bus: bus}
}

// publish writes the journal's line and emits the event of the same name, in the transaction of the change.
func (s *domains) publish(ctx context.Context, kind string, row *domainRow, changes map[string]audit.Change) error {
	entry := audit.Entry{Action: kind, Object: row.object(), Changes: changes}
	return errors.Join(
		s.journal.Record(ctx, s.db.In(ctx), entry),
		s.bus.Emit(ctx, events.Event{Kind: kind, SubjectID: row.ID, At: s.clock.Now().UTC()}),
	)
}

var domainConstraints = map[string]*fault.Fault{
	"node_domains_hostname":     fault.Conflict("domain_conflict", "this host name is already bound to a node"),
	"node_domains_node_id_fkey": fault.InvalidValue("node_id", "there is no such node"),
	"node_domain_uses_domain_id_fkey": fault.Conflict("domain_conflict",
		"a flow uses this domain; change the flow first"),
}

// seen narrows a query down to what the caller may know of.
func seen[Q interface{ Where(string, ...any) Q }](ctx context.Context, q Q) Q {
	return seenBy(ctx, q, nil)
}

// seenBy is seen for a query that takes arguments.
func seenBy[Q interface{ Where(string, ...any) Q }](ctx context.Context, q Q, args *database.Arguments) Q {
	if caller := access.From(ctx); !caller.Permissions.Has(access.All) {
		return q.Where("d.owner_id = ?", args.Add(caller.AccountID))
	}
	return q
}

const ownColumns = `d.id, d.node_id, d.zone_id, d.zone, d.label, d.hostname, d.mode, d.ttl, d.cdn_integration_id, d.owner_id,
	d.created_at, d.updated_at, d.revision, d.moving_to, d.moved_from`

// read gives chosen bindings with their uses and states in one statement. The choice comes first: all else is asked of
// its bindings alone.
func (s *domains) read(
	ctx context.Context, choice *bun.SelectQuery, order string, args *database.Arguments,
) (rows []domainRow, err error) {
	q := s.db.NewSelect().With("p", choice.ColumnExpr(ownColumns)).TableExpr("p as d").ColumnExpr("d.*").
		ColumnExpr("array(select u.flow_id::text from node_domain_uses u where u.domain_id = d.id order by 1) as used_by").
		OrderExpr(order)
	err = database.Read(ctx, s.db, &rows, s.states.ask(q), args)
	return rows, database.Fault(err, nil)
}

// filter narrows the list down to what is asked for and what the caller sees.
func (in *listInput) filter(ctx context.Context, q *bun.SelectQuery, args *database.Arguments) *bun.SelectQuery {
	if in.NodeID != "" {
		q = q.Where("d.node_id = ?", args.Add(in.NodeID))
	}
	if in.Owner != "" {
		q = q.Where("d.owner_id = ?", args.Add(in.Owner))
	}
	if in.Query != "" {
		q = q.Where("strpos(d.hostname, ?) > 0", args.Add(strings.ToLower(in.Query)))
	}
	return seenBy(ctx, q, args)
}

// page lists bindings in the order of a keyset.
func (s *domains) page(ctx context.Context, in *listInput, k *keyset.Keyset) (httpapi.Page[Domain], error) {
	page := httpapi.Page[Domain]{Items: []Domain{}}
	if in.NodeID != "" && !database.IsID(in.NodeID) || in.Owner != "" && !database.IsID(in.Owner) {
		return page, nil
	}
	args, db := new(database.Arguments), s.db.In(ctx)
	matching := in.filter(ctx, db.NewSelect().TableExpr("node_domains as d").ColumnExpr("count(*)"), args)
	choice := in.filter(ctx, db.NewSelect().TableExpr("node_domains as d").ColumnExpr("(?) as total", matching), args)
	rows, err := s.read(ctx, k.Apply(choice, args), k.Sorted(), args)
	if err != nil {
		return page, err
	}
	total, err := s.total(ctx, in, rows)
	if err != nil {
		return page, err
	}
	now, wrong := s.clock.Now(), []error{}
	item := func(row *domainRow) Domain {
		d, err := s.states.shown(row, now)
		wrong = append(wrong, err)
		return d
	}
	page = keyset.Page(k, rows, total, item, func(row *domainRow) (string, string) { return row.SortKey, row.ID })
	return page, errors.Join(wrong...)
}

// total is how many bindings match. Each row of a page knows it; a page without any may be beyond the last.
func (s *domains) total(ctx context.Context, in *listInput, rows []domainRow) (int, error) {
	if len(rows) > 0 {
		return rows[0].Total, nil
	}
	if in.Cursor == "" {
		return 0, nil
	}
	total, err := in.filter(ctx, s.db.In(ctx).NewSelect().TableExpr("node_domains as d"), nil).Count(ctx)
	return int(total), database.Fault(err, nil)
}

func (s *domains) get(ctx context.Context, id string) (*Domain, error) {
	if !database.IsID(id) {
		return nil, fault.Missing(fault.NoSuchThing)
	}
	args := new(database.Arguments)
	choice := s.db.In(ctx).NewSelect().TableExpr("node_domains as d").Where("d.id = ?", args.Add(id))
	rows, err := s.read(ctx, seenBy(ctx, choice, args), "d.id", args)
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, fault.Missing(fault.NoSuchThing)
	}
	shown, err := s.states.shown(&rows[0], s.clock.Now())
	return &shown, err
}

// create binds a host name. Faults: domain_conflict (409), invalid_value (422).
func (s *domains) create(ctx context.Context, in *createInput) (*Domain, error) {
	now := s.clock.Now().UTC()
	row := &domainRow{
		ID: database.NewID(), NodeID: in.Body.NodeID, ZoneID: in.Body.ZoneID, Zone: in.Body.Zone, Label: in.Body.Label,
		Mode: in.Body.Mode,
		TTL:  in.Body.TTL, OwnerID: access.From(ctx).AccountID, CreatedAt: now, UpdatedAt: now, Revision: 1,
	}
	err := s.db.WithTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if err := s.heir(ctx, &row.OwnerID); err != nil {
			return err
		}
		if err := s.derive(ctx, row); err != nil {
			return err
		}
		if err := s.through(ctx, row, in.Body.CDNID); err != nil {
			return err
		}
		if _, err := tx.NewInsert().Model(row).Exec(ctx); err != nil {
			return err
		}
		return s.publish(ctx, domainsapi.Created, row, map[string]audit.Change{
			"hostname": {To: row.Hostname}, "node_id": {To: row.NodeID}, "mode": {To: row.Mode},
		})
	})
	if err != nil {
		return nil, database.Fault(err, domainConstraints)
	}
	return s.get(ctx, row.ID)
}

// patch changes a binding that the caller sees. Handing it over needs full access; what the links of a flow depend on
// changes only while no flow names the binding.
// Faults: not_found (404), revision_conflict, domain_conflict (409), permission_denied (403), invalid_value (422).
func (s *domains) patch(ctx context.Context, in *patchInput, want int64) (*Domain, error) {
	if in.Body.OwnerID != nil && !access.From(ctx).Permissions.Has(access.All) {
		return nil, fault.Forbidden("permission_denied", "only full access hands a binding over").
			With("required", []string{string(access.All)})
	}
	if _, err := s.get(ctx, in.ID); err != nil {
		return nil, err
	}
	err := s.db.WithTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if err := s.heir(ctx, in.Body.OwnerID); err != nil {
			return err
		}
		row := new(domainRow)
		if err := seen(ctx, tx.NewSelect().Model(row)).Where("d.id = ?", in.ID).For("UPDATE OF d").
			Scan(ctx); err != nil {
			return err
		}
		if row.Revision != want {
			return httpapi.ErrRevision
		}
		return s.save(ctx, tx, row, in)
	})
	if err != nil {
		return nil, database.Fault(err, domainConstraints)
	}
	return s.get(ctx, in.ID)
}

// heir makes sure that a new owner exists. It is asked before the binding is locked, in the order of the deletion of an
// account. Fault: invalid_value (422).
func (s *domains) heir(ctx context.Context, accountID *string) error {
	if accountID == nil {
		return nil
	}
	err := s.accounts.Hold(ctx, *accountID)
	if errors.Is(err, owners.ErrUnknown) {
		return fault.InvalidValue("owner_id", "there is no such account")
	}
	return err
}

func (s *domains) save(ctx context.Context, tx bun.Tx, row *domainRow, in *patchInput) error {
	before := *row
	if in.Body.NodeID != nil && *in.Body.NodeID != row.NodeID { // of no flow, which unused sees to
		row.MovingTo, row.MovedFrom = nil, nil
	}
	set(&row.NodeID, in.Body.NodeID)
	set(&row.Zone, in.Body.Zone)
	set(&row.Label, in.Body.Label)
	set(&row.Mode, in.Body.Mode)
	set(&row.TTL, in.Body.TTL)
	set(&row.OwnerID, in.Body.OwnerID)
	if err := s.derive(ctx, row); err != nil {
		return err
	}
	if err := s.rerouted(ctx, row, in.Body.CDNID); err != nil {
		return err
	}
	if err := s.unused(ctx, &before, row); err != nil {
		return err
	}
	row.Revision, row.UpdatedAt = row.Revision+1, s.clock.Now().UTC()
	if _, err := tx.NewUpdate().Model(row).WherePK().Exec(ctx); err != nil {
		return err
	}
	return s.publish(ctx, domainsapi.Updated, row, map[string]audit.Change{
		"hostname": {From: before.Hostname, To: row.Hostname}, "node_id": {From: before.NodeID, To: row.NodeID},
		"mode": {From: before.Mode, To: row.Mode}, "owner_id": {From: before.OwnerID, To: row.OwnerID},
	})
}

// rerouted takes another account at a CDN for a binding. One that is not of the mode cdn any more has none.
func (s *domains) rerouted(ctx context.Context, row *domainRow, wanted *string) error {
	switch {
	case wanted != nil:
		return s.through(ctx, row, *wanted)
	case row.Mode != modeCDN:
		row.CDNID = nil
	}
	return nil
}

// through sets the account at a CDN that a binding leads through; empty for none. Fault: invalid_value (422).
func (s *domains) through(ctx context.Context, row *domainRow, integrationID string) error {
	row.CDNID = nil
	switch {
	case integrationID == "":
		return nil
	case row.Mode != modeCDN:
		return fault.InvalidValue("cdn_integration_id", "goes with the mode cdn alone")
	}
	is := false
	if database.IsID(integrationID) {
		var err error
		if is, err = s.states.isCDN(ctx, integrationID); err != nil {
			return fmt.Errorf("look for the CDN of a binding: %w", err)
		}
	}
	if !is {
		return fault.InvalidValue("cdn_integration_id", "must be the id of an integration with a CDN")
	}
	row.CDNID = &integrationID
	return nil
}

// delete removes a binding that no flow uses. Faults: not_found (404), domain_conflict (409).
func (s *domains) delete(ctx context.Context, id string) error {
	err := s.db.WithTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		row := new(domainRow)
		err := seen(ctx, tx.NewDelete().Model(row)).Where("d.id = ?", id).Returning("*").Scan(ctx)
		if err != nil {
			return err
		}
		return s.publish(ctx, domainsapi.Deleted, row, nil)
	})
	return database.Fault(err, domainConstraints)
}

func set[T any](field *T, wanted *T) {
	if wanted != nil {
		*field = *wanted
	}
}
