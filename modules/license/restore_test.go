package license

import (
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/vault"
)

// An older database that is put in place of the right one gets its license back from the data folder.
func TestTheCopyBringsBackWhatAnOlderDatabaseLost(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	p.activated()
	_, err := p.store.db.ExecContext(t.Context(), "update licenses set document = '', sealed_key = '', key_masked = ''")
	require.NoError(t, err)
	p.restart()
	p.is("active", "ok")
	p.refreshed()
	require.True(t, p.Status().LastCheck.OK)
}

// A database from before the license knows of no next check: the license server is asked at once.
func TestALicenseThatWasBroughtBackIsAskedAbout(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	license := p.activated()
	p.set("document = '', sealed_key = '', key_masked = '', next_check_at = null")
	p.authority.run("revoke", license.ID)
	p.restart()
	p.looked()
	p.is("degraded", "refused")
}

func TestACopyOfAnotherInstallationIsNotTaken(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	p.activated()
	stranger := newPanel(t)
	stranger.data = p.data
	stranger.authority = p.authority
	stranger.restart()
	stranger.is("degraded", "none")
}

func TestADamagedCopyIsNoObstacle(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	p.activated()
	require.NoError(t, p.file.write(copied{Document: "PNLDOC1.x.y", InstanceID: p.look().InstanceID}))
	p.restart()
	p.is("active", "ok")
}

// "A bad signature is an error that keeps the old document."
func TestARowThatWasTamperedWithDoesNotReplaceTheDocument(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	p.activated()
	_, err := p.store.db.ExecContext(
		t.Context(),
		"update licenses set document = replace(document, 'PNLDOC1.e', 'PNLDOC1.f')",
	)
	require.NoError(t, err)
	p.outdate()
	p.is("active", "ok")
	p.restart()
	p.is("active", "ok")
}

func TestTheKeyIsSealedAnewAfterTheMasterKeyChanged(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	p.activated()
	before := p.look().SealedKey
	changed, err := vault.New("another master key for the tests", "a master key for the tests of the license")
	require.NoError(t, err)
	p.vault = changed
	require.NoError(t, p.ready(t.Context()))
	require.NotEqual(t, before, p.look().SealedKey)
	require.False(t, changed.Stale(p.look().SealedKey))
	p.refreshed()
	require.True(t, p.Status().LastCheck.OK)
}
