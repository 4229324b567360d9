package records

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/cdn-dns/internal/provider"
	"panel/platform/database"
)

// watch is what is known of the host name of a binding, as it is stored.
type watch struct {
	bun.BaseModel `bun:"table:domain_watches,alias:w"`

	DomainID      string          `bun:"domain_id,pk,type:uuid"`
	NodeID        string          `bun:"node_id,type:uuid"`
	Hostname      string          `bun:"hostname"`
	IntegrationID *string         `bun:"integration_id,type:uuid"`
	State         string          `bun:"state"`
	Since         time.Time       `bun:"since"`
	Wanted        json.RawMessage `bun:"wanted,type:jsonb"`
	Conflicts     json.RawMessage `bun:"conflicts,type:jsonb"`
	Seen          json.RawMessage `bun:"seen,type:jsonb"`
	Resolved      []string        `bun:"resolved,array"`
	Error         string          `bun:"error"`
	Told          string          `bun:"told"`
	Bad           int             `bun:"bad"`
	Looks         int64           `bun:"looks"`
	CheckedAt     *time.Time      `bun:"checked_at"`
	NextAt        time.Time       `bun:"next_at"`
	Asked         int             `bun:"asked"`   // changes of the binding or its node that no look has followed yet
	Noticed       int64           `bun:"noticed"` // how often a look was asked for
}

// columns are those that a look writes and nobody else.
var columns = []string{
	"node_id", "hostname", "integration_id", "state", "since", "wanted", "conflicts", "seen", "resolved", "error", "told",
	"bad", "looks", "checked_at",
}

// Phases of a record.
const (
	phaseIntent  = "intent"  // the provider is about to be asked for it
	phaseWritten = "written" // it is the panel's
	phaseFound   = "found"   // it stood there already; the panel leaves it when the binding goes
)

// written is a record of a binding, as it is stored.
type written struct {
	bun.BaseModel `bun:"table:domain_records,alias:r"`

	ID            string    `bun:"id,pk,type:uuid"`
	DomainID      string    `bun:"domain_id,type:uuid"`
	IntegrationID string    `bun:"integration_id,type:uuid"`
	ZoneID        string    `bun:"zone_id"`
	Zone          string    `bun:"zone"`
	Hostname      string    `bun:"hostname"`
	Type          string    `bun:"type"`
	Value         string    `bun:"value"`
	TTL           int       `bun:"ttl"`
	ProviderID    string    `bun:"provider_id"`
	Phase         string    `bun:"phase"`
	WrittenAt     time.Time `bun:"written_at"`
}

func (r *written) record() provider.Record {
	return provider.Record{ID: r.ProviderID, Name: r.Hostname, Type: r.Type, Value: r.Value, TTL: r.TTL}
}

func (r *written) zone() provider.Zone { return provider.Zone{ID: r.ZoneID, Name: r.Zone} }

// Notice has bindings looked at now that somebody made or changed, after the commit of the context's transaction. New
// ones are watched from then on.
func (e *Engine) Notice(ctx context.Context, domainIDs ...string) error {
	return e.notice(ctx, true, domainIDs...)
}

func (e *Engine) notice(ctx context.Context, asked bool, domainIDs ...string) error {
	found, err := e.Domains.ByIDs(ctx, domainIDs...)
	if err != nil {
		return err
	}
	now := e.now()
	return e.DB.InTx(ctx, func(ctx context.Context) error {
		for _, id := range domainIDs {
			binding, there := found[id]
			if there {
				row := watch{
					DomainID: id, NodeID: binding.NodeID, Hostname: binding.Hostname, State: Pending, Since: now,
					Wanted: empty, Conflicts: empty, Seen: empty, Resolved: []string{}, NextAt: now,
				}
				_, err := e.DB.In(ctx).NewInsert().Model(&row).On("conflict (domain_id) do nothing").Exec(ctx)
				if err != nil {
					return database.Fault(fmt.Errorf("watch a host name: %w", err), nil)
				}
			}
		}
		return e.hasten(ctx, asked, "domain_id = any(?::uuid[])", pgdialect.Array(domainIDs))
	})
}

var empty = json.RawMessage("[]")

// NoticeNode has the bindings of a node looked at now.
func (e *Engine) NoticeNode(ctx context.Context, nodeID string) error {
	return e.DB.InTx(ctx, func(ctx context.Context) error { return e.hasten(ctx, true, "node_id = ?", nodeID) })
}

// hasten makes rows due and wakes whoever drives them. Asked says that a change of DNS was asked for by that.
func (e *Engine) hasten(ctx context.Context, asked bool, where string, value any) error {
	var ids []string
	err := e.DB.In(ctx).NewRaw(`update domain_watches set next_at = ?, noticed = noticed + 1,
		asked = asked + ?::boolean::integer where `+where+` returning domain_id`, e.now(), asked, value).
		Scan(ctx, &ids)
	if err != nil {
		return database.Fault(fmt.Errorf("look at host names: %w", err), nil)
	}
	for _, id := range ids {
		if err := e.Wake(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// NoticeAll begins to watch every binding that is not watched yet.
func (e *Engine) NoticeAll(ctx context.Context) error {
	const page = 500
	for after := ""; ; {
		bindings, err := e.Domains.All(ctx, after, page)
		if err != nil || len(bindings) == 0 {
			return err
		}
		ids := make([]string, len(bindings))
		for i, b := range bindings {
			ids[i] = b.ID
		}
		if ids, err = e.unwatched(ctx, ids); err == nil && len(ids) > 0 {
			err = e.Notice(ctx, ids...)
		}
		if err != nil {
			return err
		}
		after = bindings[len(bindings)-1].Hostname
	}
}

func (e *Engine) unwatched(ctx context.Context, ids []string) (missing []string, err error) {
	err = e.DB.In(ctx).NewRaw(`select id from unnest(?::uuid[]) as known(id)
		where not exists (select from domain_watches w where w.domain_id = known.id)`, pgdialect.Array(ids)).
		Scan(ctx, &missing)
	return missing, database.Fault(err, nil)
}

func (e *Engine) read(ctx context.Context, domainID string) (*watch, error) {
	w := new(watch)
	err := e.DB.In(ctx).NewSelect().Model(w).Where("w.domain_id = ?", domainID).Scan(ctx)
	return w, database.Fault(err, nil)
}

func (e *Engine) records(ctx context.Context, domainID string) (rows []written, err error) {
	err = e.DB.In(ctx).NewSelect().Model(&rows).Where("r.domain_id = ?", domainID).Order("hostname", "type", "value").
		Scan(ctx)
	return rows, database.Fault(err, nil)
}

// Owns tells whether a record is one that was written for a binding.
func (e *Engine) Owns(ctx context.Context, domainID string, r provider.Record) (bool, error) {
	own, err := e.records(ctx, domainID)
	return slices.ContainsFunc(own, func(o written) bool { return o.Phase != phaseFound && alike(o.record(), r) }), err
}
