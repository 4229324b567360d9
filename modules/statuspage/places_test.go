package statuspage

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/flowsapi"
	"panel/modules/statuspage/statuspageapi"
	"panel/platform/agentapi"
	"panel/platform/config"
	"panel/platform/paneltest"
	"panel/platform/testneed/places"
)

// server is a node whose agent says what it serves.
type server struct {
	*paneltest.Agent

	t     testing.TB
	holds agentapi.DocumentStatus
}

func (s *stage) server(name string) *server {
	s.t.Helper()
	n := &server{Agent: s.Enroll(name), t: s.t, holds: agentapi.DocumentStatus{Name: agentapi.DocumentSite}}
	n.tell()
	return n
}

func (n *server) tell() {
	n.Online(func(h *agentapi.Heartbeat) {
		h.Capabilities = append(h.Capabilities, agentapi.DocumentSite.Capability())
		h.Documents = []agentapi.DocumentStatus{n.holds}
	})
}

// wanted is what the agent shall serve.
func (n *server) wanted() (document agentapi.Document, content agentapi.Site) {
	answer := n.Get("/agent/v1/desired/site")
	if answer.Status == http.StatusNotFound {
		return document, content
	}
	answer.Is(http.StatusOK).JSON(&document)
	require.NoError(n.t, json.Unmarshal(document.Content, &content))
	return document, content
}

// takes waits for files with this text and has the agent say that it serves them, or why not.
func (n *server) takes(text, failure string) (content agentapi.Site) {
	n.t.Helper()
	require.Eventually(n.t, func() bool {
		var document agentapi.Document
		document, content = n.wanted()
		for _, f := range content.Files {
			if f.Path == "index.html" && strings.Contains(string(f.Content), text) {
				if failure == "" {
					n.holds.Revision, n.holds.Hash = document.Revision, document.Hash
				} else {
					n.holds.FailedRevision, n.holds.Error = document.Revision, failure
				}
				n.tell()
				return true
			}
		}
		return false
	}, within, every)
	return content
}

// entered are the flows of the panel, and one more that clients enter at a node.
type entered struct {
	flowsapi.Flows
	at atomic.Pointer[string]
}

func (e *entered) OnNode(ctx context.Context, nodeID string) ([]flowsapi.Flow, error) {
	flows, err := e.Flows.OnNode(ctx, nodeID)
	if at := e.at.Load(); at != nil && *at == nodeID {
		flows = append(flows, flowsapi.Flow{Entries: []flowsapi.Entry{{NodeID: nodeID}}})
	}
	return flows, err
}

// begin starts a deploy and does not wait for its end.
func (s *stage) begin() string {
	s.t.Helper()
	return s.admin.Post(s.at("/deploy"), fields{"revision": s.read().Revision}).Is(http.StatusAccepted).Text("id")
}

// A node is a place whose agent gets all files in one document; the deploy is live when the agent serves them.
func TestAnAgentServesThePage(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	n := s.server("edge")
	s.compose(byHandOf("Website", "operational"))
	id := s.target(kindNode, fields{"node_id": n.NodeID, "port": 8080})
	deploy := s.begin()
	content := n.takes("Website", "")
	require.Equal(t, 8080, content.Port)
	require.Equal(t, deployLive, s.ended(deploy).State)
	require.Equal(t, "live", s.targets()[0].State)

	// The agent that cannot serve them says why, and the place goes on with what it had.
	s.compose(byHandOf("Mail", "operational"))
	deploy = s.begin()
	n.takes("Mail", "the port is taken")
	d := s.ended(deploy)
	require.Equal(t, deployFailed, d.State)
	require.Contains(t, d.Targets[0].Error, "the port is taken")

	// What is removed is served no longer.
	s.admin.Delete(base + "/targets/" + id).Is(http.StatusNoContent)
	require.Eventually(t, func() bool { _, now := n.wanted(); return len(now.Files) == 0 }, within, every)
}

