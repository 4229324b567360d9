package app_test

import (
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The fixed order of refusals: 401, 403 (permission, then license), 409 setup_closed, 429, 400, 404, 409/422. The
// matrix shows each of them before 400; here are the neighbours that it does not bring together.
func TestRefusalsComeInTheirFixedOrder(t *testing.T) {
	t.Parallel()
	m := newMatrix(t, newOutside(t))
	t.Run("the permission is asked for before the license", m.permissionBeforeLicense)
	t.Run("429 comes after 403 and 409, before 400", m.throttleInTheMiddle)
	t.Run("400 comes before 404, a malformed identifier is an unknown one", m.unreadableBeforeUnknown)
}

func (m *matrix) permissionBeforeLicense(t *testing.T) {
	m.gate.turn(licenses()[2])
	nothing := bearer(m.As().Token)
	for name, line := range policies(t) {
		if line.access == "session" && len(line.keys) > 0 && line.method != http.MethodGet {
			got := m.wire.send(call{
				method: line.method, path: line.somewhere() + "?x=" + unreadable, headers: nothing,
				body: "{",
			})
			require.Equal(t, verdict{http.StatusForbidden, "permission_denied"}, verdict{got.status, got.code}, name)
		}
	}
}

func (m *matrix) throttleInTheMiddle(t *testing.T) {
	visitor := net.IPv4(192, 0, 2, 1)
	for name, line := range policies(t) {
		if line.access != "throttled" && line.access != "first" {
			continue
		}
		m.gate.turn(licenses()[0])
		request := call{method: line.method, path: line.somewhere() + "?x=" + unreadable, ip: visitor, body: "{"}
		last := m.exhaust(request)
		if line.access == "first" {
			require.Equal(t, "setup_closed", last.code, "%s: an administrator exists, which is told before the limit",
				name)
			continue
		}
		require.Equal(t, verdict{http.StatusTooManyRequests, "throttled"}, verdict{last.status, last.code}, name)
		require.Regexp(t, `^[1-9][0-9]*$`, last.retryAfter, name)
		m.gate.turn(licenses()[2])
		if got := m.wire.send(request); line.method != http.MethodGet && !line.whileDegraded {
			require.Equal(t, verdict{http.StatusForbidden, "license_read_only"}, verdict{got.status, got.code}, name)
		}
	}
}

// exhaust uses up the address's allowance.
func (m *matrix) exhaust(request call) response {
	const more = 200
	var last response
	for range more {
		if last = m.wire.send(request); last.status == http.StatusTooManyRequests {
			break
		}
	}
	return last
}

func (m *matrix) unreadableBeforeUnknown(t *testing.T) {
	m.gate.turn(licenses()[0])
	admin := bearer(m.Admin().Token)
	for name, line := range policies(t) {
		if line.access != "session" || !strings.Contains(line.path, "id}") {
			continue
		}
		malformed := parameter.ReplaceAllString(line.path, "not-an-id")
		got := m.wire.send(call{method: line.method, path: malformed + "?x=" + unreadable, headers: admin, body: "{"})
		require.Equal(t, verdict{http.StatusBadRequest, "bad_parameter"}, verdict{got.status, got.code}, name)
		got = m.wire.send(call{method: line.method, path: malformed, headers: admin, body: "{"})
		require.Equal(t, verdict{http.StatusNotFound, "not_found"}, verdict{got.status, got.code}, name)
	}
}
