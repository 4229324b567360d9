package system_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/paneltest"
)

type object = map[string]any

// What protects the panel is told with the variables that set it, and without a secret.
func TestSecurityTellsTheRunningValuesAndNoSecret(t *testing.T) {
	t.Parallel()
	const key, earlier = "the-present-master-key-0123456789", "an-earlier-master-key-0123456789"
	p := paneltest.Start(t, paneltest.Env(map[string]string{
		"PANEL_SECRET_KEY": key, "PANEL_SECRET_KEY_PREVIOUS": earlier,
		"PANEL_PUBLIC_URL":      "https://anna:hidden-7d1c@panel.example.net/x",
		"PANEL_TRUSTED_PROXIES": "10.0.0.0/8, 192.0.2.1", "PANEL_SESSION_TTL_HOURS": "6",
	}))
	shown := p.As("settings.manage").Get("/api/v1/system/security").Is(http.StatusOK)
	require.Equal(t, object{
		"variable": "PANEL_PUBLIC_URL", "given": true, "origin": "https://panel.example.net",
		"https": true,
	}, shown.Value("public_url"))
	require.Equal(t, []any{"10.0.0.0/8", "192.0.2.1"}, shown.Value("trusted_proxies.list"))
	require.Equal(t, object{
		"variable": "PANEL_SESSION_TTL_HOURS", "given": true, "idle_seconds": 21600.0,
		"absolute_seconds": 604800.0,
	}, shown.Value("session"))
	require.Equal(t, object{
		"variable": "PANEL_SECRET_KEY", "source": "environment", "previous_variable": "PANEL_SECRET_KEY_PREVIOUS",
		"previous_given":   true,
		"previous_secrets": 0.0, "readable": true,
	}, shown.Value("master_key"))
	require.Equal(t, object{"variable": "PANEL_AUDIT_RETENTION_DAYS", "given": false, "days": 365.0},
		shown.Value("journal"))
	require.Equal(t, object{"algorithm": "argon2id", "memory_kib": 19456.0, "iterations": 2.0, "lanes": 1.0},
		shown.Value("password"))
	require.Equal(t, object{"free_failures": 5.0, "free_address_failures": 30.0, "longest_delay_seconds": 900.0},
		shown.Value("sign_in"))
	for _, hidden := range []string{key, earlier, "hidden-7d1c"} {
		require.NotContains(t, string(shown.Body), hidden)
	}
}

func TestSecurityOfAPanelWithoutSettings(t *testing.T) {
	t.Parallel()
	p := paneltest.Start(t, paneltest.Env(map[string]string{"PANEL_SECRET_KEY": ""}))
	admin := p.Admin()
	p.As("nodes.view").Get("/api/v1/system/security").Refused(http.StatusForbidden, "permission_denied")
	shown := admin.Get("/api/v1/system/security").Is(http.StatusOK)
	require.Empty(t, shown.Text("public_url.origin"))
	require.Equal(t, []any{}, shown.Value("trusted_proxies.list"))
	require.Equal(t, false, shown.Value("trusted_proxies.ignored"))
	require.Equal(t, "file", shown.Text("master_key.source"))
	require.Equal(t, false, shown.Value("master_key.previous_given"))
	require.Equal(t, true, shown.Value("master_key.readable"))
	_, err := p.DB.ExecContext(t.Context(), "update vault_canaries set sealed = sealed || 'x'")
	require.NoError(t, err)
	require.Equal(t, false, admin.Get("/api/v1/system/security").Is(http.StatusOK).Value("master_key.readable"))
}

// A proxy that is not trusted hides every browser behind its own address: throttle and journal see one address.
func TestAProxyThatIsNotTrustedIsNoticed(t *testing.T) {
	t.Parallel()
	for proxies, ignored := range map[string]bool{"": true, "0.0.0.0/0, ::/0": false} {
		p := paneltest.Start(t, paneltest.Env(map[string]string{"PANEL_TRUSTED_PROXIES": proxies}))
		shown := p.Admin().Do(http.MethodGet, "/api/v1/system/security", nil, "X-Forwarded-For", "203.0.113.9").
			Is(http.StatusOK)
		require.Equal(t, ignored, shown.Value("trusted_proxies.ignored"), proxies)
	}
}
