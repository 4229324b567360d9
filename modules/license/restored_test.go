package license

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/restored"
)

// outlived is what a restore takes over from the present database.
func (p *panel) outlived() (text json.RawMessage) {
	p.t.Helper()
	var kept string
	require.NoError(p.t, p.store.db.NewRaw("select ("+outlives+")::text").Scan(p.t.Context(), &kept))
	return json.RawMessage(kept)
}

func (p *panel) kept() row {
	p.t.Helper()
	r, err := p.store.read(p.t.Context())
	require.NoError(p.t, err)
	return r
}

func (p *panel) settles(kept json.RawMessage) restored.Outcome {
	p.t.Helper()
	var r restored.Restoration
	require.NoError(p.t, p.store.db.InTx(p.t.Context(), func(ctx context.Context) error {
		return p.restored(ctx, kept, &r)
	}))
	return r.Outcome
}

// "keeps the newer license document", also without the copy in the data folder.
func TestANewerLicenseOutlivesARestore(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	p.activated()
	kept, document := p.outlived(), p.look().Document
	p.set("document = '', sealed_key = '', key_masked = '', next_check_at = null")
	require.True(t, p.settles(kept).LicenseKept)
	require.Equal(t, document, p.kept().Document)
	p.data = t.TempDir()
	p.restart()
	p.is("active", "ok")
	p.refreshed()
	require.True(t, p.Status().LastCheck.OK, "with its key")
}

func TestTheLicenseOfTheBackupStaysWhereItIsTheNewest(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	p.activated()
	kept, document := p.outlived(), p.kept().Document
	require.False(t, p.settles(kept).LicenseKept)
	require.Equal(t, document, p.kept().Document)
	require.False(t, p.settles(nil).LicenseKept, "nothing is known of an empty database")
}

// A license that was removed since the backup does not come back with it.
func TestARemovedLicenseStaysRemoved(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	p.activated()
	document := p.kept().Document
	p.set("document = '', sealed_key = '', key_masked = '', removed_at = now() + interval '1 minute'")
	kept := p.outlived()
	_, err := p.store.db.NewRaw("update licenses set document = ?, removed_at = null", document).Exec(t.Context())
	require.NoError(t, err)
	require.True(t, p.settles(kept).LicenseKept)
	require.Empty(t, p.kept().Document)
	require.WithinDuration(t, time.Now().Add(time.Minute), *p.kept().RemovedAt, time.Minute)
}

// The license of another installation is none of the restored one.
func TestTheLicenseOfAnotherInstallationIsNotKept(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	p.activated()
	kept := p.outlived()
	p.set("document = '', sealed_key = '', instance_id = gen_random_uuid()")
	require.False(t, p.settles(kept).LicenseKept)
	require.Empty(t, p.kept().Document)
}
