package core

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/agentapi"
)

// BenchmarkPoolProbes is what the core of a node spends in each second on a pool that carries no traffic: its members
// are probed as often as pools do by themselves. They are behind hops of another core, as on nodes of their own.
func BenchmarkPoolProbes(b *testing.B) {
	const window = 2 * agentapi.PoolInterval * time.Second
	for _, members := range []int{200} {
		b.Run(strconv.Itoa(members), func(b *testing.B) {
			exits := make([]*exit, members)
			for i := range exits {
				exits[i] = newExit(b, fmt.Sprint("exit-", i))
			}
			s := newSupervisor(b, b.TempDir())
			said := poolSaid(exits, func(p *agentapi.Pool) {
				p.Health = agentapi.PoolHealth{ProbeURL: p.Health.ProbeURL}
			})
			require.NoError(b, s.Pools(b.Context(), said))
			raw, _ := pooledCore(b, []string{agentapi.PoolLeastPing}, exits, newExit(b, "instead"))
			near, far := apart(b, raw, "")
			require.NoError(b, newSupervisor(b, b.TempDir()).Swap(b.Context(), Spec{Revision: 1, Hash: "1", Core: far}))
			require.NoError(b, s.Swap(b.Context(), Spec{Revision: 1, Hash: "1", Core: near}))
			healthy := map[string]bool{}
			(&told{t: b, s: s}).await("all members have answered", func(r agentapi.PoolReport) bool {
				healthy[r.MemberID] = healthy[r.MemberID] || r.State == agentapi.PoolHealthy
				return r.MemberID != "" && count(healthy) == members
			})
			pid := serving(s).Pid
			b.ResetTimer()
			var spent time.Duration
			for range b.N {
				before := processor(b, pid)
				<-time.After(window)
				spent += processor(b, pid) - before
			}
			b.ReportMetric(float64(spent)/float64(b.N)/window.Seconds(), "ns/op")
		})
	}
}

// BenchmarkMemberThatEnds is how long new connections go to a member of a pool after its core was killed: 200
// connections a second, and health as pools have it by themselves.
func BenchmarkMemberThatEnds(b *testing.B) {
	benchmarkLeaving(b, func(_ *exit, core *Supervisor) {
		require.NoError(b, syscall.Kill(serving(core).Pid, syscall.SIGKILL))
	})
}

// BenchmarkMemberThatIsSilent is the same where the server behind it takes connections and says nothing.
func BenchmarkMemberThatIsSilent(b *testing.B) {
	benchmarkLeaving(b, func(e *exit, _ *Supervisor) { e.silent.Store(true) })
}

func benchmarkLeaving(b *testing.B, end func(*exit, *Supervisor)) {
	const members = 3
	b.Run(strconv.Itoa(members), func(b *testing.B) {
		var took time.Duration
		for range b.N {
			took += leaving(b, members, end)
		}
		b.ReportMetric(float64(took)/float64(b.N), "ns/op")
	})
}

// leaving ends one member under load, which has a core of its own, and gives the time until the last connection began
// that it has lost.
func leaving(b *testing.B, members int, end func(*exit, *Supervisor)) time.Duration {
	b.Helper()
	exits := make([]*exit, members)
	for i := range exits {
		exits[i] = newExit(b, fmt.Sprint("exit-", i))
	}
	near, far := newSupervisor(b, b.TempDir()), newSupervisor(b, b.TempDir())
	require.NoError(b, near.Pools(b.Context(), poolSaid(exits, func(p *agentapi.Pool) {
		p.Health = agentapi.PoolHealth{ProbeURL: p.Health.ProbeURL}
	})))
	raw, proxies := pooledCore(b, []string{agentapi.PoolRoundRobin}, exits, newExit(b, "instead"))
	here, there := apart(b, raw, exits[0].name)
	require.NoError(b, far.Swap(b.Context(), Spec{Revision: 1, Hash: "1", Core: there}))
	require.NoError(b, near.Swap(b.Context(), Spec{Revision: 1, Hash: "1", Core: here}))
	reports, healthy := &told{t: b, s: near}, map[string]bool{}
	reports.await("all members have answered", func(r agentapi.PoolReport) bool {
		healthy[r.MemberID] = healthy[r.MemberID] || r.State == agentapi.PoolHealthy
		return r.MemberID != "" && count(healthy) == members
	})
	under := begin(b, proxies)
	ended := time.Now()
	end(exits[0], far)
	reports.await("the member is down", func(r agentapi.PoolReport) bool {
		return r.MemberID == exits[0].name && r.State == agentapi.PoolDown
	})
	detected := time.Now()
	require.Eventually(b, func() bool { return under.since(detected) >= 200 }, time.Minute, 50*time.Millisecond,
		"the load goes on")
	last := under.lost(ended)
	require.False(b, last.IsZero(), "connections were on their way to the member when it ended")
	return last.Sub(ended)
}

// apart splits a configuration into that of the node that forwards and that of the far ends whose names begin so.
func apart(tb testing.TB, raw []byte, names string) (near, far []byte) {
	tb.Helper()
	type config struct {
		Inbounds  []object `json:"inbounds"`
		Outbounds []object `json:"outbounds"`
		Routing   struct {
			Rules []object `json:"rules"`
		} `json:"routing"`
	}
	var whole, here, there config
	require.NoError(tb, json.Unmarshal(raw, &whole))
	divide := func(list []object, isFar func(object) bool) (near, far []object) {
		for _, one := range list {
			if isFar(one) {
				far = append(far, one)
			} else {
				near = append(near, one)
			}
		}
		return near, far
	}
	tagged := func(start string) func(object) bool {
		return func(o object) bool { return strings.HasPrefix(fmt.Sprint(o["tag"]), start) }
	}
	here.Inbounds, there.Inbounds = divide(whole.Inbounds, tagged("hop."+names))
	here.Outbounds, there.Outbounds = divide(whole.Outbounds, tagged("behind."+names))
	here.Routing.Rules, there.Routing.Rules = divide(whole.Routing.Rules, func(o object) bool {
		return strings.HasPrefix(fmt.Sprint(o["outboundTag"]), "behind."+names)
	})
	near, errNear := json.Marshal(here)
	far, errFar := json.Marshal(there)
	require.NoError(tb, errors.Join(errNear, errFar))
	return near, far
}

func count(set map[string]bool) (n int) {
	for _, is := range set {
		if is {
			n++
		}
	}
	return n
}

// processor is the time that a process has had.
func processor(tb testing.TB, pid int) time.Duration {
	tb.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	require.NoError(tb, err)
	_, rest, _ := strings.Cut(string(raw), ") ")
	fields := strings.Fields(rest)
	const userAt, systemAt, tick = 11, 12, 10 * time.Millisecond // the kernel counts in hundredths for programs
	user, err := strconv.ParseInt(fields[userAt], 10, 64)
	require.NoError(tb, err)
	system, err := strconv.ParseInt(fields[systemAt], 10, 64)
	require.NoError(tb, err)
	return time.Duration(user+system) * tick
}
