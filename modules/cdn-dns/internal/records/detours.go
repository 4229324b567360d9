package records

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/cdn-dns/cdndnsapi"
	"panel/modules/domains/domainsapi"
	"panel/modules/nodes/nodesapi"
	"panel/platform/database"
)

// detour leads a host name to another address of its node for a reason, as it is stored.
type detour struct {
	bun.BaseModel `bun:"table:domain_detours,alias:t"`

	DomainID  string    `bun:"domain_id,pk,type:uuid"`
	Before    string    `bun:"before,pk,type:inet"` // without the detour
	Value     string    `bun:"value,type:inet"`
	Why       string    `bun:"why"`
	CreatedAt time.Time `bun:"created_at"`
}

const detourColumns = "t.domain_id, host(t.before) as before, host(t.value) as value, t.why, t.created_at"

func (e *Engine) detours(ctx context.Context, where string, value any) (rows []detour, err error) {
	err = e.DB.In(ctx).NewSelect().Model(&rows).ColumnExpr(detourColumns).Where(where, value).
		OrderExpr("t.domain_id, t.before").Scan(ctx)
	return rows, database.Fault(err, nil)
}

// led are the addresses of a node with the detours of a binding in place of what they replace. A detour to an address
// that the node does not have any more, or from one that the record does not hold, counts for nothing.
func led(node nodesapi.Node, detours []detour) []netip.Addr {
	addresses := Addresses(node)
	for _, d := range detours {
		for i, addr := range addresses {
			if addr.String() == d.Before && slices.Contains(others(node, addr), d.Value) {
				addresses[i] = netip.MustParseAddr(d.Value)
			}
		}
	}
	return addresses
}

// others are the addresses of a node's host that the whole internet can reach, of the same family as another one and
// beside it, in order.
func others(node nodesapi.Node, beside netip.Addr) (out []string) {
	var found []netip.Addr
	for _, text := range node.Addresses {
		if addr, is := read(text); is && public(addr) && addr.Is4() == beside.Is4() && addr != beside {
			found = append(found, addr)
		}
	}
	slices.SortFunc(found, netip.Addr.Compare)
	for _, addr := range slices.Compact(found) {
		out = append(out, addr.String())
	}
	return out
}

// WrittenFor gives those of the nodes for which a record of the panel stands.
func (e *Engine) WrittenFor(ctx context.Context, nodeIDs ...string) (found []string, err error) {
	err = e.DB.In(ctx).NewRaw(`select distinct w.node_id::text from domain_watches w
		join domain_records r on r.domain_id = w.domain_id and r.phase = ?
		where w.node_id = any(?::uuid[]) order by 1`, phaseWritten, pgdialect.Array(nodeIDs)).Scan(ctx, &found)
	return found, database.Fault(err, nil)
}

// Elsewhere gives those of a node's bindings that could lead to another address of it: flows has the flows of each
// binding, and one without flows is left as it is.
func (e *Engine) Elsewhere(
	ctx context.Context, node nodesapi.Node, bindings []domainsapi.Domain, flows map[string][]string,
) (out []cdndnsapi.Name, err error) {
	for _, b := range bindings {
		if b.Mode == modeForeign || b.Mode == modeCDN || len(flows[b.ID]) == 0 {
			continue
		}
		own, err := e.records(ctx, b.ID)
		if err != nil {
			return nil, err
		}
		taken, err := e.detours(ctx, "t.domain_id = ?", b.ID)
		if err != nil {
			return nil, err
		}
		if name := elsewhere(node, b, own); name.To != "" && len(taken) == 0 {
			name.FlowIDs = flows[b.ID]
			out = append(out, name)
		}
	}
	slices.SortFunc(out, func(a, b cdndnsapi.Name) int { return cmp.Compare(a.Hostname, b.Hostname) })
	return out, nil
}

