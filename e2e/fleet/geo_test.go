package fleet

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/e2e/rig"
	"panel/e2e/rig/rigtest"
	"panel/platform/testneed/geofiles"
)

// Addresses of the server that routes by lists.
const (
	listsPanel = "203.0.116.1" // panel, client and the source of the lists
	listsNode  = "203.0.116.2"
	listsSite  = "203.0.116.3"

	takenWithin = 4 * time.Minute // a new list of real size by a core that starts beside the old one
)

// Spec: a real core routes by the lists of the node, of real size: 130,000 names and 650,000 networks. An update, one
// that is refused and a return change the ways of new streams and end no stream that is open.
func TestARealCoreRoutesByTheNewListWithoutALostConnection(t *testing.T) {
	t.Parallel()
	w := &routed{misused: misused{crossing: crossing{T: t}, ids: map[string]string{}}, files: map[string][]byte{}}
	w.bringUp()
	require.True(t, w.fetches(t, &w.people, "reader"))
	ended := w.held(t, "reader")
	goesOn := func(t *testing.T) {
		t.Helper()
		select {
		case <-ended:
			t.Fatal("a stream that was open has ended")
		default:
		}
	}
	before := w.asset()
	site := netip.MustParsePrefix(listsSite + "/32")
	t.Run("an update", func(t *testing.T) {
		digest := w.publish("geoip.dat", w.networks(site))
		w.ask(t, "/update")
		w.settles(t, digest, "current")
		w.routes(t, false)
		goesOn(t)
	})
	t.Run("a file that lacks what the flow uses", func(t *testing.T) {
		now := w.asset().Version.SHA256
		w.publish("geoip.dat", geofiles.ManyNets(650_000))
		w.ask(t, "/update")
		w.settles(t, now, "rejected")
		require.Equal(t, "geo_category_missing", w.asset().RejectReason)
		w.routes(t, false)
		goesOn(t)
	})
	t.Run("a return", func(t *testing.T) {
		w.ask(t, "/rollback")
		w.settles(t, before.Version.SHA256, "ready")
		w.routes(t, true)
		goesOn(t)
	})
	w.site.Release()
	<-ended
}

// routed is a server whose flow lets no list of networks pass.
type routed struct {
	misused
	path string // of the asset

	mu    sync.Mutex
	files map[string][]byte
}

type listAsset struct {
	ID           string
	State        string
	RejectReason string `json:"reject_reason"`
	Version      *struct{ SHA256 string }
	Nodes        struct{ Total, Current int }
}

func (w *routed) bringUp() {
	command(w.T, "ip", "link", "set", "lo", "up")
	command(w.T, "ip", "link", "add", "lists", "type", "bridge")
	w.Cleanup(func() { command(w.T, "ip", "link", "del", "lists") })
	for _, address := range []string{listsPanel, listsSite} {
		command(w.T, "ip", "addr", "add", address+"/24", "dev", "lists")
	}
	command(w.T, "ip", "link", "set", "lists", "up")
	var err error
	w.site, err = rig.OpenSite(listsSite)
	require.NoError(w, err)
	w.Cleanup(w.site.Close)
	w.stand = rigtest.Install(w, rig.PanelSettings{
		Host: listsPanel, Port: 8083, Env: []string{"PANEL_OUTBOUND_ALLOW=203.0.116.0/24", "PANEL_GEO_RING_SECONDS=0"},
	})
	enter := serverOn(w.T, "lists", "routed", listsNode+"/24")
	command(w.T, append(append([]string{}, enter...), "ip", "route", "add", "default", "via", listsPanel)...)
	w.entry = w.agent("routed", enter)
	w.exit = w.entry
	w.lists()
	w.draw()
	w.ids["reader"] = w.add(w.T, "reader")
	w.people.join(w.T, "reader", w.linkOf(w.T, w.ids["reader"]), listsPanel)
	w.people.begin(w.T, "127.0.0.1")
}

// draw installs a flow that compares with both lists.
func (w *routed) draw() {
	g := w.drawing(443)
	g["nodes"] = append(g["nodes"].([]object), object{"key": "no", "kind": "block"})
	g["edges"] = append(g["edges"].([]object),
		object{"from": "entry", "to": "no", "priority": 1, "match": object{"geoip": []string{"blocked"}}},
		object{"from": "entry", "to": "no", "priority": 2, "match": object{"geosite": []string{"large"}}})
	flow, err := w.stand.API.Draw(w.Context(), "routed", g)
	require.NoError(w, err)
	w.flow = flow.ID
	w.apply()
}

// networks is a geoip file of real size with those that are blocked.
func (w *routed) networks(blocked ...netip.Prefix) []byte {
	return append(geofiles.ManyNets(650_000), geofiles.Nets("blocked", blocked...)...)
}

// lists has the node hold both files, from a source beside the panel.
func (w *routed) lists() {
	source := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(w.give)}
	listener, err := net.Listen("tcp", net.JoinHostPort(listsPanel, "0"))
	require.NoError(w, err)
	go func() { _ = source.Serve(listener) }() // ends with Close
	w.Cleanup(func() { require.NoError(w, source.Close()) })
	contents := map[string][]byte{
		"geosite": geofiles.ManySites(130_000), "geoip": w.networks(netip.MustParsePrefix("198.18.0.0/24")),
	}
	for _, file := range []string{"geosite", "geoip"} { // what changes later is the second one
		digest := w.publish(file+".dat", contents[file])
		var made listAsset
		require.NoError(w, w.stand.API.Post(w.Context(), "/api/v1/geo-assets", object{
			"file": file, "preset": "custom", "source_url": fmt.Sprintf("http://%s/%s.dat", listener.Addr(), file),
			"update": true,
		}, &made))
		w.path = "/api/v1/geo-assets/" + made.ID
		w.settles(w.T, digest, "current")
	}
}

func (w *routed) give(to http.ResponseWriter, asked *http.Request) {
	w.mu.Lock()
	content := w.files[asked.URL.Path]
	w.mu.Unlock()
	_, _ = to.Write(content)
}

func (w *routed) publish(name string, content []byte) (digest string) {
	sum := sha256.Sum256(content)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.files["/"+name] = content
	return hex.EncodeToString(sum[:])
}

func (w *routed) ask(t *testing.T, what string) {
	t.Helper()
	// An update that has just ended may still be in the way of the next one.
	require.NoError(t, rig.Eventually(t.Context(), takenWithin, func(ctx context.Context) error {
		return w.stand.API.Post(ctx, w.path+what, object{}, nil)
	}))
}

func (w *routed) asset() (a listAsset) {
	require.NoError(w, w.stand.API.Get(w.Context(), w.path, &a))
	return a
}

// settles waits until the node holds a version and the asset is in a state.
func (w *routed) settles(t *testing.T, digest, state string) {
	t.Helper()
	require.NoError(t, rig.Eventually(t.Context(), takenWithin, func(ctx context.Context) error {
		var a listAsset
		if err := w.stand.API.Get(ctx, w.path, &a); err != nil {
			return err
		}
		if a.State != state || a.Version == nil || a.Version.SHA256 != digest || a.Nodes.Current != 1 {
			return fmt.Errorf("the list is %+v", a)
		}
		return nil
	}))
}

// routes waits until new streams to the site are let through, or are not.
func (w *routed) routes(t *testing.T, through bool) {
	t.Helper()
	require.Eventually(t, func() bool { return w.fetches(t, &w.people, "reader") == through }, takenWithin, glance)
}
