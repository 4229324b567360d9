package targets

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/targets/internal/verdict"
	"panel/platform/database/dbtest"
	"panel/platform/doctor"
)

// asked is what Doctor sees of a database at a moment.
func asked(dsn string, at time.Time) doctor.Env {
	return doctor.Env{
		Now:    func() time.Time { return at },
		Getenv: func(name string) string { return map[string]string{"PANEL_DB_URL": dsn}[name] },
	}
}

func TestDoctorFindsSearchesThatShouldHaveEnded(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	dsn, now := s.DB.Pool.Config().ConnString(), s.Clock.Now()
	s.search("www.example.org")
	found := check().Run(t.Context(), asked(dsn, now))
	require.Equal(t, doctor.OK, found.Status)
	require.Equal(t, "поисков целей выполняется: 1", found.Found.In(doctor.Russian))
	found = check().Run(t.Context(), asked(dsn, now.Add(time.Hour)))
	require.Equal(t, doctor.Warning, found.Status)
	require.Equal(t, map[string]any{"running": 1, "late": 1}, found.Data)
}

// Doctor works while there is no database, and on one that this module has not migrated yet.
func TestDoctorSkipsWhatIsNotThere(t *testing.T) {
	t.Parallel()
	for _, dsn := range []string{"postgres://panel@127.0.0.1:1/panel", dbtest.Empty(t)} {
		require.Equal(t, doctor.Skipped, check().Run(t.Context(), asked(dsn, time.Now())).Status)
	}
}

// Each reason is a sentence in both languages.
func TestReasonsAreTranslated(t *testing.T) {
	t.Parallel()
	translated := doctor.Catalogue(russian)
	for code, text := range verdict.Codes() {
		require.NotEmpty(t, translated[text], code)
	}
}
