package cdndns

import (
	"crypto/tls"
	"net"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/cdn-dns/acmetest"
	"panel/modules/flows/flowsapi"
	"panel/platform/doctor"
)

// listener shows a certificate until the test ends.
func listener(t *testing.T, pair acmetest.Pair) (host string, port int) {
	t.Helper()
	shown, err := tls.X509KeyPair([]byte(pair.Chain), []byte(pair.Key))
	require.NoError(t, err)
	at, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{shown}})
	require.NoError(t, err)
	t.Cleanup(func() { _ = at.Close() })
	go func() {
		for {
			conn, err := at.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				_ = conn.(*tls.Conn).Handshake()
			}()
		}
	}()
	address := at.Addr().(*net.TCPAddr)
	return address.IP.String(), address.Port
}

// Doctor compares what the panel holds with what the node says that it holds, and with what a client sees there.
func TestDoctorLooksAtListenersAsAClientDoes(t *testing.T) {
	t.Parallel()
	g := newGiving(t)
	env := asked(g.DB.Pool.Config().ConnString())
	require.Equal(t, doctor.Skipped, shownToClients(t.Context(), env).Status)
	root, now := acmetest.NewRoot(t), g.Clock.Now()
	first := root.Sign(now.Add(-time.Hour), now.Add(1000*time.Hour), "n1.own.example")
	g.Admin().Post(certificatesRoute, fields{"chain": first.Chain, "key": first.Key}).Is(201)
	host, port := listener(t, first)
	agent := g.Enroll("n1")
	_, err := g.DB.NewRaw("update nodes set address = ? where id = ?", host, agent.NodeID).Exec(t.Context())
	require.NoError(t, err)
	entry := g.entry(agent, "n1", "own.example")
	entry.Port = strconv.Itoa(port)
	flow := g.flow("Europe")
	_, err = g.give.Do(t.Context(), applyOf(flow, nil, []flowsapi.Entry{entry}))
	require.NoError(t, err)
	require.Equal(t, doctor.OK, shownToClients(t.Context(), env).Status)

	later := env
	later.Now = func() time.Time { return env.Now().Add(2 * confirmWithin) }
	unconfirmed := shownToClients(t.Context(), later)
	require.Equal(t, doctor.Warning, unconfirmed.Status, "a client sees the right one, the agent does not say so")
	require.Equal(t, "node-n1", unconfirmed.Subject)
	document, _ := held(t, agent)
	agent.Beat(applied(document))
	require.Eventually(t, func() bool {
		return shownToClients(t.Context(), later).Status == doctor.OK
	}, issuedWithin, every)

	g.upload(root, now.Add(-time.Hour), now.Add(1100*time.Hour), "n1.own.example").Is(201)
	stale := shownToClients(t.Context(), env)
	require.Equal(t, doctor.Failed, stale.Status)
	require.Equal(t, "n1.own.example", stale.Subject)

	entry.Port = "1"
	_, err = g.take.Do(t.Context(), applyOf(flow, nil, []flowsapi.Entry{entry}))
	require.NoError(t, err)
	require.Equal(t, doctor.Skipped, shownToClients(t.Context(), env).Status, "it may be reached by clients")
}
