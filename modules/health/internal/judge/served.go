package judge

import (
	"context"
	"fmt"
	"slices"
	"time"

	"panel/modules/health/internal/place"
	"panel/modules/health/internal/verdict"
	"panel/modules/proxypanel/proxypanelapi"
)

// servedEvery is how often a flow is judged anew that a proxy panel serves: what that panel says makes no event.
const servedEvery = 30 * time.Second

// states are what proxy panels say of their nodes, by connection and node of ours.
type states map[[2]string]string

// served asks what proxy panels say, where one of the subjects depends on it.
func (r *round) served(ctx context.Context, rows []stateRow) (states, error) {
	if !slices.ContainsFunc(rows, func(row stateRow) bool { return row.servedAnywhere() }) {
		return nil, nil
	}
	all, err := r.there.States(ctx)
	if err != nil {
		return nil, fmt.Errorf("ask what proxy panels say of their nodes: %w", err)
	}
	found := states{}
	for _, one := range all {
		found[[2]string{one.ConnectionID, one.NodeID}] = one.State
	}
	return found, nil
}

// servedAnywhere says whether a proxy panel serves an entry of the subject.
func (s *stateRow) servedAnywhere() bool {
	return slices.ContainsFunc(s.Layers.Entries, func(e place.Entry) bool { return e.Panel != "" })
}

// said are the verdicts that follow from what a proxy panel says. It is down only where the panel says so.
var said = map[string]verdict.Verdict{
	proxypanelapi.NodeConnected:    {State: verdict.Up},
	proxypanelapi.NodeConnecting:   {State: verdict.Unknown, Reason: verdict.PanelNodeStarts},
	proxypanelapi.NodeDisconnected: {State: verdict.Down, Reason: verdict.PanelNodeDown},
	proxypanelapi.NodeDisabled:     {State: verdict.Down, Reason: verdict.PanelNodeDisabled},
	proxypanelapi.NodeGone:         {State: verdict.Down, Reason: verdict.PanelNodeGone},
	proxypanelapi.NodeUnread:       {State: verdict.Unknown, Reason: verdict.PanelUnread},
}

func (s states) of(entry place.Entry) verdict.Verdict {
	if v, known := said[s[[2]string{entry.Panel, entry.NodeID}]]; known {
		return v
	}
	return verdict.Verdict{State: verdict.Unknown, Reason: verdict.PanelNodeUnknown}
}
