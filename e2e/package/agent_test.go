package package_test

import (
	"encoding/json"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"panel/e2e/rig"
	"panel/platform/agentapi"
)

const authority = "127.0.0.1:9100"

// license lets the panel work: an authority of its own and a key for everything.
func (l *life) license() {
	program, data := filepath.Join(l.parts, rig.AuthorityProgram), l.t.TempDir()
	vendor := func(args ...string) string {
		said, err := exec.CommandContext(l.t.Context(), program, append(args, "--data", data)...).Output()
		require.NoError(l.t, err)
		return strings.TrimSpace(string(said))
	}
	var issued struct {
		Key string `json:"key"`
	}
	require.NoError(
		l.t,
		json.Unmarshal([]byte(vendor("issue", "--json", "--plan", "Test", "--features", "*", "--activations", "5")),
			&issued),
	)
	l.append("PANEL_LICENSE_URLS=http://" + authority + "\nPANEL_LICENSE_PUBLIC_KEY=" + vendor("public-key") + "\n")
	serving, err := rig.Start(rig.Spec{
		Name: "the license authority", Log: filepath.Join(data, "log"), Path: program,
		Args: []string{"serve", "--data", data, "--listen", authority},
	})
	require.NoError(l.t, err)
	l.t.Cleanup(serving.Kill)
	l.m.must("systemctl", "restart", "panel.service")
	l.signIn()
	require.Eventually(l.t, func() bool {
		status, _ := l.call(http.MethodPost, "/api/v1/license/activate", map[string]string{"license_key": issued.Key})
		return status == http.StatusOK
	}, within, 200*time.Millisecond)
	status, body := l.call(http.MethodPost, "/api/v1/setup/finish", nil)
	require.Equal(l.t, http.StatusOK, status, string(body))
}

// agent enrolls the packaged agent and sends traffic through it, in at a port that only its capability opens.
func (l *life) agent() {
	l.license()
	require.Equal(l.t, "no", l.m.show("panel-agent.service", "ConditionResult"), "without an identity it does not run")
	status, body := l.call(http.MethodPost, "/api/v1/nodes/enrollment-tokens", map[string]any{"kind": "one_off"})
	require.Equal(l.t, http.StatusCreated, status, string(body))
	var token struct {
		Token string `json:"token"`
	}
	require.NoError(l.t, json.Unmarshal(body, &token))
	said, err := l.m.runWith(
		token.Token,
		"runuser",
		"-u",
		"panel-agent",
		"--",
		"panel-agent",
		"enroll",
		"--panel",
		panelHome,
		"--data",
		"/etc/panel-agent",
		"--token-stdin",
	)
	require.NoError(l.t, err, said)
	l.m.must("systemctl", "start", "panel-agent.service")
	l.node = l.onlyNode()
	l.serve()
}

func (l *life) onlyNode() string {
	var id string
	require.Eventually(l.t, func() bool {
		var list struct {
			Items []struct {
				ID    string `json:"id"`
				State string `json:"state"`
			} `json:"items"`
		}
		_, body := l.call(http.MethodGet, "/api/v1/nodes", nil)
		if json.Unmarshal(body, &list) != nil || len(list.Items) != 1 || list.Items[0].State != "online" {
			return false
		}
		id = list.Items[0].ID
		return true
	}, within, 200*time.Millisecond)
	return id
}

func (l *life) serve() {
	site, err := rig.OpenSite("127.0.0.1")
	require.NoError(l.t, err)
	l.t.Cleanup(site.Close)
	api := rig.NewAPI(panelHome).As(l.token)
	flow, err := api.Draw(l.t.Context(), "packaged", rig.OneServer(l.node, 993, site))
	require.NoError(l.t, err)
	l.flow = flow.ID
	plan, err := api.Compile(l.t.Context(), flow.ID)
	require.NoError(l.t, err)
	_, err = api.Apply(l.t.Context(), flow.ID, plan)
	require.NoError(l.t, err)
	require.NoError(l.t, api.InSync(l.t.Context(), flow.ID))
	link, err := api.Link(l.t.Context(), flow.ID)
	require.NoError(l.t, err)
	l.probe = agentapi.ThroughProbe{Link: link, URL: site.Page + "/", Expect: `"page":"ok"`}
	l.trafficFlows()
}

// trafficFlows fetches a page through the agent with a client of its own.
func (l *life) trafficFlows() {
	l.t.Helper()
	order, err := json.Marshal(l.probe)
	require.NoError(l.t, err)
	var said string
	require.Eventually(l.t, func() bool {
		said, err = l.m.runWith(string(order), "panel-agent", "fetch", "--json")
		return err == nil && strings.Contains(said, `"status":200`)
	}, within, 200*time.Millisecond)
}

// agentEndures: the agent serves while the panel is down, and comes back after kill -9 and after a power cut.
func (l *life) agentEndures() {
	l.m.must("systemctl", "stop", "panel.service")
	l.trafficFlows()
	l.m.must("systemctl", "kill", "--signal=KILL", "panel-agent.service")
	l.trafficFlows()
	began := time.Now()
	l.m.must("systemctl", "restart", "panel-agent.service")
	require.Less(l.t, time.Since(began), 20*time.Second)
	l.trafficFlows()
	l.m.cut()
	l.m.on()
	l.trafficFlows()
	l.healthy("v1.4.0")
	l.signIn()
	l.onlyNode()
}
