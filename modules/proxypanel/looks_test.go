package proxypanel

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/entitlement"
	"panel/platform/events"
	"panel/platform/paneltest"
)

// What may pass by itself is told at the third look in a row, and its end once; what passes before is not told.
func TestAFailureIsToldAtTheThirdLookAndItsEndOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	id := b.add().ID
	from := b.App.Bus().Subscribe(t.Context())
	for _, failures := range []int{failuresTold - 1, failuresTold + 1} {
		b.there.Gate(gate)
		for range failures {
			require.Equal(t, "gate", b.look(id).State)
		}
		b.there.Gate(nil)
		for range 2 {
			require.Equal(t, "ok", b.look(id).State)
		}
	}
	b.Admin().Patch(connectionsPath+"/"+id, fields{"revision": 1, "label": "renamed"}).Is(http.StatusOK)
	require.Equal(t, []string{connectionFailed, connectionWorks}, until(t, from, connectionChanged))
}

// until gives the kinds of this module's events up to the first one of a kind.
func until(t *testing.T, from <-chan events.Event, last string) (kinds []string) {
	t.Helper()
	for {
		select {
		case event := <-from:
			if event.Kind == last {
				return kinds
			}
			if strings.HasPrefix(event.Kind, "proxypanel.") {
				kinds = append(kinds, event.Kind)
			}
		case <-time.After(30 * time.Second):
			require.Fail(t, "there was no event "+last)
		}
	}
}

// What only a person can mend is told at once.
func TestARevokedTokenIsToldAtOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	id := b.add().ID
	news := b.Follow()
	b.there.Revoke()
	require.Equal(t, [2]string{"auth", "token_refused"}, found(b.look(id)))
	require.Equal(t, id, news.Next(connectionFailed).SubjectID)
}

// A token that ends within 14 days is warned of once, and its successor anew.
func TestATokenThatEndsSoonIsWarnedOfOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	id := b.add(fields{"token": b.there.Token(13*24*time.Hour, allScopes()...)}).ID
	news := b.Follow()
	b.look(id)
	require.Equal(t, id, news.Next(tokenExpiring).SubjectID)
	b.look(id)
	var told *time.Time
	require.NoError(t, b.DB.NewRaw("select told_expiry from proxypanel_connections").Scan(t.Context(), &told))
	require.NotNil(t, told)

	b.Admin().Patch(connectionsPath+"/"+id, fields{"revision": 1, "token": b.there.Token(12*24*time.Hour, "*")}).
		Is(http.StatusOK)
	b.look(id)
	require.Equal(t, id, news.Next(tokenExpiring).SubjectID)
}

// A scope that was taken away is found at the next look that asks for scopes, and stays known until then.
func TestAMissingScopeStaysKnownBetweenTheLooksForScopes(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	all := allScopes()
	id := b.add(fields{"token": b.there.Token(365*24*time.Hour, all[:len(all)-1]...)}).ID
	seen := b.look(id)
	require.Equal(t, [2]string{"degraded", "scope_missing"}, found(seen))
	require.Equal(t, all[len(all)-1:], seen.MissingScopes)
}

// What a look found is dropped where somebody has changed the connection meanwhile.
func TestALookDoesNotOverwriteAChange(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	id := b.add().ID
	entered, release := make(chan struct{}), make(chan struct{})
	b.there.Gate(func(w http.ResponseWriter, r *http.Request) {
		b.there.Gate(nil)
		close(entered)
		<-release
		gate(w, r)
	})
	answered := make(chan struct{})
	go func() { defer close(answered); b.test(id) }()
	<-entered
	b.Admin().Patch(connectionsPath+"/"+id, fields{"revision": 1, "label": "renamed"}).Is(http.StatusOK)
	close(release)
	<-answered
	now := b.get(id)
	require.Equal(t, "renamed", now.Label)
	require.Equal(t, "ok", now.State)
	require.EqualValues(t, 2, now.Revision)
}

// A panel that does not answer holds up no look at another one.
func TestASlowPanelDelaysNoOther(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	slow := newBench(t)
	id := b.add().ID
	b.add(fields{"label": "slow", "base_url": slow.there.URL, "token": slow.token()})
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	slow.there.Gate(func(http.ResponseWriter, *http.Request) { <-release })
	b.look(id)
}

// Looking goes on in read-only mode; nothing can be added then.
func TestLooksGoOnInReadOnlyMode(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	id := b.add().ID
	readOnly := paneltest.Start(t, built(), paneltest.On(b.DB),
		paneltest.Env(map[string]string{"PANEL_OUTBOUND_ALLOW": "127.0.0.1"}), paneltest.License(entitlement.Fixed{State: entitlement.Degraded, Reason: "none"}))
	readOnly.Admin().Post(connectionsPath+"/"+id+"/test", nil).Refused(http.StatusForbidden, "license_read_only")
	readOnly.Admin().Get(connectionsPath).Is(http.StatusOK)
	require.Equal(t, entitlement.GoesOn, lookSchedule().ReadOnly)
}

func TestConnectionsAreCounted(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.add(fields{"token": b.there.Token(-time.Hour, "*")})
	metrics := b.Scrape()
	for _, line := range []string{
		"panel_proxypanel_connections 1", "panel_proxypanel_connections_failing 1",
		"panel_proxypanel_connections_degraded 0", "panel_proxypanel_tokens_expiring 1",
	} {
		require.Contains(t, metrics, "\n"+line+"\n")
	}
}
