package operator

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/database"
	"panel/platform/database/dbtest"
	"panel/platform/doctor"
)

// Specification, Configuration: "configured only by environment variables with prefix PANEL_". What PostgreSQL's own
// programs read does not lead the panel to a database, and does not lead it away from the one of PANEL_DB_URL.
func TestOnlyVariablesOfThePanelConfigureIt(t *testing.T) {
	t.Parallel()
	dsn := dbtest.Empty(t)
	given, err := database.ParseAddress(dsn)
	require.NoError(t, err)
	foreign := []string{
		"PGHOST=" + given.Host, "PGPORT=" + strconv.Itoa(int(given.Port)), "PGUSER=" + given.User,
		"PGPASSWORD=" + given.Password,
		"PGDATABASE=" + given.Database,
	}
	for _, address := range []string{"postgres://", "postgres:///" + given.Database, "dbname=" + given.Database} {
		checks, _ := diagnosed(t, call{env: append(foreign, "PANEL_DB_URL="+address)})
		require.Equal(
			t,
			doctor.Failed,
			checks["database.connect"].Status,
			"%s found a database by PGHOST: %+v",
			address,
			checks["database.connect"],
		)
	}
	checks, _ := diagnosed(t, call{env: []string{
		"PANEL_DB_URL=" + dsn, "PGHOST=canary.invalid", "PGPORT=1", "PGUSER=canary", "PGDATABASE=canary",
		"PGPASSWORD=canary",
		"PGSERVICE=canary", "PGSSLMODE=verify-full", "PGOPTIONS=-c canary=1", "PGTARGETSESSIONATTRS=read-only",
		"PGCONNECT_TIMEOUT=canary",
		"PGAPPNAME=canary", "PGTZ=canary", "PGPASSFILE=/nonexistent", "PGSERVICEFILE=/nonexistent",
		"PGSSLCERT=/nonexistent",
	}})
	require.Equal(t, doctor.OK, checks["database.connect"].Status, "%+v", checks["database.connect"])
}

// A proxy of the environment sees no request of the command line, whose token belongs to the panel alone.
func TestTheCommandLineUsesNoProxyOfTheEnvironment(t *testing.T) {
	t.Parallel()
	var seen atomic.Int64
	proxy := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { seen.Add(1) }))
	defer proxy.Close()
	did := panelctl(t, call{args: []string{"status"}, env: []string{
		"PANEL_API_URL=http://panel.invalid:8080", "PANEL_API_TOKEN=canary", "HTTP_PROXY=" + proxy.URL,
		"http_proxy=" + proxy.URL, "ALL_PROXY=" + proxy.URL,
	}})
	require.Equal(t, 3, did.exit, did.err)
	require.Zero(t, seen.Load(), "the token went to a proxy that nobody named")
}
