package spread

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"panel/modules/cdn-dns/internal/certificates"
	"panel/modules/domains/domainsapi"
	"panel/modules/flows/flowsapi"
	"panel/modules/nodes/nodesapi"
)

// lookAgain is the pause while a certificate is issued or an agent takes one.
const lookAgain = 250 * time.Millisecond

// Names of the stages.
const (
	StageGive = "cdndns.certificates"
	StageTake = "cdndns.release"
)

// Stages are the part that certificates have in applies: before anything is installed each host name of a listener with
// TLS has a certificate on its node, and after the commit nodes keep none that they do not show any more.
func (s *Spread) Stages(domains domainsapi.Domains) []flowsapi.Stage {
	g := &giving{Spread: s, domains: domains}
	return []flowsapi.Stage{
		{Name: StageGive, At: flowsapi.BeforePrepare, Preview: g.preview, Do: g.do, Undo: g.undo},
		{Name: StageTake, At: flowsapi.AfterCommit, Do: g.release},
	}
}

type giving struct {
	*Spread
	domains domainsapi.Domains
}

// secured are the entries that show a certificate.
func secured(entries []flowsapi.Entry) []flowsapi.Entry {
	return slices.DeleteFunc(slices.Clone(entries), func(e flowsapi.Entry) bool {
		return e.Security != "tls" || e.DomainID == ""
	})
}

func uses(flowID string, entries ...flowsapi.Entry) []Use {
	all := make([]Use, len(entries))
	for i, e := range entries {
		first, _, _ := strings.Cut(e.Port, "-")
		port, _ := strconv.Atoi(first)
		all[i] = Use{FlowID: flowID, NodeID: e.NodeID, Hostname: e.Host, Port: port}
	}
	return all
}

func hostsOf(entries []flowsapi.Entry) []string {
	hosts := make([]string, len(entries))
	for i, e := range entries {
		hosts[i] = e.Host
	}
	return slices.Compact(slices.Sorted(slices.Values(hosts)))
}

// preview says how the certificates of the entries stand.
func (g *giving) preview(ctx context.Context, c flowsapi.Change) ([]flowsapi.Diff, []flowsapi.Check, error) {
	entries := secured(c.After)
	if len(entries) == 0 {
		return nil, nil, nil
	}
	held, err := g.engine.Covering(ctx, hostsOf(entries)...)
	if err != nil {
		return nil, nil, err
	}
	var diffs []flowsapi.Diff
	var checks []flowsapi.Check
	now := g.engine.Clock.Now()
	for _, e := range entries {
		check := flowsapi.Check{
			Key: e.NodeID + ":" + e.Block, NodeID: e.NodeID, Summary: e.Host + " has a certificate",
		}
		at, covered := held[e.Host]
		if covered && at.NotAfter != nil && now.Before(*at.NotAfter) {
			judge(&check, e.Host, at, now)
		} else if g.canOrder(ctx, e.Host, at, &check) {
			diffs = append(diffs, flowsapi.Diff{
				Group: flowsapi.GroupOther, Op: "added", NodeID: e.NodeID, Name: e.Host, Field: "certificate",
				To: "from the authority",
			})
		}
		checks = append(checks, check)
	}
	return diffs, checks, nil
}

// judge is about a certificate that is valid now: one that ends soon and could not be renewed is worth a look.
func judge(check *flowsapi.Check, host string, at certificates.Certificate, now time.Time) {
	until := at.NotAfter.UTC().Format(time.RFC3339)
	if certificates.EndsSoon(at, now) {
		check.Status = flowsapi.Unconfirmed
		check.Finding = flowsapi.Say("certificate_ends", "the certificate of "+host+" ends at "+until+
			"; renew it, or upload a new one", "host", host, "not_after", until)
		return
	}
	check.Status = flowsapi.Confirmed
	check.Finding = flowsapi.Say("certificate_valid", "valid until "+until, "host", host, "not_after", until)
}

// canOrder tells whether an apply can obtain the certificate by itself.
func (g *giving) canOrder(ctx context.Context, host string, at certificates.Certificate, check *flowsapi.Check) bool {
	if at.State == certificates.StateIssuing {
		check.Status = flowsapi.Confirmed
		check.Finding = flowsapi.Say("certificate_issuing", "the authority is issuing it; the apply waits for it", "host", host)
		return false
	}
	if _, _, err := g.engine.Way(ctx, host); err != nil {
		check.Status, check.Blocks = flowsapi.Failed, true
		check.Finding = flowsapi.Say("certificate_missing", "there is no valid certificate of "+host+
			", and the panel cannot order one: add an integration with the DNS service of its zone, update the agent of its "+
			"node so that it answers the authority, or upload a certificate",
			"host", host)
		return false
	}
	check.Status = flowsapi.Confirmed
	check.Finding = flowsapi.Say("certificate_ordered", "the apply orders it from the authority and waits for it", "host", host)
	return true
}

