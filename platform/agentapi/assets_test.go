package agentapi

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFilesOfANodeHaveNamesDigestsAndSizesThatFit(t *testing.T) {
	t.Parallel()
	good := AssetFile{Name: "geosite.dat", SHA256: strings.Repeat("a", 64), Size: 1}
	require.NoError(t, Assets{}.Check())
	require.NoError(t, Assets{Files: []AssetFile{good}}.Check())
	for _, change := range []func(*AssetFile){
		func(f *AssetFile) { f.Name = "../a" }, func(f *AssetFile) { f.Name = ".a" }, func(f *AssetFile) { f.Name = "" },
		func(f *AssetFile) { f.SHA256 = "abc" }, func(f *AssetFile) { f.Size = 0 },
		func(f *AssetFile) { f.Size = MaxAssetSize + 1 },
	} {
		bad := good
		change(&bad)
		require.Error(t, Assets{Files: []AssetFile{bad}}.Check(), bad)
	}
	require.Error(t, Assets{Files: []AssetFile{good, good}}.Check(), "two files of one name")
	var many []AssetFile
	for i := range MaxAssets + 1 {
		many = append(many, AssetFile{Name: fmt.Sprintf("a%d.dat", i), SHA256: good.SHA256, Size: 1})
	}
	require.Error(t, Assets{Files: many}.Check())
}
