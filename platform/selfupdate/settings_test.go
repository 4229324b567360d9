package selfupdate_test

import (
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/paneltest"
	"panel/platform/release"
	"panel/platform/selfupdate"
	"panel/platform/settings"
)

const (
	updateSettings  = updates + "/settings"
	settingsChanged = "system.update_settings_changed"
)

type shownSettings = settings.Document[selfupdate.ShownSettings]

func settingsOf(t *testing.T, answer *paneltest.Answer) (read shownSettings) {
	t.Helper()
	answer.Is(http.StatusOK).JSON(&read)
	return read
}

func chosen(channel string, check bool) map[string]any {
	return map[string]any{"channel": channel, "check": check}
}

func TestTheChannelOfTheSettingsReplacesThatOfTheVariable(t *testing.T) {
	t.Parallel()
	address, public := released(t, release.Manifest{Version: "7.0.0", Channel: "dev"})
	p := paneltest.Start(t, paneltest.Env(map[string]string{
		"PANEL_UPDATE_URL": address, "PANEL_UPDATE_PUBLIC_KEY": public, "PANEL_UPDATE_CHANNEL": "stable",
	}))
	admin, news := p.As("settings.manage"), p.Follow()
	read := settingsOf(t, admin.Get(updateSettings))
	require.Equal(t, selfupdate.ShownSettings{Channel: "stable", Check: true}, read.Settings)
	require.Equal(t, []settings.Variable{
		{Field: "channel", Name: "PANEL_UPDATE_CHANNEL", Given: true, Value: "stable", Holds: true},
	}, read.Variables)
	require.Nil(t, admin.Post(updates+"/check", nil).Is(http.StatusOK).Value("available"))

	read = settingsOf(t, admin.Put(updateSettings, map[string]any{"revision": 0, "settings": chosen("dev", true)}))
	require.False(t, read.Variables[0].Holds)
	require.EqualValues(t, 1, paneltest.NextData[settings.Changed](news, settingsChanged).Revision)
	require.Equal(t, []string{settingsChanged}, p.Recorded("settings", "updates"))
	view := admin.Get(updates).Is(http.StatusOK)
	require.Equal(t, "dev", view.Text("channel"))
	require.Equal(t, "7.0.0", view.Text("available.version"), "what was read before is judged anew")

	read = settingsOf(t, admin.Put(updateSettings, map[string]any{
		"revision": 1,
		"settings": map[string]any{"check": true},
	}))
	require.True(t, read.Variables[0].Holds)
	require.Equal(t, "stable", admin.Get(updates).Is(http.StatusOK).Text("channel"))
}

// Two administrators save what they began from the same revision, in the body or as If-Match: one is told to read
// again.
func TestTwoWritersOfTheUpdateSettings(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t)
	tag := p.As("settings.manage").Get(updateSettings).Is(http.StatusOK).Header.Get("ETag")
	require.Equal(t, `"0"`, tag)
	answers := make(chan *paneltest.Answer, 2)
	var both sync.WaitGroup
	for _, channel := range []string{"stable", "dev"} {
		admin, body := p.As("settings.manage"), map[string]any{"settings": chosen(channel, true)}
		both.Go(func() { answers <- admin.Do(http.MethodPut, updateSettings, body, "If-Match", tag) })
	}
	both.Wait()
	close(answers)
	saved := 0
	for answer := range answers {
		if answer.Status == http.StatusOK {
			saved++
			require.Equal(t, `"1"`, answer.Header.Get("ETag"))
			continue
		}
		answer.Refused(http.StatusConflict, "revision_conflict")
	}
	require.Equal(t, 1, saved)
}

func TestNobodyIsAskedForReleasesWhenNobodyWantsIt(t *testing.T) {
	t.Parallel()
	address, public := released(t, release.Manifest{Version: "7.0.0"})
	p := paneltest.Start(t, paneltest.Env(map[string]string{
		"PANEL_UPDATE_URL":        address,
		"PANEL_UPDATE_PUBLIC_KEY": public,
	}))
	admin := p.As("settings.manage")
	admin.Put(updateSettings, map[string]any{"revision": 0, "settings": chosen("stable", false)}).Is(http.StatusOK)
	p.RunSchedule("selfupdate.check")
	require.Nil(t, admin.Get(updates).Is(http.StatusOK).Value("checked_at"))
	admin.Post(updates+"/check", nil).Is(http.StatusOK)
	require.Equal(t, "7.0.0", admin.Get(updates).Is(http.StatusOK).Text("available.version"), "by hand it is")
}

func TestRefusedUpdateSettings(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t)
	p.As("nodes.view").Get(updateSettings).Refused(http.StatusForbidden, "permission_denied")
	admin := p.As("settings.manage")
	admin.Put(updateSettings, map[string]any{"revision": 0, "settings": chosen("beta", true)}).
		Refused(http.StatusUnprocessableEntity, "invalid_value")
	admin.Put(updateSettings, map[string]any{"revision": 0, "settings": map[string]any{"channel": "dev"}}).
		Refused(http.StatusBadRequest, "missing_field")
	require.False(t, settingsOf(t, admin.Get(updateSettings)).Stored)
}
