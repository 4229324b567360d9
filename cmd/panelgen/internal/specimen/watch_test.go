package specimen

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/database/dbtest"
	"panel/platform/doctor"
	"panel/platform/paneltest"
)

// asked is what Doctor sees of a database at a moment.
func asked(dsn string, at time.Time) doctor.Env {
	return doctor.Env{
		Now:    func() time.Time { return at },
		Getenv: func(name string) string { return map[string]string{"PANEL_DB_URL": dsn}[name] },
	}
}

func TestDoctorFindsOverdueItems(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	dsn, now := p.DB.Pool.Config().ConnString(), p.Clock.Now()
	p.Admin().Post(path, fields{"name": "first"}).Is(http.StatusCreated)
	found := check().Run(t.Context(), asked(dsn, now))
	require.Equal(t, doctor.OK, found.Status)
	require.Equal(t, "записей: 1, все проверены вовремя", found.Found.In(doctor.Russian))
	found = check().Run(t.Context(), asked(dsn, now.Add(2*lookEvery+time.Minute)))
	require.Equal(t, doctor.Warning, found.Status)
	require.Equal(t, map[string]any{"items": 1, "overdue": 1}, found.Data)
}

// Doctor works while there is no database, and on one that this module has not migrated yet.
func TestDoctorSkipsWhatIsNotThere(t *testing.T) {
	t.Parallel()
	for _, dsn := range []string{"postgres://panel@127.0.0.1:1/panel", dbtest.Empty(t)} {
		found := check().Run(t.Context(), asked(dsn, time.Now()))
		require.Equal(t, doctor.Skipped, found.Status)
	}
}

func TestTheMetricCountsItems(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	p.Admin().Post(path, fields{"name": "first"}).Is(http.StatusCreated)
	require.Contains(t, p.Scrape(), "panel_specimen_items 1\n")
}
