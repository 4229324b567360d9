package core

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/cmd/panel-agent/internal/agenttest"
	"panel/platform/agentapi"
)

// exit is a server that says its name, and can die and come back at its address.
type exit struct {
	t       testing.TB
	name    string
	address string
	server  *httptest.Server
	silent  atomic.Bool // it takes connections and says nothing
}

func newExit(t testing.TB, name string) *exit {
	t.Helper()
	e := &exit{t: t, name: name, address: fmt.Sprintf("127.0.0.1:%d", agenttest.FreePort(t))}
	e.live()
	t.Cleanup(func() { e.die() })
	return e
}

func (e *exit) live() {
	listener, err := net.Listen("tcp", e.address)
	require.NoError(e.t, err)
	e.server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if e.silent.Load() {
			<-r.Context().Done()
			return
		}
		_, _ = io.WriteString(w, e.name)
		if r.URL.Path == "/stream" { // until the client has enough
			for w.(http.Flusher).Flush(); ; w.(http.Flusher).Flush() {
				select {
				case <-r.Context().Done():
					return
				case <-time.After(20 * time.Millisecond):
				}
				if _, err := io.WriteString(w, "."); err != nil {
					return
				}
			}
		}
	}))
	e.server.Listener = listener
	e.server.Start()
}

func (e *exit) die() {
	if e.server != nil {
		e.server.CloseClientConnections()
		e.server.Close()
		e.server = nil
	}
}

const hopPassword = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

// pooledCore is a configuration in which each strategy has an HTTP proxy of its own, and pools of the same exits. As in
// flows there is another outbound of each group, whose ways lead nowhere that members are judged by.
func pooledCore(
	t testing.TB, strategies []string, exits []*exit, fallback *exit,
) (raw []byte, proxies map[string]string) {
	t.Helper()
	redirect := func(tag, to string) object {
		return object{"tag": tag, "protocol": "freedom", "settings": object{"redirect": to}}
	}
	proxies = map[string]string{}
	ins, rules := []object{}, []object{}
	outs := []object{{"tag": "block", "protocol": "blackhole"}, redirect("instead", fallback.address)}
	hops := map[string]object{} // each exit is behind a hop as nodes have it among themselves
	for _, e := range exits {
		port := agenttest.FreePort(t)
		spoken := object{"method": "2022-blake3-aes-256-gcm", "password": hopPassword}
		ins = append(ins, object{
			"tag": "hop." + e.name, "listen": "127.0.0.1", "port": port, "protocol": "shadowsocks", "settings": spoken,
		})
		outs = append(outs, redirect("behind."+e.name, e.address))
		rules = append(rules, object{"inboundTag": []string{"hop." + e.name}, "outboundTag": "behind." + e.name})
		hops[e.name] = object{
			"address": "127.0.0.1", "port": port, "method": spoken["method"], "password": hopPassword,
		}
	}
	for _, strategy := range strategies {
		port, tag := agenttest.FreePort(t), "pool."+strategy
		proxies[strategy] = fmt.Sprintf("http://127.0.0.1:%d", port)
		ins = append(ins, object{"tag": "in." + strategy, "listen": "127.0.0.1", "port": port, "protocol": "http"})
		rules = append(rules, object{"inboundTag": []string{"in." + strategy}, "outboundTag": tag})
		of := agentapi.PoolOf{PoolID: "p", Group: tag, Strategy: strategy, Fallback: "instead"}
		nowhere := of
		nowhere.Follows = true
		for _, e := range exits {
			way := agentapi.PoolWay{ID: e.name, Tag: tag + "~" + e.name}
			of.Members = append(of.Members, way)
			nowhere.Members = append(nowhere.Members, agentapi.PoolWay{ID: e.name, Tag: "block"})
			outs = append(outs, object{"tag": way.Tag, "protocol": "shadowsocks", "settings": hops[e.name]})
		}
		outs = append(outs,
			object{"tag": tag + ".probe", "protocol": "blackhole", "pool_of": nowhere},
			object{"tag": tag, "protocol": "blackhole", "pool_of": of})
	}
	raw, err := json.Marshal(object{
		"inbounds": ins, "outbounds": outs, "routing": object{"rules": rules},
	})
	require.NoError(t, err)
	return raw, proxies
}

func poolSaid(exits []*exit, change ...func(*agentapi.Pool)) agentapi.Pools {
	pool := agentapi.Pool{ID: "p", Health: agentapi.PoolHealth{
		ProbeURL: "http://probe.example.org/", IntervalSeconds: 1, TimeoutSeconds: 1, FailureThreshold: 2, SuccessThreshold: 2,
	}}
	for _, e := range exits {
		pool.Members = append(pool.Members, agentapi.PoolMember{ID: e.name, Weight: 1})
	}
	for _, c := range change {
		c(&pool)
	}
	return agentapi.Pools{Pools: []agentapi.Pool{pool}}
}

