package geo

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/clients"
	"panel/modules/domains"
	"panel/modules/flows"
	"panel/modules/flows/flowsapi"
	"panel/modules/nodes"
	"panel/platform/agentapi"
	"panel/platform/config"
	"panel/platform/module"
	"panel/platform/paneltest"
	"panel/platform/places"
	"panel/platform/testneed/geofiles"
)

type fields = map[string]any

func features() []module.Module {
	return []module.Module{nodes.Module(), domains.Module(), clients.Module(), flows.Module(), Module()}
}

const (
	assetsPath = "/api/v1/geo-assets"
	within     = 60 * time.Second
	every      = 20 * time.Millisecond
)

// origin is the server of files that the panel fetches from.
type origin struct {
	*httptest.Server

	mu     sync.Mutex
	bodies map[string][]byte
	answer func(w http.ResponseWriter, r *http.Request) bool // true: it has answered
	asked  int
}

func newOrigin(t testing.TB) *origin {
	t.Helper()
	o := &origin{bodies: map[string][]byte{}}
	o.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		o.mu.Lock()
		o.asked++
		body, known := o.bodies[r.URL.Path]
		answer := o.answer
		o.mu.Unlock()
		switch {
		case answer != nil && answer(w, r):
		case !known:
			http.Error(w, "Not Found", http.StatusNotFound)
		default:
			_, _ = w.Write(body)
		}
	}))
	t.Cleanup(o.Close)
	return o
}

// publish puts a file there with its checksum beside it, and gives its digest.
func (o *origin) publish(name string, body []byte) string {
	sum := sha256.Sum256(body)
	digest := hex.EncodeToString(sum[:])
	o.mu.Lock()
	defer o.mu.Unlock()
	o.bodies["/"+name], o.bodies["/"+name+".sha256sum"] = body, []byte("# sums\n"+digest+"  "+name+"\n")
	return digest
}

func (o *origin) with(answer func(w http.ResponseWriter, r *http.Request) bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.answer = answer
}

// stage is a panel beside an origin, with agents that say what the test makes them say.
type stage struct {
	*paneltest.Panel

	t      testing.TB
	admin  *paneltest.Client
	origin *origin
	own    *service
}

func newStage(t testing.TB, options ...paneltest.Setting) *stage {
	t.Helper()
	s := &stage{t: t, origin: newOrigin(t)}
	all := features()
	manifest := Module()
	manifest.Attach = func(h *handlers, own *service, r *roller, c flowsapi.GeoFiles, book *places.Book) module.Parts {
		s.own = own
		return attach(h, own, r, c, book)
	}
	all[len(all)-1] = manifest
	usual := []paneltest.Setting{paneltest.Modules(all...), paneltest.Env(map[string]string{
		config.OutboundAllow.Name: "127.0.0.1", ringSeconds.Name: "0", config.AgentHeartbeat.Name: "3600",
	})}
	s.Panel = paneltest.Start(t, append(usual, options...)...)
	s.admin = s.Admin()
	return s
}

// geosite adds the asset of names, whose file lies at the origin, and gives its id.
func (s *stage) geosite() string {
	s.t.Helper()
	return s.admin.Post(assetsPath, fields{
		"file": "geosite", "preset": "custom", "source_url": s.origin.URL + "/geosite.dat",
		"checksum_url": s.origin.URL + "/geosite.dat.sha256sum",
	}).Is(http.StatusCreated).Text("id")
}

func (s *stage) asset(id string) (a Asset) {
	s.t.Helper()
	s.admin.Get(assetsPath + "/" + id).Is(http.StatusOK).JSON(&a)
	return a
}

// until waits for an asset that is as the test wants it.
func (s *stage) until(id string, is func(a Asset) bool) (a Asset) {
	s.t.Helper()
	require.Eventually(s.t, func() bool {
		a = s.asset(id)
		return is(a)
	}, within, every, "%+v", &a)
	return a
}

func inState(state string) func(Asset) bool { return func(a Asset) bool { return a.State == state } }