// elsewhere finds the first written record of a binding that could hold another address.
func elsewhere(node nodesapi.Node, b domainsapi.Domain, own []written) cdndnsapi.Name {
	for _, r := range own {
		addr, err := netip.ParseAddr(r.Value)
		if err != nil || r.Phase != phaseWritten {
			continue
		}
		if rest := others(node, addr); len(rest) > 0 {
			return cdndnsapi.Name{
				DomainID: b.ID, Hostname: b.Hostname, From: r.Value, To: rest[0], Others: rest[1:],
				TTL: time.Duration(b.TTL) * time.Second,
			}
		}
	}
	return cdndnsapi.Name{}
}

// Lead has names lead to their other addresses, after the commit of the context's transaction.
func (e *Engine) Lead(ctx context.Context, why string, names ...cdndnsapi.Name) error {
	return e.DB.InTx(ctx, func(ctx context.Context) error {
		for _, n := range names {
			_, err := e.DB.In(ctx).NewRaw(`insert into domain_detours (domain_id, before, value, why, created_at)
				select domain_id, ?::inet, ?::inet, ?, ? from domain_watches where domain_id = ? for key share
				on conflict do nothing`, n.From, n.To, why, e.now(), n.DomainID).Exec(ctx)
			if err != nil {
				return database.Fault(fmt.Errorf("lead %s elsewhere: %w", n.Hostname, err), nil)
			}
		}
		return e.hasten(ctx, true, "domain_id in (select domain_id from domain_detours where why = ?)", why)
	})
}

// LeadBack ends the detours of a reason, after the commit of the context's transaction.
func (e *Engine) LeadBack(ctx context.Context, why string) error {
	return e.DB.InTx(ctx, func(ctx context.Context) error {
		var domainIDs []string
		err := e.DB.In(ctx).NewRaw("delete from domain_detours where why = ? returning domain_id::text", why).
			Scan(ctx, &domainIDs)
		if err != nil || len(domainIDs) == 0 {
			return database.Fault(err, nil)
		}
		return e.hasten(ctx, true, "domain_id = any(?::uuid[])", pgdialect.Array(domainIDs))
	})
}

// Leading says how far the detours of a reason are. Whose flows the names serve is for the caller to say.
func (e *Engine) Leading(ctx context.Context, why string) (far cdndnsapi.Leading, err error) {
	taken, err := e.detours(ctx, "t.why = ?", why)
	if err != nil || len(taken) == 0 {
		return far, err
	}
	ids := make([]string, len(taken))
	for i := range taken {
		ids[i] = taken[i].DomainID
	}
	bindings, err := e.Domains.ByIDs(ctx, ids...)
	if err != nil {
		return far, err
	}
	for _, d := range taken {
		b, there := bindings[d.DomainID]
		if !there {
			continue
		}
		far.Names = append(far.Names, cdndnsapi.Name{
			DomainID: b.ID, Hostname: b.Hostname, From: d.Before, To: d.Value, TTL: time.Duration(b.TTL) * time.Second,
		})
		stands, problem, err := e.stands(ctx, d)
		if err != nil {
			return far, err
		}
		if !stands {
			far.Waits, far.Problem = far.Waits+1, cmp.Or(problem, far.Problem)
		}
	}
	slices.SortFunc(far.Names, func(a, b cdndnsapi.Name) int { return cmp.Compare(a.Hostname, b.Hostname) })
	return far, nil
}

// stands tells whether the record of a detour is written and the one that it replaces is gone.
func (e *Engine) stands(ctx context.Context, d detour) (stands bool, problem string, err error) {
	own, err := e.records(ctx, d.DomainID)
	if err != nil {
		return false, "", err
	}
	has := func(value string, phases ...string) bool {
		return slices.ContainsFunc(own, func(r written) bool {
			return r.Value == value && (len(phases) == 0 || slices.Contains(phases, r.Phase))
		})
	}
	if has(d.Value, phaseWritten, phaseFound) && !has(d.Before) {
		return true, "", nil
	}
	w, err := e.read(ctx, d.DomainID)
	return false, w.Error, err
}
