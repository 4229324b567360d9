package clients

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap/zaptest"

	"panel/migrations"
	"panel/modules/nodes/nodesapi"
	"panel/platform/database"
	"panel/platform/database/dbtest"
	"panel/platform/doctor"
	"panel/platform/vault"
)

func stored(t *testing.T) *store {
	t.Helper()
	v, err := vault.New("a master key of some length")
	require.NoError(t, err)
	return newStore(dbtest.New(t, migrations.Set{Name: "clients", FS: Module().Migrations}), v, zaptest.NewLogger(t))
}

// put stores a client with one access, sealed for the table of before where moved says so.
func (s *store) put(t *testing.T, moved bool) (*accessRow, secret) {
	t.Helper()
	now := time.Now().UTC()
	row := &clientRow{
		ID: database.NewID(), Tags: []string{}, Revision: 1, QuotaReset: never, UsedSince: now,
		CreatedAt: now, UpdatedAt: now,
	}
	row.labelled("Anna")
	require.NoError(t, s.insert(t.Context(), row))
	access := &accessRow{
		ClientID: row.ID, FlowID: database.NewID(), Moved: moved, Generation: 1, CreatedAt: now,
	}
	made := newSecret()
	require.NoError(t, access.seal(s.vault, made))
	require.NoError(t, s.insert(t.Context(), access))
	return access, made
}

