package recovery

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/doctor"
	"panel/platform/testneed"
)

// proxy is a real nginx in a folder of its own, which the action finds as the nginx of this machine.
type proxy struct {
	t      *testing.T
	folder string
	client *http.Client
	run    *exec.Cmd
}

const page = `
pid %[1]s/pid;
error_log %[1]s/log notice;
events {}
http {
	access_log off;
	server { listen unix:%[1]s/socket; return 200 %[2]s; }
}
%[3]s
`

func startProxy(t *testing.T) *proxy {
	t.Helper()
	program := testneed.Program(t, "nginx")
	folder, err := os.MkdirTemp("", "nginx-*") // the path of a socket is short
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(folder)) })
	wrapper := fmt.Sprintf("#!/bin/sh\nexec %s -p %s -c nginx.conf -e %s/log \"$@\"\n", program, folder, folder)
	require.NoError(t, os.Mkdir(filepath.Join(folder, "bin"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "bin", "nginx"), []byte(wrapper), 0o755))
	t.Setenv("PATH", filepath.Join(folder, "bin")+":"+os.Getenv("PATH"))
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", filepath.Join(folder, "socket"))
	}
	p := &proxy{t: t, folder: folder, client: &http.Client{
		Timeout:   5 * time.Second,
		Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true},
	}}
	p.configure("first", "")
	p.run = exec.Command("nginx", "-g", "daemon off;")
	require.NoError(t, p.run.Start())
	t.Cleanup(p.stop)
	p.shows("first")
	return p
}

func (p *proxy) stop() {
	_ = p.run.Process.Signal(os.Interrupt) // one that has ended needs no signal
	_ = p.run.Wait()
}

func (p *proxy) configure(text, more string) {
	p.t.Helper()
	require.NoError(p.t, os.WriteFile(filepath.Join(p.folder, "nginx.conf"), fmt.Appendf(nil, page, p.folder, text,
		more), 0o600))
}

func (p *proxy) get() string {
	request, err := http.NewRequestWithContext(p.t.Context(), http.MethodGet, "http://nginx/", nil)
	require.NoError(p.t, err)
	response, err := p.client.Do(request)
	if err != nil {
		return err.Error()
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(p.t, err)
	return string(text)
}

func (p *proxy) shows(text string) {
	p.t.Helper()
	require.Eventually(p.t, func() bool { return p.get() == text }, 60*time.Second, 20*time.Millisecond)
}

// Rule: a configuration is only loaded when it passes the test of nginx, also when it was broken after the preview.
func TestNginxLoadsOnlyAGoodConfiguration(t *testing.T) {
	p := startProxy(t)
	bad := reported(doctor.Warning, "services.nginx")
	action := one(t, Actions(world(nil), bad), "reload_nginx")
	require.Equal(t, "services.nginx", action.CheckID)
	p.configure("second", "")
	require.NoError(t, action.Do(t.Context()))
	p.shows("second")

	p.configure("third", "nonsense;")
	require.ErrorContains(t, action.Do(t.Context()), `unknown directive "nonsense"`)
	log, err := os.ReadFile(filepath.Join(p.folder, "log"))
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(log), ", reconfiguring"), "nginx was not even asked")
	p.shows("second")
	require.Empty(t, Actions(world(nil), bad), "a broken configuration is not offered to be loaded")

	p.configure("fourth", "")
	p.stop()
	require.ErrorContains(t, action.Do(t.Context()), "nginx -s reload", "an nginx that does not run is told")
}

// A command that does not end in time is told and left alone.
func TestACommandThatDoesNotEnd(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	err := run(ctx, "sleep", "60")
	require.ErrorContains(t, err, "has not ended yet")
	require.ErrorIs(t, err, context.DeadlineExceeded)
}
