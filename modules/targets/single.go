package targets

import (
	"context"
	"strings"

	"panel/modules/flows/flowsapi"
	"panel/modules/targets/internal/verdict"
	"panel/platform/fault"
)

// targetChecks tries single targets for drafts. It is flowsapi.TargetChecks.
type targetChecks struct{ *searches }

// Name reads a target as host:port. Fault: invalid_value (422).
func (c targetChecks) Name(field, written string) (string, error) {
	target, why := c.inputs.host(written, usualPort)
	if why != "" {
		return "", fault.InvalidValue(field, why)
	}
	return hostPort(target), nil
}

// Able tells whether a node's agent can try targets now.
func (c targetChecks) Able(ctx context.Context, nodeID string) error {
	_, err := c.node(ctx, nodeID)
	return err
}

// Fresh gives the newest results of a target that still count.
func (c targetChecks) Fresh(ctx context.Context, target string, nodeIDs ...string) ([]flowsapi.FoundTarget, error) {
	rows, err := c.store.fresh(ctx, target, nodeIDs, c.now())
	found := make([]flowsapi.FoundTarget, len(rows))
	for i := range rows {
		found[i] = rows[i].outside()
	}
	return found, err
}

// Check starts to try a target.
func (c targetChecks) Check(ctx context.Context, nodeID, target, serverName string) (string, error) {
	begun, err := c.startCheck(ctx, NewCheck{NodeID: nodeID, Target: target, ServerName: serverName})
	if err != nil {
		return "", err
	}
	return begun.ID, nil
}

// ends are what is said of checks that came to nothing, by their reasons.
var ends = map[string]string{
	reasonSilent:      "the agent did not answer",
	reasonInterrupted: "the agent was restarted meanwhile",
	reasonAgent:       "the agent could not try it",
	reasonLost:        "the results did not arrive",
	"":                "the check was cancelled or removed",
}

// Checked gives the ends of checks. One that is gone, with its node, has come to nothing.
func (c targetChecks) Checked(ctx context.Context, searchIDs ...string) (map[string]flowsapi.CheckedTarget, error) {
	searches, err := c.store.over(ctx, searchIDs)
	if err != nil || len(searches) == 0 {
		return nil, err
	}
	results, err := c.store.ofSearches(ctx, searchIDs)
	ended := map[string]flowsapi.CheckedTarget{}
	for _, search := range searches {
		ended[search.ID] = flowsapi.CheckedTarget{Why: ends[search.Reason]}
	}
	for i := range results {
		if _, over := ended[results[i].SearchID]; over {
			found := results[i].outside()
			ended[results[i].SearchID] = flowsapi.CheckedTarget{Found: &found, Why: against(results[i].Reasons)}
		}
	}
	return ended, err
}

// against is what speaks against a target, in one sentence.
func against(reasons []verdict.Reason) string {
	texts := []string{}
	for _, r := range reasons {
		if r.Effect == verdict.Bad || r.Effect == verdict.Nothing {
			texts = append(texts, r.Text)
		}
	}
	return strings.Join(texts, "; ")
}
