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
	"panel/platform/database"
	"panel/platform/fault"
)

// Names of the stages. The first has its turn before that of certificates.
const (
	StageProvision = "cdndns.cdn"
	StageRelease   = "cdndns.cdn_release"
)

const (
	lookAgain  = 2 * time.Second  // while the network does not answer yet
	issueAgain = 10 * time.Second // while it has no certificate
	limit      = 30 * time.Minute
)

// patience is how long an apply waits before it looks again at a step.
func patience(step string) time.Duration {
	if step == provider.StepCertificate {
		return issueAgain
	}
	return lookAgain
}

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
	// One that moves with the flow leads to where its entry is. One that has moved with another flow already stays
	// where that one has taken it, also for flows that are still on the old node.
	for _, entry := range entries {
		if d, is := found[entry.DomainID]; is && d.MovingTo != "" && d.MovingTo == entry.NodeID {
			d.NodeID = entry.NodeID
			found[entry.DomainID] = d
		}
	}
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
	tls := overTLS(a.Change.After)
	for _, id := range sorted(after) {
		waits, err := e.provide(ctx, a.ID, after[id], tls[id])
		switch {
		case provider.Passing(err):
			return e.again(flowsapi.Say("waiting_for_cdn_service", "the service does not answer now; it is asked again",
				"host", after[id].Hostname), pause(err)), nil
		case err != nil:
			return flowsapi.Outcome{}, e.failed(ctx, after[id], err)
		case waits != "":
			return e.again(waiting(waits, after[id].Hostname), patience(waits)), nil
		}
	}
	return flowsapi.Outcome{Result: flowsapi.Done}, nil
}

// overTLS tells of bindings whether their entries speak TLS.
func overTLS(entries []flowsapi.Entry) map[string]bool {
	tls := map[string]bool{}
	for _, entry := range entries {
		tls[entry.DomainID] = tls[entry.DomainID] || entry.Security == securityTLS
	}
	return tls
}

// waiting says what an apply waits for.
func waiting(step, host string) flowsapi.Text {
	switch step {
	case provider.StepCreate:
		return flowsapi.Say("waiting_for_cdn_create", "the network is making what stands in front of "+host, "host", host)
	case provider.StepCertificate:
		return flowsapi.Say("waiting_for_cdn_certificate", "waiting for the network's certificate of "+host, "host", host)
	case provider.StepName:
		return flowsapi.Say("waiting_for_cdn_cname", "waiting until name servers lead "+host+" to the network", "host", host)
	}
	return flowsapi.Say("waiting_for_cdn", "waiting until the network answers for "+host, "host", host)
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
	return e.undoFronts(ctx, a)
}

// undoFronts takes away what an apply made at CDNs, after the names that led there.
func (e *Engine) undoFronts(ctx context.Context, a flowsapi.Apply) error {
	var rows []front
	if err := e.DB.In(ctx).NewSelect().Model(&rows).Where("f.apply_id = ?", a.ID).Order("hostname").Scan(ctx); err != nil {
		return database.Fault(err, nil)
	}
	for i := range rows {
		others, err := e.users(ctx, rows[i].DomainID, a.Change.FlowID)
		if err != nil {
			return err
		}
		if others > 0 {
			continue
		}
		if err := e.lower(ctx, &rows[i]); err != nil {
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
	if err != nil {
		return flowsapi.Outcome{}, err
	}
	fronts, err := e.fronts(ctx, touched...)
	if err != nil || len(rows)+len(fronts) == 0 {
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
	return flowsapi.Outcome{Result: flowsapi.Done}, e.releaseFronts(ctx, a, fronts, after)
}

// releaseFronts takes away what no installed flow needs at CDNs, and lets the others fetch from where their nodes are.
func (e *Engine) releaseFronts(
	ctx context.Context, a flowsapi.Apply, fronts []front, after map[string]domainsapi.Domain,
) error {
	tls := overTLS(a.Change.After)
	for i := range fronts {
		row := &fronts[i]
		if binding, stays := after[row.DomainID]; stays && binding.CDNID == row.IntegrationID {
			if err := e.repoint(ctx, row, binding, tls[row.DomainID]); err != nil {
				return err
			}
			continue
		}
		others, err := e.users(ctx, row.DomainID, a.Change.FlowID)
		if err != nil {
			return err
		}
		if others > 0 {
			continue
		}
		if err := e.lower(ctx, row); err != nil {
			return err
		}
	}
	return nil
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
			check, err := e.judge(ctx, entry, binding, c)
			if err != nil {
				return nil, nil, err
			}
			checks = append(checks, check)
		}
	}
	diffs, err := e.differences(ctx, before, after)
	if err != nil {
		return nil, nil, err
	}
	more, err := e.frontDifferences(ctx, before, after)
	return append(diffs, more...), checks, err
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
