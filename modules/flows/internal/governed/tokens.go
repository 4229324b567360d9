package governed

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/graph"
	"panel/platform/database"
)

// GeoTokens lists the categories of geo files that installed flows refer to, by themselves or by a set of the version
// of the catalogue that they were compiled with.
func (s *Sources) GeoTokens(ctx context.Context, db *database.DB) ([]flowsapi.GeoToken, error) {
	var rows []struct {
		ID               string
		Graph            graph.Graph `bun:",type:jsonb"`
		CatalogueVersion int
	}
	err := db.In(ctx).NewRaw(`select f.id, v.graph, v.catalogue_version from flows f
		join flow_versions v on v.id = f.installed_version_id
		where f.enabled and not f.deleting and jsonb_path_exists(v.graph, '$.edges[*].match ? (exists(@.geosite)
			|| exists(@.geoip) || exists(@.sets))') order by f.id`).Scan(ctx, &rows)
	if err != nil {
		return nil, database.Fault(err, nil)
	}
	found := tokens{}
	for _, row := range rows {
		drawn := row.Graph
		if len(graph.Sets(drawn)) > 0 {
			resolved, err := s.Resolve(ctx, drawn, row.CatalogueVersion)
			if err != nil {
				return nil, fmt.Errorf("read the sets of an installed flow: %w", err)
			}
			drawn = resolved.Graph
		}
		found.add(row.ID, drawn)
	}
	return found.sorted(), nil
}

// tokens are categories by their file and name.
type tokens map[[2]string]*flowsapi.GeoToken

// add notes what the ways of a drawing compare with. The node is the one whose core compares, where it is ours.
func (all tokens) add(flowID string, g graph.Graph) {
	for _, e := range g.Edges {
		if e.Match == nil {
			continue
		}
		nodeID := ""
		if from := g.Find(e.From); from >= 0 && g.Nodes[from].Params.ProxyPanel == nil {
			nodeID = g.Nodes[from].NodeID
		}
		for _, name := range e.Match.Geosite {
			all.note("geosite.dat", name, flowID, nodeID)
		}
		for _, name := range e.Match.GeoIP {
			all.note("geoip.dat", name, flowID, nodeID)
		}
	}
}

func (all tokens) note(file, name, flowID, nodeID string) {
	key := [2]string{file, name}
	if all[key] == nil {
		all[key] = &flowsapi.GeoToken{File: file, Token: name}
	}
	one := all[key]
	one.FlowIDs = append(one.FlowIDs, flowID)
	if nodeID != "" {
		one.NodeIDs = append(one.NodeIDs, nodeID)
	}
}

func (all tokens) sorted() []flowsapi.GeoToken {
	out := make([]flowsapi.GeoToken, 0, len(all))
	for one := range maps.Values(all) {
		for _, ids := range []*[]string{&one.FlowIDs, &one.NodeIDs} {
			slices.Sort(*ids)
			*ids = slices.Compact(*ids)
		}
		out = append(out, *one)
	}
	slices.SortFunc(out, func(a, b flowsapi.GeoToken) int {
		return strings.Compare(a.File+" "+a.Token, b.File+" "+b.Token)
	})
	return out
}
