package system_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/app"
	"panel/platform/database/dbtest"
	"panel/platform/paneltest"
	"panel/platform/settings"
	"panel/platform/vault"
)

// After a change of the master key the panel seals every secret anew by itself; then the earlier key can go.
func TestAChangeOfTheMasterKeyReachesEverySecret(t *testing.T) {
	t.Parallel()
	const earlier, current = "an-earlier-master-key-0123456789", "the-present-master-key-0123456789"
	db := dbtest.New(t, app.Migrations(app.Core())...)
	old, err := vault.New(earlier)
	require.NoError(t, err)
	place := vault.Ref{Table: settings.Columns[0].Table, ID: "mail/token", Column: settings.Columns[0].Column}
	_, err = db.ExecContext(t.Context(), "insert into settings_documents values ('mail', 1, '{}', now())")
	require.NoError(t, err)
	_, err = db.ExecContext(t.Context(), "insert into settings_secrets values ('mail', 'token', ?)",
		old.Seal(place, []byte("sesame")))
	require.NoError(t, err)

	p := paneltest.Start(t, paneltest.On(db), paneltest.Env(map[string]string{
		"PANEL_SECRET_KEY": current, "PANEL_SECRET_KEY_PREVIOUS": earlier,
	}))
	admin := p.As("settings.manage")
	require.Eventually(t, func() bool {
		return admin.Get("/api/v1/system/security").Is(http.StatusOK).Value("master_key.previous_secrets") == 0.0
	}, 60*time.Second, 50*time.Millisecond)
	alone, err := vault.New(current)
	require.NoError(t, err)
	var sealed string
	require.NoError(t, db.NewRaw("select sealed from settings_secrets").Scan(t.Context(), &sealed))
	plain, err := alone.Open(place, sealed)
	require.NoError(t, err)
	require.Equal(t, "sesame", string(plain))
}
