package subscriptions

import (
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/paneltest"
)

const anID = "0199a0de-0000-7000-8000-00000000000a"

// panelctl runs one command line against a panel with two clients, one of which has a subscription.
func panelctl(t *testing.T, args ...string) (exit int, out string, calls []string) {
	t.Helper()
	const flows = `[{"flow_name": "Europe", "installed": true}, {"flow_name": "Asia", "installed": false}]`
	anna := `{"id": "` + anID + `", "label": "Anna", "state": "active", "has_public_link": true, "flows": ` + flows + `}`
	all := `{"items": [` + anna + `, {"id": "x", "label": "Boris", "state": "active", "has_public_link": false, "flows": []},
		{"id": "y", "label": "Vera", "state": "expired", "has_public_link": true, "flows": ` + flows + `}]}`
	answers := map[string]string{
		"GET /api/v1/clients?limit=200":                 all,
		"GET /api/v1/clients?q=anna&limit=200":          `{"items": [` + anna + `]}`,
		"POST /api/v1/clients/" + anID + "/public-link": `{"url": "https://panel.example/s/NEW", "created_at": "2026-02-01T00:00:00Z"}`,
		"GET /api/v1/subscriptions/settings":            `{"revision": 3, "settings": {"title": "VPN", "interval_hours": 12}}`,
	}
	return paneltest.Line(t, commands, answers, append([]string{"subscriptions"}, args...)...)
}

// Only those who have a subscription are listed, with how many of their flows are in it: none of a client whose time is
// over.
func TestClientsWithASubscriptionAreListed(t *testing.T) {
	t.Parallel()
	exit, out, calls := panelctl(t, "list", "--plain")
	require.Zero(t, exit, out)
	require.Equal(t, []string{"GET /api/v1/clients?limit=200"}, calls)
	require.Equal(t, "Anna\tactive\t1/2\t-\t"+anID+"\nVera\texpired\t0/2\t-\ty\n", out)
}

func TestTheSettingsOfSubscriptionsAreShown(t *testing.T) {
	t.Parallel()
	exit, out, _ := panelctl(t, "settings", "--plain")
	require.Zero(t, exit, out)
	require.Equal(t, "title\tVPN\nsupport\t-\nannouncement\t-\ninterval_hours\t12\n", out)
}

// A new address ends the one before, so it is asked about; it is printed once, in each form.
func TestAnAddressIsIssuedOnceItIsConfirmed(t *testing.T) {
	t.Parallel()
	for _, form := range []string{"--plain", "--json", "--table"} {
		exit, out, calls := panelctl(t, "issue", "anna", "--yes", form)
		require.Zero(t, exit, out)
		require.Equal(t, "POST /api/v1/clients/"+anID+"/public-link", calls[len(calls)-1])
		require.Contains(t, out, "https://panel.example/s/NEW")
	}
	exit, out, calls := panelctl(t, "issue", "anna")
	require.Equal(t, 2, exit, out)
	require.Len(t, calls, 1, "nobody confirmed it")
	exit, out, _ = panelctl(t, "issue", "nobody", "--yes")
	require.Equal(t, 1, exit)
	require.Contains(t, out, "there is no client with the name nobody")
}

func TestAnAddressIsTakenAwayOnceItIsConfirmed(t *testing.T) {
	t.Parallel()
	exit, out, calls := panelctl(t, "revoke", anID, "--yes")
	require.Zero(t, exit, out)
	require.Equal(t, []string{"DELETE /api/v1/clients/" + anID + "/public-link"}, calls)
	exit, _, calls = panelctl(t, "revoke", anID)
	require.Equal(t, 2, exit)
	require.Empty(t, calls)
}
