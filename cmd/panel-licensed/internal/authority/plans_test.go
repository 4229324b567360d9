package authority

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules"
	"panel/platform/app"
)

// A feature that a module declares is sold: it stands in a plan beside those that hold everything, or the reviewed list
// says that only those hold it. Whoever adds a module decides here.
func TestEveryFeatureOfAModuleIsInAPlan(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/everything_only.txt")
	require.NoError(t, err)
	everythingOnly := strings.Fields(string(text))
	for _, feature := range app.Features(modules.All()) {
		sold := slices.Contains(everythingOnly, feature)
		for _, features := range Plans {
			sold = sold || slices.Contains(features, feature)
		}
		require.True(t, sold, "the feature %s is in no plan: add it to Plans, or to testdata/everything_only.txt",
			feature)
	}
}