// Clients of before keep their secrets: each is sealed anew for the place that it has moved to, also where one of them
// does not open.
func TestSecretsThatHaveMovedKeepWhatTheyHold(t *testing.T) {
	t.Parallel()
	s := stored(t)
	first, one := s.put(t, true)
	lost, _ := s.put(t, true)
	lost.Secret = "v1.none.AAAA"
	require.NoError(t, s.updateAccess(t.Context(), lost))
	last, two := s.put(t, true)
	own, three := s.put(t, false)
	opens := func(of *accessRow, want secret, moved bool) {
		t.Helper()
		row, err := s.access(t.Context(), of.ClientID, of.FlowID)
		require.NoError(t, err)
		require.Equal(t, moved, row.Moved)
		got, err := row.open(s.vault)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	opens(first, one, true)
	require.NoError(t, s.settle(t.Context()))
	require.NoError(t, s.settle(t.Context()), "and again at the next start")
	opens(first, one, false)
	opens(last, two, false)
	opens(own, three, false)
}

// The parts of a flow that are installed name clients by their refs, so that a client that was given the flow again
// does not count as served by what has its former secret.
func TestWhatIsInstalledIsNotedByRef(t *testing.T) {
	t.Parallel()
	s := stored(t)
	row, _ := s.put(t, false)
	installed := func() bool {
		t.Helper()
		got, err := s.access(t.Context(), row.ClientID, row.FlowID)
		require.NoError(t, err)
		return got.Installed
	}
	set := func(refs ...string) {
		t.Helper()
		require.NoError(t, s.setInstalled(t.Context(), row.FlowID, refs))
	}
	set(row.ClientID)
	require.True(t, installed())
	set()
	require.False(t, installed())
	row.Generation = 2
	require.NoError(t, s.updateAccess(t.Context(), row))
	set(row.ClientID)
	require.False(t, installed())
	set(row.ClientID + "/2")
	require.True(t, installed())
}

// Doctor names secrets that do not open, and works while there is no database.
func TestDoctorFindsSecretsThatDoNotOpen(t *testing.T) {
	t.Parallel()
	s := stored(t)
	s.put(t, false)
	look := func(dsn string) doctor.Finding {
		return unsettled(t.Context(), doctor.Env{
			Now:    time.Now,
			Getenv: func(name string) string { return map[string]string{"PANEL_DB_URL": dsn}[name] },
		})
	}
	dsn := s.db.Pool.Config().ConnString()
	require.Equal(t, doctor.OK, look(dsn).Status)
	s.put(t, true)
	found := look(dsn)
	require.Equal(t, doctor.Warning, found.Status)
	require.Equal(t, map[string]any{"secrets": 2, "unreadable": 1}, found.Data)
	require.Equal(t, doctor.Skipped, look("postgres://panel@127.0.0.1:1/panel").Status)
	require.Equal(t, doctor.Skipped, look(dbtest.Empty(t)).Status)
}

// Periods begin at midnight UTC: of each day, of Mondays, and of the first day of a month.
func TestPeriodsOfQuotasBeginAtMidnight(t *testing.T) {
	t.Parallel()
	at := func(text string) time.Time {
		moment, err := time.Parse(time.RFC3339, text)
		require.NoError(t, err)
		return moment.UTC()
	}
	for now, want := range map[string][3]string{
		"2026-11-25T23:59:59Z":      {"2026-11-25T00:00:00Z", "2026-11-23T00:00:00Z", "2026-11-01T00:00:00Z"},
		"2026-11-23T00:00:00Z":      {"2026-11-23T00:00:00Z", "2026-11-23T00:00:00Z", "2026-11-01T00:00:00Z"},
		"2026-03-01T12:00:00Z":      {"2026-03-01T00:00:00Z", "2026-02-23T00:00:00Z", "2026-03-01T00:00:00Z"},
		"2026-01-01T01:00:00+03:00": {"2025-12-31T00:00:00Z", "2025-12-29T00:00:00Z", "2025-12-01T00:00:00Z"},
	} {
		for i, reset := range []string{daily, weekly, monthly} {
			require.Equal(t, at(want[i]), periodOf(reset, at(now)), "%s %s", reset, now)
		}
	}
	require.True(t, periodOf(never, time.Now()).IsZero())
}

// Only what names a client of a flow is counted: hops, probes and whatever an agent makes up are none.
func TestOnlyClientsAreCounted(t *testing.T) {
	t.Parallel()
	flow, client := database.NewID(), database.NewID()
	by := carriedOf([]nodesapi.ClientTraffic{
		{Email: "flow." + flow + ".client." + client, Up: 1, Down: 2},
		{Email: "flow." + flow + ".hop.a.b", Up: 1},
		{Email: "flow." + flow + ".client.nobody", Up: 1},
		{Email: "flow.none.client." + client, Up: 1},
		{Email: "flow." + flow + ".client." + client, Up: -1},
		{Email: ""},
	})
	require.Equal(t, []string{client}, by.clients)
	require.Equal(t, []string{flow}, by.flows)
}

// Doctor says when subscription URLs lead nowhere: to this machine alone, over http, or to a client without a
// flow. A private network needs no TLS of the panel's own.
func TestDoctorLooksAtTheAddressesOfSubscriptions(t *testing.T) {
	t.Parallel()
	s := stored(t)
	look := func(address string) doctor.Status {
		return subscriptions(t.Context(), doctor.Env{Now: time.Now, Getenv: func(name string) string {
			return map[string]string{"PANEL_DB_URL": s.db.Pool.Config().ConnString(), "PANEL_PUBLIC_URL": address}[name]
		}}).Status
	}
	change := func(text string, values ...any) {
		_, err := s.db.NewRaw(text, values...).Exec(t.Context())
		require.NoError(t, err)
	}
	anna, _ := s.put(t, false)
	require.Equal(t, doctor.Skipped, look(""), "nobody has one")
	change("update client_profiles set public_hash = 'a' where id = ?", anna.ClientID)
	for address, wanted := range map[string]doctor.Status{
		"": doctor.Failed, "http://localhost:8080": doctor.Failed, "https://127.0.0.1": doctor.Failed,
		"http://[::1]:80": doctor.Failed, "http://panel.example.org": doctor.Warning, "https://panel.example.org": doctor.OK,
		"http://10.0.0.7:8080": doctor.OK, "https://203.0.113.7": doctor.OK,
	} {
		require.Equal(t, wanted, look(address), address)
	}
	boris, _ := s.put(t, false)
	change("update client_profiles set public_hash = 'b' where id = ?", boris.ClientID)
	require.Equal(t, doctor.OK, look("https://panel.example.org"))
	change("update client_flows set revoked_at = now() where client_id = ?", boris.ClientID)
	require.Equal(t, doctor.Warning, look("https://panel.example.org"), "one of them opens nothing")
	change("update client_profiles set revoked_at = now() where id = ?", boris.ClientID)
	require.Equal(t, doctor.OK, look("https://panel.example.org"))
}

// Doctor speaks of lists of clients before a document is full and when one does not come to its agents.
func TestDoctorTellsOfListsBeforeTheyBreak(t *testing.T) {
	t.Parallel()
	s := stored(t)
	look := func() doctor.Finding {
		return listsInOrder(t.Context(), doctor.Env{Now: time.Now, Getenv: func(name string) string {
			return map[string]string{"PANEL_DB_URL": s.db.Pool.Config().ConnString()}[name]
		}})
	}
	change := func(text string, values ...any) {
		t.Helper()
		_, err := s.db.NewRaw(text, values...).Exec(t.Context())
		require.NoError(t, err)
	}
	require.Equal(t, doctor.OK, look().Status)

	flow, node := database.NewID(), database.NewID()
	change("insert into client_lists (flow_id, nodes) values (?, 1)", flow)
	change("insert into client_list_nodes (flow_id, node_id) values (?, ?)", flow, node)
	add := `insert into client_listed (flow_id, client_id, ref, since) select ?, gen_random_uuid(), '', 1
		from generate_series(1, ?)`
	change(add, flow, 70_000)
	found := look()
	require.Equal(t, doctor.OK, found.Status)
	require.Equal(t, map[string]any{"lists": 1, "longest": 70_000, "stuck": 0, "nearly_full": 0}, found.Data)
	change(add, flow, 15_000)
	require.Equal(t, doctor.Warning, look().Status)
	change("update client_list_nodes set by_changes = true")
	require.Equal(t, doctor.OK, look().Status, "its agent asks for what has changed")
	change("update client_lists set lease_failures = 4, lease_error = 'the document is too large for an agent'")
	found = look()
	require.Equal(t, doctor.Failed, found.Status)
	require.Contains(t, found.Found.String(), "too large")
	change("update client_lists set open = false")
	require.Equal(t, doctor.OK, look().Status)
}
