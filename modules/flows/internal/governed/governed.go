// Package governed asks the modules that rule over flows: what the sets and custom plans of a drawing are, and whether
// the policies of its flow let it be.
package governed

import (
	"context"
	"fmt"
	"slices"

	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/graph"
)

// UnknownSet is the code of a set that is not in the catalogue.
const UnknownSet = "unknown_catalogue_set"

// Sources are who rules over flows. It is flowsapi.Policies.
type Sources struct{ all []source }

type source struct {
	name string
	flowsapi.PolicySource
}

// Add takes one more, while the panel is composed.
func (s *Sources) Add(name string, from flowsapi.PolicySource) {
	s.all = append(s.all, source{name, from})
}

// Resolved is a drawing with what its names stand for.
type Resolved struct {
	Graph     graph.Graph // the sets of its ways opened
	Catalogue int         // the version that they come from; 0 when the drawing names none
	Plans     map[string]flowsapi.CustomPlan
	Problems  []graph.Problem
}

// Resolve looks up the sets and custom plans of a drawing: in a version of the catalogue, or in the newest one when it
// is 0. A drawing that names neither costs nothing.
func (s *Sources) Resolve(ctx context.Context, g graph.Graph, version int) (Resolved, error) {
	out := Resolved{Graph: g, Plans: map[string]flowsapi.CustomPlan{}}
	var ids []string
	for _, b := range g.Nodes {
		if b.Kind == graph.Custom && b.PlanVersionID != "" && !slices.Contains(ids, b.PlanVersionID) {
			ids = append(ids, b.PlanVersionID)
		}
	}
	sets := map[string]flowsapi.MatchSet{}
	named := len(graph.Sets(g)) > 0
	for _, from := range s.all {
		if len(ids) > 0 {
			plans, err := from.Plans(ctx, ids)
			if err != nil {
				return out, fmt.Errorf("ask %s about custom plans: %w", from.name, err)
			}
			for _, p := range plans {
				out.Plans[p.VersionID] = p
			}
		}
		if named {
			catalogue, err := from.Catalogue(ctx, version)
			if err != nil {
				return out, fmt.Errorf("ask %s for the catalogue: %w", from.name, err)
			}
			out.Catalogue, sets = catalogue.Version, catalogue.Sets
		}
	}
	if named {
		out.Graph, out.Problems = opened(g, sets)
	}
	return out, nil
}

// opened puts what sets hold beside what the ways name themselves.
func opened(g graph.Graph, sets map[string]flowsapi.MatchSet) (graph.Graph, []graph.Problem) {
	var problems []graph.Problem
	g.Edges = slices.Clone(g.Edges)
	for i, e := range g.Edges {
		if e.Match == nil || len(e.Match.Sets) == 0 {
			continue
		}
		m := *e.Match
		for at, name := range m.Sets {
			set, known := sets[name]
			if !known {
				problems = append(problems, graph.Problem{
					Code: UnknownSet, Path: fmt.Sprintf("edges[%d].match.sets[%d]", i, at),
					Message: "the policy catalogue has no set of this name",
				})
			}
			m.Geosite, m.GeoIP = joined(m.Geosite, set.Geosite), joined(m.GeoIP, set.GeoIP)
			m.Domain, m.IP = joined(m.Domain, set.Domain), joined(m.IP, set.IP)
		}
		g.Edges[i].Match = &m
	}
	return g, problems
}

func joined(own, more []string) []string {
	out := slices.Clone(own)
	for _, one := range more {
		if !slices.Contains(out, one) {
			out = append(out, one)
		}
	}
	return out
}

// Judge says what of a resolved drawing the policies of its flow forbid, and which rule it is. Without anybody who
// rules over flows it asks nothing.
func (s *Sources) Judge(ctx context.Context, d flowsapi.Drawn) ([]graph.Problem, error) {
	var problems []graph.Problem
	for _, from := range s.all {
		found, err := from.Judge(ctx, d)
		if err != nil {
			return nil, fmt.Errorf("ask the policies of %s: %w", from.name, err)
		}
		for _, v := range found {
			problems = append(problems, graph.Problem{
				Code: v.Code, Path: v.Path, Message: v.Message, Policy: v.Policy, Rule: v.Rule, RuleName: v.Name,
			})
		}
	}
	return problems, nil
}

// Anybody says whether somebody rules over flows at all.
func (s *Sources) Anybody() bool { return len(s.all) > 0 }
