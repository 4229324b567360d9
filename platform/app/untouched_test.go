package app_test

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/licensedoc"
)

// outside is the world that a panel may call: license server and proxy in one, which only counts.
type outside struct {
	server *httptest.Server
	calls  atomic.Int64
}

func newOutside(t *testing.T) *outside {
	o := &outside{}
	o.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		o.calls.Add(1)
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	t.Cleanup(o.server.Close)
	return o
}

func (o *outside) settings(t *testing.T) map[string]string {
	t.Helper()
	key, err := licensedoc.GenerateSigningKey()
	require.NoError(t, err)
	return map[string]string{
		"PANEL_LICENSE_URLS": o.server.URL, "PANEL_LICENSE_PUBLIC_KEY": key.Public().String(), "PANEL_HTTP_PROXY": o.server.URL,
	}
}

// picture is the content of the whole database, one sum per table. Left out is what time alone moves: last uses of
// sessions and API tokens, the noted time of the license, when agents were heard, evidence that plans ask for by themselves, and the
// journal's lines about refusals.
func (m *matrix) picture() map[string]string {
	m.t.Helper()
	var tables []string
	require.NoError(m.t, m.DB.NewRaw(`select relname from pg_class where relnamespace = 'public'::regnamespace
		and relkind in ('r', 'p') and not relispartition order by 1`).Scan(m.t.Context(), &tables))
	sums := map[string]string{}
	for _, table := range tables {
		sums[table] = m.sum(table)
	}
	return sums
}

var contentOf = map[string]string{
	"sessions":           "select id::text as t from sessions",
	"api_tokens":         "select (to_jsonb(a) - 'last_used_at')::text as t from api_tokens a",
	"licenses":           "select (to_jsonb(l) - 'clock_at')::text as t from licenses l",
	"journal":            "select (to_jsonb(e) - array['seq', 'hash', 'hash_prev'])::text as t from journal e where action <> 'access.denied'",
	"journal_heads":      "select '' as t where false",
	"journal_clocks":     "select '' as t where false",
	"telemetry_progress": "select '' as t where false",
	"node_commands":      "select c::text as t from node_commands c where kind <> 'probe'",
	"flow_plans":         "select id::text as t from flow_plans",
	"flow_checks":        "select '' as t where false",
	"node_reports":       "select '' as t where false",
	"lease_wakes":        "select '' as t where false",
	"node_readings":      "select '' as t where false",
	"fleet_minutes":      "select '' as t where false",
	"nodes":              "select (to_jsonb(n) - array['announced_state', 'listed_state', 'state_since'])::text as t from nodes n",
}

func (m *matrix) sum(table string) string {
	m.t.Helper()
	content, known := contentOf[table]
	if !known {
		content = "select t::text from " + table + " t"
	}
	var sum string
	require.NoError(m.t, m.DB.NewRaw("select count(*) || ' ' || coalesce(md5(string_agg(t, '|' order by t)), '') from ("+content+") as rows").
		Scan(m.t.Context(), &sum), table)
	return sum
}

// untouched requires that refusals changed nothing, journalled only themselves and called nobody.
func (m *matrix) untouched(before map[string]string, o *outside) {
	m.t.Helper()
	require.Equal(m.t, before, m.picture(), "a refused call changed something")
	require.Zero(m.t, o.calls.Load(), "a refused call reached the world outside")
}
