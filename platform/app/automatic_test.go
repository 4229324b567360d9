package app_test

import (
	"encoding/csv"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules"
	"panel/platform/paneltest"
)

// testdata/automatic.csv is the reviewed answer to "what happens by itself, and what becomes of it while the panel is
// read-only or the feature is not in the plan". What looks, tells, tidies or ends something goes on; what acts on nodes, on
// other systems or for money stops and says so. It is kept by hand.
func TestWhatHappensByItselfIsReviewed(t *testing.T) {
	t.Parallel()
	file, err := os.Open("testdata/automatic.csv")
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	reviewed, err := csv.NewReader(file).ReadAll()
	require.NoError(t, err)
	declared := [][]string{{"what", "name", "rule", "feature", "read_only", "blocked"}}
	panel := paneltest.New(t, modules.All()...).App
	for _, l := range panel.Listeners() {
		declared = append(declared, []string{"listener", l.Name, strings.Join(l.Kinds, " "), l.Feature, string(l.ReadOnly), string(l.Blocked)})
	}
	for _, s := range panel.Schedules() {
		declared = append(declared, []string{"schedule", s.Name, s.Cron, s.Feature, string(s.ReadOnly), string(s.Blocked)})
	}
	require.Equal(t, reviewed, declared)
}
