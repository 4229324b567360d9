package modules

import (
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/app"
	"panel/platform/doctor"
)

// The command line shows the features of a license by their names. What a feature is called in Russian stands in the
// folder of the module that declares it, like all its words.
func TestEveryFeatureIsNamedInRussianByItsModule(t *testing.T) {
	t.Parallel()
	named := 0
	for _, m := range app.With(All()) {
		words := doctor.Catalogue(m.Russian)
		for _, feature := range m.Features {
			named++
			require.NotEmpty(t, words[feature.Key], "russian.txt of %s does not say what the feature %s is called",
				m.Name,
				feature.Key)
		}
	}
	require.Positive(t, named)
}
