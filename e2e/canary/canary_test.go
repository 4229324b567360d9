// Package canary plants a unique value for each kind of secret, uses the real panel broadly, with refusals and failures
// and at the most talkative log level, and then looks for the values everywhere that the panel writes, says or shows.
package canary

import (
	"encoding/csv"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// sighting is a secret at a place.
type sighting struct{ secret, place string }

// allowed is the written list of where a secret may be seen; its third column says why.
func allowed(t *testing.T) map[sighting]bool {
	t.Helper()
	file, err := os.Open("testdata/allowed.csv")
	require.NoError(t, err)
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	require.NoError(t, err)
	list := map[sighting]bool{}
	for _, row := range rows[1:] {
		require.NotEmpty(t, row[2], "say why %s may be seen in %s", row[0], row[1])
		list[sighting{row[0], row[1]}] = true
	}
	return list
}

// Every secret is seen where the written list allows it, and nowhere else: logs, answers, addresses, journal and its
// exports, every column of the database, the data folder, process arguments, metrics, support bundle.
func TestNoSecretIsSeenWhereItDoesNotBelong(t *testing.T) {
	t.Parallel()
	w := begin(t)
	w.use()
	w.fail()
	w.look()
	seen := map[sighting]bool{}
	for place, content := range w.places {
		for name := range w.book.found(content) {
			seen[sighting{name, place}] = true
		}
	}
	list := allowed(t)
	var leaks, unused []string
	for s := range seen {
		if !list[s] {
			leaks = append(leaks, s.secret+" in "+s.place)
		}
	}
	for s := range list {
		if !seen[s] {
			unused = append(unused, s.secret+" in "+s.place)
		}
	}
	require.Empty(t, strings.Join(slices.Sorted(slices.Values(leaks)), "\n"))
	require.Empty(
		t,
		strings.Join(slices.Sorted(slices.Values(unused)), "\n"),
		"the list allows what never happens: remove these lines",
	)
	names := map[string]bool{}
	for _, s := range w.book.secrets {
		names[s.name] = true
	}
	t.Logf(
		"%d secrets (%s), %d places",
		len(w.book.secrets),
		strings.Join(slices.Sorted(maps.Keys(names)), ", "),
		len(w.places),
	)
}
