package core

import (
	"context"
	"fmt"
	"testing"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"panel/cmd/panel-agent/internal/agenttest"
	"panel/platform/agentapi"
)

// One more client of a list of many: its change is written to the disk, and the running core lets it in.
func BenchmarkAddClient(b *testing.B) {
	for _, many := range []int{50_000} {
		b.Run(fmt.Sprint(many), func(b *testing.B) {
			s, err := New(Options{
				Executable: agenttest.Executable, Dir: b.TempDir(), Clock: clockwork.NewRealClock(), Log: zap.NewNop(),
			})
			require.NoError(b, err)
			b.Cleanup(func() { require.NoError(b, s.Close(context.Background(), false)) })
			clients := make([]agentapi.Client, many)
			for i := range clients {
				clients[i] = someone(fmt.Sprintf("0198a000-0000-7000-9000-%012d", i))
			}
			p := &changing{epoch: "first"}
			p.add(clients)
			require.NoError(b, s.Lists(b.Context(), p.ref(), 0, p.fetch))
			server := fmt.Appendf(nil, `{"inbounds":[{"tag":"in-1","listen":"127.0.0.1","port":%d,"protocol":"vless",
				"settings":{"decryption":"none"},"clients_of":{"flow_id":%q}}],"outbounds":[{"protocol":"freedom"}]}`,
				agenttest.FreePort(b), listedFlow)
			require.NoError(b, s.Swap(b.Context(), Spec{Revision: 1, Hash: "1", Core: server}))
			add := func(n int) {
				p.add([]agentapi.Client{someone(fmt.Sprint("added-", n))})
				require.NoError(b, s.Lists(b.Context(), p.ref(), 0, p.fetch))
			}
			for n := range 3 { // a core that has just started reads the whole list once more
				add(-n)
			}
			for n := 1; b.Loop(); n++ {
				add(n)
			}
		})
	}
}