// do obtains what is missing, gives it to the nodes and waits until they hold it.
func (g *giving) do(ctx context.Context, a flowsapi.Apply) (flowsapi.Outcome, error) {
	wanted := secured(a.Change.After)
	if len(wanted) == 0 {
		return flowsapi.Outcome{Result: flowsapi.Nothing}, nil
	}
	waits, err := g.obtain(ctx, a, hostsOf(wanted))
	if err != nil {
		return flowsapi.Outcome{}, err
	}
	if waits != "" {
		return g.again(flowsapi.Say("waiting_for_authority", "waiting for the certificate of "+waits, "host", waits)), nil
	}
	both := append(secured(a.Change.Before), wanted...)
	if err := g.Set(ctx, a.Change.FlowID, uses(a.Change.FlowID, both...)...); err != nil {
		return flowsapi.Outcome{}, err
	}
	return g.awaitNodes(ctx, wanted)
}

func (g *giving) again(detail flowsapi.Text) flowsapi.Outcome {
	return flowsapi.Outcome{Result: flowsapi.Again, Detail: detail, At: g.engine.Clock.Now().Add(lookAgain)}
}

// obtain orders what no certificate covers; it gives one of the host names that the authority has not answered for yet.
func (g *giving) obtain(ctx context.Context, a flowsapi.Apply, hosts []string) (waits string, err error) {
	held, err := g.engine.Covering(ctx, hosts...)
	if err != nil {
		return "", err
	}
	now := g.engine.Clock.Now()
	for _, host := range hosts {
		at, covered := held[host]
		if covered && at.NotAfter != nil && now.Before(*at.NotAfter) {
			continue
		}
		if err := g.order(ctx, a, host); err != nil {
			return "", err
		}
		waits = host
	}
	return waits, nil
}

// order asks for a certificate once in an apply. When that order has failed, so does the apply; the certificate is then
// ordered again by the panel when it is due, or by a person.
func (g *giving) order(ctx context.Context, a flowsapi.Apply, host string) error {
	zone, err := g.zone(ctx, host, a.Change.After)
	if err != nil {
		return err
	}
	id, err := g.engine.Ensure(ctx, host, zone)
	if err != nil {
		return err
	}
	failed, err := g.engine.OrderFor(ctx, id, a.ID)
	if err != nil {
		return err
	}
	if failed != "" {
		return fmt.Errorf("obtain the certificate of %s: %s", host, failed)
	}
	return nil
}

// zone is the one that the binding was made in; empty where it says none.
func (g *giving) zone(ctx context.Context, host string, entries []flowsapi.Entry) (string, error) {
	for _, e := range entries {
		if e.Host != host {
			continue
		}
		found, err := g.domains.ByIDs(ctx, e.DomainID)
		if err != nil {
			return "", err
		}
		return found[e.DomainID].Zone, nil
	}
	return "", nil
}

// awaitNodes looks whether the agents hold what they are given.
func (g *giving) awaitNodes(ctx context.Context, wanted []flowsapi.Entry) (flowsapi.Outcome, error) {
	nodes := make([]string, len(wanted))
	for i, e := range wanted {
		nodes[i] = e.NodeID
	}
	nodes = slices.Compact(slices.Sorted(slices.Values(nodes)))
	states, err := g.documents.States(ctx, name, nodes...)
	if err != nil {
		return flowsapi.Outcome{}, err
	}
	for _, node := range nodes {
		switch at := states[node]; at.State {
		case nodesapi.DocumentApplied:
		case nodesapi.DocumentFailed:
			return flowsapi.Outcome{}, errors.New("a node does not take the certificate: " + at.Error)
		default:
			return g.again(flowsapi.Say("waiting_for_nodes", "waiting until the nodes hold the certificates")), nil
		}
	}
	return flowsapi.Outcome{Result: flowsapi.Done}, nil
}

// undo gives the nodes what they had before the apply. A certificate that was obtained stays: it is good for the next.
func (g *giving) undo(ctx context.Context, a flowsapi.Apply) error {
	return g.Set(ctx, a.Change.FlowID, uses(a.Change.FlowID, secured(a.Change.Before)...)...)
}

// release takes away what the installed version does not show.
func (g *giving) release(ctx context.Context, a flowsapi.Apply) (flowsapi.Outcome, error) {
	if len(secured(a.Change.Before))+len(secured(a.Change.After)) == 0 {
		return flowsapi.Outcome{Result: flowsapi.Nothing}, nil
	}
	err := g.Set(ctx, a.Change.FlowID, uses(a.Change.FlowID, secured(a.Change.After)...)...)
	return flowsapi.Outcome{Result: flowsapi.Done}, err
}