// update has an asset fetched and waits for the end of that.
func (s *stage) update(id string, distribute bool) Asset {
	s.t.Helper()
	var operation string
	require.Eventually(s.t, func() bool { // the operation before ends a moment before its job
		answer := s.admin.Post(assetsPath+"/"+id+"/update", fields{"distribute": distribute})
		if answer.Status == http.StatusConflict {
			return false
		}
		operation = answer.Is(http.StatusAccepted).Text("operation_id")
		return true
	}, within, every)
	require.Eventually(s.t, func() bool {
		state := s.admin.Get("/api/v1/operations/" + operation).Is(http.StatusOK).Text("state")
		return state == "succeeded" || state == "failed"
	}, within, every)
	return s.asset(id)
}

// node is an agent that can hold files.
type node struct {
	*paneltest.Agent

	s    *stage
	held agentapi.DocumentStatus
	core agentapi.CoreState
}

func (s *stage) node(name string) *node {
	s.t.Helper()
	n := &node{Agent: s.Enroll(name), s: s, held: agentapi.DocumentStatus{Name: agentapi.DocumentAssets}}
	n.beat()
	return n
}

// beat tells what the agent holds.
func (n *node) beat() {
	n.Online(func(h *agentapi.Heartbeat) {
		h.Capabilities = append(h.Capabilities, capabilityOf(agentapi.DocumentAssets))
		h.Documents = []agentapi.DocumentStatus{n.held}
		if n.core != "" {
			h.Core.State = n.core
		}
	})
}

func capabilityOf(name agentapi.DocumentName) agentapi.Capability { return name.Capability() }

// wanted is the document that the node shall hold; false before there is one.
func (n *node) wanted() (document agentapi.Document, content agentapi.Assets, there bool) {
	answer := n.Get("/agent/v1/desired/assets")
	if answer.Status == http.StatusNotFound {
		return document, content, false
	}
	answer.Is(http.StatusOK).JSON(&document)
	require.NoError(n.s.t, json.Unmarshal(document.Content, &content))
	return document, content, true
}

// told waits until the node shall hold a version, among others.
func (n *node) told(sha256 string) agentapi.Document {
	n.s.t.Helper()
	var document agentapi.Document
	require.Eventually(n.s.t, func() bool {
		var content agentapi.Assets
		document, content, _ = n.wanted()
		return slices.ContainsFunc(content.Files, func(f agentapi.AssetFile) bool { return f.SHA256 == sha256 })
	}, within, every)
	return document
}

// takes has the agent say that it holds what it shall.
func (n *node) takes(sha256 string) {
	n.s.t.Helper()
	require.Eventually(n.s.t, func() bool { return n.takesNow(sha256) }, within, every)
}

// allTake has agents say that they hold a version, each as soon as it is told to: a later ring is told when the earlier
// ones have taken the file.
func (s *stage) allTake(all map[string]*node, sha256 string) {
	s.t.Helper()
	left := maps.Clone(all)
	require.Eventually(s.t, func() bool {
		maps.DeleteFunc(left, func(_ string, n *node) bool { return n.takesNow(sha256) })
		return len(left) == 0
	}, within, every, "nodes that were not told of %.12s: %v", sha256, left)
}

// takesNow has the agent say that it holds a version, if it shall.
func (n *node) takesNow(sha256 string) bool {
	document, content, _ := n.wanted()
	if !slices.ContainsFunc(content.Files, func(f agentapi.AssetFile) bool { return f.SHA256 == sha256 }) {
		return false
	}
	n.held.Revision, n.held.Hash, n.held.FailedRevision, n.held.Error = document.Revision, document.Hash, 0, ""
	n.beat()
	return true
}

// refuses has the agent say that it cannot.
func (n *node) refuses(sha256, why string) {
	n.s.t.Helper()
	n.held.FailedRevision, n.held.Error = n.told(sha256).Revision, why
	n.beat()
}

// sites is a geosite file of categories with one name each.
func sites(codes ...string) []byte {
	var all [][]byte
	for _, code := range codes {
		all = append(all, geofiles.Site(code, code+".example"))
	}
	return geofiles.File(all...)
}
