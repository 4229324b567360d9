package cdndns

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/cdn-dns/dnstest"
	"panel/modules/cdn-dns/internal/records"
	"panel/platform/paneltest"
)

// A service that takes calls and does not answer delays the names of its own zone alone; they follow when it is back.
func TestAServiceThatHangsDelaysNoOtherZone(t *testing.T) {
	t.Parallel()
	b := newBench(t, "example.com", "example.org")
	b.add("main")
	hanging, back := b.cloud.ZoneID("example.com"), make(chan struct{})
	b.cloud.Before(func(method, path string) {
		if method == http.MethodPost && strings.Contains(path, hanging) {
			<-back
		}
	})
	stuck, _ := b.at("203.0.113.7", "n1", "example.com")
	for _, label := range []string{"n2", "n3", "n4"} {
		id, _ := b.at("203.0.113.8", label, "example.org")
		b.becomes(id, records.OK)
	}
	require.NotEqual(t, records.OK, b.dns(stuck).State)
	require.Empty(t, b.stand("n1.example.com"))
	close(back)
	b.becomes(stuck, records.OK)
	require.Equal(t, []string{"A 203.0.113.7"}, b.stand("n1.example.com"))
}

// A binding that goes while its service refuses is remembered until its record is removed.
func TestARecordGoesWhenItsServiceIsBack(t *testing.T) {
	t.Parallel()
	b := newBench(t, "example.com")
	b.add("main")
	id, node := b.at("203.0.113.7", "n1", "example.com")
	b.becomes(id, records.OK)
	b.cloud.Allow(token, nil)
	b.Admin().Delete(bindingsRoute + "/" + id).Is(http.StatusNoContent)
	require.Eventually(t, func() bool {
		return b.count("select count(*) from domain_watches where error <> ''") == 1
	}, soon, 50*time.Millisecond)
	require.Len(t, b.stand("n1.example.com"), 1)

	b.cloud.Allow(token, dnstest.Full())
	again := b.Admin().Post(bindingsRoute, fields{"node_id": node, "zone": "example.com", "label": "n2"}).
		Is(http.StatusCreated).Text("id")
	b.becomes(again, records.OK)
	b.seed("update domain_watches set next_at = now() where error <> ''") // it would come by itself, in its time
	require.Eventually(t, func() bool { return len(b.stand("n1.example.com")) == 0 }, soon, 50*time.Millisecond)
	require.Len(t, b.stand("n2.example.com"), 1)
	require.Eventually(t, func() bool { return b.count("select count(*) from domain_watches") == 1 }, soon,
		50*time.Millisecond)
}

// Two panels watch the same bindings: each record is written once, each event told once.
func TestTwoPanelsWriteEachRecordOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t, "example.com")
	paneltest.Start(t, built(), paneltest.On(b.DB), paneltest.Env(map[string]string{
		cloudflareRoot.Name: b.cloud.Root, resolvers.Name: b.cloud.Address, "PANEL_OUTBOUND_ALLOW": "127.0.0.1",
	}))
	b.add("main")
	var writes atomic.Int32
	b.cloud.Before(func(method, _ string) {
		if method == http.MethodPost {
			writes.Add(1)
		}
	})
	labels := []string{"n1", "n2", "n3", "n4", "n5", "n6"}
	ids := make([]string, len(labels))
	for i, label := range labels {
		ids[i], _ = b.at("203.0.113.7", label, "example.com")
	}
	for i, id := range ids {
		b.becomes(id, records.OK)
		require.Equal(t, []string{"A 203.0.113.7"}, b.stand(labels[i]+".example.com"))
	}
	require.EqualValues(t, len(ids), writes.Load())
	require.Equal(t, len(ids), b.count("select count(*) from journal where action = 'dns.record_written'"))
}

// A service that is away while all is well changes nothing: the name is as name servers answer, and is not written
// again when the service is back.
func TestAServiceThatIsAwayChangesNoState(t *testing.T) {
	t.Parallel()
	b := newBench(t, "example.com")
	b.add("main")
	id, _ := b.at("203.0.113.7", "n1", "example.com")
	b.becomes(id, records.OK)
	var writes atomic.Int32
	b.cloud.Before(func(method, _ string) {
		if method != http.MethodGet {
			writes.Add(1)
		}
	})
	b.cloud.Limit(1000)
	d := b.look(id)
	require.Equal(t, records.OK, d.State)
	require.Equal(t, []string{"203.0.113.7"}, d.ResolvedIPs)
	require.Equal(t, "written", d.Wanted[0].State)
	b.cloud.Limit(0)
	require.Empty(t, b.becomes(id, records.OK).LastError)
	require.Zero(t, writes.Load())
}
