package license

import (
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Specification, License: no license is degraded; "activate | valid key | writes work again".
func TestNoLicenseIsDegradedUntilOneIsActivated(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	status := p.is("degraded", "none")
	require.Nil(t, status.Plan)
	require.Nil(t, status.LastCheck)
	require.Equal(t, declared, status.Features.Blocked)
	require.NotEmpty(t, status.InstanceID)
	p.activated("--plan", "Start")
	status = p.is("active", "ok")
	require.Equal(t, "Start", *status.Plan)
	require.Equal(t, []string{"backups", "flows"}, status.Features.Enabled)
	require.Equal(t, []string{"assistant", "health"}, status.Features.Blocked)
	require.True(t, status.LastCheck.OK)
	require.Nil(t, status.GraceUntil)
	require.WithinRange(t, *status.NextCheckAt, p.clock.Now().Add(7*time.Hour), p.clock.Now().Add(9*time.Hour))
	require.Contains(t, p.journal.lines(), "license.activated ok")
	require.Contains(t, p.news.kinds(), "license.activated")
}

// Specification, License: "The key is masked whenever it is displayed."
func TestTheKeyIsMaskedAndSealed(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	license := p.activated()
	require.Equal(t, "PNL-••••-••••-"+license.Key[14:], *p.Status().KeyMasked)
	file, err := os.ReadFile(p.file.path)
	require.NoError(t, err)
	for _, place := range []string{string(file), p.look().SealedKey, p.look().KeyMasked, p.look().Document} {
		require.NotContains(t, place, license.Key[4:13])
	}
	info, err := os.Stat(p.file.path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

// Specification, License: "license server gives a final negative verdict | no grace period is granted".
func TestASignedRefusalLeadsStraightToDegraded(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]func(*panel){
		"from active": func(*panel) {},
		"from grace": func(p *panel) {
			p.authority.fails(status(http.StatusServiceUnavailable))
			require.Equal(t, "grace", p.refreshed().State)
			p.authority.fails(nil)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPanel(t)
			license := p.activated()
			before(p)
			p.authority.run("revoke", license.ID)
			status := p.refreshed()
			require.Equal(t, "degraded", status.State)
			require.Nil(t, status.GraceUntil)
			require.True(t, status.LastCheck.OK, "the server did answer")
			require.Equal(t, "revoked", *status.LastCheck.Error)
			p.is("degraded", "refused")
			p.restart()
			p.is("degraded", "refused")
			p.authority.fails(status503)
			p.refreshed()
			p.is("degraded", "refused")
			require.Contains(t, p.news.kinds(), "license.degraded")
		})
	}
}

func status503(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }

// R9: "72 h boundary at -1 s / +1 s". Limits: "license grace period, default 72 hours".
// Specification, Limits: grace has "default 72 hours", set by PANEL_LICENSE_GRACE_HOURS.
func TestGraceEndsSeventyTwoHoursAfterTheFirstFailure(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	p.activated()
	p.authority.fails(status503)
	until := *p.refreshed().GraceUntil
	p.pass(until.Sub(p.clock.Now()) - time.Second)
	p.is("grace", "unreachable")
	p.pass(time.Second)
	p.is("degraded", "unreachable")
	p.pass(time.Second)
	p.is("degraded", "unreachable")
	require.Equal(t, []string{"license.activated", "license.grace_started", "license.degraded"}, p.news.kinds())
	require.Equal(
		t,
		[]string{"license.activated ok", "license.refreshed failed", "license.degraded ok"},
		p.journal.lines(),
	)
	p.authority.fails(nil)
	p.refreshed()
	p.is("active", "ok")
}

// State machine: "expiry while in grace stays until grace ends".
func TestExpiryInGraceWaitsForTheEndOfGrace(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	p.activated("--days", "1")
	p.authority.fails(status503)
	until := *p.refreshed().GraceUntil
	p.pass(25 * time.Hour)
	p.is("grace", "unreachable")
	p.pass(until.Sub(p.clock.Now()))
	p.is("degraded", "unreachable")
}

// Specification, License: "expired and not in grace | degraded". The boundary is the moment itself.
func TestAnActiveLicenseEndsAtItsMoment(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	p.activated("--days", "2")
	end := *p.Status().ValidUntil
	p.service.client.addresses = []string{}
	p.wall.Advance(end.Sub(p.clock.Now()) - time.Second)
	p.is("active", "ok")
	p.wall.Advance(time.Second)
	p.is("degraded", "expired")
}

// A renewed license is seen shortly before the old end, so that nobody is locked out.
func TestTheLicenseIsCheckedShortlyBeforeItEnds(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	license := p.activated("--days", "1")
	for range 2 {
		p.pass(p.Status().NextCheckAt.Sub(p.clock.Now()))
	}
	require.Less(t, time.Duration(0), p.Status().NextCheckAt.Sub(p.clock.Now()))
	p.authority.run("extend", license.ID, "2040-01-01")
	p.refreshed()
	require.Equal(t, 2040, p.is("active", "ok").ValidUntil.Year())
}

// Specification, License: "any state including degraded | remove | degraded | recorded in the audit journal".
func TestRemoveWorksInEveryState(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	for name, reach := range map[string]func(){
		"none":   func() {},
		"active": func() { p.activated() },
		"grace": func() {
			p.activated()
			p.authority.fails(status503)
			require.Equal(t, "grace", p.refreshed().State)
		},
		"degraded": func() {
			p.activated()
			p.authority.fails(status503)
			p.refreshed()
			p.pass(73 * time.Hour)
			p.is("degraded", "unreachable")
		},
	} {
		reach()
		lines := len(p.journal.lines())
		status, err := p.Remove(t.Context())
		require.NoError(t, err, name)
		require.Nil(t, status.KeyMasked)
		require.Nil(t, status.Plan)
		require.Equal(t, "license.removed ok", p.journal.lines()[lines], name)
		p.is("degraded", "removed")
		p.restart()
		p.is("degraded", "removed")
		p.authority.fails(nil)
	}
}

// Activation replaces; the place of the former license is given back, so it can be used again.
func TestActivationReplacesAndGivesTheFormerPlaceBack(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	first := p.activated()
	p.activated("--plan", "Start")
	require.Equal(t, "Start", *p.Status().Plan)
	p.looked()
	require.NotContains(t, p.authority.run("list"), "2 of")
	_, err := p.Remove(t.Context())
	require.NoError(t, err)
	p.looked()
	require.NotContains(t, p.authority.run("list"), "1 of 1")
	_, err = p.Activate(t.Context(), first.Key)
	require.NoError(t, err)
}

func TestBadKeysAreInvalidAndLeaveTheLicense(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	used := p.authority.issue()
	other := panelOn(t, p.authority, p.store.db, t.TempDir())
	_ = other
	p.activated()
	revoked, unknown := p.authority.issue(), "PNL-0000-0000-0000"
	p.authority.run("revoke", revoked.ID)
	for _, bad := range []string{"", "hello", used.Key + "X", unknown, revoked.Key, "PNLDOC1.e30.AAAA"} {
		_, err := p.Activate(t.Context(), bad)
		p.refused(err, "license_key_invalid")
		require.NotContains(t, err.Error(), used.Key)
		p.is("active", "ok")
	}
	require.Contains(t, p.journal.lines(), "license.activated failed")
}

func TestAnOfflineDocumentAsksNobody(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	license := p.authority.issue("--days", "400")
	older := p.authority.offline(license.Key, p.look().InstanceID)
	text := p.authority.offline(license.Key, p.look().InstanceID)
	p.authority.front.Close()
	_, err := p.Activate(t.Context(), text)
	require.NoError(t, err)
	status := p.is("active", "ok")
	require.Nil(t, status.NextCheckAt)
	p.refreshed()
	p.pass(300 * 24 * time.Hour)
	p.is("active", "ok")
	_, err = p.Activate(t.Context(), older)
	p.refused(err, "license_key_invalid")
	p.pass(101 * 24 * time.Hour)
	p.is("degraded", "expired")
}

// A license that was refused stays refused: neither removing it nor an older database brings its older document back.
func TestARevokedLicenseDoesNotReturnByAnOlderDocument(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	license := p.activated()
	older := p.authority.offline(license.Key, p.look().InstanceID)
	p.refreshed()
	p.authority.run("revoke", license.ID)
	p.refreshed()
	p.is("degraded", "refused")
	_, err := p.Remove(t.Context())
	require.NoError(t, err)
	_, err = p.Activate(t.Context(), older)
	p.refused(err, "license_key_invalid")
	p.restart()
	_, err = p.Activate(t.Context(), older)
	p.refused(err, "license_key_invalid")
	_, err = p.store.db.ExecContext(t.Context(), "update licenses set known = '{}', removed_at = null, document = ?",
		older)
	require.NoError(t, err)
	p.restart()
	p.is("degraded", "removed")
	_, err = p.Activate(t.Context(), older)
	p.refused(err, "license_key_invalid")
	other := p.authority.issue()
	_, err = p.Activate(t.Context(), other.Key)
	require.NoError(t, err, "another license is welcome")
	_, err = p.Activate(t.Context(), older)
	p.refused(err, "license_key_invalid")
	p.is("active", "ok")
}

// What another panel has changed meanwhile is not replaced by what this one wrote before.
func TestAChangeThatIsShownLateDoesNotHideANewerOne(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	p.activated()
	former, err := p.store.read(t.Context())
	require.NoError(t, err)
	_, err = p.store.db.ExecContext(t.Context(),
		"update licenses set document = '', sealed_key = '', removed_at = now()")
	require.NoError(t, err)
	p.outdate()
	p.is("degraded", "removed")
	p.settle(t.Context(), former)
	p.is("degraded", "removed")
}

// Nobody is answered by the former license while a first reader still reads the new one.
func TestALookWaitsForTheReaderThatIsUnderWay(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	p.activated()
	_, err := p.store.db.ExecContext(t.Context(),
		"update licenses set document = '', sealed_key = '', removed_at = now()")
	require.NoError(t, err)
	p.outdate()
	states := make(chan string, 20)
	for range cap(states) {
		go func() { states <- p.Status().State }()
	}
	for range cap(states) {
		require.Equal(t, "degraded", <-states)
	}
}

func TestAnotherInstallationsDocumentIsNotTaken(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	license := p.authority.issue()
	_, err := p.Activate(t.Context(), p.authority.offline(license.Key, "0197f3a0-0000-7000-8000-000000000001"))
	p.refused(err, "license_key_invalid")
	p.is("degraded", "none")
}

// Domain 4.14: documents of a rotated key are accepted by a panel that knows the old one.
func TestTheAuthorityMayRotateItsKey(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	p.activated()
	old := p.look().document.KeyID
	p.authority.run("rotate")
	p.refreshed()
	p.is("active", "ok")
	require.NotEqual(t, old, p.look().document.KeyID)
	p.restart()
	p.is("active", "ok")
}
