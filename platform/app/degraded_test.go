package app_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/httpapi"
)

// Specification, Degraded mode rules, asked of the running panel: every state-changing operation there is answers 403
// license_read_only, but for those to which the reviewed list gives a reason (domain decision 2); every reading one
// passes. Agents are told when to send their telemetry again.
// Specification, Degraded mode rules 1 to 3: GET requests succeed, all others get 403 but for activation, updates and
// authentication.
// Specification, Errors: in degraded mode "state-changing requests get 403".
func TestInDegradedModeEveryWriteOfTheRunningPanelIsRefusedButTheList(t *testing.T) {
	t.Parallel()
	m := newMatrix(t, newOutside(t))
	agent, admin := bearer(m.Enroll("one").Token), bearer(m.Admin().Token)
	lines := policies(t)
	for _, l := range licenses()[2:4] {
		m.gate.turn(l)
		for _, op := range m.App.Server().Routes() {
			line := lines[op.Method+" "+op.Path]
			headers := admin
			if line.access == "agent" {
				headers = agent
			}
			got := m.wire.send(call{
				method: op.Method, path: line.somewhere() + "?x=" + unreadable, headers: headers,
				ip: m.address(line), body: "{}",
			})
			judge(t, op, line, got)
		}
	}
}

func judge(t *testing.T, op httpapi.Operation, line policy, got response) {
	t.Helper()
	name := op.Method + " " + op.Path
	switch {
	case op.Method == http.MethodGet, line.whileDegraded:
		require.NotEqual(t, http.StatusForbidden, got.status, name)
	default:
		require.Equal(t, verdict{http.StatusForbidden, "license_read_only"}, verdict{got.status, got.code}, name)
		require.Equal(t, line.access == "agent", got.retryAfter != "", name)
		require.Equal(t, "degraded", decoded(t, got.body)["license_state"], name)
	}
}

// The gate's refusals name what is missing in words for programs: the permission, the feature.
func TestRefusalsNameWhatIsMissing(t *testing.T) {
	t.Parallel()
	m := newMatrix(t, newOutside(t))
	lacking, full := bearer(m.As().Token), bearer(m.Admin().Token)
	for name, line := range policies(t) {
		if line.access != "session" {
			continue
		}
		if len(line.keys) > 0 {
			m.gate.turn(licenses()[0])
			got := m.wire.send(call{method: line.method, path: line.somewhere(), headers: lacking, body: "{}"})
			var needed []any
			for _, key := range line.keys {
				needed = append(needed, key)
			}
			require.Equal(t, needed, decoded(t, got.body)["required"], name)
		}
		if line.feature != "" {
			m.gate.turn(licenses()[4])
			got := m.wire.send(call{method: line.method, path: line.somewhere(), headers: full, body: "{}"})
			require.Equal(t, line.feature, decoded(t, got.body)["feature"], name)
		}
	}
}
