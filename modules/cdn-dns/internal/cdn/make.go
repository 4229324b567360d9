package cdn

import (
	"context"
	"errors"
	"maps"
	"slices"

	"panel/modules/cdn-dns/internal/provider"
	"panel/modules/cdn-dns/internal/records"
	"panel/modules/domains/domainsapi"
	"panel/modules/nodes/nodesapi"
	"panel/platform/database"
	"panel/platform/fault"
)

// wanted are the records that lead a host name to its network: those that its account at a CDN has asked for, or else
// proxied ones with the addresses of its node, one of each family.
func (e *Engine) wanted(ctx context.Context, binding domainsapi.Domain) (all []provider.Record, err error) {
	if binding.CDNID != "" {
		rows, err := e.fronts(ctx, binding.ID)
		for i := range rows {
			if rows[i].IntegrationID == binding.CDNID {
				all = append(all, rows[i].wanted()...)
			}
		}
		return all, err
	}
	node, err := e.Fleet.Node(ctx, binding.NodeID)
	if errors.Is(err, nodesapi.ErrUnknown) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for _, addr := range records.Addresses(node) {
		all = append(all, provider.Record{
			Name: provider.Canonical(binding.Hostname), Type: provider.AddressType(addr), Value: addr.String(),
			TTL: binding.TTL, Proxied: true,
		})
	}
	return all, nil
}

// provide sees to it that a host name leads to its network, and says what it waits for; nothing once the network
// answers. Faults: record_conflict (409), and those of the services.
func (e *Engine) provide(
	ctx context.Context, applyID string, binding domainsapi.Domain, tls bool,
) (waits string, err error) {
	if binding.CDNID != "" {
		return e.raise(ctx, applyID, binding, tls)
	}
	wanted, err := e.wanted(ctx, binding)
	if err != nil {
		return "", err
	}
	h, err := e.Find(ctx, binding.Hostname)
	if err != nil {
		return "", err
	}
	if !h.Client.Kind.Proxies || len(wanted) == 0 {
		return "", errors.New("the service is no network, or the node has no address that one reaches")
	}
	own, err := e.of(ctx, binding.ID)
	if err != nil {
		return "", err
	}
	stands, err := e.settle(ctx, making{applyID, binding, h.Client.Kind.Name, h}, wanted, own)
	if err != nil || stands {
		return "", err
	}
	return provider.StepReady, nil
}

// making is who has records made, where, for which network.
type making struct {
	applyID string
	binding domainsapi.Domain
	network string
	holder  records.Holder
}

// settle sees to it that records stand in the zone, and tells whether its name servers answer with them.
func (e *Engine) settle(
	ctx context.Context, m making, wanted []provider.Record, own []resource,
) (stands bool, err error) {
	names := map[string][]provider.Record{}
	for _, r := range wanted {
		names[r.Name] = append(names[r.Name], r)
	}
	stands = true
	for _, name := range slices.Sorted(maps.Keys(names)) {
		there, err := m.holder.Client.Records(ctx, m.holder.Zone, name)
		if err != nil {
			return false, err
		}
		leaving, err := e.strangers(ctx, m.binding.ID, there, own, names[name])
		if leaving || err != nil {
			return false, err
		}
		for _, r := range names[name] {
			is, err := e.write(ctx, m, r, own, there)
			if err != nil {
				return false, err
			}
			stands = stands && is
		}
	}
	return stands, nil
}

// strangers looks for addresses and aliases at the name that are neither wanted nor the panel's: record_conflict (409).
// Those of the panel that are about to go are waited for.
func (e *Engine) strangers(
	ctx context.Context, domainID string, there []provider.Record, own []resource, wanted []provider.Record,
) (leaving bool, err error) {
	for _, r := range there {
		ours := slices.ContainsFunc(own, func(o resource) bool { return o.Phase != phaseFound && alike(o.record(), r) })
		expected := slices.ContainsFunc(wanted, func(w provider.Record) bool { return w.Same(r) })
		if r.Type == provider.TypeTXT || ours || expected {
			continue
		}
		goes, err := e.Leaving(ctx, domainID, r)
		if err != nil {
			return false, err
		}
		if !goes {
			return false, fault.Conflict("record_conflict", "another record already stands at this name: "+r.Type+" "+r.Value)
		}
		leaving = true
	}
	return leaving, nil
}

// alike compares two records but for whether a network stands in front.
func alike(a, b provider.Record) bool {
	a.Proxied, b.Proxied = false, false
	return a.Same(b)
}

// write sees to it that one record stands, and tells whether name servers answer with it, or the network for it.
func (e *Engine) write(
	ctx context.Context, m making, r provider.Record, own []resource, there []provider.Record,
) (stands bool, err error) {
	h := m.holder
	var row *resource
	if i := slices.IndexFunc(own, func(o resource) bool { return alike(o.record(), r) }); i >= 0 {
		row = &own[i]
	}
	at := slices.IndexFunc(there, func(o provider.Record) bool { return alike(o, r) })
	switch {
	case row == nil && at >= 0:
		row, err = e.begin(ctx, m, there[at], phaseFound)
	case row == nil:
		row, err = e.begin(ctx, m, r, phaseIntent)
	case at >= 0 && r.Proxied && !there[at].Proxied: // somebody has switched the network off
		err = h.Client.Remove(ctx, h.Zone, there[at])
		at = -1
	}
	if err != nil {
		return false, err
	}
	if at < 0 {
		made, err := h.Client.Add(ctx, h.Zone, r)
		if err != nil {
			return false, err
		}
		return made.Confirmed, e.keep(ctx, row, phaseWritten, stateOf(made.Confirmed), made.Record.ID)
	}
	phase := row.Phase
	if phase == phaseIntent { // a panel died after the service had written it
		phase = phaseWritten
	}
	stands = h.Client.Answers(ctx, h.Zone, r)
	return stands, e.keep(ctx, row, phase, stateOf(stands), there[at].ID)
}

func stateOf(stands bool) string {
	if stands {
		return StateReady
	}
	return StateProvisioning
}

// madeBy gives what an apply has made.
func (e *Engine) madeBy(ctx context.Context, applyID string) (rows []resource, err error) {
	err = e.DB.In(ctx).NewSelect().Model(&rows).Where("c.apply_id = ?", applyID).Order("hostname", "type", "value").
		Scan(ctx)
	return rows, database.Fault(err, nil)
}

// remove takes a record away. One that stood there before the panel came, or that somebody else has changed since, is
// left; so is one that nobody can remove because its integration is gone.
func (e *Engine) remove(ctx context.Context, row *resource) error {
	removed := false
	if row.Phase != phaseFound {
		client, err := e.Open(ctx, row.IntegrationID)
		switch {
		case fault.KindOf(err) == fault.KindMissing:
		case err != nil:
			return err
		default:
			if removed, err = take(ctx, client, row); err != nil {
				return err
			}
		}
	}
	return e.forget(ctx, row, removed)
}

func take(ctx context.Context, client *provider.Client, row *resource) (removed bool, err error) {
	there, err := client.Records(ctx, row.zone(), row.Hostname)
	if errors.Is(err, provider.ErrNoZone) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	at := slices.IndexFunc(there, func(o provider.Record) bool { return alike(o, row.record()) })
	if at < 0 {
		return false, nil
	}
	return true, client.Remove(ctx, row.zone(), there[at])
}
