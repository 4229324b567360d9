package fleet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"panel/e2e/rig"
	"panel/e2e/rig/rigtest"
	"panel/modules/hosting/hostingtest"
	"panel/platform/agentapi"
	"panel/platform/database/dbtest"
)

// Addresses of machines at a provider, which gives those that it makes the first ones of this network.
const (
	cloudPanel    = "198.51.100.250" // panels and what leads to them, client, site and provider
	cloudOld      = "198.51.100.200" // the machine that is blocked
	replaceWithin = 2 * time.Minute
)

// Spec: a blocked machine is replaced as one operation. The new machine is a real agent that runs the script of its
// order; the traffic of a client goes through it afterwards, and the old machine is drained and deleted. When the new
// one never comes, everything serves on, and when the panel dies that is at it, another one brings it to its end.
func TestABlockedMachineIsReplacedByANewOne(t *testing.T) {
	t.Parallel()
	w := &replaced{crossing: crossing{T: t}, machines: make(chan made, 8)}
	w.bringUp()
	t.Run("one that never comes changes nothing", w.neverComes)
	t.Run("one that comes takes over, though a panel dies", w.takesOver)
}

// replaced is a flow on a machine of a provider, under two panels.
type replaced struct {
	crossing
	db       *pgx.Conn
	other    *rig.Panel
	cloud    *hostingtest.Cloud
	machines chan made
	server   string // path of the machine that is replaced
	host     string // path of a host name of its node
}

// made is a machine that the provider has made, and what it runs when it starts for the first time.
type made struct {
	hostingtest.Machine
	script string
}

// shownReplacement is a replacement as far as this test looks at it.
type shownReplacement struct {
	ID        string
	State     string
	FailedIn  string `json:"failed_in"`
	Error     string
	ByNodeID  string `json:"by_node_id"`
	Operation string `json:"operation_id"`
	Flows     []struct{ State string }
}

func (w *replaced) bringUp() {
	command(w.T, "ip", "link", "set", "lo", "up")
	command(w.T, "ip", "link", "add", "cloud", "type", "bridge")
	w.Cleanup(func() { command(w.T, "ip", "link", "del", "cloud") })
	command(w.T, "ip", "addr", "add", cloudPanel+"/24", "dev", "cloud")
	command(w.T, "ip", "link", "set", "cloud", "up")
	var err error
	w.site, err = rig.OpenSite(cloudPanel)
	require.NoError(w, err)
	w.Cleanup(w.site.Close)
	w.panels()
	w.entry = w.agent("old", serverOn(w.T, "cloud", "old", cloudOld+"/24"))
	w.exit = w.entry
	w.install()
	w.provider()
}

// panels brings up two of them on one database. Agents, people and this test reach whichever answers.
func (w *replaced) panels() {
	front, err := net.Listen("tcp", net.JoinHostPort(cloudPanel, "0"))
	require.NoError(w, err)
	address, dsn := "http://"+front.Addr().String(), dbtest.Empty(w)
	w.stand = rigtest.Install(w, rig.PanelSettings{Host: cloudPanel, DSN: dsn, Env: []string{
		"PANEL_SECRET_KEY=a master key of this test", "PANEL_PUBLIC_URL=" + address,
		"PANEL_TRUSTED_PROXIES=" + cloudPanel, "PANEL_OUTBOUND_ALLOW=127.0.0.1,198.51.100.0/24",
	}})
	w.other, err = w.stand.Beside(rigtest.Folder(w))
	require.NoError(w, err)
	require.NoError(w, w.other.Up(w.Context()))
	w.Cleanup(func() {
		require.NoError(w, w.other.Stop())
		rigtest.ShowLog(w, w.other.Process)
	})
	w.lead(front, w.stand.Panel.URL, w.other.URL)
	w.stand.Panel.URL, w.stand.API.Base = address, address
	w.db, err = pgx.Connect(w.Context(), dsn)
	require.NoError(w, err)
	w.Cleanup(func() { require.NoError(w, w.db.Close(context.Background())) })
}

// lead brings what comes to the first panel that answers.
func (w *replaced) lead(front net.Listener, panels ...string) {
	dial := func(ctx context.Context, network, _ string) (conn net.Conn, err error) {
		for _, panel := range panels {
			conn, err = new(net.Dialer).DialContext(ctx, network, strings.TrimPrefix(panel, "http://"))
			if err == nil {
				break
			}
		}
		return conn, err
	}
	target, err := url.Parse(panels[0])
	require.NoError(w, err)
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.SetXForwarded()
		},
		Transport:     &http.Transport{DialContext: dial, DisableKeepAlives: true},
		FlushInterval: -1, ErrorLog: log.New(io.Discard, "", 0),
	}}
	go func() { _ = server.Serve(front) }() // ends with Close
	w.Cleanup(func() { require.NoError(w, server.Close()) })
}

