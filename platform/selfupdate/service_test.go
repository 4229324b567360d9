package selfupdate_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/entitlement"
	"panel/platform/paneltest"
	"panel/platform/release"
	"panel/platform/selfupdate"
)

const updates = "/api/v1/system/updates"

// released is a release server with one version.
func released(t *testing.T, m release.Manifest) (address, public string) {
	t.Helper()
	folder := t.TempDir()
	file := filepath.Join(folder, "panelctl")
	require.NoError(t, os.WriteFile(file, []byte("an executable"), 0o600))
	require.NoError(t, m.Add(release.Panel, release.Platform(), file))
	if m.Channel == "" {
		m.Channel = "stable"
	}
	m.ReleasedAt = time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	key, err := release.NewKey()
	require.NoError(t, err)
	_, err = key.Write(folder, m)
	require.NoError(t, err)
	server := httptest.NewServer(http.FileServer(http.Dir(folder)))
	t.Cleanup(server.Close)
	return server.URL + "/manifest.json", key.Public()
}

// panel is one whose service takes requests, but for the settings in changes; it is read-only, as without a license.
func panel(t *testing.T, address, public string, changes map[string]string) (*paneltest.Panel, string) {
	t.Helper()
	requests := filepath.Join(t.TempDir(), "update-request.json")
	environ := map[string]string{
		"PANEL_UPDATE_URL":        address,
		"PANEL_UPDATE_PUBLIC_KEY": public,
		"PANEL_UPDATE_REQUEST":    requests,
	}
	for name, value := range changes {
		environ[name] = value
	}
	return paneltest.Start(
		t,
		paneltest.Env(environ),
		paneltest.License(entitlement.Fixed{State: entitlement.Degraded, Reason: "none"}),
	), requests
}

// Specification, degraded mode rule 3: the panel's self-update stays available.
func TestAReadOnlyPanelHandsAnUpdateToItsServiceOnce(t *testing.T) {
	t.Parallel()
	address, public := released(t, release.Manifest{Version: "7.0.0", Notes: "what is new", MinAgent: "6.0.0"})
	p, requests := panel(t, address, public, nil)
	admin := p.As("settings.manage")
	admin.Post(updates+"/apply", map[string]string{"version": "7.0.0"}).
		Refused(http.StatusConflict, "update_not_offered")
	shown := admin.Post(updates+"/check", nil).Is(http.StatusOK)
	require.Equal(t, "7.0.0", shown.Text("available.version"))
	require.Equal(t, "what is new", shown.Text("available.notes"))
	require.Empty(t, shown.Text("check_error"))
	checks := shown.Value("checks").([]any)
	require.Len(t, checks, 5)
	for _, check := range checks {
		require.Equal(t, true, check.(map[string]any)["ok"], "%v", check)
	}
	admin.Post(updates+"/apply", map[string]string{"version": "7.0.1"}).
		Refused(http.StatusConflict, "update_not_offered")
	run := admin.PostOnce(updates+"/apply", map[string]string{"version": "7.0.0"}).Is(http.StatusAccepted)
	require.Equal(t, "requested", run.Text("state"))
	text, err := os.ReadFile(requests)
	require.NoError(t, err)
	require.Contains(t, string(text), run.Text("id"))
	admin.Post(updates+"/apply", map[string]string{"version": "7.0.0"}).Refused(http.StatusConflict, "update_active")
	admin.Post(updates+"/rollback", nil).Refused(http.StatusConflict, "update_active")
	require.Equal(t, run.Text("id"), admin.Get(updates).Is(http.StatusOK).Text("run.id"))
}

// Updates need settings.manage.
func TestUpdatesNeedTheirPermission(t *testing.T) {
	t.Parallel()
	p, _ := panel(t, "http://127.0.0.1:9/manifest.json", "", nil)
	viewer := p.As("nodes.view")
	viewer.Get(updates).Refused(http.StatusForbidden, "permission_denied")
	for _, path := range []string{"/check", "/apply", "/rollback"} {
		viewer.Post(updates+path, map[string]string{"version": "1"}).Refused(http.StatusForbidden, "permission_denied")
	}
}

