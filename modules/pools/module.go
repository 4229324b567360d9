// Package pools keeps transit pools: nodes and flows that share the traffic of a flow, with a strategy, probes and a
// fallback.
//
// Flows compile a pool into their configurations (exports.go); what acts without another configuration goes to the
// agents of the sending nodes as a document (place.go); agents probe and choose, and report what became of it
// (intake.go).
package pools

import (
	"context"
	"embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"panel/modules/flows/flowsapi"
	"panel/modules/nodes/nodesapi"
	"panel/modules/pools/poolsapi"
	"panel/platform/access"
	"panel/platform/agentapi"
	"panel/platform/audit"
	"panel/platform/doctor"
	"panel/platform/entitlement"
	"panel/platform/events"
	"panel/platform/fault"
	"panel/platform/ingest"
	"panel/platform/jobs"
	"panel/platform/metrics"
	"panel/platform/module"
)

//go:embed migrations
var files embed.FS

//go:embed russian.txt
var russian string

// Module is the manifest.
func Module() module.Module {
	return module.Module{
		Name:     "pools",
		Summary:  "Transit pools: nodes and flows that share the traffic of a flow",
		Requires: []string{"flows", "nodes"},
		Russian:  russian,
		Faults: []fault.Declared{
			{Kind: fault.KindConflict, Code: "pool_in_use", Summary: "A flow or another pool uses the pool, or a pool has the flow as a member"},
		},
		Journal: audit.Kinds{
			Actions: []string{
				poolsapi.EventCreated, poolsapi.EventDeleted, poolsapi.EventDrained, poolsapi.EventOverridden,
				poolsapi.EventUpdated, poolsapi.EventWithdrawn, poolsapi.EventReturned,
			},
			Objects: []string{object},
		},
		Events:     eventKinds(),
		Tidy:       tidy(),
		Migrations: module.SQL(files),
		Commands:   commands,
		Checks:     []doctor.Check{check()},
		Private:    []any{newPools, newHandlers, newEvidence},
		Exports:    []any{exportEvidence, exportMembers, exportDirectory, exportReplacements},
		Attach:     attach,
	}
}

func eventKinds() []events.Kind {
	screen := "/pools/{id}"
	kinds := []events.Kind{
		{Name: poolsapi.EventCreated, Summary: "A transit pool was made", Data: poolsapi.News{}},
		{Name: poolsapi.EventUpdated, Summary: "A transit pool was changed", Data: poolsapi.News{}},
		{Name: poolsapi.EventDeleted, Summary: "A transit pool was removed", Data: poolsapi.News{}},
		{
			Name: poolsapi.EventOverridden, Summary: "Somebody chose the member that carries the traffic of a transit pool",
			Data: poolsapi.MemberNews{},
		},
		{
			Name: poolsapi.EventDrained, Summary: "Somebody took new traffic from a member of a transit pool, or gave it some again",
			Data: poolsapi.MemberNews{},
		},
		{
			Name: poolsapi.EventMemberDown, Summary: "A member of a transit pool is down", Severity: events.Warning, Notify: true,
			Effect: "The other members carry its traffic.", Screen: screen, Data: poolsapi.MemberNews{},
		},
		{
			Name: poolsapi.EventWithdrawn, Summary: "Self-repair keeps new traffic from a member of a transit pool",
			Data: poolsapi.MemberNews{},
		},
		{
			Name: poolsapi.EventReturned, Summary: "A member of a transit pool that was withdrawn gets new traffic again",
			Data: poolsapi.MemberNews{},
		},
		{Name: poolsapi.EventMemberUp, Summary: "A member of a transit pool is usable again", Data: poolsapi.MemberNews{}},
		{
			Name: poolsapi.EventSwitched, Summary: "Other members of a transit pool carry its traffic on a node",
			Data: poolsapi.SwitchNews{},
		},
		{
			Name: poolsapi.EventBelowMinimum, Summary: "A transit pool has too few usable members", Severity: events.Critical,
			Notify: true, Effect: "When none is left, the fallback of the pool takes over.", Screen: screen,
			Data: poolsapi.CountNews{},
		},
		{
			Name: poolsapi.EventMinimumRestored, Summary: "A transit pool has enough usable members again", Notify: true,
			Resolves: []string{poolsapi.EventBelowMinimum}, Screen: screen, Data: poolsapi.CountNews{},
		},
	}
	for i := range kinds {
		kinds[i].Needs, kinds[i].Live, kinds[i].Subject = view, true, "pool"
	}
	return kinds
}

