package diagnostics_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/core/diagnostics"
	"panel/platform/doctor"
	"panel/platform/logs"
	"panel/platform/paneltest"
)

// prepared is a panel whose data folder has a log, a diagnosis and an address for bundles.
func prepared(t *testing.T, support string) (p *paneltest.Panel, data string) {
	t.Helper()
	p = paneltest.Start(t, paneltest.Env(map[string]string{"PANEL_SUPPORT_URL": support}))
	data = p.Dir
	require.NoError(t, os.MkdirAll(logs.Folder(data), 0o755))
	entry := `{"level":"error","time":"` + time.Now().UTC().Format(time.RFC3339) +
		`","component":"worker","msg":"notify.send","password":"canary-Secret77"}`
	require.NoError(t, os.WriteFile(filepath.Join(logs.Folder(data), "panel.log"), []byte(entry+"\n"), 0o600))
	old := doctor.Result{
		Check:   doctor.Check{ID: "components.backups", Title: "newest backup"},
		Finding: doctor.Finding{Status: doctor.Skipped, Found: doctor.Say("no local backups in %s", "/srv")},
	}
	_, err := doctor.Keep(doctor.Report{Host: "vps-nl", Started: time.Now(), Results: []doctor.Result{old}}.Document(),
		data)
	require.NoError(t, err)
	return p, data
}

// The screen shows the last diagnosis and the end of the log, without its secrets.
func TestTheDiagnosisAndTheEndOfTheLog(t *testing.T) {
	t.Parallel()
	p, _ := prepared(t, "")
	shown := p.As("settings.manage").Get("/api/v1/system/diagnostics?component=worker&tail=5").Is(http.StatusOK)
	require.Equal(t, "vps-nl", shown.Text("doctor.host"))
	require.Equal(t, false, shown.Value("upload"))
	var view diagnostics.View
	shown.JSON(&view)
	require.Equal(t, "no local backups in /srv", view.Doctor.Checks[0].Finding)
	require.Equal(t, "в /srv нет локальных бэкапов", view.Doctor.Checks[0].In(doctor.Russian).Finding)
	require.Contains(t, view.Log.Source, "files, ")
	require.Contains(t, view.Log.Translations[doctor.Russian].Source, "файлы, ")
	require.NotContains(t, string(shown.Body), "canary-Secret77")
	require.Contains(t, string(shown.Body), "notify.send password=***password***")
	p.As("nodes.view").Get("/api/v1/system/diagnostics").Refused(http.StatusForbidden, "permission_denied")
	p.As("settings.manage").Get("/api/v1/system/diagnostics?component=database").Is(http.StatusBadRequest)
}

func TestWithoutADiagnosisAndALog(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t)
	shown := p.As("settings.manage").Get("/api/v1/system/diagnostics?component=scheduler").Is(http.StatusOK)
	require.Nil(t, shown.Value("doctor"))
	require.Equal(t, "scheduler", shown.Text("log.component"))
}

// Rule: the support bundle comes through the API too, masked, and the journal knows who took it.
func TestTheBundleIsDownloaded(t *testing.T) {
	t.Parallel()
	p, _ := prepared(t, "")
	manager := p.As("settings.manage")
	answer := manager.Post("/api/v1/system/support-bundle", map[string]string{"since": "1h"}).Is(http.StatusOK)
	packed, err := gzip.NewReader(bytes.NewReader(answer.Body))
	require.NoError(t, err)
	var names []string
	for archive := tar.NewReader(packed); ; {
		head, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		content, err := io.ReadAll(archive)
		require.NoError(t, err)
		require.NotContains(t, string(content), "canary-Secret77")
		names = append(names, head.Name)
	}
	require.Subset(t, names, []string{"MANIFEST.json", "doctor.json", "settings.txt", "logs/backend.log"})
	var written int
	require.NoError(t,
		p.DB.NewRaw("select count(*) from journal where action = 'support.bundle_downloaded'").
			Scan(t.Context(), &written))
	require.Equal(t, 1, written)
	manager.Post("/api/v1/system/support-bundle", map[string]string{"since": "ever"}).
		Refused(http.StatusUnprocessableEntity, "invalid_value")
	manager.Post("/api/v1/system/support-bundle", "no object").Refused(http.StatusBadRequest, "bad_json")
	manager.Post("/api/v1/system/support-bundle/send", map[string]string{"since": "1h"}).
		Refused(http.StatusConflict, "support_url_missing")
}

func TestTheBundleIsSentAndKept(t *testing.T) {
	t.Parallel()
	var got int64
	vendor := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		got,
			_ = io.Copy(io.Discard, r.Body)
	}))
	defer vendor.Close()
	p, data := prepared(t, vendor.URL)
	manager := p.As("settings.manage")
	preview := manager.Post("/api/v1/system/support-bundle/preview", map[string]string{"since": "7d"}).Is(http.StatusOK)
	require.InDelta(t, 1.0, preview.Value("masked.password"), 3)
	require.NoDirExists(t, filepath.Join(data, "support"))
	manager.PostOnce("/api/v1/system/support-bundle/send", map[string]string{"since": "7d"}).Is(http.StatusOK)
	require.Positive(t, got)
	kept, err := filepath.Glob(filepath.Join(data, "support", "panel-*.tar.gz"))
	require.NoError(t, err)
	require.Len(t, kept, 1)
}
