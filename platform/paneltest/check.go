package paneltest

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"panel/migrations"
	"panel/platform/access"
	"panel/platform/app"
	"panel/platform/database/dbtest"
	"panel/platform/module"
)

var (
	moduleName    = regexp.MustCompile(`^[a-z][a-z0-9]*$`)
	permissionKey = regexp.MustCompile(`^[a-z_]+\.[a-z_]+$`)
)

// Check is the conformance test of a module, one line in its own tests: the manifest is sane, its migrations apply from
// zero and once more, and a panel with it starts and stops within a second without a goroutine left behind.
// Needed are the modules that it requires beside the core.
func Check(t *testing.T, subject module.Module, needed ...module.Module) {
	t.Helper()
	t.Run("manifest", func(t *testing.T) { checkManifest(t, subject) })
	t.Run("migrations", func(t *testing.T) { checkMigrations(t, append(needed, subject)) })
	t.Run("life", func(t *testing.T) { checkLife(t, append(needed, subject)) })
}

func checkManifest(t *testing.T, m module.Module) {
	require.Regexp(t, moduleName, m.Name)
	require.NotEmpty(t, m.Summary)
	for _, p := range m.Permissions {
		require.Regexp(t, permissionKey, string(p.Key))
		require.NotEmpty(t, p.Summary, p.Key)
		require.NotEqual(t, access.All, p.Key)
	}
	for _, f := range m.Features {
		require.Equal(t, m.Name, f.Key, "a module's feature key is its name")
	}
	for _, k := range m.Config {
		require.True(t, strings.HasPrefix(k.Name, "PANEL_"), k.Name)
		require.NotEmpty(t, k.Summary, k.Name)
	}
}

func checkMigrations(t *testing.T, features []module.Module) {
	sets := app.Migrations(app.With(features))
	db := dbtest.New(t, sets...)
	require.NoError(t, migrations.Run(t.Context(), db.DB.DB, sets), "a second run changes nothing")
}

// stopsWithin is long for a busy machine; a loop that does not mind its context never ends.
const stopsWithin = 10 * time.Second

func checkLife(t *testing.T, features []module.Module) {
	all := app.With(features)
	db := dbtest.New(t, app.Migrations(all)...)
	before := goleak.IgnoreCurrent()
	s := &settings{env: secretKey(), clock: realClock(), db: db}
	composed := compose(t, s, all, t.TempDir())
	require.NoError(t, composed.Start(t.Context()))
	ctx, cancel := context.WithTimeout(context.Background(), stopsWithin)
	defer cancel()
	require.NoError(t, composed.Stop(ctx), "loops must end with their context")
	db.Pool.Reset()
	// A connection whose query was cancelled is closed by the driver in its own time, up to 15 s.
	goleak.VerifyNone(t, before,
		goleak.IgnoreAnyFunction("github.com/jackc/pgx/v5/pgxpool.(*Pool).backgroundHealthCheck"),
		goleak.IgnoreAnyFunction("github.com/jackc/pgx/v5/pgconn.(*PgConn).asyncClose.func1"),
		goleak.IgnoreAnyFunction("github.com/jackc/pgx/v5/pgxpool.NewWithConfig.func4"),
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.updateServerDate.func1"))
}
