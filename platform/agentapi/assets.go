package agentapi

import (
	"errors"
	"fmt"
	"regexp"
	"sync"
)

// Assets is the content of DocumentAssets: the geo files that the node holds. What is not named is removed.
type Assets struct {
	Files []AssetFile `json:"files"`
}

// AssetFile is one file, which is fetched from PathAsset by its digest.
type AssetFile struct {
	Name   string `json:"name" doc:"Of the file, as the core looks for it"`
	SHA256 string `json:"sha256"`
	Size   int64  `json:"size" doc:"Bytes"`
}

// Bounds of Assets.
const (
	MaxAssets    = 64
	MaxAssetSize = 64 << 20
)

var (
	assetName   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9_-][a-z0-9._-]{0,63}$`) })
	assetDigest = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9a-f]{64}$`) })
)

// Check fails for what no panel sends: names that lead out of the folder of the files, and sizes without an end.
func (a Assets) Check() error {
	if len(a.Files) > MaxAssets {
		return fmt.Errorf("read the files of the node: %d are more than a node takes", len(a.Files))
	}
	names := map[string]bool{}
	for _, f := range a.Files {
		if !assetName().MatchString(f.Name) || !assetDigest().MatchString(f.SHA256) || names[f.Name] ||
			f.Size <= 0 || f.Size > MaxAssetSize {
			return errors.New("read the files of the node: one has no fitting name, digest or size")
		}
		names[f.Name] = true
	}
	return nil
}