func clientOf(t testing.TB, proxy string) *http.Client {
	t.Helper()
	to, err := url.Parse(proxy)
	require.NoError(t, err)
	transport := &http.Transport{Proxy: http.ProxyURL(to), DisableKeepAlives: true}
	return &http.Client{Transport: transport, Timeout: 20 * time.Second}
}

// asked is one request through a pool: which exit answered, or that none did.
func asked(c *http.Client) string {
	answer, err := c.Get("http://site.example.org/")
	if err != nil {
		return ""
	}
	defer answer.Body.Close()
	name, _ := io.ReadAll(answer.Body)
	if answer.StatusCode != http.StatusOK {
		return ""
	}
	return string(name)
}

// load makes 200 requests in a second through all proxies in turn, until it is stopped.
type load struct {
	stop    chan struct{}
	running sync.WaitGroup
	mu      sync.Mutex
	answers map[string][]reached // by strategy
}

type reached struct {
	began time.Time
	name  string
}

func begin(t testing.TB, proxies map[string]string) *load {
	t.Helper()
	l := &load{stop: make(chan struct{}), answers: map[string][]reached{}}
	clients := map[string]*http.Client{}
	names := []string{}
	for strategy, proxy := range proxies {
		clients[strategy], names = clientOf(t, proxy), append(names, strategy)
	}
	l.running.Go(func() {
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for i := 0; ; i++ {
			select {
			case <-l.stop:
				return
			case <-tick.C:
			}
			strategy := names[i%len(names)]
			l.running.Go(func() {
				began := time.Now()
				name := asked(clients[strategy])
				l.mu.Lock()
				defer l.mu.Unlock()
				l.answers[strategy] = append(l.answers[strategy], reached{began, name})
			})
		}
	})
	return l
}

// since counts the answers to requests that began later.
func (l *load) since(at time.Time) (count int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, answers := range l.answers {
		for _, a := range answers {
			if a.began.After(at) {
				count++
			}
		}
	}
	return count
}

// lost gives when the last of the requests began that nobody has answered, of those that began later than a moment.
func (l *load) lost(since time.Time) (last time.Time) {
	for _, answers := range l.end() {
		for _, a := range answers {
			if a.name == "" && a.began.After(since) && a.began.After(last) {
				last = a.began
			}
		}
	}
	return last
}

func (l *load) end() map[string][]reached {
	close(l.stop)
	l.running.Wait()
	return l.answers
}

// told collects the reports of the serving core.
type told struct {
	t       testing.TB
	s       *Supervisor
	reports []agentapi.PoolReport
}

func (r *told) await(what string, is func(agentapi.PoolReport) bool) agentapi.PoolReport {
	r.t.Helper()
	seen := 0
	var found agentapi.PoolReport
	require.Eventually(r.t, func() bool {
		core, after := "", int64(0)
		if n := len(r.reports); n > 0 {
			core, after = r.reports[n-1].Core, r.reports[n-1].Seq
		}
		more, err := r.s.PoolReports(r.t.Context(), core, after)
		if err == nil {
			r.reports = append(r.reports, more...)
		}
		for ; seen < len(r.reports); seen++ {
			if is(r.reports[seen]) {
				found = r.reports[seen]
				return true
			}
		}
		return false
	}, time.Minute, 20*time.Millisecond, what)
	return found
}

