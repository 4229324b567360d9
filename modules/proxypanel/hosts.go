package proxypanel

import (
	"context"
	"fmt"

	"panel/modules/proxypanel/internal/offers"
	"panel/modules/proxypanel/proxypanelapi"
	"panel/platform/entitlement"
	"panel/platform/jobs"
)

const hostsKind = "proxypanel.hosts"

// hostsArgs say at which proxy panel hosts are to be hidden or shown; without a connection it is all that have some.
type hostsArgs struct {
	ConnectionID string `json:"connection_id,omitempty"`
}

// Kind names the worker.
func (hostsArgs) Kind() string { return hostsKind }

// hiding hides hosts for a time and shows them again. It is proxypanelapi.Hosts.
type hiding struct {
	offers *offers.Engine
	queue  *jobs.Enqueuer
}

func newHiding(e *offers.Engine, q *jobs.Enqueuer) *hiding { return &hiding{e, q} }

func exportHosts(h *hiding) proxypanelapi.Hosts { return h }

// hostsSchedule tries again what has failed and looks whether somebody else has taken a host over. It goes on in
// read-only mode and without the feature: what was hidden is shown again.
func hostsSchedule() jobs.Schedule {
	return jobs.Schedule{
		Name: hostsKind, Cron: "* * * * *", Feature: feature, ReadOnly: entitlement.GoesOn, Blocked: entitlement.GoesOn,
		Args: func() jobs.Args { return hostsArgs{} },
	}
}

func (h *hiding) worker() jobs.Worker {
	const together, tries = 4, 3
	return jobs.Worker{
		Kind: hostsKind, Limit: together, Attempts: tries, Timeout: lookWithin + answerWithin, Work: jobs.Do(h.work),
	}
}

func (h *hiding) work(ctx context.Context, _ jobs.Job, args hostsArgs) error {
	if args.ConnectionID != "" {
		return h.offers.SettleHidden(ctx, args.ConnectionID)
	}
	ids, err := h.offers.HiddenAt(ctx)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if err := h.queue.Insert(ctx, hostsArgs{id}, jobs.Opts{Unique: id}); err != nil {
			return fmt.Errorf("have hosts of a proxy panel settled: %w", err)
		}
	}
	return nil
}

// soon has proxy panels asked as soon as the context's transaction has committed, also where one is being asked now.
func (h *hiding) soon(ctx context.Context, connectionIDs []string) error {
	for _, id := range connectionIDs {
		if err := h.queue.Insert(ctx, hostsArgs{id}, jobs.Opts{}); err != nil {
			return fmt.Errorf("have hosts of a proxy panel settled: %w", err)
		}
	}
	return nil
}

// Shown gives the hosts that lead to nodes of ours.
func (h *hiding) Shown(ctx context.Context, nodeIDs ...string) (map[string][]proxypanelapi.Host, error) {
	return h.offers.Shown(ctx, nodeIDs...)
}

// Hide has hosts of a node hidden.
func (h *hiding) Hide(ctx context.Context, why, nodeID string, hostIDs ...string) error {
	at, err := h.offers.Hide(ctx, why, nodeID, hostIDs...)
	if err != nil {
		return err
	}
	return h.soon(ctx, at)
}

// Hiding says how far that has come.
func (h *hiding) Hiding(ctx context.Context, why string) (proxypanelapi.Hiding, error) {
	return h.offers.Hiding(ctx, why)
}

// Show has them shown again.
func (h *hiding) Show(ctx context.Context, why string) error {
	at, err := h.offers.Show(ctx, why)
	if err != nil {
		return err
	}
	return h.soon(ctx, at)
}
