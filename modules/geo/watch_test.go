package geo

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/doctor"
)

func (s *stage) diagnosed() doctor.Finding {
	return failing(s.t.Context(), doctor.Env{Now: time.Now, Getenv: func(name string) string {
		return map[string]string{"PANEL_DB_URL": s.DB.Pool.Config().ConnString()}[name]
	}})
}

// Doctor says which is the worst of what is wrong with geo files, also while the panel is down, and metrics count it.
func TestDoctorAndMetricsSayWhatIsWrongWithFiles(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	first := s.origin.publish("geosite.dat", sites("a"))
	n, id := s.node("n"), s.geosite()
	s.update(id, true)
	n.takes(first)
	s.until(id, inState(stateCurrent))
	require.Equal(t, doctor.OK, s.diagnosed().Status)

	worse := func(change, says string) {
		t.Helper()
		_, err := s.DB.ExecContext(t.Context(), change)
		require.NoError(t, err)
		found := s.diagnosed()
		require.Equal(t, doctor.Warning, found.Status)
		require.Contains(t, found.Found.String(), says)
		require.Equal(t, "panelctl geo list", found.Do.String())
	}
	require.Eventually(t, func() bool { // the panel soon tells the node again
		_, err := s.DB.ExecContext(t.Context(), "update geo_nodes set wanted = repeat('0', 64)")
		return err == nil && strings.Contains(s.diagnosed().Found.String(), "1 nodes hold another version")
	}, within, every)
	worse("update geo_versions set fetched_at = now() - interval '15 days'", "were not fetched for two weeks")
	worse("update geo_assets set state = 'rejected', reject_reason = 'truncated'", "last update of 1 of 1 geo files came to nothing")
	worse("update geo_assets set state = 'failed', reject_reason = 'node_failed'", "1 of 1 geo files could not be rolled out")
	said := s.Scrape()
	require.Regexp(t, `(?m)^panel_geo_assets_failed 1$`, said)
	require.Regexp(t, `(?m)^panel_geo_nodes_behind [01]$`, said)
	require.Regexp(t, `(?m)^panel_geo_asset_age_seconds 1\.29\d+e\+06$`, said)
}
