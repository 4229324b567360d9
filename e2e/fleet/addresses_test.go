package fleet

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/e2e/rig"
)

const (
	zoneToken = "a-token-of-the-zones-of-this-test"
	ownName   = "n1." + ownZone
)

// manages has the panel write the records of the zone, which everybody in the namespaces of the test finds.
func (w *watchedFleet) manages(t *testing.T) {
	t.Helper()
	require.NoError(t, w.stand.API.Post(t.Context(), "/api/v1/dns/integrations", object{
		"provider": "cloudflare", "label": "zones", "fields": object{"api_token": zoneToken},
	}, nil))
	w.published(w.T)
}

// published keeps the records of the zone in the file that resolvers read first.
func (w *watchedFleet) published(t *testing.T) {
	t.Helper()
	known, err := os.ReadFile("/etc/hosts")
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "hosts")
	write := func() error {
		text := slices.Clone(known)
		for _, r := range w.zones.Records() {
			text = fmt.Appendf(text, "\n%s %s\n", r.Content, r.Name)
		}
		if now, err := os.ReadFile(file); err == nil && bytes.Equal(now, text) {
			return nil
		}
		return os.WriteFile(file, text, 0o644) //nolint:gosec // all read it
	}
	require.NoError(t, write())
	command(t, "mount", "--bind", file, "/etc/hosts")
	ended := make(chan struct{})
	writing, stop := context.WithCancel(t.Context())
	go func() {
		defer close(ended)
		for tick := time.Tick(glance); writing.Err() == nil; <-tick {
			_ = write() // at the next moment again
		}
	}()
	t.Cleanup(func() {
		stop()
		<-ended
		command(t, "umount", "/etc/hosts")
	})
}

// leadsTo waits until the record of the name holds an address.
func (w *watchedFleet) leadsTo(t *testing.T, address string) {
	t.Helper()
	require.NoError(t, rig.Eventually(t.Context(), faultsWithin, func(context.Context) error {
		found := w.zones.Records()
		if len(found) == 1 && found[0].Name == ownName && found[0].Content == address {
			return nil
		}
		return fmt.Errorf("the records are %+v", found)
	}))
}

// has waits until the panel knows that the server has an address.
func (w *watchedFleet) has(t *testing.T, address string) {
	t.Helper()
	command(t, append(slices.Clone(w.enter), "ip", "addr", "add", address+"/24", "dev", "eth0")...)
	require.NoError(t, rig.Eventually(t.Context(), faultsWithin, func(ctx context.Context) error {
		var node struct{ Addresses []string }
		if err := w.stand.API.Get(ctx, "/api/v1/nodes/"+w.entry.NodeID, &node); err != nil {
			return err
		}
		if !slices.ContainsFunc(node.Addresses, func(known string) bool {
			return known == address || known == address+"/24"
		}) {
			return fmt.Errorf("it has %v", node.Addresses)
		}
		return nil
	}))
}

// addressBlocked lets nobody in at the address that the name leads to, while the agent goes on talking with the panel.
// The name leads to the other address until the first one is reached again.
func (w *watchedFleet) addressBlocked(t *testing.T) {
	said := w.messenger.sofar()
	w.has(t, watchOther)
	w.leadsTo(t, watchNode)
	w.drops(t, "to "+watchNode+" ipproto tcp dport 443-8450")
	w.becomes(t, w.node(), nil, judged{"down", "unreachable", "unreachable"})
	w.acts(t, repaired{"switch_dns", "watched", "succeeded", "helped"})
	w.leadsTo(t, watchOther)
	w.becomes(t, w.tls, nil, judged{"degraded", "node_down", "node"})
	w.messenger.hasTold(t, said, "watched", "Action: Lead names to another address")
	w.letsIn(t)
	w.acts(t, repaired{"switch_dns", "watched", "undone", "helped"})
	w.leadsTo(t, watchNode)
	w.becomes(t, w.tls, nil, judged{State: "up"})
	w.well(t)
	w.over(t)
}
