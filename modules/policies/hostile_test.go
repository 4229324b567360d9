package policies

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"panel/modules/policies/internal/rules"
	"panel/platform/app"
	"panel/platform/database"
	"panel/platform/database/dbtest"
	"panel/platform/paneltest"
)

// hostile are names that somebody types to break what shows them.
var hostile = []string{
	`<script>alert(1)</script>`, `'; drop table policies; --`, `../../etc/passwd`, `{{policy}} $t(key) %s %n`,
	"ώ̂̃ \u202egnp.exe", `\"\\`, "名前", strings.Repeat("ä", 64),
}

// A name is text: it comes back as it was given, also from a refusal, and names nothing else.
func TestNamesAreTextWhateverTheySay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i, name := range hostile {
		p := w.policy(name, rules.Limits, "rules", []fields{{"type": "max_clients", "name": name}})
		require.Equal(t, name, p.Name)
		p = w.assign(p, w.flow)
		refused := said(w.compile(w.flow).Refused(422, "compile_failed"))
		require.Equal(t, name, refused.Problems[0].Policy)
		require.Equal(t, name, refused.Problems[0].RuleName)
		w.assign(p)
		var plan CustomPlan
		w.admin.Post(plansPath, fields{"name": name, "body": fields{"way": "direct", "family": "ipv4"}}).Is(201).JSON(&plan)
		require.Equal(t, name, plan.Name)
		w.admin.Post(policiesPath, fields{"name": name, "kind": rules.Limits}).Refused(409, "name_taken")
		w.compile(w.flow).Is(201)
		require.EqualValues(t, i+1, w.admin.Get(policiesPath).Is(200).Value("total"))
	}
	for _, bad := range []string{"", "  ", strings.Repeat("x", 65)} {
		w.admin.Post(policiesPath, fields{"name": bad, "kind": rules.Limits}).Refused(422, "invalid_value")
		w.admin.Post(plansPath, fields{"name": bad, "body": fields{"way": "direct", "family": "ipv4"}}).
			Refused(422, "invalid_value")
	}
	w.admin.Get(policiesPath + "?q=%27%3B%20drop%20table").Is(200)
}

// Lists go on beyond a page, for the API and for commands.
func TestListsGoOnBeyondAPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, err := w.panel.DB.NewRaw(`insert into policies (id, name, name_key, kind, rules, allowed_protocols, created_at,
		updated_at, revision) select gen_random_uuid(), n, n, 'limits', '[]', '[]', now(), now(), 1 from
		(select 'policy ' || lpad(i::text, 3, '0') as n from generate_series(1, 250) i) as names`).Exec(t.Context())
	require.NoError(t, err)
	first := w.admin.Get(policiesPath + "?limit=200").Is(200)
	require.EqualValues(t, 250, first.Value("total"))
	rest := must[struct {
		Items []Policy
		Next  *string `json:"next_cursor"`
	}](w, policiesPath+"?limit=200&cursor="+first.Text("next_cursor"))
	require.Len(t, rest.Items, 50)
	require.Nil(t, rest.Next)
	require.Equal(t, "policy 250", rest.Items[49].Name)
	w.admin.Get(policiesPath+"?limit=201").Refused(400, "bad_parameter")
	require.Len(t, strings.Split(strings.TrimSpace(w.command("policies list --plain").Out), "\n"), 250)
	require.Zero(t, w.command("policies change "+rest.Items[49].ID+" --name last").Exit)
}

// mortal is a panel's handle of its database that dies before one of its changes: from there on no statement arrives.
type mortal struct {
	left atomic.Int64
	dead atomic.Bool
}

var changing = regexp.MustCompile(`(?i)^\s*(insert|update|delete|commit)\b`)

// TraceQueryStart is called by the driver for every statement.
func (m *mortal) TraceQueryStart(ctx context.Context, _ *pgx.Conn, q pgx.TraceQueryStartData) context.Context {
	if !m.dead.Load() && (!changing.MatchString(q.SQL) || m.left.Add(-1) >= 0) {
		return ctx
	}
	m.dead.Store(true)
	ended, cancel := context.WithCancel(ctx)
	cancel()
	return ended
}

// TraceQueryEnd belongs to what the driver asks for.
func (m *mortal) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// A panel that is killed between any two statements of a save has saved all of it or nothing: the version with its line
// in the journal, or neither; the next try from the same revision says which.
func TestASaveThatIsKilledIsWholeOrNothing(t *testing.T) {
	t.Parallel()
	m := &mortal{}
	m.left.Store(1 << 40)
	dsn := dbtest.DSN(t, app.Migrations(app.With(features()))...)
	open := func(options database.Options) *database.DB {
		db, err := database.Open(t.Context(), dsn, options)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, db.Close()) })
		return db
	}
	onlooker := open(database.Options{})
	w := &world{t: t}
	w.panel = paneltest.Start(t, paneltest.On(open(database.Options{Tracer: m})), paneltest.Modules(features()...))
	w.admin = w.panel.Admin()
	version := 0
	for n, killed := int64(0), true; killed; n++ {
		body := catalogueOf(version, fmt.Sprint("n", n, ".example"))
		m.left.Store(n)
		status := w.admin.Put(cataloguePath, body).Status
		killed = m.dead.Load()
		m.left.Store(1 << 40)
		m.dead.Store(false)
		var saved, told int
		require.NoError(t, onlooker.NewRaw(`select (select count(*) from policy_catalogue),
			(select count(*) from journal where action = 'policy.catalogue_saved')`).Scan(t.Context(), &saved, &told))
		require.Equal(t, saved, told, "killed before change %d", n)
		require.Contains(t, []int{version, version + 1}, saved)
		if status == http.StatusOK {
			require.Equal(t, version+1, saved, "what is answered is saved")
		}
		again := w.admin.Put(cataloguePath, body).Status
		require.Equal(t, saved == version, again == http.StatusOK, "the next try says whether it was saved: %d", again)
		version = max(version+1, saved)
		require.Less(t, n, int64(50), "a save ends")
	}
}