func TestWhatCannotBeUpdatedSaysWhy(t *testing.T) {
	t.Parallel()
	address, public := released(t, release.Manifest{Version: "7.0.0"})
	other, err := release.NewKey()
	require.NoError(t, err)
	dev, devKey := released(t, release.Manifest{Version: "7.0.0-rc.1", Channel: "dev"})
	for name, c := range map[string]struct {
		address, public, request, problem, refusal string
	}{
		"no key":            {address, "", "here", "", "update_not_configured"},
		"no service":        {address, public, "", "", "update_not_supported"},
		"another publisher": {address, other.Public(), "here", "untrusted", "update_not_offered"},
		"no server":         {"http://127.0.0.1:9/manifest.json", public, "here", "unreachable", "update_not_offered"},
		"another channel":   {dev, devKey, "here", "", "update_not_offered"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			changes := map[string]string{}
			if c.request == "" {
				changes["PANEL_UPDATE_REQUEST"] = ""
			}
			p, _ := panel(t, c.address, c.public, changes)
			admin := p.As("settings.manage")
			if c.refusal == "update_not_configured" {
				admin.Post(updates+"/check", nil).Refused(http.StatusConflict, c.refusal)
			} else {
				require.Equal(t, c.problem, admin.Post(updates+"/check", nil).Is(http.StatusOK).Text("check_error"))
			}
			admin.Post(updates+"/apply", map[string]string{"version": "7.0.0"}).Refused(http.StatusConflict, c.refusal)
		})
	}
}

// What root's half wrote is shown, comes into the journal once, and tells whether there is a way back.
func TestOutcomesAreShownAndComeIntoTheJournalOnce(t *testing.T) {
	t.Parallel()
	p, _ := panel(t, "http://127.0.0.1:9/manifest.json", "", nil)
	admin := p.As("settings.manage", "audit.view")
	require.Equal(t, "none_kept", admin.Get(updates).Text("rollback.reason"))
	until := time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
	write(
		t,
		p.Dir,
		`{"at":"2026-11-20T10:00:00Z","run":"01a1ff41-0000-7000-8000-000000000001","kind":"update","from":"1.0.0","to":"1.1.0","state":"checking","by":"anna"}`,
		`{"at":"2026-11-20T10:00:40Z","run":"01a1ff41-0000-7000-8000-000000000001","kind":"update","from":"1.0.0","to":"1.1.0","state":"returned","reason":"the new panel did not become healthy"}`,
		`{"at":"2026-11-20T11:00:00Z","run":"01a1ff41-0000-7000-8000-000000000002","kind":"update","from":"1.0.0","to":"1.2.0","state":"done","kept":{"version":"1.0.0","taken_at":"2026-11-20T11:00:00Z","until":"`+until+`","restores_database":true}}`,
		`{"at":"2026-11-20T12:00:00Z","run":"01a1ff41-0000-7000-8000-00000000`,
	) // cut by a crash
	shown := admin.Get(updates).Is(http.StatusOK)
	var view selfupdate.View
	shown.JSON(&view)
	require.Len(t, view.History, 2)
	require.Equal(t, selfupdate.Done, view.History[0].State)
	require.Equal(t, selfupdate.Returned, view.History[1].State)
	require.Equal(t, "anna", view.History[1].By)
	require.Equal(t, true, shown.Value("rollback.possible"))
	require.Equal(t, "1.0.0", shown.Text("rollback.version"))
	require.Equal(t, true, shown.Value("rollback.restores_database"))
	count := func(action string) string {
		return fmt.Sprint(len(admin.Get("/api/v1/audit?action=" + action).Is(http.StatusOK).Value("items").([]any)))
	}
	require.Eventually(t, func() bool { return count("system.updated") == "1" }, 60*time.Second, 100*time.Millisecond)
	require.Equal(t, "1", count("system.update_failed"))
	require.Eventually(t, func() bool {
		told, err := os.ReadFile(filepath.Join(p.Dir, "update-journal.told"))
		return err == nil && strings.HasSuffix(strings.TrimSpace(string(told)), "2")
	}, 60*time.Second, 50*time.Millisecond)
	admin.PostOnce(updates+"/rollback", nil).Is(http.StatusAccepted)
}

func write(t *testing.T, folder string, lines ...string) {
	t.Helper()
	require.NoError(
		t,
		os.WriteFile(filepath.Join(folder, "update-journal.jsonl"), []byte(strings.Join(lines, "\n")+"\n"), 0o600),
	)
}
