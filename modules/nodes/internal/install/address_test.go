package install

import (
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/config"
)

func settings(t *testing.T, values map[string]string) *config.Config {
	t.Helper()
	cfg, err := config.Of(values, AgentDir)
	require.NoError(t, err)
	return cfg
}

// Agents dial the address that the operator gave; without one, where the panel listens, and this machine where it
// listens everywhere.
func TestAgentsDialTheGivenAddress(t *testing.T) {
	t.Parallel()
	for want, values := range map[string]map[string]string{
		"https://panel.example":      {"PANEL_PUBLIC_URL": "https://panel.example/"},
		"https://panel.example/base": {"PANEL_PUBLIC_URL": "https://panel.example/base", "PANEL_BIND": "192.0.2.1"},
		"http://192.0.2.1:8080":      {"PANEL_BIND": "192.0.2.1"},
		"http://127.0.0.1:9000":      {"PANEL_BIND": "0.0.0.0", "PANEL_PORT": "9000"},
		"http://[2001:db8::1]:8080":  {"PANEL_BIND": "2001:db8::1"},
		"http://127.0.0.1:8080":      {"PANEL_BIND": "::"},
	} {
		require.Equal(t, want, PublicURL(settings(t, values)))
		require.Equal(t, want, New(settings(t, values)).URL())
	}
}

// A panel that listens everywhere and was given no address does not know how others reach it, and names none.
func TestAPanelThatDoesNotKnowItsAddressNamesNone(t *testing.T) {
	t.Parallel()
	for want, values := range map[string]map[string]string{
		"":                      {"PANEL_BIND": "0.0.0.0"},
		"https://panel.example": {"PANEL_BIND": "0.0.0.0", "PANEL_PUBLIC_URL": "https://panel.example"},
		"http://192.0.2.1:8080": {"PANEL_BIND": "192.0.2.1"},
	} {
		require.Equal(t, want, OwnAddress(settings(t, values)))
	}
	require.Empty(t, OwnAddress(settings(t, map[string]string{"PANEL_BIND": "::"})))
}

// The folder of agents is the given one, or that of the panel's own executable; keys of updates go into the line one
// behind the other.
func TestTheInstallerIsMadeFromTheSettings(t *testing.T) {
	t.Parallel()
	given := New(settings(t, map[string]string{"PANEL_AGENT_DIR": "/srv/agents"}))
	require.Equal(t, "/srv/agents", given.dir)
	require.NotEmpty(t, New(settings(t, nil)).dir)
	require.NotContains(t, given.Line("t", "n"), "--update-key")
}
