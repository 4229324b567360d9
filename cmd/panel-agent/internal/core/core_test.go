package core

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/cmd/panel-agent/internal/agenttest"
	"panel/platform/agentapi"
)

func TestARealClientFetchesThroughRealityAndIsCounted(t *testing.T) {
	t.Parallel()
	s, site := newSupervisor(t, t.TempDir()), page(t)
	f := realityFlow(t, agenttest.FreePort(t), target(t))
	require.NoError(t, s.Check(context.Background(), f.core))
	require.NoError(t, s.Swap(context.Background(), Spec{Revision: 1, Hash: "a", Core: f.core}))
	data, err := s.Through(context.Background(), through(f.link, site.URL))
	require.NoError(t, err)
	require.Equal(t, 200, data.Status)
	require.Less(t, data.TotalMs, 4000.0, "without a warm REALITY the first connection waits five seconds")
	require.Eventually(t, func() bool { return counted(s, "user>>>"+client1+">>>traffic>>>downlink") > 0 },
		5*time.Second,
		50*time.Millisecond)
	require.Equal(t, agentapi.CoreRunning, s.Report().State)
}

func TestARealClientFetchesThroughShadowsocks2022(t *testing.T) {
	t.Parallel()
	s, site := newSupervisor(t, t.TempDir()), page(t)
	f := shadowsocksFlow(t, agenttest.FreePort(t))
	require.NoError(t, s.Swap(context.Background(), Spec{Revision: 1, Hash: "a", Core: f.core}))
	_, err := s.Through(context.Background(), through(f.link, site.URL))
	require.NoError(t, err)
}

func TestABadConfigurationIsRefusedInTheCoresWordsAndTheLiveCoreStays(t *testing.T) {
	t.Parallel()
	s, site := newSupervisor(t, t.TempDir()), page(t)
	f := shadowsocksFlow(t, agenttest.FreePort(t))
	require.NoError(t, s.Swap(context.Background(), Spec{Revision: 1, Hash: "a", Core: f.core}))
	before := s.Processes()
	var refused *Refused
	err := s.Check(context.Background(), []byte(`{"inbounds":[{"port":1,"protocol":"nonsense"}]}`))
	require.ErrorAs(t, err, &refused)
	require.Contains(t, refused.Words, "nonsense")
	require.ErrorAs(t, s.Check(context.Background(), []byte(`{`)), &refused)
	require.Equal(t, before, s.Processes())
	_, err = s.Through(context.Background(), through(f.link, site.URL))
	require.NoError(t, err)
}

func TestAKilledCoreComesBack(t *testing.T) {
	t.Parallel()
	s, port := newSupervisor(t, t.TempDir()), agenttest.FreePort(t)
	require.NoError(t, s.Swap(context.Background(), Spec{
		Revision: 1, Hash: "1",
		Core: agenttest.Forward(t, "in-1", port, agenttest.EchoServer(t)),
	}))
	require.NoError(t, serving(s).Kill())
	require.Eventually(t, func() bool { return s.Report().Restarts == 1 && s.Report().State == agentapi.CoreRunning },
		60*time.Second, 20*time.Millisecond)
	require.NoError(t, agenttest.Echo(port, "x"))
}

func TestACrashLoopIsReportedOnceWithTheConfiguration(t *testing.T) {
	t.Parallel()
	s, port := newSupervisor(t, t.TempDir()), agenttest.FreePort(t)
	loops := make(chan Meta, 10)
	s.looping = func(meta Meta, _ string) { loops <- meta }
	require.NoError(t, s.Swap(context.Background(), Spec{
		Revision: 7, Hash: "bad",
		Core: agenttest.Forward(t, "in-1", port, agenttest.EchoServer(t)),
	}))
	for crash := range loopCrashes {
		require.Eventually(t, func() bool { return s.Report().State == agentapi.CoreRunning }, 10*time.Second,
			5*time.Millisecond)
		require.NoError(t, serving(s).Kill())
		require.Eventually(t, func() bool { return s.Report().Restarts == int64(crash+1) }, 30*time.Second,
			5*time.Millisecond)
	}
	require.Equal(t, "bad", (<-loops).Hash)
	require.Empty(t, loops)
}