// "A node shows its address to every reader, so only one without an entry, else 422."
func TestANodeWhereClientsEnterServesNoPage(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	n := s.server("edge")
	s.target(kindNode, fields{"node_id": n.NodeID, "port": 8080})
	s.compose(byHandOf("Website", "operational"))
	s.enters.at.Store(&n.NodeID)
	s.admin.Post(s.at("/targets"), fields{"kind": kindNode, "label": "b", "config": fields{"node_id": n.NodeID, "port": 81}}).
		Refused(http.StatusUnprocessableEntity, "node_has_entry")
	d := s.deploy() // an entry came after the place was chosen
	require.Equal(t, deployFailed, d.State)
	require.Contains(t, d.Targets[0].Error, "clients enter a flow at this node")
	_, shown := n.wanted()
	require.Empty(t, shown.Files, "nothing was given to it")
	require.Equal(t, "node_has_entry", s.admin.Post(base+"/targets/"+s.targets()[0].ID+"/test", fields{}).
		Is(http.StatusOK).Text("code"))
}

// Bad input about nodes is refused before anything is stored.
func TestANodeThatCannotServeIsNoPlace(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for field, config := range map[string]fields{
		"config.port":    {"node_id": s.admin.AddNode("edge")},
		"config.node_id": {"node_id": "01890000-0000-7000-8000-000000000000", "port": 80},
	} {
		refused := s.admin.Post(s.at("/targets"), fields{"kind": kindNode, "label": "node", "config": config}).
			Refused(http.StatusUnprocessableEntity, "invalid_value")
		require.Contains(t, string(refused.Body), field)
	}
	old := s.Enroll("old").Online()
	s.compose(byHandOf("Website", "operational"))
	s.target(kindNode, fields{"node_id": old.NodeID, "port": 80})
	require.Contains(t, s.deploy().Targets[0].Error, errAgentLacks.Error())
	require.Empty(t, s.targetsHeldBy(old.NodeID))
}

func (s *stage) targetsHeldBy(node string) (ids []string) {
	s.t.Helper()
	require.NoError(s.t, s.DB.NewRaw("select id from statuspage_targets where live_deploy_id is not null and "+
		"config->>'node_id' = ?", node).Scan(s.t.Context(), &ids))
	return ids
}

// cutting is a way to a server that ends after so many bytes were sent over it; below 0 it never does.
type cutting struct {
	left atomic.Int64
	port int
}

func newCutting(t *testing.T, to string) *cutting {
	t.Helper()
	listener, err := net.Listen("tcp", places.Address+":0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	c := &cutting{port: listener.Addr().(*net.TCPAddr).Port}
	c.left.Store(-1)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go c.join(conn, to)
		}
	}()
	return c
}

func (c *cutting) join(conn net.Conn, to string) {
	defer conn.Close()
	far, err := net.Dial("tcp", to)
	if err != nil {
		return
	}
	defer far.Close()
	go func() { _, _ = io.Copy(conn, far) }()
	chunk := make([]byte, 256)
	for {
		n, err := conn.Read(chunk)
		left := c.left.Load()
		if err != nil || left == 0 {
			return
		}
		if left > 0 {
			n = min(n, int(left))
			c.left.Add(-int64(n))
		}
		if _, err := far.Write(chunk[:n]); err != nil {
			return
		}
	}
}

