package license_test

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/license"
	"panel/platform/paneltest"
)

// vendor is a running license server and what it was told to issue.
type vendor struct {
	t             *testing.T
	binary        string
	data, address string
}

func startVendor(t *testing.T) *vendor {
	t.Helper()
	v := &vendor{t: t, data: t.TempDir(), binary: filepath.Join(t.TempDir(), "panel-licensed")}
	build := exec.Command("go", "build", "-o", v.binary, "panel/cmd/panel-licensed")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	cmd := exec.Command(v.binary, "serve", "--listen", "127.0.0.1:0", "--data", v.data)
	printed, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	line, err := bufio.NewReader(printed).ReadString('\n')
	require.NoError(t, err)
	v.address = "http://" + strings.TrimSpace(strings.TrimPrefix(line, "listening on "))
	return v
}

func (v *vendor) run(args ...string) string {
	v.t.Helper()
	out, err := exec.Command(v.binary, append(args, "--data", v.data)...).CombinedOutput()
	require.NoError(v.t, err, string(out))
	return strings.TrimSpace(string(out))
}

func (v *vendor) issue() (id, key string) {
	v.t.Helper()
	var issued struct{ ID, Key string }
	require.NoError(v.t, json.Unmarshal([]byte(v.run("issue", "--json")), &issued))
	return issued.ID, issued.Key
}

func (v *vendor) panel() *paneltest.Panel {
	v.t.Helper()
	return paneltest.Start(v.t, paneltest.Modules(license.Module()), paneltest.Env(map[string]string{
		"PANEL_LICENSE_URLS": v.address, "PANEL_LICENSE_PUBLIC_KEY": v.run("public-key"),
	}))
}

// The four operations over HTTP, in the order of an installation's life.
func TestTheLicenseOverHTTP(t *testing.T) {
	t.Parallel()
	v := startVendor(t)
	p := v.panel()
	admin := p.Admin()
	id, key := v.issue()
	require.Equal(t, "none", admin.Get("/api/v1/license/status").Is(http.StatusOK).Text("reason"))
	admin.Post("/api/v1/license/refresh", nil).Refused(http.StatusConflict, "license_missing")
	admin.Post("/api/v1/accounts", map[string]any{
		"username": "oleg", "password": "long enough",
		"permissions": []string{},
	}).
		Refused(http.StatusForbidden, "license_read_only")

	activated := admin.PostOnce("/api/v1/license/activate", map[string]string{"license_key": key}).Is(http.StatusOK)
	require.Equal(t, "active", activated.Text("state"))
	require.Equal(t, "PNL-••••-••••-"+key[14:], activated.Text("key_masked"))
	require.NotContains(t, string(activated.Body), key[4:13])
	requireShape(t, activated)
	admin.Post("/api/v1/accounts", map[string]any{
		"username": "oleg", "password": "long enough",
		"permissions": []string{},
	}).
		Is(http.StatusCreated)

	require.Equal(t, "active", admin.PostOnce("/api/v1/license/refresh", nil).Is(http.StatusOK).Text("state"))
	v.run("revoke", id)
	require.Equal(t, "refused", admin.Post("/api/v1/license/refresh", nil).Is(http.StatusOK).Text("reason"))
	admin.Post("/api/v1/accounts", map[string]any{"username": "ivan", "password": "long enough"}).
		Refused(http.StatusForbidden, "license_read_only")
	admin.Get("/api/v1/accounts").Is(http.StatusOK)

	_, second := v.issue()
	require.Equal(
		t,
		"active",
		admin.Post("/api/v1/license/activate", map[string]string{"key": second}).Is(http.StatusOK).Text("state"),
		"key is a synonym",
	)
	removed := admin.PostOnce("/api/v1/license/remove", nil).Is(http.StatusOK)
	require.Equal(t, []string{"degraded", "removed"}, []string{removed.Text("state"), removed.Text("reason")})
	requireJournal(t, p)
}

// requireShape is domain 4.14: "one shape for API and CLI".
func requireShape(t *testing.T, a *paneltest.Answer) {
	t.Helper()
	var body map[string]any
	a.JSON(&body)
	names := make([]string, 0, len(body))
	for name := range body {
		names = append(names, name)
	}
	require.ElementsMatch(t, []string{
		"state", "reason", "read_only", "plan", "valid_until", "grace_until", "last_check", "next_check_at", "features",
		"key_masked", "instance_id",
	}, slices.DeleteFunc(names, func(name string) bool { return name == "checks" || name == "last_contact_at" }),
		"checks and contact are there once there was one")
}

// Specification, Events: "License operations ... are written to the audit journal", by whom and without the key.
func requireJournal(t *testing.T, p *paneltest.Panel) {
	t.Helper()
	var actions []string
	err := p.DB.NewRaw("select action from journal where action like 'license.%' and actor_kind = 'admin' and actor_id <> '' order by id").
		Scan(t.Context(), &actions)
	require.NoError(t, err)
	require.Equal(
		t,
		[]string{"license.activated", "license.refreshed", "license.refreshed", "license.activated", "license.removed"},
		actions,
	)
	var keys int
	err = p.DB.NewRaw(`select count(*) from journal where changes ~ 'PNL-[0-9A-Z]{4}-'`).Scan(t.Context(), &keys)
	require.NoError(t, err)
	require.Zero(t, keys)
}

func TestBadActivationsOverHTTP(t *testing.T) {
	t.Parallel()
	v := startVendor(t)
	admin := v.panel().Admin()
	for body, code := range map[string]string{
		`{}`: "missing_field", `{"license_key":""}`: "missing_field", `{"license_key":1}`: "bad_json",
		`{"surprise":"x"}`: "unknown_field", `{`: "bad_json",
	} {
		admin.Post("/api/v1/license/activate", body).Refused(http.StatusBadRequest, code)
	}
	refused := admin.Post("/api/v1/license/activate", `{"license_key":"PNL-S3CR-ETS3-CRET"}`).
		Refused(http.StatusUnprocessableEntity, "license_key_invalid")
	require.NotContains(t, string(refused.Body), "S3CR")
	admin.Post("/api/v1/license/activate", map[string]string{"license_key": strings.Repeat("x", 40_000)}).
		Refused(http.StatusRequestEntityTooLarge, "body_too_large")
}

func TestChangingTheLicenseNeedsItsKey(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, license.Module())
	viewer := p.As("nodes.view")
	viewer.Get("/api/v1/license/status").Is(http.StatusOK)
	for _, path := range []string{"activate", "refresh", "remove"} {
		viewer.Post("/api/v1/license/"+path, map[string]string{"license_key": "x"}).
			Refused(http.StatusForbidden, "permission_denied")
		p.Anonymous().Post("/api/v1/license/"+path, nil).Refused(http.StatusUnauthorized, "no_session")
	}
}

// Without an address of the license server an activation says so; nothing hangs and nothing breaks.
func TestAPanelWithoutALicenseServerSaysSo(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, license.Module())
	p.Admin().Post("/api/v1/license/activate", map[string]string{"license_key": "PNL-0000-0000-0000"}).
		Refused(http.StatusBadGateway, "license_server_error")
}

// Decision 3: the file below PANEL_DATA_DIR is a copy; nobody else may read it.
func TestTheCopyIsInTheDataFolder(t *testing.T) {
	t.Parallel()
	v := startVendor(t)
	p := v.panel()
	_, key := v.issue()
	p.Admin().Post("/api/v1/license/activate", map[string]string{"license_key": key}).Is(http.StatusOK)
	info, err := os.Stat(filepath.Join(p.Dir, "license", "license.json"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}
