package audit_test

import (
	"context"
	"encoding/csv"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"panel/platform/access"
	journal "panel/platform/audit"
	"panel/platform/config"
	"panel/platform/core/audit"
	"panel/platform/doctor"
	"panel/platform/paneltest"
)

func newPanel(t *testing.T) *paneltest.Panel {
	t.Helper()
	return paneltest.New(t)
}

// record writes entries as another process on the same database would.
func record(t *testing.T, p *paneltest.Panel, entries ...journal.Entry) {
	t.Helper()
	cfg, err := config.Of(map[string]string{
		"PANEL_DATA_DIR":   p.Dir,
		"PANEL_SECRET_KEY": "a master key that only tests know",
	})
	require.NoError(t, err)
	store, err := journal.New(p.DB, p.Clock, zap.NewNop(), cfg)
	require.NoError(t, err)
	ctx := access.With(context.Background(), access.Caller{
		Kind: access.Admin, AccountID: "anna-id", Username: "anna",
		IP: "203.0.113.7",
	})
	for _, entry := range entries {
		require.NoError(t, store.Record(ctx, p.DB, entry))
	}
}

func flow(action, name string) journal.Entry {
	return journal.Entry{
		Action: action, Object: journal.Object{Type: "flow", ID: name + "-id", Name: name},
		Changes: map[string]journal.Change{"name": {From: nil, To: name}},
	}
}

func names(a *paneltest.Answer) (names []string) {
	var page struct {
		Items []struct{ Object struct{ Name string } }
	}
	a.JSON(&page)
	for _, item := range page.Items {
		names = append(names, item.Object.Name)
	}
	return names
}

func TestTheJournalIsReadFilteredAndPaged(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	record(t, p, flow("flow.created", "one"), flow("flow.created", "two"), flow("flow.deleted", "one"),
		flow("pool.switched", "=cmd"))
	reader := p.As("audit.view")
	for query, want := range map[string][]string{
		"actor=anna":                         {"=cmd", "one", "two", "one"},
		"actor=anna&action=flow.*":           {"one", "two", "one"},
		"action=flow.deleted":                {"one"},
		"object=two":                         {"two"},
		"object=two-id":                      {"two"},
		"q=WO-I":                             {"two"},
		"q=%25":                              nil,
		"actor=anna&result=failed":           nil,
		"actor=anna&to=2020-01-01T00:00:00Z": nil,
		"action=flow.*&from=2020-01-01T00:00:00Z": {"one", "two", "one"},
	} {
		require.Equal(t, want, names(reader.Get("/api/v1/audit?"+query).Is(http.StatusOK)), query)
	}
	first := reader.Get("/api/v1/audit?actor=anna&limit=3").Is(http.StatusOK)
	require.InDelta(t, 4, first.Value("total"), 0)
	second := reader.Get("/api/v1/audit?actor=anna&limit=3&cursor=" + first.Text("next_cursor")).Is(http.StatusOK)
	require.Equal(t, []string{"one"}, names(second))
	require.Nil(t, second.Value("next_cursor"))
	require.Contains(t, reader.Get("/api/v1/audit/actions").Is(http.StatusOK).Value("items"), "pool.switched")
}

// Names are found in any script, whatever the case and composition of their letters, in a database whose locale folds
// ASCII alone; every character stands for itself.
func TestTheJournalIsSearchedInAnyScript(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	stored := []string{
		"Ялта", "Kadıköy", "İSTANBUL", "Hauptstraße", "Ångström", "A\u030angstro\u0308m", "100% (a|b)", "Ялта-2",
	}
	for _, name := range stored {
		record(t, p, flow("flow.created", name))
	}
	reader := p.As("audit.view")
	for typed, want := range map[string][]string{
		"яЛТА": {"Ялта-2", "Ялта"}, "KADIKÖY": {"Kadıköy"}, "istanbul": {"İSTANBUL"}, "STRASSE": {"Hauptstraße"},
		"ÅNGSTRO\u0308M": {"A\u030angstro\u0308m", "Ångström"}, "0% (A|": {"100% (a|b)"}, "a|b|Ялта": nil,
	} {
		require.Equal(t, want, names(reader.Get("/api/v1/audit?q="+url.QueryEscape(typed)).Is(http.StatusOK)), typed)
	}
	for typed, want := range map[string][]string{"яЛТА": {"Ялта"}, "ALTA": nil, ".*": nil, "kadiköy": {"Kadıköy"}} {
		require.Equal(t, want, names(reader.Get("/api/v1/audit?object="+url.QueryEscape(typed)).Is(http.StatusOK)), typed)
	}
	require.Len(t, names(reader.Get("/api/v1/audit?limit=200&actor=aNNa").Is(http.StatusOK)), len(stored))
}

