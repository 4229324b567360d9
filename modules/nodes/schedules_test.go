package nodes

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/paneltest"
)

// What nobody needs any more goes by the panel's rules, once for all panels.
func TestTokensGoLongAfterTheirEnd(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	for range 4 {
		p.As("nodes.edit").Post("/api/v1/nodes/enrollment-tokens", map[string]any{}).Is(http.StatusCreated)
	}
	_, err := p.DB.ExecContext(t.Context(), `with numbered as (select id, row_number() over (order by id) n from enrollment_tokens)
		update enrollment_tokens t set expires_at = case n when 1 then now() - interval '91 days' else expires_at end,
			revoked_at = case n when 2 then now() - interval '91 days' when 3 then now() - interval '89 days' end
		from numbered where numbered.id = t.id`)
	require.NoError(t, err)
	p.RunSchedule("panel.tidy")
	left, err := p.DB.NewSelect().Table("enrollment_tokens").Count(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 2, left, "the one that is good, and the one that was revoked 89 days ago")
}

// Samples become the history of days by schedules, once for all panels.
func TestTelemetryIsCondensedBySchedules(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	p.RunSchedule("nodes.condense_telemetry")
	p.RunSchedule("nodes.renew_telemetry")
}
