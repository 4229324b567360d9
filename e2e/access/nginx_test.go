package access

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/e2e/rig"
	"panel/e2e/rig/rigtest"
	"panel/platform/testneed"
	"panel/platform/testneed/freeport"
)

// balancer is an nginx that runs configs/nginx-several.conf with nothing but addresses and certificate replaced.
type balancer struct {
	folder, url string
	*rig.Process
}

func newBalancer(t *testing.T) *balancer {
	t.Helper()
	port, err := freeport.Find()
	require.NoError(t, err)
	b := &balancer{folder: rigtest.Folder(t), url: fmt.Sprintf("https://127.0.0.1:%d", port)}
	certificate, key, err := rig.Certificate("127.0.0.1")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(b.certificate(), certificate, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(b.folder, "privkey.pem"), key, 0o600))
	return b
}

func (b *balancer) certificate() string { return filepath.Join(b.folder, "fullchain.pem") }

// write puts the example into a whole configuration.
func (b *balancer) write(t *testing.T, panels ...string) string {
	t.Helper()
	root, err := rig.Root()
	require.NoError(t, err)
	example, err := os.ReadFile(filepath.Join(root, "configs", "nginx-several.conf"))
	require.NoError(t, err)
	plain, err := freeport.Find()
	require.NoError(t, err)
	replaced := strings.NewReplacer(
		"10.0.0.11:8080",
		panels[0],
		"10.0.0.12:8080",
		panels[1],
		"listen 80;",
		fmt.Sprintf("listen 127.0.0.1:%d;", plain),
		"listen 443 ssl;",
		"listen "+strings.TrimPrefix(b.url, "https://")+" ssl;",
		"/etc/ssl/panel",
		b.folder,
	).Replace(string(example))
	for _, wanted := range append(panels, b.folder+"/fullchain.pem") {
		require.Contains(t, replaced, wanted)
	}
	var places strings.Builder
	for _, kind := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		fmt.Fprintf(&places, "%s_temp_path %s/%s;\n", kind, b.folder, kind)
	}
	whole := fmt.Sprintf(
		"daemon off;\nworker_processes 1;\npid %s/pid;\nerror_log stderr warn;\nevents { worker_connections 1024; }\nhttp {\naccess_log off;\n%s%s}\n",
		b.folder,
		places.String(),
		replaced,
	)
	path := filepath.Join(b.folder, "nginx.conf")
	require.NoError(t, os.WriteFile(path, []byte(whole), 0o600))
	return path
}

// start refuses what `nginx -t` refuses and runs the rest.
func (b *balancer) start(t *testing.T, panels ...string) {
	t.Helper()
	program, path := testneed.Program(t, "nginx"), b.write(t, panels...)
	said, err := exec.CommandContext(t.Context(), program, "-t", "-c", path, "-p", b.folder).CombinedOutput()
	require.NoError(t, err, "nginx -t: %s", said)
	require.NotContains(t, string(said), "[warn]")
	b.Process, err = rig.Start(
		rig.Spec{
			Name: "nginx",
			Log:  filepath.Join(b.folder, "nginx.log"),
			Path: program,
			Args: []string{"-c", path, "-p", b.folder},
		},
	)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, b.Stop()); rigtest.ShowLog(t, b.Process) })
}

// api calls through nginx, trusting its certificate alone.
func (b *balancer) api(t *testing.T, token string) *rig.API {
	t.Helper()
	raw, err := os.ReadFile(b.certificate())
	require.NoError(t, err)
	pool := x509.NewCertPool()
	require.True(t, pool.AppendCertsFromPEM(raw))
	api := rig.NewAPI(b.url).As(token)
	api.HTTP = &http.Client{
		Timeout:   30 * time.Second,
		Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}},
	}
	return api
}

