package agents

import (
	"io"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// network is the way from an agent to the panel, which a test can cut.
type network struct {
	listener net.Listener
	panel    string

	mu   sync.Mutex
	cut  bool
	open map[net.Conn]bool
}

func newNetwork(t *testing.T, panelURL string) *network {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	n := &network{listener: listener, panel: strings.TrimPrefix(panelURL, "http://"), open: map[net.Conn]bool{}}
	var serving sync.WaitGroup
	serving.Go(n.serve)
	t.Cleanup(func() {
		require.NoError(t, listener.Close())
		n.Cut()
		serving.Wait()
	})
	return n
}

// URL is the panel's address on this way.
func (n *network) URL() string { return "http://" + n.listener.Addr().String() }

// Cut ends what is open and lets nothing through.
func (n *network) Cut() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.cut = true
	for conn := range n.open {
		_ = conn.Close()
	}
}

// Mend lets everything through again.
func (n *network) Mend() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.cut = false
}

func (n *network) serve() {
	for {
		conn, err := n.listener.Accept()
		if err != nil {
			return
		}
		go n.carry(conn)
	}
}

func (n *network) carry(agent net.Conn) {
	defer agent.Close()
	panel, err := net.Dial("tcp", n.panel)
	if err != nil {
		return
	}
	defer panel.Close()
	if !n.enter(agent, panel) {
		return
	}
	defer n.leave(agent, panel)
	go func() {
		_, _ = io.Copy(panel, agent)
		_ = panel.Close()
	}()
	_, _ = io.Copy(agent, panel)
}

func (n *network) enter(conns ...net.Conn) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, conn := range conns {
		n.open[conn] = true
	}
	return !n.cut
}

func (n *network) leave(conns ...net.Conn) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, conn := range conns {
		delete(n.open, conn)
	}
}
