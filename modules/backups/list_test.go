package backups

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/httpapi"
	"panel/platform/paneltest"
)

// Runs of all profiles stand in one list, newest first, page by page; a filter leaves those of one profile.
func TestRunsAreListedNewestFirst(t *testing.T) {
	t.Parallel()
	admin := paneltest.New(t, Module()).Admin()
	profile, other := add(admin, local("nightly", nil)), add(admin, local("weekly", nil))
	first := ends(t, admin, begin(admin, profile)).ID
	second := ends(t, admin, begin(admin, other)).ID
	read := func(query string) (page httpapi.Page[Run]) {
		admin.Get(runsPath + query).Is(http.StatusOK).JSON(&page)
		return page
	}
	all := read("?limit=25")
	require.Len(t, all.Items, 2)
	require.Equal(t, []string{second, first}, []string{all.Items[0].ID, all.Items[1].ID})
	page := read("?limit=1")
	require.NotNil(t, page.NextCursor)
	require.Equal(t, first, read("?limit=1&cursor=" + *page.NextCursor).Items[0].ID)
	require.Equal(t, first, read("?profile_id=" + profile).Items[0].ID)

	test := admin.Post(restoresPath, fields{"run_id": first, "mode": "verify"}).Is(http.StatusAccepted).Text("id")
	var tests httpapi.Page[Restore]
	admin.Get(restoresPath + "?limit=50").Is(http.StatusOK).JSON(&tests)
	require.Len(t, tests.Items, 1)
	require.Equal(t, test, tests.Items[0].ID)
}