// The example in configs balances two panels on one database: requests reach both, an agent keeps its WebSocket and a
// browser its live stream through it, and the end of one panel is noticed by nobody for longer than a moment.
func TestTheNginxExampleBalancesTwoPanels(t *testing.T) {
	t.Parallel()
	b := newBalancer(t)
	p := two(t, "PANEL_PUBLIC_URL="+b.url, "PANEL_TRUSTED_PROXIES=127.0.0.1", "PANEL_LOG_LEVEL=info")
	panels := []*rig.Panel{p.stand.Panel, p.other}
	b.start(t, strings.TrimPrefix(panels[0].URL, "http://"), strings.TrimPrefix(panels[1].URL, "http://"))
	api := b.api(t, p.admin.Token)
	require.NoError(
		t,
		rig.Eventually(
			t.Context(),
			healsWithin,
			func(ctx context.Context) error { return api.Get(ctx, "/health", nil) },
		),
	)

	for range 40 {
		require.NoError(t, api.Get(t.Context(), me, nil))
	}
	requireShare(t, panels)
	agent := b.agent(t, p)
	requireStream(t, panels)
	lines := b.listen(t, api)
	b.survives(t, p, api, agent, lines)
}

// requireShare finds requests in the logs of both; a log is written with a short delay.
func requireShare(t *testing.T, panels []*rig.Panel) {
	t.Helper()
	const share = 10 // of 40
	require.NoError(t, rig.Eventually(t.Context(), healsWithin, func(context.Context) error {
		for i, panel := range panels {
			if n := strings.Count(panel.Words(), `"route":"/api/v1/auth/me","status":200`); n < share {
				return fmt.Errorf("panel %d got %d requests", i, n)
			}
		}
		return nil
	}))
}

// agent joins through nginx and keeps its WebSocket there.
func (b *balancer) agent(t *testing.T, p *pair) *rig.Agent {
	t.Helper()
	direct := p.stand.Panel.URL
	p.stand.Panel.URL = b.url
	agent, err := p.stand.Enroll(t.Context(), "behind-nginx", "env", "SSL_CERT_FILE="+b.certificate())
	p.stand.Panel.URL = direct
	require.NoError(t, err)
	rigtest.Run(t, p.stand, agent)
	return agent
}

// requireStream finds the agent's WebSocket at one of the panels.
func requireStream(t *testing.T, panels []*rig.Panel) {
	t.Helper()
	require.NoError(t, rig.Eventually(t.Context(), healsWithin, func(context.Context) error {
		for _, panel := range panels {
			if strings.Contains(panel.Words(), `"route":"/agent/v1/stream","status":101`) {
				return nil
			}
		}
		return errors.New("no panel has taken a WebSocket")
	}))
}

// listen keeps a live stream open and tells of every line that arrives.
func (b *balancer) listen(t *testing.T, api *rig.API) <-chan string {
	t.Helper()
	lines := make(chan string, 1000)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.url+"/api/v1/stream", nil)
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+api.Token)
	client := *api.HTTP
	client.Timeout = 0
	answer, err := client.Do(request)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, answer.StatusCode)
	t.Cleanup(func() { _ = answer.Body.Close() })
	go func() {
		defer close(lines)
		for words := bufio.NewScanner(answer.Body); words.Scan(); {
			lines <- words.Text()
		}
	}()
	return lines
}

func (b *balancer) survives(t *testing.T, p *pair, api *rig.API, agent *rig.Agent, lines <-chan string) {
	t.Helper()
	change := map[string]any{"on": true, "reason": "through nginx"}
	for range 4 { // of two panels, one of which holds the stream
		require.NoError(t, api.Post(t.Context(), "/api/v1/nodes/"+agent.NodeID+"/maintenance", change, nil))
		change["on"] = change["on"] == false
	}
	require.NoError(t, rig.Eventually(t.Context(), healsWithin, func(context.Context) error {
		for {
			select {
			case line := <-lines:
				if strings.HasPrefix(line, "event: node.") {
					return nil
				}
			default:
				return errors.New("the live stream tells nothing")
			}
		}
	}))
	require.NoError(t, p.other.Stop())
	for range 40 {
		require.NoError(t, api.Get(t.Context(), me, nil), "reads go on while one panel is gone")
	}
	require.NoError(t, p.stand.Online(t.Context(), agent), "the agent comes back through the panel that is left")
	require.NoError(t, p.other.Up(t.Context()))
}
