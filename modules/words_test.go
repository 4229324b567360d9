package modules

import (
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/doctor"
)

// One process speaks with the words of all modules, so that an English text has one Russian text whoever brings it.
func TestAnEnglishTextHasOneRussianText(t *testing.T) {
	type told struct{ module, russian string }
	known := map[string]told{}
	for _, m := range All() {
		for english, russian := range doctor.Catalogue(m.Russian) {
			if before, twice := known[english]; twice {
				require.Equal(t, before.russian, russian, "%q in russian.txt of %s and %s", english, before.module, m.Name)
			}
			known[english] = told{m.Name, russian}
		}
	}
	require.NotEmpty(t, known)
}
