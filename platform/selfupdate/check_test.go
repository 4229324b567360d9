package selfupdate_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/paneltest"
	"panel/platform/release"
)

// What one panel has found out every panel on the database knows, also after a start, and the news of it comes once.
func TestWhatACheckFoundHoldsForEveryPanel(t *testing.T) {
	t.Parallel()
	address, public := released(t, release.Manifest{Version: "7.0.0"})
	settings := map[string]string{"PANEL_UPDATE_URL": address, "PANEL_UPDATE_PUBLIC_KEY": public}
	one := paneltest.Start(t, paneltest.Env(settings))
	one.As("settings.manage").Post(updates+"/check", nil).Is(http.StatusOK)
	two := paneltest.Start(t, paneltest.On(one.DB), paneltest.Env(settings))
	shown := two.As("settings.manage").Get(updates).Is(http.StatusOK)
	require.Equal(t, "7.0.0", shown.Text("available.version"))
	require.NotEmpty(t, shown.Text("checked_at"))
	two.As("settings.manage").Post(updates+"/check", nil).Is(http.StatusOK)
	var rows int
	require.NoError(t, one.DB.NewRaw("select count(*) from release_checks").Scan(t.Context(), &rows))
	require.Equal(t, 1, rows)
}

// A server that is gone for a while takes nothing away that was offered.
func TestAServerThatIsGoneTakesNoOfferAway(t *testing.T) {
	t.Parallel()
	address, public := released(t, release.Manifest{Version: "7.0.0"})
	p, _ := panel(t, address, public, nil)
	admin := p.As("settings.manage")
	admin.Post(updates+"/check", nil).Is(http.StatusOK)
	_, err := p.DB.ExecContext(t.Context(), "update release_checks set checked_at = now() - interval '9 hours'")
	require.NoError(t, err)
	late := paneltest.Start(t, paneltest.On(p.DB), paneltest.Env(map[string]string{
		"PANEL_UPDATE_URL": "http://127.0.0.1:9/manifest.json", "PANEL_UPDATE_PUBLIC_KEY": public,
	}))
	shown := late.As("settings.manage").Post(updates+"/check", nil).Is(http.StatusOK)
	require.Equal(t, "unreachable", shown.Text("check_error"))
	require.Equal(t, "7.0.0", shown.Text("available.version"))
}

// The check is a schedule, so that of many panels one asks.
func TestThePanelChecksByItself(t *testing.T) {
	t.Parallel()
	address, public := released(t, release.Manifest{Version: "7.0.0"})
	p := paneltest.Start(t, paneltest.Env(map[string]string{
		"PANEL_UPDATE_URL":        address,
		"PANEL_UPDATE_PUBLIC_KEY": public,
	}))
	p.RunSchedule("selfupdate.check")
	require.Equal(t, "7.0.0", p.As("settings.manage").Get(updates).Is(http.StatusOK).Text("available.version"))
}

// A panel that starts when nobody has checked for long checks soon, and not once for each panel.
func TestPanelsThatStartLateCheckSoon(t *testing.T) {
	t.Parallel()
	address, public := released(t, release.Manifest{Version: "7.0.0"})
	settings := map[string]string{"PANEL_UPDATE_URL": address, "PANEL_UPDATE_PUBLIC_KEY": public}
	one := paneltest.Start(t, paneltest.Env(settings))
	paneltest.Start(t, paneltest.On(one.DB), paneltest.Env(settings))
	waiting := func() (soon int) {
		err := one.DB.NewRaw(`select count(*) from jobs.river_job where kind = 'selfupdate.check'
			and scheduled_at < now() + interval '2 minutes'`).Scan(t.Context(), &soon)
		require.NoError(t, err)
		return soon
	}
	require.Equal(t, 1, waiting())
	one.As("settings.manage").Post(updates+"/check", nil).Is(http.StatusOK)
	_, err := one.DB.ExecContext(t.Context(), "delete from jobs.river_job where kind = 'selfupdate.check'")
	require.NoError(t, err)
	paneltest.Start(t, paneltest.On(one.DB), paneltest.Env(settings))
	require.Zero(t, waiting(), "it was checked a moment ago")
}
