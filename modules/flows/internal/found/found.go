// Package found keeps the rule about REALITY targets that a search has found: a listener may name a result that is
// fresh, suitable, of its own target, and found from its own node. No force passes it.
package found

import (
	"context"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"
	"time"

	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
	"panel/platform/fault"
)

// Stale is the code of everything that is wrong with a found target.
const Stale = "target_suitability_stale"

// Sources are who knows targets that were searched for. It is flowsapi.FoundTargets.
type Sources struct {
	all    []source
	checks flowsapi.TargetChecks
}

type source struct {
	name string
	ask  func(ctx context.Context, resultIDs []string) (map[string]flowsapi.FoundTarget, error)
}

// Add takes one more, while the panel is composed.
func (s *Sources) Add(name string, ask func(context.Context, []string) (map[string]flowsapi.FoundTarget, error)) {
	s.all = append(s.all, source{name, ask})
}

// Checks takes who checks single targets, while the panel is composed.
func (s *Sources) Checks(by flowsapi.TargetChecks) { s.checks = by }

// Checker is who checks single targets; nil when nobody does.
func (s *Sources) Checker() flowsapi.TargetChecks { return s.checks }

// named is a listener that names a result.
type named struct {
	path    string // of the field
	nodeID  string
	reality *graph.Reality
}

func listeners(g graph.Graph) (list []named) {
	for i, b := range g.Nodes {
		field, l := "listener", b.Params.Listener
		if b.Kind != graph.Entry {
			field, l = "hop", b.Params.Hop
		}
		if l != nil && l.Reality != nil && l.Reality.TargetResultID != "" && l.Filled().Security == "reality" {
			path := fmt.Sprintf("nodes[%d].params.%s.reality.target_result_id", i, field)
			list = append(list, named{path, b.NodeID, l.Reality})
		}
	}
	return list
}

// Problems says what is wrong with the results that a drawing names, at a moment. Without any it asks nobody.
func (s *Sources) Problems(ctx context.Context, g graph.Graph, now time.Time) ([]graph.Problem, error) {
	list := listeners(g)
	if len(list) == 0 {
		return nil, nil
	}
	ids := make([]string, len(list))
	for i, l := range list {
		ids[i] = l.reality.TargetResultID
	}
	known := map[string]flowsapi.FoundTarget{}
	for _, source := range s.all {
		found, err := source.ask(ctx, slices.Compact(slices.Sorted(slices.Values(ids))))
		if err != nil {
			return nil, fmt.Errorf("ask %s about found targets: %w", source.name, err)
		}
		maps.Copy(known, found)
	}
	var problems []graph.Problem
	for _, l := range list {
		result, exists := known[l.reality.TargetResultID]
		if why := l.wrong(result, exists, now); why != "" {
			problems = append(problems, graph.Problem{Code: Stale, Path: l.path, Message: why})
		}
	}
	return problems, nil
}

func (l named) wrong(result flowsapi.FoundTarget, exists bool, now time.Time) string {
	switch {
	case !exists:
		return "there is no such result of a search any more; check the target again"
	case result.NodeID != l.nodeID:
		return "the target was found from another node and counts for that one alone; check it from this node"
	case !strings.EqualFold(result.Target, l.reality.Target) || !l.asks(result.ServerName):
		return "the result is of another target; check this one, or leave target_result_id out"
	case !result.Suitable:
		return "the search found that the target is not suitable; choose another one"
	case !now.Before(result.ValidUntil):
		return "the result is older than 24 hours; check the target again"
	}
	return ""
}

// asks says whether clients of the listener ask for the name that was looked at.
func (l named) asks(name string) bool {
	if len(l.reality.ServerNames) == 0 {
		host, _, err := net.SplitHostPort(l.reality.Target)
		return err == nil && strings.EqualFold(host, name)
	}
	return slices.ContainsFunc(l.reality.ServerNames, func(one string) bool { return strings.EqualFold(one, name) })
}

// Fault refuses a draft; nil without a problem.
func Fault(problems []graph.Problem) error {
	if len(problems) == 0 {
		return nil
	}
	refused := fault.Invalid("target_suitability_stale", "a target that the draft takes from a search has no up-to-date result; no force "+
		"passes this: check the target again").With("problems", problems)
	for _, p := range problems {
		refused = refused.Field(p.Path, p.Code, p.Message)
	}
	return refused
}

// Obstacles are the problems as a plan shows them.
func Obstacles(problems []graph.Problem) []plan.Obstacle {
	list := make([]plan.Obstacle, len(problems))
	for i, p := range problems {
		list[i] = plan.Obstacle{Code: p.Code, Path: p.Path, Finding: plan.Say(p.Code, p.Message)}
	}
	return list
}