// Fault: a target that dies in the middle of a deploy. Readers see the whole old page, and the next deploy does well.
func TestAPlaceThatDiesInTheMiddleKeepsTheOldPage(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s3 := places.NewS3(t)
	way := newCutting(t, strings.TrimPrefix(s3.Endpoint, "http://"))
	s.target(kindS3, fields{
		"endpoint": fmt.Sprintf("http://%s:%d", places.Address, way.port), "bucket": places.Bucket, "region": "us-east-1",
		"access_key": places.AccessKey, "path_style": true,
	}, places.SecretKey)
	s.compose(byHandOf("Website", "operational"))
	require.Equal(t, deployLive, s.deploy().State)
	old := pageIn(t, s3.Root)
	s.compose(byHandOf("Mail", "operational"))
	for _, after := range []int64{700, 3000, 9000} {
		way.left.Store(after)
		d := s.deploy()
		require.Equal(t, deployFailed, d.State, "cut after %d bytes", after)
		require.Equal(t, old, pageIn(t, s3.Root), "cut after %d bytes", after)
	}
	way.left.Store(-1)
	require.Equal(t, deployLive, s.deploy().State)
	require.Contains(t, pageIn(t, s3.Root), "Mail")
}

func pageIn(t *testing.T, root string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, places.Bucket, "index.html"))
	require.NoError(t, err)
	return string(content)
}

// Fault: the disk of a place is full. It is said in words, the old page stays whole, and with room the next deploy is
// live.
func TestAFullDiskKeepsTheOldPage(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root may mount a small disk")
	}
	small := t.TempDir()
	require.NoError(t, syscall.Mount("tmpfs", small, "tmpfs", 0, "size=256k"))
	t.Cleanup(func() { _ = syscall.Unmount(small, syscall.MNT_DETACH) })
	s := newStage(t, paneltest.Env(map[string]string{
		config.OutboundAllow.Name: "127.0.0.1", folderKey.Name: small, config.AgentHeartbeat.Name: "3600",
	}))
	s.compose(byHandOf("Website", "operational"))
	s.target(kindLocal, fields{"folder": "www"})
	require.Equal(t, deployLive, s.deploy().State)
	page := filepath.Join(small, "www", "index.html")
	old, err := os.ReadFile(page)
	require.NoError(t, err)
	filler := filepath.Join(small, "filler")
	fillUp(t, filler)
	s.compose(byHandOf("Mail", "operational"))
	d := s.deploy()
	require.Equal(t, deployFailed, d.State)
	require.Contains(t, d.Targets[0].Error, errFull.Error())
	now, err := os.ReadFile(page)
	require.NoError(t, err)
	require.Equal(t, string(old), string(now))
	require.NoError(t, os.Remove(filler))
	require.Equal(t, deployLive, s.deploy().State)
}

// fillUp writes until nothing more goes in.
func fillUp(t *testing.T, path string) {
	t.Helper()
	out, err := os.Create(path)
	require.NoError(t, err)
	defer out.Close()
	for err == nil {
		_, err = out.Write(make([]byte, 512))
	}
	require.ErrorIs(t, err, syscall.ENOSPC)
}

// Two panels on one database carry one deploy once, and a reader of either gets the same page.
func TestTwoPanelsCarryADeployOnce(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	other := paneltest.Start(t, paneltest.Modules(features()...), paneltest.On(s.DB), paneltest.Env(map[string]string{
		config.OutboundAllow.Name: "127.0.0.1", folderKey.Name: s.folder, config.AgentHeartbeat.Name: "3600",
	}))
	s.compose(byHandOf("Website", "operational"))
	s.target(kindPanel, fields{})
	s.target(kindLocal, fields{"folder": "www"})
	for i := range 5 {
		s.compose(byHandOf(fmt.Sprintf("Website %d", i), "operational"))
		require.Equal(t, deployLive, s.deploy().State)
		here := s.Anonymous().Get("/status/service/index.html").Is(http.StatusOK)
		there := other.Anonymous().Get("/status/service/index.html").Is(http.StatusOK)
		require.Equal(t, string(here.Body), string(there.Body))
		require.Contains(t, string(here.Body), fmt.Sprintf("Website %d", i))
	}
	recorded := 0
	for _, action := range s.Recorded(object, s.page.ID) {
		if action == statuspageapi.Deployed {
			recorded++
		}
	}
	require.Equal(t, 5, recorded, "each deploy was told once")
}
