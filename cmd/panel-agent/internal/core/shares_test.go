package core

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/cmd/panel-agent/internal/agenttest"
	"panel/platform/agentapi"
)

// counting stands for the telemetry: it reads the cores, and allows what is left of the shares.
func counting(s *Supervisor) {
	s.OnShares(func(ctx context.Context) error {
		counts, left := s.Counters(ctx), map[string]int64{}
		shares, untold := s.Limited()
		for id, share := range shares {
			left[id] = share.Limit - usedIn(counts, id)
		}
		s.Told(untold)
		return s.Allow(ctx, left, counts)
	})
}

func usedIn(counts map[string]Count, id string) (bytes int64) {
	for _, count := range counts {
		for _, way := range []string{"uplink", "downlink"} {
			bytes += count.Values["user>>>"+agentapi.ClientEmail(listedFlow, id)+">>>traffic>>>"+way]
		}
	}
	return bytes
}

func share(id string, limit int64) agentapi.Shares {
	return agentapi.Shares{Clients: []agentapi.Share{{ClientID: id, Limit: limit}}}
}

// pour sends into a stream until it breaks, and gives how much of it came back.
func pour(conn net.Conn) (back int64) {
	go func() {
		chunk := make([]byte, 32<<10)
		for {
			if _, err := conn.Write(chunk); err != nil {
				return
			}
		}
	}()
	_ = conn.SetDeadline(time.Now().Add(60 * time.Second))
	back, _ = io.Copy(io.Discard, conn)
	return back
}

// A client that reaches its share is cut in the middle of a stream by the core alone, also where the kernel would carry
// the bytes; others go on. With a larger share it comes back.
func TestAClientIsCutAtItsShare(t *testing.T) {
	t.Parallel()
	for _, kind := range [][2]string{{"vless", "raw"}, {"shadowsocks", "raw"}, {"vmess", "ws"}} {
		t.Run(kind[0]+" "+kind[1], func(t *testing.T) {
			t.Parallel()
			s, ctx := newSupervisor(t, t.TempDir()), t.Context()
			counting(s)
			e := entryOf(t, kind[0], kind[1], agenttest.FreePort(t), "")
			anna, boris := someone("anna"), someone("boris")
			const limit = 8 << 20
			require.NoError(t, s.Shares(ctx, share("anna", limit)))
			require.NoError(t, s.Clients(ctx, listing(anna, boris)))
			require.NoError(t, s.Swap(ctx, Spec{Revision: 1, Hash: "1", Core: e.server}))
			other, of := streamThrough(t, e.dial(boris)), streamThrough(t, e.dial(anna))
			annas := of.RemoteAddr().(*net.TCPAddr).Port

			pour(of)
			used := usedIn(s.Counters(ctx), "anna")
			require.GreaterOrEqual(t, used, int64(limit))
			require.Less(t, used, int64(limit+100<<20), "at most 100 MB beyond it")
			require.Error(t, talks(annas))
			require.NoError(t, agenttest.Talk(other, "of another"))

			require.NoError(t, s.Shares(ctx, share("anna", used+limit)))
			require.Eventually(t, func() bool { return talks(annas) == nil }, 20*time.Second, 50*time.Millisecond)
			require.NoError(t, s.Shares(ctx, agentapi.Shares{Clients: []agentapi.Share{{ClientID: "anna", NoQuota: true}}}))
			require.NoError(t, talks(annas))
			require.Zero(t, s.Report().Restarts)
		})
	}
}

// What a core has counted is counted on by the next one: after a crash, and while the one before drains, a client has
// what is left of its share, and nothing when that is used up.
func TestAShareIsKeptToByTheNextCore(t *testing.T) {
	t.Parallel()
	s, ctx := newSupervisor(t, t.TempDir()), t.Context()
	counting(s)
	e := entryOf(t, "vless", "raw", agenttest.FreePort(t), "")
	anna := someone("anna")
	const limit = 4 << 20
	require.NoError(t, s.Clients(ctx, listing(anna)))
	require.NoError(t, s.Swap(ctx, Spec{Revision: 1, Hash: "1", Core: e.server}))
	require.NoError(t, s.Shares(ctx, share("anna", limit)))
	of := streamThrough(t, e.dial(anna))
	door := of.RemoteAddr().(*net.TCPAddr).Port
	pour(of)
	require.NoError(t, s.quotas.count(ctx)) // as the telemetry does
	require.NoError(t, s.Restart(ctx))
	require.Error(t, talks(door))
	require.NoError(t, serving(s).Kill())
	require.Eventually(t, func() bool { return s.Report().Restarts == 1 && s.Report().State == agentapi.CoreRunning },
		60*time.Second, 50*time.Millisecond)
	require.Error(t, talks(door))

	again, err := New(Options{Executable: s.executable, Dir: s.dir, Clock: s.clock, Log: s.log})
	require.NoError(t, err)
	shares, _ := again.Limited()
	require.EqualValues(t, limit, shares["anna"].Limit, "the disk keeps shares for the next agent")
	require.NoError(t, os.WriteFile(filepath.Join(s.dir, fileShares), []byte("{"), 0o600))
	again, err = New(Options{Executable: s.executable, Dir: s.dir, Clock: s.clock, Log: s.log})
	require.NoError(t, err)
	shares, _ = again.Limited()
	require.Empty(t, shares, "damaged ones count as none: the panel brings them again")
}

// The limits of thousands fit into one request, and a core is told only what has changed since.
func TestLimitsOfManyClientsReachACore(t *testing.T) {
	t.Parallel()
	s, ctx := newSupervisor(t, t.TempDir()), t.Context()
	counting(s)
	e := entryOf(t, "vless", "raw", agenttest.FreePort(t), "")
	anna := someone("anna")
	require.NoError(t, s.Clients(ctx, listing(anna)))
	require.NoError(t, s.Swap(ctx, Spec{Revision: 1, Hash: "1", Core: e.server}))
	many := share("anna", 1<<20)
	for i := range 20_000 {
		many.Clients = append(many.Clients, agentapi.Share{ClientID: fmt.Sprintf("%036d", i), Limit: 1})
	}
	require.NoError(t, s.Shares(ctx, many))
	require.Eventually(t, func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return len(s.quotas.told) == 1
	}, 20*time.Second, 10*time.Millisecond)
	door := doorOf(t, e.dial(anna))
	require.NoError(t, talks(door))
	require.NoError(t, s.Shares(ctx, share("anna", 0)))
	require.Error(t, talks(door))
}
