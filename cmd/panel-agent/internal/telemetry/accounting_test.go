package telemetry

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"panel/cmd/panel-agent/internal/core"
	"panel/platform/agentapi"
)

// One reading of users who have all carried something and have a share of a quota each: the answer of the core is read,
// what is new is counted, and the sample and the bases of the next one are written.
func BenchmarkAccounting(b *testing.B) {
	for _, users := range []int{5000} {
		b.Run(fmt.Sprint(users), func(b *testing.B) {
			values, shares := map[string]int64{}, map[string]agentapi.Share{}
			for range users {
				id := uuid.NewString()
				email := agentapi.ClientEmail("0198a000-0000-7000-8000-000000000001", id)
				values["user>>>"+email+">>>traffic>>>uplink"], values["user>>>"+email+">>>traffic>>>downlink"] = 0, 0
				shares[id] = agentapi.Share{ClientID: id, Limit: 1 << 40}
			}
			stored := json.RawMessage(nil)
			b.ReportAllocs()
			for b.Loop() {
				for name := range values {
					values[name] += 1500
				}
				told, err := json.Marshal(values)
				require.NoError(b, err)
				var heard map[string]int64
				require.NoError(b, json.Unmarshal(told, &heard))
				stored = account(b, stored, map[string]core.Count{"1": {Values: heard}}, shares)
			}
		})
	}
}

func account(
	b *testing.B, stored json.RawMessage, counts map[string]core.Count, shares map[string]agentapi.Share,
) json.RawMessage {
	b.Helper()
	before, err := ParseBases(stored)
	require.NoError(b, err)
	traffic, after, _ := Difference(before, counts)
	used := usedOf(before, shares, traffic)
	after.keep(used)
	sample := agentapi.Sample{Traffic: append(traffic, told(traffic, used, nil)...)}
	require.Len(b, left(shares, used), len(shares))
	_, err = json.Marshal(sample)
	require.NoError(b, err)
	raw, err := after.Encode()
	require.NoError(b, err)
	return raw
}