// drawing enters and leaves on the machine that is replaced.
func (w *replaced) install() {
	drawing := w.drawing(443)
	drawing["nodes"].([]map[string]any)[1]["params"] = map[string]any{"private": "allow"}
	flow, err := w.stand.API.Draw(w.Context(), "blocked", drawing)
	require.NoError(w, err)
	w.flow = flow.ID
	w.apply()
	w.link, err = w.stand.API.Link(w.Context(), w.flow)
	require.NoError(w, err)
	w.leavesBy(w.T, cloudOld)
}

// provider adds an account that has the machine, and a host name that leads to it.
func (w *replaced) provider() {
	var host struct{ ID string }
	require.NoError(w, w.stand.API.Post(w.Context(), "/api/v1/node-domains", object{
		"node_id": w.entry.NodeID, "zone": "cloud.example", "label": "a",
	}, &host))
	w.host = "/api/v1/node-domains/" + host.ID
	w.cloud = hostingtest.New(w, "hetzner")
	w.cloud.OnMade(func(m hostingtest.Machine, script string) { w.machines <- made{m, script} })
	w.cloud.Put(hostingtest.Machine{
		ID: 1, Name: "ams-1", Region: "fsn1", Plan: "cx22", Status: "running", IPv4: cloudOld,
	})
	var account struct{ ID string }
	require.NoError(w, w.stand.API.Post(w.Context(), "/api/v1/cloud-providers", object{
		"kind": "hetzner", "label": "main", "base_url": w.cloud.URL, "credentials": object{"api_token": w.cloud.Token},
	}, &account))
	path := "/api/v1/cloud-providers/" + account.ID
	require.NoError(w, w.stand.API.Post(w.Context(), path+"/sync", nil, nil))
	require.NoError(w, rig.Eventually(w.Context(), answersWithin, func(ctx context.Context) error {
		var page struct{ Items []struct{ ID string } }
		err := w.stand.API.Get(ctx, path+"/servers", &page)
		if err == nil && len(page.Items) != 1 {
			err = errors.New("the machine was not read yet")
		}
		if err == nil {
			w.server = path + "/servers/" + page.Items[0].ID
		}
		return err
	}))
}

// begin orders a machine in the place of the old one, which is to be deleted.
func (w *replaced) begin(t *testing.T, name string) (begun shownReplacement, machine made) {
	t.Helper()
	body := object{"name": name, "region": "fsn1", "plan": "cx22", "image": "debian-12"}
	var quote struct{ Price object }
	require.NoError(t, w.stand.API.Post(t.Context(), w.server+"/replace/preview", body, &quote))
	body["price"], body["old"] = quote.Price, "delete"
	require.NoError(t, w.stand.API.PostKeyed(t.Context(), name, w.server+"/replace", body, &begun))
	select {
	case machine = <-w.machines:
	case <-time.After(answersWithin):
		require.Fail(t, "the provider was not asked for a machine")
	}
	require.Equal(t, name, machine.Name)
	return begun, machine
}

func (w *replaced) shown(ctx context.Context, id string) (now shownReplacement, err error) {
	account, _, _ := strings.Cut(w.server, "/servers/")
	return now, w.stand.API.Get(ctx, account+"/replacements/"+id, &now)
}

// becomes waits until a replacement is in a state.
func (w *replaced) becomes(t *testing.T, id, state string) (now shownReplacement) {
	t.Helper()
	require.NoError(t, rig.Eventually(t.Context(), replaceWithin, func(ctx context.Context) (err error) {
		now, err = w.shown(ctx, id)
		if err == nil && now.State != state {
			err = fmt.Errorf("the replacement is %+v", now)
		}
		if slices.Contains([]string{"failed", "done"}, now.State) && now.State != state {
			err = fmt.Errorf("%w: %w", rig.ErrHopeless, err)
		}
		return err
	}))
	return now
}

// leavesBy requires that a client gets a page, which sees this address.
func (w *replaced) leavesBy(t *testing.T, address string) {
	t.Helper()
	seen, err := rig.Fetch(t.Context(), agentapi.ThroughProbe{
		Link: w.link, URL: w.site.Page + "/", Expect: `"page":"ok"`,
	})
	require.NoError(t, err)
	require.Equal(t, address, seen.ExitIP)
}

