package access

import (
	"flag"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/e2e/rig"
	"panel/e2e/rig/rigtest"
	"panel/platform/database/dbtest"
)

// pair is two panels on one database.
type pair struct {
	*testing.T
	stand *rig.Stand
	other *rig.Panel
	admin *rig.API // through the first
}

func two(t *testing.T, env ...string) *pair {
	t.Helper()
	p := &pair{T: t, stand: installed(t, dbtest.Empty(t), env...)}
	var err error
	p.other, err = p.stand.Beside(rigtest.Folder(t))
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, p.other.Stop())
		rigtest.ShowLog(t, p.other.Process)
	})
	require.NoError(t, p.other.Up(t.Context()))
	p.admin = p.stand.API
	return p
}

// through gives the same caller at the other panel.
func (p *pair) through(session *rig.API) *rig.API { return p.other.API.As(session.Token) }

// What is changed through one panel is seen by the other at its next request: session revocation, permissions, license.
func TestTwoPanelsSeeEachOthersChangesAtTheNextRequest(t *testing.T) {
	t.Parallel()
	p := two(t)
	t.Run("an ended session", p.endedSession)
	t.Run("changed permissions", p.changedPermissions)
	t.Run("a removed and activated license", p.changedLicense)
	t.Run(
		"one sign-in serves both",
		func(t *testing.T) { warm(t, p.through(login(t, p.stand.Panel.API, rig.Password))) },
	)
}

const rounds = 60

// licenseRounds is how often the license is removed and activated: -args -license-rounds 500 asks a thousand times.
var licenseRounds = flag.Int(
	"license-rounds",
	30,
	"how often the license is removed and activated through one of two panels",
)

func (p *pair) endedSession(t *testing.T) {
	late := 0
	for range rounds {
		session := login(t, p.stand.Panel.API, rig.Password)
		warm(t, p.through(session))
		require.NoError(t, session.Post(t.Context(), "/api/v1/auth/logout", nil, nil))
		if err := p.through(session).Get(t.Context(), me, nil); !rig.Refused(err, http.StatusUnauthorized) {
			late++
		}
	}
	require.Zero(t, late, "of %d", rounds)
}

func (p *pair) changedPermissions(t *testing.T) {
	var user struct {
		ID       string
		Revision int
	}
	account := map[string]any{
		"username":    "vera",
		"password":    "a long enough one",
		"permissions": []string{"nodes.view"},
	}
	require.NoError(t, p.admin.Post(t.Context(), "/api/v1/accounts", account, &user))
	var opened struct{ Token string }
	require.NoError(
		t,
		p.stand.Panel.API.Post(t.Context(), "/api/v1/auth/login", credentials("vera", "a long enough one"), &opened),
	)
	session := p.other.API.As(opened.Token)
	late := 0
	for round := range 4 * rounds {
		keys, allowed := []string{"audit.view"}, false
		if round%2 == 1 {
			keys, allowed = []string{"nodes.view"}, true
		}
		change := map[string]any{"revision": user.Revision, "permissions": keys}
		require.NoError(t, p.admin.Patch(t.Context(), "/api/v1/accounts/"+user.ID, change, &user))
		if err := session.Get(t.Context(), "/api/v1/nodes", nil); (err == nil) != allowed {
			late++
		}
	}
	require.Zero(t, late, "of %d", 4*rounds)
	warm(t, session)
}

func credentials(name, password string) map[string]string {
	return map[string]string{"username": name, "password": password}
}

func (p *pair) changedLicense(t *testing.T) {
	late := 0
	write := func() error {
		return p.through(p.admin).
			Post(t.Context(), "/api/v1/nodes/enrollment-tokens", map[string]any{"kind": "one_off"}, nil)
	}
	for range *licenseRounds {
		require.NoError(t, p.admin.Post(t.Context(), "/api/v1/license/remove", nil, nil))
		if err := write(); !rig.Refused(err, http.StatusForbidden) {
			late++
		}
		require.NoError(
			t,
			p.admin.Post(t.Context(), "/api/v1/license/activate", map[string]string{"license_key": p.stand.Key}, nil),
		)
		if err := write(); err != nil {
			late++
		}
	}
	require.Zero(t, late, "of %d", 2*(*licenseRounds))
}
