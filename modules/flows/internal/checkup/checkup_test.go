package checkup

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/doctor"
	"panel/platform/doctor/recovery"
)

// Without a database nothing is released, and the action says so.
func TestReleasingWithoutADatabase(t *testing.T) {
	t.Parallel()
	env := doctor.Env{Now: time.Now, Getenv: func(name string) string {
		return map[string]string{"PANEL_DB_URL": "postgres://nobody@127.0.0.1:1/none"}[name]
	}}
	require.ErrorIs(t, releaseRuns(env).Do(t.Context()), recovery.ErrNoDatabase)
}
