package cdn

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"panel/modules/cdn-dns/internal/provider"
	"panel/modules/domains/domainsapi"
	"panel/modules/flows/flowsapi"
	"panel/platform/fault"
)

// Names of the stages. The first has its turn before that of certificates.
const (
	StageProvision = "cdndns.cdn"
	StageRelease   = "cdndns.cdn_release"
)

const (
	lookAgain = 2 * time.Second // while the network does not answer yet
	limit     = 30 * time.Minute
)

// Stages are the part that networks have in applies: before anything is installed each host name of the mode cdn leads
// to its network, and after the commit nothing is left of what no installed flow needs.
func (e *Engine) Stages() []flowsapi.Stage {
	return []flowsapi.Stage{
		{
			Name: StageProvision, At: flowsapi.BeforePrepare, Part: flowsapi.GroupCDN, Limit: limit,
			Preview: e.preview, Do: e.provision, Undo: e.undo,
		},
		{Name: StageRelease, At: flowsapi.AfterCommit, Part: flowsapi.GroupCDN, Do: e.release},
	}
}

// fronted gives the bindings of entries whose host names lead to a network.
func (e *Engine) fronted(ctx context.Context, entries []flowsapi.Entry) (map[string]domainsapi.Domain, error) {
	var ids []string
	for _, entry := range entries {
		if entry.DomainID != "" {
			ids = append(ids, entry.DomainID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	found, err := e.Domains.ByIDs(ctx, ids...)
	maps.DeleteFunc(found, func(_ string, d domainsapi.Domain) bool { return d.Mode != Mode })
	return found, err
}

func sorted(bindings map[string]domainsapi.Domain) []string {
	return slices.Sorted(maps.Keys(bindings))
}

// provision makes what is missing and waits until the network answers.
func (e *Engine) provision(ctx context.Context, a flowsapi.Apply) (flowsapi.Outcome, error) {
	after, err := e.fronted(ctx, a.Change.After)
	if err != nil || len(after) == 0 {
		return flowsapi.Outcome{Result: flowsapi.Nothing}, err
	}
	before, err := e.fronted(ctx, a.Change.Before)
	if err != nil {
		return flowsapi.Outcome{}, err
	}
	if err := e.use(ctx, a.Change.FlowID, append(sorted(before), sorted(after)...)); err != nil {
		return flowsapi.Outcome{}, err
	}
	for _, id := range sorted(after) {
		ready, err := e.provide(ctx, a.ID, after[id])
		switch {
		case provider.Passing(err):
			return e.again(flowsapi.Say("waiting_for_cdn_service", "the service does not answer now; it is asked again",
				"host", after[id].Hostname), pause(err)), nil
		case err != nil:
			return flowsapi.Outcome{}, e.failed(ctx, after[id], err)
		case !ready:
			return e.again(flowsapi.Say("waiting_for_cdn", "waiting until the network answers for "+after[id].Hostname,
				"host", after[id].Hostname), lookAgain), nil
		}
	}
	return flowsapi.Outcome{Result: flowsapi.Done}, nil
}

func (e *Engine) again(detail flowsapi.Text, after time.Duration) flowsapi.Outcome {
	return flowsapi.Outcome{Result: flowsapi.Again, Detail: detail, At: e.Clock.Now().Add(after)}
}

// pause is what the service asks for, or a little.
func pause(err error) time.Duration {
	if known, ok := fault.As(err); ok {
		return max(known.RetryAfter, lookAgain)
	}
	return lookAgain
}

// failed tells that a network could not be put in front of a host name, and why.
func (e *Engine) failed(ctx context.Context, binding domainsapi.Domain, cause error) error {
	cause = fmt.Errorf("put a CDN in front of %s: %w", binding.Hostname, cause)
	told := e.DB.InTx(ctx, func(ctx context.Context) error {
		return e.emit(ctx, KindFailed, binding.ID, Failure{binding.Hostname, cause.Error()})
	})
	return errors.Join(cause, told)
}

// undo leaves nothing behind of what this apply made, unless another flow has come to need it.
func (e *Engine) undo(ctx context.Context, a flowsapi.Apply) error {
	before, err := e.fronted(ctx, a.Change.Before)
	if err != nil {
		return err
	}
	if err := e.use(ctx, a.Change.FlowID, sorted(before)); err != nil {
		return err
	}
	rows, err := e.madeBy(ctx, a.ID)
	if err != nil {
		return err
	}
	for i := range rows {
		others, err := e.users(ctx, rows[i].DomainID, a.Change.FlowID)
		if err != nil {
			return err
		}
		if others > 0 {
			continue
		}
		if err := e.remove(ctx, &rows[i]); err != nil {
			return err
		}
	}
	return nil
}

// release removes what no installed flow needs: of bindings that none uses, and records of addresses that a node has no
// more. It is repeated until it holds.
func (e *Engine) release(ctx context.Context, a flowsapi.Apply) (flowsapi.Outcome, error) {
	after, err := e.fronted(ctx, a.Change.After)
	if err != nil {
		return flowsapi.Outcome{}, err
	}
	var touched []string
	for _, entry := range slices.Concat(a.Change.Before, a.Change.After) {
		if entry.DomainID != "" {
			touched = append(touched, entry.DomainID)
		}
	}
	rows, err := e.of(ctx, touched...)
	if err != nil || len(rows) == 0 {
		return flowsapi.Outcome{Result: flowsapi.Nothing}, err
	}
	if err := e.use(ctx, a.Change.FlowID, sorted(after)); err != nil {
		return flowsapi.Outcome{}, err
	}
	for i := range rows {
		needed, err := e.needed(ctx, &rows[i], after, a.Change.FlowID)
		if err != nil {
			return flowsapi.Outcome{}, err
		}
		if needed {
			continue
		}
		if err := e.remove(ctx, &rows[i]); err != nil {
			return flowsapi.Outcome{}, err
		}
	}
	return flowsapi.Outcome{Result: flowsapi.Done}, nil
}

// needed tells whether a record is wanted still: by the flow, in its newest form, or by another flow.
func (e *Engine) needed(
	ctx context.Context, row *resource, after map[string]domainsapi.Domain, flowID string,
) (bool, error) {
	if binding, stays := after[row.DomainID]; stays {
		wanted, err := e.wanted(ctx, binding)
		return slices.ContainsFunc(wanted, row.record().Same) || len(wanted) == 0, err
	}
	others, err := e.users(ctx, row.DomainID, flowID)
	return others > 0, err
}

// preview says what an apply would make at the network, and whether the network carries what the entries speak.
func (e *Engine) preview(ctx context.Context, c flowsapi.Change) ([]flowsapi.Diff, []flowsapi.Check, error) {
	after, err := e.fronted(ctx, c.After)
	if err != nil {
		return nil, nil, err
	}
	before, err := e.fronted(ctx, c.Before)
	if err != nil || len(after)+len(before) == 0 {
		return nil, nil, err
	}
	var checks []flowsapi.Check
	for _, entry := range c.After {
		if binding, is := after[entry.DomainID]; is {
			check, err := e.judge(ctx, entry, binding)
			if err != nil {
				return nil, nil, err
			}
			checks = append(checks, check)
		}
	}
	diffs, err := e.differences(ctx, before, after)
	return diffs, checks, err
}

// differences compares what stands with what the bindings want.
func (e *Engine) differences(
	ctx context.Context, before, after map[string]domainsapi.Domain,
) (diffs []flowsapi.Diff, err error) {
	rows, err := e.of(ctx, append(sorted(before), sorted(after)...)...)
	if err != nil {
		return nil, err
	}
	for _, id := range sorted(after) {
		wanted, err := e.wanted(ctx, after[id])
		if err != nil {
			return nil, err
		}
		for _, r := range wanted {
			same := func(row resource) bool { return row.DomainID == id && row.record().Same(r) }
			if !slices.ContainsFunc(rows, same) {
				diffs = append(diffs, difference("added", after[id], r))
			}
		}
	}
	for i := range rows {
		if _, stays := after[rows[i].DomainID]; !stays && rows[i].Phase != phaseFound {
			diffs = append(diffs, difference("removed", before[rows[i].DomainID], rows[i].record()))
		}
	}
	return diffs, nil
}

func difference(op string, binding domainsapi.Domain, r provider.Record) flowsapi.Diff {
	d := flowsapi.Diff{
		Group: flowsapi.GroupCDN, Op: op, NodeID: binding.NodeID, Name: binding.Hostname, Field: "record",
	}
	if op == "removed" {
		d.From = r.Type + " " + r.Value
	} else {
		d.To = r.Type + " " + r.Value
	}
	return d
}

// judge looks at nothing outside: who holds the zone is known from the last check of the integrations.
func (e *Engine) judge(ctx context.Context, entry flowsapi.Entry, binding domainsapi.Domain) (flowsapi.Check, error) {
	host := binding.Hostname
	check := flowsapi.Check{
		Key: entry.NodeID + ":" + entry.Block, NodeID: entry.NodeID, Summary: host + " can lead through a CDN",
		Status: flowsapi.Failed, Blocks: true,
	}
	kind, err := e.Held(ctx, host)
	if err != nil && !errors.Is(err, provider.ErrNoZone) {
		return check, err
	}
	if kind == nil || !kind.Proxies {
		check.Finding = flowsapi.Say("cdn_unmanaged", "no integration with a CDN holds the zone of "+host+
			"; add one with Cloudflare, or bind the name in another mode", "host", host)
		return check, nil
	}
	wanted, err := e.wanted(ctx, binding)
	if err != nil {
		return check, err
	}
	problem, allowed := carries(entry)
	switch {
	case problem == "transport":
		check.Finding = flowsapi.Say("cdn_transport", kind.Title+" does not pass on what the entry speaks; it passes on "+
			allowed+" over TLS or plain", "network", kind.Title, "allowed", allowed)
	case problem == "port":
		check.Finding = flowsapi.Say("cdn_port", kind.Title+" does not pass on port "+entry.Port+"; it passes on "+allowed,
			"network", kind.Title, "port", entry.Port, "allowed", allowed)
	case len(wanted) == 0:
		check.Finding = flowsapi.Say("cdn_no_address", "the node of "+host+" has no address that a network reaches",
			"host", host)
	default:
		check.Status, check.Blocks = flowsapi.Confirmed, false
		check.Finding = flowsapi.Say("cdn_carries", kind.Title+" passes on what the entry speaks", "network", kind.Title)
	}
	return check, nil
}
