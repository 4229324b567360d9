package proxypanel

import (
	"context"

	"github.com/jonboulle/clockwork"

	"panel/modules/flows/flowsapi"
	"panel/modules/nodes/nodesapi"
	"panel/modules/proxypanel/internal/mapping"
	"panel/modules/proxypanel/internal/offers"
	"panel/modules/proxypanel/internal/profile"
	"panel/modules/proxypanel/internal/remnawave"
	"panel/modules/proxypanel/internal/shadow"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/vault"
)

func newMappings(db *database.DB, v *vault.Vault) *mapping.Store {
	return &mapping.Store{DB: db, Vault: v}
}

// newOffers makes what puts entries of flows at proxy panels.
func newOffers(
	db *database.DB, v *vault.Vault, b *events.Bus, clock clockwork.Clock, m *mapping.Store, s *shadow.Shadow,
	c *connections, served flowsapi.Served,
) *offers.Engine {
	return offers.New(offers.Tools{
		DB: db, Vault: v, Bus: b, Clock: clock, Mappings: m, Shadow: s, Open: c.opened, Usable: c.usable,
		Served: func(ctx context.Context, applyID string) ([]offers.Part, error) {
			return partsOf(ctx, served, applyID)
		},
	})
}

func partsOf(ctx context.Context, served flowsapi.Served, applyID string) ([]offers.Part, error) {
	given, err := served.OfApply(ctx, applyID)
	parts := make([]offers.Part, 0, len(given))
	for _, one := range given {
		parts = append(parts, offers.Part{
			Block: one.Block, NodeID: one.NodeID, ConnectionID: one.ConnectionID, SquadIDs: one.SquadIDs,
			Remark: one.Remark, Part: profile.Part{
				Tag: one.Tag, Inbound: one.Inbound, Outbounds: one.Outbounds, Rules: one.Rules, Resolves: one.Resolves,
			},
		})
	}
	return parts, err
}

// opened gives a client of a connection. Fault: not_found (404).
func (c *connections) opened(ctx context.Context, id string) (offers.Connection, error) {
	row, err := c.store.get(ctx, id)
	if err != nil {
		return offers.Connection{}, err
	}
	return c.reached(&row)
}

func (c *connections) reached(row *connectionRow) (offers.Connection, error) {
	access, err := c.access(row)
	if err != nil {
		return offers.Connection{}, err
	}
	client, err := c.door.open(access)
	return offers.Connection{ID: row.ID, Label: row.Label, Client: client}, err
}

// usable says what keeps a connection from being written to: its state, or a scope that it lacks for that.
func (c *connections) usable(ctx context.Context, id string) (label, cause string, err error) {
	row, err := c.store.get(ctx, id)
	if err != nil {
		return "", "", err
	}
	if !row.works() {
		return row.Label, row.Cause, nil
	}
	for _, missing := range row.missing() {
		for _, scope := range remnawave.Scopes() {
			if scope.Name == missing && scope.Use == remnawave.Provisioning {
				return row.Label, remnawave.ScopeMissing, nil
			}
		}
	}
	return row.Label, "", nil
}

// takePart lets proxy panels take part in flows and keeps the nodes that they are needed on.
func takePart(
	e *offers.Engine, stages flowsapi.Stages, panels flowsapi.ProxyPanels, guards nodesapi.Guards,
) {
	stages.Add(e.Stages()...)
	panels.Add("proxypanel", e.PanelNodes)
	guards.Add("a proxy panel serves flows on this node; take them off it first", e.FlowsOn)
}