func TestAnEntryHasALinkOfItsOwn(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	record(t, p, flow("flow.created", "one"))
	reader := p.As("audit.view")
	var page struct{ Items []struct{ ID string } }
	reader.Get("/api/v1/audit?object=one").JSON(&page)
	entry := reader.Get("/api/v1/audit/" + page.Items[0].ID).Is(http.StatusOK)
	require.Equal(t, "anna", entry.Text("actor.name"))
	require.Equal(t, "one", entry.Text("changes.name.to"))
	require.Eventually(t, func() bool { return reader.Get("/api/v1/audit/"+page.Items[0].ID).Text("hash") != "" },
		60*time.Second, 50*time.Millisecond)
	reader.Get("/api/v1/audit/0197f3a0-0000-7000-8000-000000000001").Refused(http.StatusNotFound, "not_found")
}

func TestOnlyItsKeyOpensTheJournal(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	for _, path := range []string{"", "/actions", "/verify", "/export", "/0197f3a0-0000-7000-8000-000000000001"} {
		p.As("nodes.view").Get("/api/v1/audit"+path).Refused(http.StatusForbidden, "permission_denied")
		p.Anonymous().Get("/api/v1/audit"+path).Refused(http.StatusUnauthorized, "no_session")
	}
}

func TestBadParametersAreNamed(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	for _, query := range []string{
		"?cursor=x", "?cursor=YWJj", "?limit=0", "?limit=201", "?result=maybe",
		"?from=yesterday", "/export?format=xml", "/export?from=x", "/export?result=x",
	} {
		p.Admin().Get("/api/v1/audit"+query).Refused(http.StatusBadRequest, "bad_parameter")
	}
}

func TestTheExportIsCSVOrNDJSON(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	record(t, p, flow("flow.created", "one"), flow("flow.created", "=HYPERLINK(1)"))
	table, err := csv.NewReader(strings.NewReader(string(p.Admin().Get("/api/v1/audit/export?actor=anna").Is(http.StatusOK).Body))).ReadAll()
	require.NoError(t, err)
	require.Len(t, table, 3)
	require.Equal(t, "'=HYPERLINK(1)", table[1][9], "a spreadsheet runs no cell of it")
	lines := strings.Split(strings.TrimSpace(string(p.Admin().Get("/api/v1/audit/export?format=ndjson&actor=anna").Is(http.StatusOK).Body)), "\n")
	require.Len(t, lines, 2)
	require.Contains(t, lines[1], `"action":"flow.created"`)
}

// "Every denial": a refused request is in the journal, with who and where.
func TestARefusedRequestIsJournalled(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	p.As("nodes.view").Get("/api/v1/audit").Is(http.StatusForbidden)
	require.Eventually(t, func() bool {
		return len(names(p.Admin().Get("/api/v1/audit?action=access.denied&result=denied"))) > 0
	}, 60*time.Second, 50*time.Millisecond)
}

// Shows: "One changed byte in the journal table ... located".
func TestVerifyNamesAChangedByte(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	record(t, p, flow("flow.created", "one"), flow("flow.created", "two"))
	require.Equal(t, true, p.Admin().Get("/api/v1/audit/verify").Is(http.StatusOK).Value("intact"))
	_, err := p.DB.ExecContext(t.Context(), "alter table journal disable trigger all")
	require.NoError(t, err)
	_, err = p.DB.ExecContext(t.Context(), "update journal set object_name = 'onE' where object_name = 'one'")
	require.NoError(t, err)
	report := p.Admin().Get("/api/v1/audit/verify").Is(http.StatusOK)
	require.Equal(t, []any{false, "broken"}, []any{report.Value("intact"), report.Value("state")})
	require.Contains(t, string(report.Body), `"kind":"edited"`)
}

// Doctor proves the journal itself, beside the panel, and changes nothing of it.
func TestDoctorProvesTheJournal(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	record(t, p, flow("flow.created", "one"))
	require.Equal(t, true, p.Admin().Get("/api/v1/audit/verify").Is(http.StatusOK).Value("intact"))
	settings := map[string]string{
		"PANEL_DATA_DIR": p.Dir, "PANEL_SECRET_KEY": "a master key that only tests know",
		"PANEL_DB_URL": p.DB.Pool.Config().ConnString(),
	}
	ask := func() doctor.Finding {
		return audit.Module().
			Checks[0].Run(t.Context(), doctor.Env{Getenv: func(name string) string { return settings[name] }})
	}
	require.Equal(t, doctor.OK, ask().Status, ask().Found)
	_, err := p.DB.ExecContext(t.Context(), "insert into journal (id, at, actor_kind, action, result, changes) values (gen_random_uuid(), now(), 'admin', 'x', 'ok', '{}')")
	require.NoError(t, err)
	require.Equal(t, doctor.Warning, ask().Status)
	settings["PANEL_SECRET_KEY"] = "another"
	require.Equal(t, doctor.Skipped, ask().Status)
	settings["PANEL_DB_URL"] = "postgres://nobody@127.0.0.1:1/none"
	require.Equal(t, doctor.Skipped, ask().Status)
}