func TestALaterSupervisorAdoptsWhatServes(t *testing.T) {
	t.Parallel()
	dir, port := t.TempDir(), agenttest.FreePort(t)
	core := agenttest.Forward(t, "in-1", port, agenttest.EchoServer(t))
	first := newSupervisor(t, dir)
	require.NoError(t, first.Swap(context.Background(), Spec{Revision: 3, Hash: "h", Core: core}))
	require.NoError(t, first.Close(context.Background(), true))
	require.NoError(t, agenttest.Echo(port, "x"))

	second := newSupervisor(t, dir)
	meta, found := second.Adopt(context.Background(), "h")
	require.True(t, found)
	require.EqualValues(t, 3, meta.Revision)
	require.Equal(t, first.Processes(), second.Processes())
	require.NoError(t, serving(second).Kill())
	require.Eventually(t, func() bool {
		return second.Report().Restarts == 1 &&
			second.Report().State == agentapi.CoreRunning
	},
		60*time.Second, 20*time.Millisecond)
	require.NoError(t, agenttest.Echo(port, "x"))
}

func TestADeepDataFolderDoesNotMatter(t *testing.T) {
	t.Parallel()
	deep := filepath.Join(t.TempDir(), "a-folder-with-a-long-name-that-does-not-fit-into-a-socket-address",
		"and-one-more-below-it-to-be-sure")
	s := newSupervisor(t, deep)
	require.NoError(t, s.Swap(context.Background(), Spec{
		Revision: 1, Hash: "1",
		Core: agenttest.Forward(t, "in-1", agenttest.FreePort(t), agenttest.EchoServer(t)),
	}))
}

func TestLinksBecomeClientConfigurations(t *testing.T) {
	t.Parallel()
	raw, err := ClientConfig("vless://id@host:443?type=tcp&security=tls&sni=a.example&alpn=h2,http/1.1",
		"10.0.0.1:8443")
	require.NoError(t, err)
	require.True(t, json.Valid(raw))
	require.Contains(t, string(raw), `"address":"10.0.0.1"`)
	document := base64.StdEncoding.EncodeToString([]byte(
		`{"v":"2","ps":"Анна","add":"h","port":"443","id":"some-id","net":"ws","path":"/up","host":"a.example","tls":"tls","sni":"a.example"}`))
	raw, err = ClientConfig("vmess://"+document, "")
	require.NoError(t, err)
	for _, part := range []string{`"address":"h"`, `"id":"some-id"`, `"path":"/up"`, `"serverName":"a.example"`, `"network":"ws"`} {
		require.Contains(t, string(raw), part)
	}
	raw, err = ClientConfig("hysteria2://word@h:20000?sni=a.example&obfs=salamander&obfs-password=x&mport=20000-20010", "")
	require.NoError(t, err)
	for _, part := range []string{`"auth":"word"`, `"type":"salamander"`, `"port":20000`, `"network":"hysteria"`} {
		require.Contains(t, string(raw), part)
	}
	for _, bad := range []string{
		"", "vless://id@", "trojan://h:1", "vmess://secretword@h:1", "ss://!!!@h:1", "vmess://c2VjcmV0d29yZA==", "vmess://e30=",
		"http://secretword@h:1",
	} {
		_, err := ClientConfig(bad, "")
		require.ErrorIs(t, err, ErrLink, bad)
		require.NotContains(t, err.Error(), "secretword")
	}
}

// An agent may be killed right after it has started a core, before that core can be asked anything. Such a core must be
// found, or it would share the port with its successor for ever.
func TestACoreThatWasJustStartedIsFoundByTheNextAgent(t *testing.T) {
	t.Parallel()
	dir, port := t.TempDir(), agenttest.FreePort(t)
	first := newSupervisor(t, dir)
	inst := first.newInstance(Spec{Revision: 1, Hash: "h", Core: agenttest.Forward(t, "in-1", port,
		agenttest.EchoServer(t))})
	require.NoError(t, inst.fill(Spec{Core: agenttest.Forward(t, "in-1", port, agenttest.EchoServer(t))}))
	require.NoError(t, first.spawn(inst)) // and the agent is gone
	second := newSupervisor(t, dir)
	for _, count := range second.Counters(context.Background()) {
		require.False(t, count.Ended)
	}
	require.NoError(t, StopLeft(context.Background(), dir))
	<-inst.died
}
