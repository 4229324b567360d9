package geo

import (
	"context"
	"slices"

	"panel/modules/flows/flowsapi"
	"panel/platform/database"
)

// heldBy tells compilations what nodes hold. A category counts as held when it is in the version that the node was last
// known to hold and in the one that it was told to hold: it may have either at the moment at which a configuration
// comes.
func (s *service) heldBy(
	ctx context.Context, nodeIDs, tokens []string,
) (map[string]flowsapi.GeoHeld, error) {
	out := map[string]flowsapi.GeoHeld{}
	assets, err := s.store.all(ctx)
	if err != nil {
		return nil, err
	}
	byID := map[string]*assetRow{}
	for i := range assets {
		if assets[i].OnNodes && assets[i].Version != nil && assets[i].File != fileMMDB {
			byID[assets[i].ID] = &assets[i]
		}
	}
	rows, err := s.store.onNodes(ctx, false, database.OnlyIDs(nodeIDs)...)
	if err != nil {
		return nil, err
	}
	var held []onNode
	if err := s.judge(ctx, rows, byID, func(one onNode) { held = append(held, one) }); err != nil {
		return nil, err
	}
	for _, one := range held {
		if one.Held == "" {
			continue
		}
		node := out[one.NodeID]
		if err := s.addHeld(ctx, &node, byID[one.AssetID], one, tokens); err != nil {
			return nil, err
		}
		out[one.NodeID] = node
	}
	return out, nil
}

func (s *service) addHeld(
	ctx context.Context, node *flowsapi.GeoHeld, asset *assetRow, one onNode, tokens []string,
) error {
	version, err := s.sized(ctx, asset.ID, one.Held)
	if err != nil {
		return err
	}
	node.Files = append(node.Files, flowsapi.GeoFile{
		Name: asset.Name, SHA256: one.Held, FetchedAt: version.FetchedAt,
	})
	for _, sha256 := range slices.Compact([]string{one.Held, one.Wanted}) {
		content, err := s.known.of(ctx, asset.ID, sha256)
		if err != nil {
			return err
		}
		for _, text := range tokens {
			t, ok := parseToken(text)
			if ok && t.File == asset.Name && content.Entries[t.Category] == 0 && !slices.Contains(node.Lacks, text) {
				node.Lacks = append(node.Lacks, text)
			}
		}
	}
	return nil
}
