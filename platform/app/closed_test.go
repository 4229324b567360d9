package app_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// What a setting of the panel closes answers everybody alike, before anything else is asked (specification, Conflict
// cases 2): every caller, every state of the license, before and after the end of the installation.
func TestWhatASettingClosesAnswersEveryCallerAlike(t *testing.T) {
	t.Parallel()
	outside := newOutside(t)
	outside.closed = true
	m := newMatrix(t, outside)
	m.gather()
	before := m.picture()
	line := policies(t)["POST /api/v1/setup/proxypanel/bootstrap"]
	everybody := func() {
		for _, l := range licenses() {
			m.gate.turn(l)
			for _, who := range m.callers {
				for _, want := range []verdict{{}, {http.StatusConflict, "bootstrap_disabled"}} {
					got := m.wire.send(m.request(line, who, want))
					require.Equal(t, verdict{http.StatusConflict, "bootstrap_disabled"}, verdict{got.status, got.code},
						"%s, license %s", who.name, l.name)
				}
			}
		}
	}
	everybody()
	m.untouched(before, outside)
	m.finish()
	everybody()
}
