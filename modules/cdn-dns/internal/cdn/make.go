package cdn

import (
	"context"
	"errors"
	"slices"

	"panel/modules/cdn-dns/internal/provider"
	"panel/modules/cdn-dns/internal/records"
	"panel/modules/domains/domainsapi"
	"panel/modules/nodes/nodesapi"
	"panel/platform/database"
	"panel/platform/fault"
)

// wanted are the proxied records of a host name: the addresses of its node, one of each family.
func (e *Engine) wanted(ctx context.Context, binding domainsapi.Domain) ([]provider.Record, error) {
	node, err := e.Fleet.Node(ctx, binding.NodeID)
	if errors.Is(err, nodesapi.ErrUnknown) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []provider.Record
	for _, addr := range records.Addresses(node) {
		all = append(all, provider.Record{
			Name: provider.Canonical(binding.Hostname), Type: provider.AddressType(addr), Value: addr.String(),
			TTL: binding.TTL, Proxied: true,
		})
	}
	return all, nil
}

// provide sees to it that a host name leads to its network, and tells whether the network answers for it.
// Faults: record_conflict (409), and those of the service.
func (e *Engine) provide(ctx context.Context, applyID string, binding domainsapi.Domain) (ready bool, err error) {
	wanted, err := e.wanted(ctx, binding)
	if err != nil {
		return false, err
	}
	h, err := e.Find(ctx, binding.Hostname)
	if err != nil {
		return false, err
	}
	if !h.Client.Kind.Proxies || len(wanted) == 0 {
		return false, errors.New("the service is no network, or the node has no address that one reaches")
	}
	own, err := e.of(ctx, binding.ID)
	if err != nil {
		return false, err
	}
	there, err := h.Client.Records(ctx, h.Zone, binding.Hostname)
	if err != nil {
		return false, err
	}
	leaving, err := e.strangers(ctx, binding.ID, there, own, wanted)
	if leaving || err != nil {
		return false, err
	}
	ready = true
	for _, r := range wanted {
		stands, err := e.write(ctx, applyID, binding, h, r, own, there)
		if err != nil {
			return false, err
		}
		ready = ready && stands
	}
	return ready, nil
}

// strangers looks for addresses and aliases at the name that are neither wanted nor the panel's: record_conflict (409).
// Those of the panel that are about to go are waited for.
func (e *Engine) strangers(
	ctx context.Context, domainID string, there []provider.Record, own []resource, wanted []provider.Record,
) (leaving bool, err error) {
	for _, r := range there {
		ours := slices.ContainsFunc(own, func(o resource) bool { return o.Phase != phaseFound && alike(o.record(), r) })
		expected := r.Proxied && slices.ContainsFunc(wanted, func(w provider.Record) bool { return w.Same(r) })
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

// write sees to it that one record stands, and tells whether the network answers for it.
func (e *Engine) write(
	ctx context.Context, applyID string, binding domainsapi.Domain, h records.Holder, r provider.Record, own []resource,
	there []provider.Record,
) (stands bool, err error) {
	var row *resource
	if i := slices.IndexFunc(own, func(o resource) bool { return alike(o.record(), r) }); i >= 0 {
		row = &own[i]
	}
	at := slices.IndexFunc(there, func(o provider.Record) bool { return alike(o, r) })
	switch {
	case row == nil && at >= 0:
		row, err = e.begin(ctx, applyID, binding, h, there[at], phaseFound)
	case row == nil:
		row, err = e.begin(ctx, applyID, binding, h, r, phaseIntent)
	case at >= 0 && !there[at].Proxied: // somebody has switched the network off
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
