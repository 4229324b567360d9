package flowsapi

import (
	"context"
	"time"
)

// GeoFile is a version of a geo file that a node holds.
type GeoFile struct {
	Name      string    `json:"name"`
	SHA256    string    `json:"sha256"`
	FetchedAt time.Time `json:"fetched_at"`
}

// GeoHeld is what a node holds of geo files.
type GeoHeld struct {
	Files []GeoFile
	// Lacks are those of the tokens that were asked for whose file is there and has not their category, now or in the
	// version that the node is about to get.
	Lacks []string
}

// GeoFiles takes who knows the geo files of nodes.
type GeoFiles interface {
	// Held takes it, once, while the panel is composed. It is asked once for a compilation, for the nodes and the
	// categories of a drawing as tokens: "geosite:ads", "geoip:ru", "custom.dat:ads". Nodes without files are absent.
	Held(ask func(ctx context.Context, nodeIDs, tokens []string) (map[string]GeoHeld, error))
}
