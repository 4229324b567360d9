package certificates

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/e2e/rig"
	"panel/platform/testneed/freeport"
)

// reaches lets a client try as clients do: a machine under load may not speak within the 200 ms that a port with
// several names waits.
func (w *world) reaches(t *testing.T, d door, when string) {
	t.Helper()
	err := rig.Eventually(t.Context(), within, func(context.Context) error { return w.fetch(d, "/", "ok") })
	require.NoError(t, err, "%s %s", d.name, when)
}

// shared puts four flows behind one port of the node, one after the other, told apart by host name and by path, and
// takes one away again. Whoever comes or goes, the open streams of the others are not cut.
func (w *world) shared(t *testing.T) {
	var err error
	w.site, err = rig.OpenSite("127.0.0.1") // the one before holds nobody any more
	require.NoError(t, err)
	t.Cleanup(w.site.Close)
	port := freeport.For(t)
	first, second := w.bind("s1"), w.bind("s2")
	doors := []door{
		{name: "shared websocket", protocol: "trojan", transport: "ws", host: "s1." + zone, path: "/ws", port: port},
		{name: "shared vision", protocol: "vless", transport: "raw", host: "s1." + zone, port: port},
		{name: "shared xhttp", protocol: "vless", transport: "xhttp", host: "s1." + zone, path: "/x", port: port},
		{name: "shared trojan", protocol: "trojan", transport: "raw", host: "s2." + zone, port: port},
	}
	ended := make(chan error, len(doors))
	for i := range doors {
		bound := first
		if doors[i].host == "s2."+zone {
			bound = second
		}
		w.install(&doors[i], bound)
		for _, d := range doors[:i+1] {
			w.reaches(t, d, "beside others")
		}
		if i == 0 {
			continue // an agent keeps three replaced cores for their streams, and each change replaces one
		}
		go func() { ended <- fmt.Errorf("%s: %w", doors[i].name, w.fetch(doors[i], "/held", "ended")) }()
		require.Eventually(t, func() bool { return w.site.Held() == i }, within, 20*time.Millisecond)
	}
	require.NoError(t, w.stand.API.Post(t.Context(), "/api/v1/connection-units/"+doors[0].flow+"/disable", nil, nil))
	require.Eventually(t, func() bool { return w.fetch(doors[0], "/", "ok") != nil }, within, 100*time.Millisecond)
	for _, d := range doors[1:] {
		w.reaches(t, d, "after another left")
	}
	select {
	case err := <-ended:
		require.NoError(t, err, "a stream ended")
	default:
	}
	w.site.Release()
	for range doors[1:] {
		require.NoError(t, errors.Unwrap(<-ended))
	}
}

// odd lets clients through to host names of 253 characters and of another alphabet, which share a port.
func (w *world) odd(t *testing.T) {
	longest := "n2." + strings.Repeat(strings.Repeat("l", 61)+".", 4) + "te"
	require.Len(t, longest, 253)
	port := freeport.For(t)
	for _, one := range []struct{ label, zone, host string }{
		{"n2", longest[len("n2."):], longest},
		{"сервер", "пример.рф", "xn--b1afb6bcb.xn--e1afmkfd.xn--p1ai"},
	} {
		_, parent, _ := strings.Cut(one.host, ".")
		w.uploadFor(parent, 1)
		d := door{name: "odd " + one.label, protocol: "vless", transport: "ws", host: one.host, port: port}
		w.install(&d, w.bindIn(one.zone, one.label, "direct"))
		require.EqualValues(t, 1, w.shown(d), d.name)
		w.reaches(t, d, "by its name")
	}
}
