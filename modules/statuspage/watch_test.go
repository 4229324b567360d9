package statuspage

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/doctor"
	"panel/platform/paneltest"
)

// diagnosed is what Doctor finds of a panel now, with its sentence filled in.
func diagnosed(t *testing.T, p *paneltest.Panel) (doctor.Finding, string) {
	t.Helper()
	found := check().Run(t.Context(), doctor.Env{
		Now: time.Now,
		Getenv: func(name string) string {
			return map[string]string{"PANEL_DB_URL": p.DB.Pool.Config().ConnString()}[name]
		},
	})
	return found, fmt.Sprintf(found.Found.Format, found.Found.Args...)
}

// Doctor tells of what readers cannot see by themselves: drafts that wait, places that failed, pages that are old. The
// worst comes first.
func TestDoctorTellsOfPagesThatAreBehind(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	_, said := diagnosed(t, s.Panel)
	require.Equal(t, "no status page is live", said)
	s.compose(byHandOf("Website", "operational"))
	s.target(kindLocal, fields{"folder": "www"})
	require.Equal(t, deployLive, s.deploy().State)
	found, said := diagnosed(t, s.Panel)
	require.Equal(t, doctor.OK, found.Status)
	require.Equal(t, "1 places of status pages show news of now", said)
	write := func(query string) {
		_, err := s.DB.NewRaw(query).Exec(t.Context())
		require.NoError(t, err)
	}
	write("update statuspage_targets set push_at = null")
	for _, behind := range []struct{ query, said string }{
		{
			`insert into statuspage_notices (id, page_id, titles, impact, state, published, component_ids, started_at, updated_at)
				select gen_random_uuid(), id, '{}', 'minor', 'investigating', false, '{}', now() - interval '2 hours', now()
				from statuspage_pages`,
			"1 notices that were drafted wait for somebody to publish them",
		},
		{"update statuspage_targets set failed = true", "the last deploy to 1 places of status pages failed"},
		{
			"update statuspage_targets set data_at = now() - interval '1 hour'",
			"1 of 1 places of status pages show news that are older than five minutes",
		},
	} {
		write(behind.query)
		found, said := diagnosed(t, s.Panel)
		require.Equal(t, doctor.Warning, found.Status)
		require.Equal(t, behind.said, said)
		require.NotEmpty(t, found.Do.Format)
	}
	metrics := s.Scrape()
	require.Contains(t, metrics, "panel_statuspage_targets_failed 1")
	require.Contains(t, metrics, "panel_statuspage_open_notices 0", "a draft is no incident that readers are told of")
	require.Regexp(t, `panel_statuspage_data_age_seconds 3[67]\d\d`, metrics)
	write("update statuspage_targets set enabled = false")
	write("delete from statuspage_notices")
	_, said = diagnosed(t, s.Panel)
	require.Equal(t, "no status page is live", said, "a place that is off promises nothing")
}

// Without the panel's schema the check says that it was not made.
func TestDoctorSkipsWhatIsNotThere(t *testing.T) {
	t.Parallel()
	found, _ := diagnosed(t, paneltest.New(t))
	require.Equal(t, doctor.Skipped, found.Status)
}