// tidy forgets old switches, and the numbers of agents' data folders that are no more.
func tidy() []jobs.Tidy {
	const month = 30 * 24 * time.Hour
	return []jobs.Tidy{
		{Table: "transit_pool_switches", Column: "at", Age: month},
		{Table: "transit_pool_streams", Column: "updated_at", Age: 12 * month},
	}
}

func attach(
	h *handlers, p *pools, blocks flowsapi.BlockSources, guards nodesapi.Guards,
) module.Parts {
	blocks.Add("pools", p.shapes)
	blocks.Watch("pools", p.views)
	blocks.Feed("pools", p.feeds, p.usingFlow)
	guards.Add(inUse, p.usingNode)
	return module.Parts{
		Routes:       h.routes(),
		Listeners:    []events.Listener{p.follower()},
		AgentBatches: []ingest.Intake{{Kind: agentapi.BatchPools, Take: p.take}},
		Metrics:      []metrics.Collector{p.count()},
	}
}

// inUse is why a member's node stays.
const inUse = "a transit pool has this node as a member; take it out of the pool first"

// usingNode refuses to delete a node that is a member of a pool. Only who may see flows hears of which, and of the
// flows that use it. Fault: node_in_use (409).
func (p *pools) usingNode(ctx context.Context, nodeID string) ([]string, error) {
	pools, err := p.store.onNode(ctx, nodeID)
	if err != nil || len(pools) == 0 {
		return nil, err
	}
	uses, err := p.flows.PoolUses(ctx, pools...)
	if err != nil {
		return nil, fmt.Errorf("ask who uses the pools of a node: %w", err)
	}
	flows := map[string]bool{}
	for _, use := range uses {
		flows[use.FlowID] = true
	}
	needed := nodesapi.Needed{}
	if access.From(ctx).Permissions.Has(view) {
		needed["pool_ids"], needed["flow_ids"] = pools, sorted(flows)
	}
	return nil, needed
}

// naming adds ids to a fault for those who may see what they name.
func naming(ctx context.Context, f *fault.Fault, member string, ids []string) *fault.Fault {
	if len(ids) == 0 || !access.From(ctx).Permissions.Has(view) {
		return f
	}
	return f.With(member, ids)
}

func sorted(set map[string]bool) []string { return slices.Sorted(maps.Keys(set)) }

// follower brings what agents hold up to date with flows and nodes. It goes on while the panel is read-only: what runs
// must go on running.
func (p *pools) follower() events.Listener {
	return events.Listener{
		Name: "pools.place",
		Kinds: []string{
			flowsapi.EventCreated, flowsapi.EventDraftSaved, flowsapi.EventVersionLoaded, flowsapi.EventApplySucceeded,
			flowsapi.EventDisabled, flowsapi.EventDeleted, nodesapi.NodeMaintenanceOn, nodesapi.NodeMaintenanceOff,
			nodesapi.NodeUpdated,
		},
		Feature: feature, ReadOnly: entitlement.GoesOn, Blocked: entitlement.GoesOn, Handle: p.followUp,
	}
}

func (p *pools) followUp(ctx context.Context, event events.Event) error {
	err := p.store.db.InTx(ctx, func(ctx context.Context) error {
		var changed []string
		if strings.HasPrefix(event.Kind, "node.") {
			var err error
			if changed, err = p.store.onNode(ctx, event.SubjectID); err != nil || len(changed) == 0 {
				return err
			}
		}
		if event.Kind == flowsapi.EventApplySucceeded {
			if err := p.applied(ctx, event.SubjectID); err != nil {
				return err
			}
		}
		return p.place(ctx, changed...)
	})
	if err != nil {
		return fmt.Errorf("bring the pools of agents up to date: %w", err)
	}
	return nil
}
