package cdn

import (
	"context"
	"errors"
	"strings"

	"panel/modules/cdn-dns/internal/provider"
	"panel/modules/domains/domainsapi"
	"panel/modules/flows/flowsapi"
	"panel/platform/fault"
)

// judge looks at nothing outside: who holds the zone is known from the last check of the integrations.
func (e *Engine) judge(
	ctx context.Context, entry flowsapi.Entry, binding domainsapi.Domain, c flowsapi.Change,
) (flowsapi.Check, error) {
	check := flowsapi.Check{
		Key: entry.NodeID + ":" + entry.Block, NodeID: entry.NodeID,
		Summary: binding.Hostname + " can lead through a CDN", Status: flowsapi.Failed, Blocks: true,
	}
	kind, zone, err := e.Held(ctx, binding.Hostname)
	if err != nil && !errors.Is(err, provider.ErrNoZone) {
		return check, err
	}
	var network *provider.Kind
	obstacle := e.unreached
	if binding.CDNID == "" {
		if kind == nil || !kind.Proxies {
			check.Finding = flowsapi.Say("cdn_unmanaged", "no integration with a CDN holds the zone of "+binding.Hostname+
				"; add one with Cloudflare, or bind the name in another mode", "host", binding.Hostname)
			return check, nil
		}
		network = kind
	} else {
		client, _, err := e.account(ctx, binding.CDNID)
		if fault.KindOf(err) == fault.KindMissing {
			check.Finding = flowsapi.Say("cdn_gone", "the integration with the CDN of "+binding.Hostname+
				" is gone; bind the name anew", "host", binding.Hostname)
			return check, nil
		}
		if err != nil {
			return check, err
		}
		if check.Finding = nameable(client.Kind, entry, binding, kind != nil, zone); check.Finding.Code != "" {
			return check, nil
		}
		network, obstacle = client.Kind, e.unfetched
	}
	if check.Finding = carried(network, entry); check.Finding.Code != "" {
		return check, nil
	}
	found, err := obstacle(ctx, entry, binding, c)
	if err != nil {
		return check, err
	}
	if found != nil {
		check.Finding = *found
		return check, nil
	}
	check.Status, check.Blocks = flowsapi.Confirmed, false
	check.Finding = flowsapi.Say("cdn_carries", network.Title+" passes on what the entry speaks", "network", network.Title)
	return check, nil
}

// carried says what is in the way of an entry at a network; nothing where that passes it on.
func carried(network *provider.Kind, entry flowsapi.Entry) flowsapi.Text {
	switch problem, allowed := carries(network.Name, entry); problem {
	case "transport":
		return flowsapi.Say("cdn_transport", network.Title+" does not pass on what the entry speaks; it passes on "+
			allowed+" over TLS or plain", "network", network.Title, "allowed", allowed)
	case "port":
		return flowsapi.Say("cdn_port", network.Title+" does not pass on port "+entry.Port+"; it passes on "+allowed,
			"network", network.Title, "port", entry.Port, "allowed", allowed)
	}
	return flowsapi.Text{}
}

// unreached says why the network of a DNS service does not reach the node.
func (e *Engine) unreached(
	ctx context.Context, _ flowsapi.Entry, binding domainsapi.Domain, _ flowsapi.Change,
) (*flowsapi.Text, error) {
	wanted, err := e.wanted(ctx, binding)
	if err != nil || len(wanted) > 0 {
		return nil, err
	}
	found := flowsapi.Say("cdn_no_address", "the node of "+binding.Hostname+" has no address that a network reaches",
		"host", binding.Hostname)
	return &found, nil
}

