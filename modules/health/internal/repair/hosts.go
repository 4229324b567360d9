package repair

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"panel/platform/lease"
)

// hideWithin is how long proxy panels are asked to hide hosts before that has failed.
const hideWithin = 2 * time.Minute

// hideHosts has the hosts hidden that lead users of proxy panels to the node, those that can be spared. The proxy
// panels are asked after the transaction.
func (r *Repairs) hideHosts(ctx context.Context, a *row) (against string, err error) {
	shown, err := r.Hosts.Shown(ctx, a.NodeID)
	if err != nil {
		return "", fmt.Errorf("ask which hosts lead to a node: %w", err)
	}
	hosts := spare(shown[a.NodeID])
	if len(hosts) == 0 {
		return LastHost, nil
	}
	ids := make([]string, len(hosts))
	for i, h := range hosts {
		ids[i] = h.ID
		a.Effects = append(a.Effects, Effect{Kind: "host", ID: h.ID, Name: h.Name, From: h.Panel, To: "hidden"})
	}
	if err := r.Hosts.Hide(ctx, a.ID, a.NodeID, ids...); err != nil {
		return "", fmt.Errorf("have hosts hidden: %w", err)
	}
	return "", nil
}

// hidden reads whether the hosts are hidden. Those that somebody else hides are no effect of the action.
func (r *Repairs) hidden(ctx context.Context, c *lease.Claim, a *row) (lease.Next, error) {
	far, err := r.Hosts.Hiding(ctx, a.ID)
	if err != nil {
		return lease.Done(), fmt.Errorf("read whether hosts are hidden: %w", err)
	}
	if far.Waits > 0 && r.now().Sub(*a.StartedAt) < hideWithin {
		return lease.After(resultPoll), nil
	}
	return lease.Done(), c.InTx(ctx, func(ctx context.Context) error {
		if far.Waits > 0 {
			return r.revert(ctx, a, cmp.Or(far.Problem, "the proxy panel did not answer in time"))
		}
		a.Effects = slices.DeleteFunc(a.Effects, func(e Effect) bool { return !slices.Contains(far.Hidden, e.ID) })
		if a.Outcome = Helped; len(a.Effects) == 0 {
			a.Outcome = "" // somebody else was first: the node says what comes of it
			if err := r.Hosts.Show(ctx, a.ID); err != nil {
				return fmt.Errorf("forget hosts of somebody else: %w", err)
			}
		}
		if err := r.save(ctx, a, "effects", "outcome"); err != nil {
			return err
		}
		return r.finish(ctx, a, Succeeded, "")
	})
}
