package readiness

import (
	"context"
	"io"
	"net"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"panel/modules/flows/internal/plan"
)

func dialer() *Checker {
	return New(nil, nil, clockwork.NewRealClock(), zap.NewNop(), func(context.Context, string, string) {})
}

// listening answers every connection with a text, and gives the address.
func listening(t *testing.T, answer string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = io.WriteString(c, answer)
			_ = c.Close()
		}
	}()
	return l.Addr().String()
}

// echoing sends every packet back, changed by a function, and gives the address.
func echoing(t *testing.T, change func(string) string) string {
	t.Helper()
	c, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	go func() {
		buffer := make([]byte, 1024)
		for {
			n, from, err := c.ReadFrom(buffer)
			if err != nil {
				return
			}
			_, _ = c.WriteTo([]byte(change(string(buffer[:n]))), from)
		}
	}()
	return c.LocalAddr().String()
}

// Where there is no other node to do it the panel dials the temporary listener itself and believes nothing but the
// secret word. A port that the core holds says none: there a connection is enough, and udp shows nothing.
func TestWhatThePanelMetWhenItDialled(t *testing.T) {
	t.Parallel()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	closed := free.Addr().String()
	require.NoError(t, free.Close())
	same := func(s string) string { return s }
	for name, c := range map[string]struct {
		l4, address, word string
		status, code      string
	}{
		"the word over tcp":      {"tcp", listening(t, "sesame"), "sesame", plan.Confirmed, "panel_reached"},
		"another word":           {"tcp", listening(t, "barley"), "sesame", plan.Failed, "panel_met_other"},
		"half of the word":       {"tcp", listening(t, "ses"), "sesame", plan.Failed, "panel_met_other"},
		"somebody who is silent": {"tcp", listening(t, ""), "sesame", plan.Failed, "panel_met_other"},
		"nobody":                 {"tcp", closed, "sesame", plan.Failed, "panel_not_reached"},
		"a core over tcp":        {"tcp", listening(t, ""), "", plan.Confirmed, "panel_reached"},
		"the word over udp":      {"udp", echoing(t, same), "sesame", plan.Confirmed, "panel_reached"},
		"another word over udp": {
			"udp", echoing(t, func(string) string { return "barley" }), "sesame", plan.Failed,
			"panel_met_other",
		},
		"nobody over udp":         {"udp", silent(t), "sesame", plan.Failed, "panel_udp_silent"},
		"a core over udp":         {"udp", echoing(t, same), "", plan.Unconfirmed, "udp_in_use"},
		"an address without form": {"tcp", "waw", "sesame", plan.Failed, "panel_not_reached"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := dialer().fromPanel(t.Context(), c.l4, c.address, c.word)
			require.Equal(t, c.status, f.status)
			require.Equal(t, c.code, f.seen.Code)
			require.Empty(t, f.blocker)
		})
	}
}

// silent is a port over UDP that takes every packet and answers none, as behind a firewall that drops them.
func silent(t *testing.T) string {
	t.Helper()
	c, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	return c.LocalAddr().String()
}

// A check that is cancelled ends at once on this panel; one that never ran here is nobody's.
func TestCancellingEndsTheCheckOfOnePlan(t *testing.T) {
	t.Parallel()
	k := dialer()
	first, endFirst := k.begin(t.Context(), "first")
	second, endSecond := k.begin(t.Context(), "second")
	k.Cancel("first")
	k.Cancel("of another panel")
	require.ErrorIs(t, first.Err(), context.Canceled)
	require.NoError(t, second.Err())
	until, bounded := second.Deadline()
	require.True(t, bounded)
	require.LessOrEqual(t, time.Until(until), checkLimit)
	endFirst()
	endSecond()
	require.Error(t, second.Err())
	k.Cancel("second")
	require.Empty(t, k.running)
}
