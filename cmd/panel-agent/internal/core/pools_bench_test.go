package core

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
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
			near, far := apart(b, raw)
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

// apart splits a configuration into that of the node that forwards and that of the far ends.
func apart(tb testing.TB, raw []byte) (near, far []byte) {
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
	here.Inbounds, there.Inbounds = divide(whole.Inbounds, tagged("hop."))
	here.Outbounds, there.Outbounds = divide(whole.Outbounds, tagged("behind."))
	here.Routing.Rules, there.Routing.Rules = divide(whole.Routing.Rules, func(o object) bool {
		return strings.HasPrefix(fmt.Sprint(o["outboundTag"]), "behind.")
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
