package app_test

import (
	"net/http"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/httpapi"
)

// Domain decision 2, word by word: what stays possible while the license is missing or expired.
var (
	staysOpen = regexp.MustCompile(`^(POST /api/v1/auth/(login|logout|password|second-factor|totp(/confirm|/remove|/recovery-codes)?|passkeys(/finish|/\{id\}/remove)?)` +
		`|DELETE /api/v1/auth/sessions/\{id\}|PATCH /api/v1/auth/passkeys/\{id\}` +
		`|POST /api/v1/license/(activate|remove|refresh)` +
		`|[A-Z]+ /api/v1/system/updates(/.*)?` +
		`|POST /api/v1/nodes/\{id\}/agent-update|[A-Z]+ /api/v1/nodes/agent-rings(/.*)?` +
		`|[A-Z]+ /api/v1/setup/.*` +
		`|[A-Z]+ /agent/v1/.*)$`)
	neverOpen = regexp.MustCompile(`^POST /agent/v1/(abuse-signals|session-diversity)$`)
	// Preview, validate and check stay open where they have no effect; which of them have one, the policy says. A support
	// bundle reads and leaves the panel as it is, also when it is sent.
	mayStayOpen = regexp.MustCompile(`^POST .*(preview|validate|check|suggest|dry-run|test-.*|/system/support-bundle(/send)?)$`)
)

// Specification, Degraded mode rules, asked of the running panel: every state-changing operation there is answers 403
// license_read_only, but for the list; every reading one passes. Agents are told when to send their telemetry again.
// Specification, Degraded mode rules 1 to 3: GET requests succeed, all others get 403 but for activation, updates and
// authentication.
// Specification, Errors: in degraded mode "state-changing requests get 403".
func TestInDegradedModeEveryWriteOfTheRunningPanelIsRefusedButTheList(t *testing.T) {
	t.Parallel()
	m := newMatrix(t, newOutside(t))
	agent, admin := bearer(m.enrolled("one")), bearer(m.Admin().Token)
	reviewed := policies(t)
	for _, l := range licenses()[2:4] {
		m.gate.turn(l)
		for _, op := range m.App.Server().Routes() {
			line := reviewed[op.Method+" "+op.Path]
			headers := admin
			if line.access == "agent" {
				headers = agent
			}
			got := m.wire.send(call{method: op.Method, path: line.somewhere() + "?x=" + unreadable, headers: headers, ip: m.address(line), body: "{}"})
			judge(t, op, line, got)
		}
	}
}

func judge(t *testing.T, op httpapi.Operation, line policy, got heard) {
	t.Helper()
	name := op.Method + " " + op.Path
	listed := staysOpen.MatchString(name) && !neverOpen.MatchString(name)
	switch {
	case op.Method == http.MethodGet:
		require.NotEqual(t, http.StatusForbidden, got.status, name)
	case listed, line.whileDegraded && mayStayOpen.MatchString(name):
		require.True(t, line.whileDegraded, "%s is on the list of what stays open, and the policy closes it", name)
		require.NotEqual(t, http.StatusForbidden, got.status, name)
	default:
		require.False(t, line.whileDegraded, "%s is not on the list of what stays open, and the policy opens it", name)
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
