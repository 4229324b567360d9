package app_test

import (
	"cmp"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/licensedoc"
)

// outside is the world that a panel may call: license server and proxy in one, which only counts.
type outside struct {
	server *httptest.Server
	calls  atomic.Int64
	closed bool // what a setting opens stays closed
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
		"PANEL_LICENSE_URLS": o.server.URL, "PANEL_LICENSE_PUBLIC_KEY": key.Public().String(),
		"PANEL_HTTP_PROXY": o.server.URL, "PANEL_PROXYPANEL_BOOTSTRAP": strconv.FormatBool(!o.closed),
	}
}

// picture is the content of the whole database, one sum per table, but for what moves by itself.
func (m *matrix) picture() map[string]string {
	m.t.Helper()
	var tables []string
	require.NoError(m.t, m.DB.NewRaw(`select relname from pg_class where relnamespace = 'public'::regnamespace
		and relkind in ('r', 'p') and not relispartition order by 1`).Scan(m.t.Context(), &tables))
	sums, content := map[string]string{}, contentOf(m.t)
	for _, table := range tables {
		sums[table] = m.sum(table, content[table])
	}
	return sums
}

// contentOf is what counts of the tables that move by themselves, by testdata/moving.csv, which gives the reasons.
func contentOf(t testing.TB) map[string]string {
	t.Helper()
	content := map[string]string{}
	for _, row := range reviewed(t, "testdata/moving.csv") {
		content[row[0]] = row[1]
	}
	return content
}

// sum counts and sums up the content of a table; all of it where nothing else is said.
func (m *matrix) sum(table, content string) string {
	m.t.Helper()
	content = cmp.Or(content, "select t::text from "+table+" t")
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
