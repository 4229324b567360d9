package repair

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/cdn-dns/cdndnsapi"
	"panel/modules/health/healthapi"
	"panel/modules/health/internal/rules"
	"panel/modules/health/internal/verdict"
	"panel/platform/database"
	"panel/platform/lease"
)

// writtenWithin is how long DNS services are asked to write records before that has failed.
const writtenWithin = 2 * time.Minute

// cachedMost bounds how long resolvers are trusted to keep the previous answer.
const cachedMost = time.Hour

// switchNames has the names of the node's entries lead to another address of it. The records are written after the
// transaction.
func (r *Repairs) switchNames(ctx context.Context, a *row) (against string, err error) {
	found, err := r.elsewhere(ctx, a.NodeID)
	if err != nil {
		return "", err
	}
	names := found[a.NodeID]
	if len(names) == 0 {
		return Recovered, nil
	}
	for _, n := range names {
		a.Effects = append(a.Effects, Effect{Kind: "domain", ID: n.DomainID, Name: n.Hostname, From: n.From, To: n.To})
	}
	if err := r.Names.Lead(ctx, a.ID, names...); err != nil {
		return "", fmt.Errorf("lead names elsewhere: %w", err)
	}
	return "", nil
}

// elsewhere gives the names that could lead elsewhere, of entries by which clients do not get in, each with the first
// address that it has not led to since its node is as it is.
func (r *Repairs) elsewhere(ctx context.Context, nodeIDs ...string) (map[string][]cdndnsapi.Name, error) {
	found, err := r.Names.Elsewhere(ctx, nodeIDs...)
	if err != nil {
		return nil, fmt.Errorf("ask which names could lead elsewhere: %w", err)
	}
	tried, err := r.triedAddresses(ctx, nodeIDs...)
	if err != nil {
		return nil, err
	}
	for nodeID, names := range found {
		var needed []cdndnsapi.Name
		for _, n := range names {
			left := slices.DeleteFunc(append([]string{n.To}, n.Others...), func(to string) bool {
				return tried[leadsTo{n.DomainID, to}]
			})
			if len(left) == 0 {
				continue
			}
			n.To, n.Others = left[0], left[1:]
			well, err := r.entriesWork(ctx, []cdndnsapi.Name{n}, time.Time{})
			if err != nil {
				return nil, err
			}
			if !well {
				needed = append(needed, n)
			}
		}
		found[nodeID] = needed
	}
	return found, nil
}

// leadsTo is a binding with an address that it led to.
type leadsTo struct{ domainID, address string }

// triedAddresses are those that names of nodes have led to since each node is as it is.
func (r *Repairs) triedAddresses(ctx context.Context, nodeIDs ...string) (map[leadsTo]bool, error) {
	var rows []struct{ DomainID, Address string }
	err := r.DB.In(ctx).NewRaw(`select e ->> 'id' as domain_id, e ->> 'to' as address
		from health_actions a join health_states s on s.kind = ? and s.subject_id = a.node_id
		cross join jsonb_array_elements(a.effects) e
		where a.act = ? and a.node_id = any(?::uuid[]) and a.created_at >= s.since`,
		healthapi.Node, rules.SwitchDNS, pgdialect.Array(nodeIDs)).Scan(ctx, &rows)
	tried := map[leadsTo]bool{}
	for _, row := range rows {
		tried[leadsTo{row.DomainID, row.Address}] = true
	}
	return tried, database.Fault(err, nil)
}

// switched reads whether the records are written. Whether that helps is seen later.
func (r *Repairs) switched(ctx context.Context, c *lease.Claim, a *row) (lease.Next, error) {
	far, err := r.Names.Leading(ctx, a.ID)
	if err != nil {
		return lease.Done(), fmt.Errorf("read whether names lead elsewhere: %w", err)
	}
	if far.Waits > 0 && r.now().Sub(*a.StartedAt) < writtenWithin {
		return lease.After(resultPoll), nil
	}
	return lease.Done(), c.InTx(ctx, func(ctx context.Context) error {
		if far.Waits > 0 {
			return r.revert(ctx, a, cmp.Or(far.Problem, "the DNS service did not write the records in time"))
		}
		a.Effects = slices.DeleteFunc(a.Effects, func(e Effect) bool {
			return !slices.ContainsFunc(far.Names, func(n cdndnsapi.Name) bool { return n.DomainID == e.ID })
		})
		if err := r.save(ctx, a, "effects"); err != nil {
			return err
		}
		return r.finish(ctx, a, Succeeded, "")
	})
}

// judgeNames notes whether clients get through by the names that lead elsewhere: the flows whose entries they are say
// so, for the node's own address is no better than before. What has not helped in time is given back.
func (r *Repairs) judgeNames(ctx context.Context) error {
	var open []row
	err := r.DB.In(ctx).NewSelect().Model(&open).ColumnExpr(columns).
		Where("a.act = ? and a.state = ? and a.outcome = '' and a.effects <> '[]'", rules.SwitchDNS, Succeeded).
		OrderExpr("a.id").For("update of a").Scan(ctx)
	if err != nil {
		return database.Fault(err, nil)
	}
	for i := range open {
		if err := r.judgeLed(ctx, &open[i]); err != nil {
			return err
		}
	}
	return nil
}

func (r *Repairs) judgeLed(ctx context.Context, a *row) error {
	far, err := r.Names.Leading(ctx, a.ID)
	if err != nil {
		return fmt.Errorf("read which names lead elsewhere: %w", err)
	}
	well, err := r.entriesWork(ctx, far.Names, *a.FinishedAt)
	switch {
	case err != nil:
		return err
	case well:
		a.Outcome = Helped
		if err := r.save(ctx, a, "outcome"); err != nil || a.IncidentID == nil {
			return err
		}
		return ignoreGone(r.Incidents.Mitigate(ctx, *a.IncidentID, a.NodeID, a.Act))
	case r.now().Sub(*a.FinishedAt) < given+cached(far.Names):
		return nil
	}
	a.Outcome = NotHelped
	if err := r.save(ctx, a, "outcome"); err != nil {
		return err
	}
	return r.undo(ctx, a, "")
}

// entriesWork tells whether clients get in by all entries that have the names, as somebody saw it after a moment: their
// flows are up, or degraded by the node alone, whose own address nobody reaches.
func (r *Repairs) entriesWork(ctx context.Context, names []cdndnsapi.Name, after time.Time) (well bool, err error) {
	var ids []string
	for _, n := range names {
		ids = append(ids, n.FlowIDs...)
	}
	if len(ids) == 0 {
		return false, nil
	}
	err = r.DB.In(ctx).NewRaw(`select not exists (select from unnest(?::uuid[]) flow(id) where not exists (
			select from health_states where kind = ? and subject_id = flow.id and checked_at > ?
				and (state = ? or state = ? and hint = ?)))`,
		pgdialect.Array(ids), healthapi.Flow, after, healthapi.Up, healthapi.Degraded, verdict.HintNode).
		Scan(ctx, &well)
	return well, database.Fault(err, nil)
}

// cached is how long resolvers may keep what the names led to before.
func cached(names []cdndnsapi.Name) (longest time.Duration) {
	for _, n := range names {
		longest = max(longest, n.TTL)
	}
	return min(longest, cachedMost)
}