// Rule: three exits, one dies under 200 connections in a second. After its detection no new connection is lost,
// whatever the strategy; streams on the others go on; it comes back when it has answered often enough. When all are
// dead the fallback takes over. Another core knows who is dead.
func TestADeadExitIsLeftUnderLoad(t *testing.T) {
	t.Parallel()
	exits := []*exit{newExit(t, "one"), newExit(t, "two"), newExit(t, "three")}
	instead := newExit(t, "instead")
	s, ctx := newSupervisor(t, t.TempDir()), t.Context()
	require.NoError(t, s.Pools(ctx, poolSaid(exits)))
	raw, proxies := pooledCore(t, agentapi.PoolStrategies, exits, instead)
	require.NoError(t, s.Swap(ctx, Spec{Revision: 1, Hash: "1", Core: raw}))
	reports := &told{t: t, s: s}
	for _, strategy := range agentapi.PoolStrategies { // all of them know that all exits live
		for _, e := range exits {
			reports.await("healthy", func(r agentapi.PoolReport) bool {
				return r.MemberID == e.name && r.Group == "pool."+strategy && r.State == agentapi.PoolHealthy
			})
		}
	}

	streams := openStreamsThrough(t, proxies[agentapi.PoolRoundRobin], "two", "three")
	under := begin(t, proxies)
	exits[0].die()
	detected := map[string]time.Time{}
	for _, strategy := range agentapi.PoolStrategies {
		detected[strategy] = reports.await("down", func(r agentapi.PoolReport) bool {
			return r.MemberID == "one" && r.Group == "pool."+strategy && r.State == agentapi.PoolDown
		}).At
	}
	all := time.Now()
	require.Eventually(t, func() bool { return under.since(all) >= 100 }, time.Minute, 50*time.Millisecond,
		"the load goes on with a dead member")
	for strategy, answers := range under.end() {
		after := 0
		for _, a := range answers {
			if a.began.After(detected[strategy]) {
				after++
				require.Contains(t, []string{"two", "three"}, a.name,
					"%s: a connection is lost after the detection", strategy)
			}
		}
		require.NotZero(t, after, strategy)
	}
	streams(t)

	again := raw // another core begins with what this one knew
	require.NoError(t, s.Swap(ctx, Spec{Revision: 2, Hash: "2", Core: again}))
	for range 20 {
		require.NotEmpty(t, asked(clientOf(t, proxies[agentapi.PoolRandom])))
	}
	exits[0].live()
	revived := time.Now()
	reports.await("back", func(r agentapi.PoolReport) bool {
		return r.At.After(revived) && r.MemberID == "one" && r.Group == "pool.ordered" && r.State == agentapi.PoolHealthy
	})
	require.Equal(t, "one", asked(clientOf(t, proxies[agentapi.PoolOrdered])))

	for _, e := range exits {
		e.die()
	}
	for _, strategy := range agentapi.PoolStrategies {
		client := clientOf(t, proxies[strategy])
		require.Eventually(t, func() bool { return asked(client) == "instead" }, time.Minute, 50*time.Millisecond, strategy)
	}
}

// openStreamsThrough opens a stream to each of the named exits, and gives what checks that they still flow.
func openStreamsThrough(t *testing.T, proxy string, names ...string) func(*testing.T) {
	t.Helper()
	client, open := clientOf(t, proxy), map[string]*atomic.Int64{}
	client.Timeout = 0
	for len(open) < len(names) {
		answer, err := client.Get("http://site.example.org/stream")
		require.NoError(t, err)
		name := make([]byte, 5)
		n, err := answer.Body.Read(name)
		require.NoError(t, err)
		for _, wanted := range names {
			if got := string(name[:n]); len(got) >= 3 && wanted[:3] == got[:3] && open[wanted] == nil {
				bytes := new(atomic.Int64)
				open[wanted] = bytes
				go func() { _, _ = io.Copy(counter{bytes}, answer.Body) }()
			}
		}
		t.Cleanup(func() { _ = answer.Body.Close() })
	}
	return func(t *testing.T) {
		t.Helper()
		for name, bytes := range open {
			was := bytes.Load()
			require.Eventually(t, func() bool { return bytes.Load() > was }, time.Minute, 10*time.Millisecond,
				"the stream to %s is cut", name)
		}
	}
}

type counter struct{ bytes *atomic.Int64 }

func (c counter) Write(p []byte) (int, error) {
	c.bytes.Add(int64(len(p)))
	return len(p), nil
}

// Rule: weights, drains and overrides act at once without a cut stream; an exit that hangs is left, too.
func TestWhatPeopleSayOfAPoolActsAtOnce(t *testing.T) {
	t.Parallel()
	exits := []*exit{newExit(t, "one"), newExit(t, "two")}
	s, ctx := newSupervisor(t, t.TempDir()), t.Context()
	raw, proxies := pooledCore(t, []string{agentapi.PoolOrdered}, exits, newExit(t, "instead"))
	require.NoError(t, s.Swap(ctx, Spec{Revision: 1, Hash: "1", Core: raw}))
	client := clientOf(t, proxies[agentapi.PoolOrdered])
	require.Equal(t, "one", asked(client), "before anything is said of the pool")
	streams := openStreamsThrough(t, proxies[agentapi.PoolOrdered], "one")

	require.NoError(t, s.Pools(ctx, poolSaid(exits, func(p *agentapi.Pool) { p.Members[0].Drain = true })))
	require.Equal(t, "two", asked(client))
	streams(t)
	require.NoError(t, s.Pools(ctx, poolSaid(exits, func(p *agentapi.Pool) {
		p.Members[0].Drain = true
		p.Override = &agentapi.PoolOverride{MemberID: "one", Until: time.Now().Add(time.Hour)}
	})))
	require.Equal(t, "one", asked(client))
	require.NoError(t, s.Pools(ctx, poolSaid(exits, func(p *agentapi.Pool) {
		p.Members[0].Disabled, p.Members[1].Drain = true, true
	})))
	require.Equal(t, "instead", asked(client))
	streams(t)
}