// neverComes lets the hour pass that the agent of the new machine has; nobody starts it.
func (w *replaced) neverComes(t *testing.T) {
	finish := w.stream(t)
	begun, _ := w.begin(t, "ams-2")
	require.NoError(t, rig.Eventually(t.Context(), replaceWithin, func(ctx context.Context) error {
		passed, err := w.db.Exec(ctx, `update hosting_orders set state_at = state_at - interval '1 hour'
			where name = 'ams-2' and state = 'agent'`)
		if err == nil && passed.RowsAffected() == 0 {
			err = errors.New("the machine does not run yet")
		}
		return err
	}))
	failed := w.becomes(t, begun.ID, "failed")
	require.Equal(t, "making", failed.FailedIn)
	require.Contains(t, failed.Error, "the agent did not come within an hour")
	finish()
	require.NoError(t, w.stand.Online(t.Context(), w.entry))
	require.NoError(t, w.stand.API.InSync(t.Context(), w.flow))
	w.leavesBy(t, cloudOld)
}

// takesOver kills the panel that drives the replacement as soon as the flow moves.
func (w *replaced) takesOver(t *testing.T) {
	release := w.freeze(t)
	begun, machine := w.begin(t, "ams-3")
	agent := w.boots(t, machine)
	first := w.driver(t, "")
	release()
	w.stand.Panel.Kill()
	require.NotEqual(t, first, w.driver(t, first))

	done := w.becomes(t, begun.ID, "done")
	require.Equal(t, agent.NodeID, done.ByNodeID)
	require.Equal(t, "moved", done.Flows[0].State)
	var err error
	w.link, err = w.stand.API.Link(t.Context(), w.flow)
	require.NoError(t, err)
	require.Contains(t, w.link, "@"+machine.IPv4+":443")
	w.leavesBy(t, machine.IPv4)
	require.NoError(t, w.stand.API.InSync(t.Context(), w.flow))
	w.oldIsGone(t)
	var host struct {
		NodeID string `json:"node_id"`
	}
	require.NoError(t, w.stand.API.Get(t.Context(), w.host, &host))
	require.Equal(t, agent.NodeID, host.NodeID, "the host name leads to the new node")
	var operation struct{ State string }
	require.NoError(t, w.stand.API.Get(t.Context(), "/api/v1/operations/"+done.Operation, &operation))
	require.Equal(t, "succeeded", operation.State)
}

// boots starts the machine: it runs its script, and then its agent.
func (w *replaced) boots(t *testing.T, machine made) *rig.Agent {
	t.Helper()
	agent, err := w.stand.Boot(t.Context(), machine.script, "new", serverOn(w.T, "cloud", "new", machine.IPv4+"/24")...)
	require.NoError(t, err)
	require.NoError(t, agent.Launch())
	w.Cleanup(func() {
		require.NoError(w, agent.Stop())
		rigtest.ShowLog(w, agent.Process)
	})
	return agent
}

// oldIsGone requires that the old node gets no traffic any more and that its machine is deleted, and no other.
func (w *replaced) oldIsGone(t *testing.T) {
	t.Helper()
	var node struct{ State string }
	require.NoError(t, w.stand.API.Get(t.Context(), "/api/v1/nodes/"+w.entry.NodeID, &node))
	require.Equal(t, "maintenance", node.State)
	var names []string
	for _, m := range w.cloud.Machines() {
		names = append(names, m.Name)
	}
	require.ElementsMatch(t, []string{"ams-2", "ams-3"}, names)
}

// freeze stops the other panel where it is, so that the first one is at what begins, until it is let go.
func (w *replaced) freeze(t *testing.T) (release func()) {
	t.Helper()
	require.NoError(t, syscall.Kill(w.other.PID(), syscall.SIGSTOP))
	release = func() { _ = syscall.Kill(w.other.PID(), syscall.SIGCONT) } // it may have ended
	t.Cleanup(release)
	return release
}

// driver waits until a panel moves the flow that is not the one that is named, and names it; nobody where all is over.
func (w *replaced) driver(t *testing.T, other string) (name string) {
	t.Helper()
	require.NoError(t, rig.Eventually(t.Context(), replaceWithin, func(ctx context.Context) error {
		var state string
		err := w.db.QueryRow(ctx, `select state, split_part(lease_token, '/', 1) from hosting_replacements
			where by_name = 'ams-3'`).Scan(&state, &name)
		waits := state == "making" || state != "done" && (name == "" || name == other)
		if err == nil && waits {
			err = fmt.Errorf("the replacement is %s in the hands of %q", state, name)
		}
		return err
	}))
	return name
}
