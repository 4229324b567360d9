// Package geo tells the compiler what geo files nodes hold, as the module that looks after them knows it.
package geo

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
)

// Source is flowsapi.GeoFiles.
type Source struct {
	ask func(ctx context.Context, nodeIDs, tokens []string) (map[string]flowsapi.GeoHeld, error)
}

// Held takes who knows the geo files of nodes.
func (s *Source) Held(
	ask func(ctx context.Context, nodeIDs, tokens []string) (map[string]flowsapi.GeoHeld, error),
) {
	s.ask = ask
}

// Fill adds to the nodes of a compilation what they hold. A drawing that names no category asks nobody.
func (s *Source) Fill(ctx context.Context, in *plan.Input) error {
	tokens := Tokens(in.Graph)
	if s.ask == nil || len(tokens) == 0 || len(in.Nodes) == 0 {
		return nil
	}
	ids := make([]string, 0, len(in.Nodes))
	for id := range in.Nodes {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	held, err := s.ask(ctx, ids, tokens)
	if err != nil {
		return fmt.Errorf("read the geo files of nodes: %w", err)
	}
	for id, node := range in.Nodes {
		for _, file := range held[id].Files {
			node.GeoFiles = append(node.GeoFiles, file.Name)
			if !slices.Contains(in.GeoVersions, file) {
				in.GeoVersions = append(in.GeoVersions, file)
			}
		}
		node.GeoLacks = held[id].Lacks
		in.Nodes[id] = node
	}
	slices.SortFunc(in.GeoVersions, func(a, b flowsapi.GeoFile) int {
		return strings.Compare(a.Name+a.SHA256, b.Name+b.SHA256)
	})
	return nil
}

// Tokens are the categories that a drawing names, each once.
func Tokens(g graph.Graph) (all []string) {
	for _, e := range g.Edges {
		if e.Match == nil {
			continue
		}
		for _, name := range e.Match.Geosite {
			all = append(all, plan.GeoToken("geosite", name))
		}
		for _, name := range e.Match.GeoIP {
			all = append(all, plan.GeoToken("geoip", name))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
