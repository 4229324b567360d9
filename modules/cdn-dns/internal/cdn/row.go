package cdn

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/cdn-dns/internal/provider"
	"panel/modules/cdn-dns/internal/records"
	"panel/platform/audit"
	"panel/platform/database"
)

// Phases of a record.
const (
	phaseIntent  = "intent"  // the service is about to be asked for it
	phaseWritten = "written" // it is the panel's
	phaseFound   = "found"   // it stood there already; the panel leaves it where it is
)

// States of a resource.
const (
	StateProvisioning = "provisioning"
	StateReady        = "ready" // the network answers for the host name
)

// resource is one record at a network, as it is stored.
type resource struct {
	bun.BaseModel `bun:"table:cdn_resources,alias:c"`

	ID            string    `bun:"id,pk,type:uuid"`
	DomainID      string    `bun:"domain_id,type:uuid"`
	Hostname      string    `bun:"hostname"`
	Kind          string    `bun:"kind"`
	IntegrationID string    `bun:"integration_id,type:uuid"`
	ZoneID        string    `bun:"zone_id"`
	Zone          string    `bun:"zone"`
	Type          string    `bun:"type"`
	Value         string    `bun:"value"`
	ProviderID    string    `bun:"provider_id"`
	Phase         string    `bun:"phase"`
	State         string    `bun:"state"`
	ApplyID       string    `bun:"apply_id,type:uuid"`
	CreatedAt     time.Time `bun:"created_at"`
	UpdatedAt     time.Time `bun:"updated_at"`
	FlowIDs       []string  `bun:"flow_ids,array,scanonly"`
	SortKey       string    `bun:"sort_key,scanonly"`
}

func (r *resource) record() provider.Record {
	return provider.Record{
		ID: r.ProviderID, Name: provider.Canonical(r.Hostname), Type: r.Type, Value: r.Value,
		Proxied: r.Type != provider.TypeCNAME,
	}
}

func (r *resource) zone() provider.Zone { return provider.Zone{ID: r.ZoneID, Name: r.Zone} }

// of gives what was made for a binding.
func (e *Engine) of(ctx context.Context, domainIDs ...string) (rows []resource, err error) {
	err = e.DB.In(ctx).NewSelect().Model(&rows).Where("c.domain_id = any(?::uuid[])", pgdialect.Array(domainIDs)).
		Order("hostname", "type", "value").Scan(ctx)
	return rows, database.Fault(err, nil)
}

// begin notes a record before the service is asked for it, or one that stood there already. Applies that begin the same
// record at the same time get the same row.
func (e *Engine) begin(ctx context.Context, m making, r provider.Record, phase string) (*resource, error) {
	now, h := e.now(), m.holder
	row := &resource{
		ID: database.NewID(), DomainID: m.binding.ID, Hostname: r.Name, Kind: m.network,
		IntegrationID: h.IntegrationID, ZoneID: h.Zone.ID, Zone: h.Zone.Name, Type: r.Type, Value: r.Value,
		Phase: phase, ProviderID: r.ID, State: StateProvisioning, ApplyID: m.applyID, CreatedAt: now, UpdatedAt: now,
	}
	_, err := e.DB.In(ctx).NewInsert().Model(row).On("conflict (domain_id, type, value) do nothing").Exec(ctx)
	if err != nil {
		return nil, database.Fault(err, nil)
	}
	stored := new(resource)
	err = e.DB.In(ctx).NewSelect().Model(stored).
		Where("c.domain_id = ? and c.type = ? and c.value = ?", row.DomainID, row.Type, row.Value).Scan(ctx)
	return stored, database.Fault(err, nil)
}

// one tells whether a statement has changed its row.
func one(done sql.Result, err error) (bool, error) {
	if err != nil {
		return false, err
	}
	n, err := done.RowsAffected()
	return n > 0, err
}

// keep stores how far a record is. What was written is told in the journal, and that the network answers as an event;
// what another apply has stored meanwhile was told by it.
func (e *Engine) keep(ctx context.Context, row *resource, phase, state, providerID string) error {
	if row.Phase == phase && row.State == state {
		return nil
	}
	before := *row
	wrote, stands := row.Phase == phaseIntent && phase == phaseWritten, row.State != state && state == StateReady
	row.Phase, row.State, row.UpdatedAt = phase, state, e.now()
	if providerID != "" {
		row.ProviderID = providerID
	}
	return e.DB.InTx(ctx, func(ctx context.Context) error {
		stored, err := one(e.DB.In(ctx).NewUpdate().Model(row).Column("phase", "state", "provider_id", "updated_at").
			WherePK().Where("c.phase = ? and c.state = ?", before.Phase, before.State).Exec(ctx))
		if err == nil && !stored {
			return nil
		}
		if err == nil && wrote {
			err = e.journalRecord(ctx, records.ActionWritten, row)
		}
		if err == nil && stands && row.Type != provider.TypeCNAME { // else the whole front tells it
			err = e.emit(ctx, KindProvisioned, row.DomainID, Provisioned{row.Hostname, row.Kind})
		}
		return database.Fault(err, nil)
	})
}

func (e *Engine) journalRecord(ctx context.Context, action string, row *resource) error {
	return e.Journal.Record(ctx, e.DB.In(ctx), audit.Entry{
		Action: action, Object: audit.Object{Type: records.Object, ID: row.Hostname, Name: row.Hostname},
		Changes: map[string]audit.Change{"type": {To: row.Type}, "value": {To: row.Value}, "cdn": {To: row.Kind}},
	})
}

// use notes by which bindings a flow is reached through a network, in place of what was noted before.
func (e *Engine) use(ctx context.Context, flowID string, domainIDs []string) error {
	domainIDs = append([]string{}, domainIDs...) // none is an empty array, and not null
	return e.DB.InTx(ctx, func(ctx context.Context) error {
		_, err := e.DB.In(ctx).NewRaw("delete from cdn_uses where flow_id = ? and not domain_id = any(?::uuid[])", flowID,
			pgdialect.Array(domainIDs)).Exec(ctx)
		if err == nil {
			_, err = e.DB.In(ctx).NewRaw(`insert into cdn_uses (flow_id, domain_id) select ?, unnest(?::uuid[])
				on conflict do nothing`, flowID, pgdialect.Array(domainIDs)).Exec(ctx)
		}
		return database.Fault(err, nil)
	})
}

// users gives how many flows use a binding, but for one flow.
func (e *Engine) users(ctx context.Context, domainID, butFlowID string) (count int, err error) {
	err = e.DB.In(ctx).NewRaw("select count(*) from cdn_uses where domain_id = ? and flow_id <> ?", domainID, butFlowID).
		Scan(ctx, &count)
	return count, database.Fault(err, nil)
}

// forget deletes the row of a record; what was removed at the service is told.
func (e *Engine) forget(ctx context.Context, row *resource, removed bool) error {
	return e.DB.InTx(ctx, func(ctx context.Context) error {
		if _, err := e.DB.In(ctx).NewDelete().Model(row).WherePK().Exec(ctx); err != nil {
			return database.Fault(fmt.Errorf("forget what stood at a network: %w", err), nil)
		}
		if !removed {
			return nil
		}
		return e.journalRecord(ctx, records.ActionRemoved, row)
	})
}