// unfetched says why a CDN cannot fetch from the node as the entries of its host name want it.
func (e *Engine) unfetched(
	ctx context.Context, entry flowsapi.Entry, binding domainsapi.Domain, c flowsapi.Change,
) (*flowsapi.Text, error) {
	origin, err := e.originOf(ctx, binding)
	if err != nil {
		return nil, err
	}
	if origin == "" {
		found := flowsapi.Say("cdn_no_ipv4", "the node of "+binding.Hostname+
			" has no public IPv4 address, and CDNs fetch by IPv4 alone", "host", binding.Hostname)
		return &found, nil
	}
	tls := entry.Security == securityTLS
	differs := false
	for _, other := range c.After {
		differs = differs || other.DomainID == entry.DomainID && (other.Security == securityTLS) != tls
	}
	rows, err := e.fronts(ctx, binding.ID)
	if err != nil {
		return nil, err
	}
	others, err := e.users(ctx, binding.ID, c.FlowID)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		differs = differs || row.OriginTLS != tls && others > 0
	}
	if !differs {
		return nil, nil
	}
	found := flowsapi.Say("cdn_one_origin", "a CDN fetches for "+binding.Hostname+
		" either over TLS or plain, and entries want both; bind another name", "host", binding.Hostname)
	return &found, nil
}

// nameable says why a host name cannot lead to a CDN: its zone must be the panel's to write, it must not be the zone
// itself, which can be no alias, and what proves it at the CDN must not stand where the panel proves it.
func nameable(
	network *provider.Kind, entry flowsapi.Entry, binding domainsapi.Domain, held bool, zone string,
) flowsapi.Text {
	host := binding.Hostname
	switch within := strings.TrimSuffix(host, "."+zone); {
	case !held:
		return flowsapi.Say("cdn_no_zone", "no integration holds the zone of "+host+
			", so the panel cannot lead it to the CDN; add one with its DNS service", "host", host)
	case host == zone:
		return flowsapi.Say("cdn_apex", host+" is a zone and can be no alias; bind a name below it", "host", host)
	case network.Name == "yandex" && entry.Security == securityTLS && strings.Contains(within, "."):
		return flowsapi.Say("cdn_deep_name", network.Title+" proves "+host+
			" where the panel proves it for its own certificate; bind a name directly below "+zone,
			"network", network.Title, "host", host, "zone", zone)
	}
	return flowsapi.Text{}
}

// frontDifferences compares what stands at CDNs with what the bindings want.
func (e *Engine) frontDifferences(
	ctx context.Context, before, after map[string]domainsapi.Domain,
) (diffs []flowsapi.Diff, err error) {
	rows, err := e.fronts(ctx, append(sorted(before), sorted(after)...)...)
	if err != nil {
		return nil, err
	}
	existing := map[string]bool{}
	for _, row := range rows {
		existing[row.DomainID+row.IntegrationID] = true
		diff := flowsapi.Diff{
			Group: flowsapi.GroupCDN, NodeID: before[row.DomainID].NodeID, Name: row.Hostname, Field: "front",
			From: row.Kind + " " + row.Origin,
		}
		binding, stays := after[row.DomainID]
		if !stays || binding.CDNID != row.IntegrationID {
			diff.Op = "removed"
			diffs = append(diffs, diff)
			continue
		}
		origin, err := e.originOf(ctx, binding)
		if err != nil {
			return nil, err
		}
		if origin != "" && origin != row.Origin {
			diff.Op, diff.NodeID, diff.To = "changed", binding.NodeID, row.Kind+" "+origin
			diffs = append(diffs, diff)
		}
	}
	for _, id := range sorted(after) {
		binding := after[id]
		if binding.CDNID == "" || existing[id+binding.CDNID] {
			continue
		}
		client, _, err := e.account(ctx, binding.CDNID)
		if fault.KindOf(err) == fault.KindMissing {
			continue // the check says so
		}
		if err != nil {
			return nil, err
		}
		origin, err := e.originOf(ctx, binding)
		if err != nil {
			return nil, err
		}
		diffs = append(diffs, flowsapi.Diff{
			Group: flowsapi.GroupCDN, Op: "added", NodeID: binding.NodeID, Name: binding.Hostname, Field: "front",
			To: strings.TrimSpace(client.Kind.Name + " " + origin),
		})
	}
	return diffs, nil
}
