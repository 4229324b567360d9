package cdndns

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/clients"
	"panel/modules/domains"
	"panel/modules/flows"
	"panel/modules/nodes"
	"panel/platform/app"
	"panel/platform/database"
	"panel/platform/database/dbtest"
	"panel/platform/module"
	"panel/platform/paneltest"
)

// known is what a list tells of one binding.
type known struct {
	ID          string   `json:"id"`
	DNSState    string   `json:"dns_state"`
	ResolvedIPs []string `json:"resolved_ips"`
	Record      struct{ Type string }
	Certificate struct {
		State, Issuer, Challenge string
		LastError                string     `json:"last_error"`
		NotAfter                 *time.Time `json:"not_after"`
	}
	CDN struct {
		Kind, CNAME, State string
		ResourceID         string `json:"resource_id"`
		OriginHost         string `json:"origin_host"`
		OriginPort         int    `json:"origin_port"`
	}
}

// statesBench is a panel that counts its statements, with so many bindings.
func statesBench(t *testing.T, bindings int) (*bench, *dbtest.Statements) {
	t.Helper()
	all := []module.Module{nodes.Module(), domains.Module(), clients.Module(), flows.Module(), Module()}
	db, count := dbtest.Counted(t, app.Migrations(app.With(all))...)
	b := &bench{Panel: paneltest.Start(t, paneltest.On(db), built()), t: t}
	node := b.Admin().AddNode("Waw 03")
	for i := range bindings {
		b.seed(`insert into node_domains (id, node_id, zone, label, hostname, mode, ttl, owner_id, created_at, updated_at)
			values (?, ?, 'example.com', ?, ?, 'direct', 300, ?, ?, ?)`, database.NewID(), node, fmt.Sprint("n", i),
			fmt.Sprintf("n%03d.example.com", i), database.NewID(), b.Clock.Now(), b.Clock.Now())
	}
	return b, count
}

func (b *bench) seed(text string, values ...any) {
	b.t.Helper()
	_, err := b.DB.NewRaw(text, values...).Exec(b.t.Context())
	require.NoError(b.t, err)
}

// listed is the page of bindings by their host names.
func (b *bench) listed(query string) map[string]known {
	b.t.Helper()
	var page struct {
		Items []struct {
			known
			Hostname string
		}
	}
	b.Admin().Get(bindingsRoute + query).Is(http.StatusOK).JSON(&page)
	out := map[string]known{}
	for _, one := range page.Items {
		out[one.Hostname] = one.known
	}
	return out
}

// P4: a page of bindings takes one statement with the states of all its records, certificates and networks, however
// many bindings there are and whatever the page is sorted and filtered by.
func TestAPageOfBindingsTakesOneStatement(t *testing.T) {
	t.Parallel()
	b, count := statesBench(t, 120)
	b.seed(`insert into domain_watches (domain_id, node_id, hostname, state, since, next_at)
		select id, node_id, hostname, 'ok', now(), now() + interval '1 day' from node_domains`)
	first := b.listed("?limit=1")["n000.example.com"]
	admin := b.Admin()
	admin.Get(bindingsRoute).Is(http.StatusOK)
	for _, query := range []string{
		"?limit=50", "?limit=50&sort=-created_at", "?q=n0", "?q=nobody", "?limit=200&sort=-hostname",
	} {
		n := count.OfRequests(func() { admin.Get(bindingsRoute + query).Is(http.StatusOK) })
		require.LessOrEqual(t, n, int64(1), query)
	}
	one := count.OfRequests(func() { admin.Get(bindingsRoute + "/" + first.ID).Is(http.StatusOK) })
	require.LessOrEqual(t, one, int64(1), "one binding")
}

// Pages follow one another without a gap, each knows how many there are in all, and one beyond the last does too.
func TestPagesOfBindingsFollowOneAnother(t *testing.T) {
	t.Parallel()
	b, _ := statesBench(t, 7)
	for _, sort := range []string{"hostname", "-hostname", "created_at", "-created_at"} {
		seen, cursor := map[string]bool{}, ""
		for page := 1; page <= 4; page++ {
			answer := b.Admin().Get(bindingsRoute + "?limit=2&sort=" + sort + "&cursor=" + cursor).Is(http.StatusOK)
			require.EqualValues(t, 7, answer.Value("total"), sort)
			items, _ := answer.Value("items").([]any)
			for _, item := range items {
				one, _ := item.(map[string]any)
				seen[fmt.Sprint(one["hostname"])] = true
			}
			cursor, _ = answer.Value("next_cursor").(string)
		}
		require.Len(t, seen, 7, sort)
		require.Empty(t, cursor, sort)
	}
	half := b.Admin().Get(bindingsRoute + "?limit=6").Text("next_cursor")
	b.seed("delete from node_domains where hostname = 'n006.example.com'")
	require.EqualValues(t, 6, b.Admin().Get(bindingsRoute+"?limit=6&cursor="+half).Is(http.StatusOK).Value("total"))
}

// A binding shows the certificate that is valid for its name the longest, by name or by the wildcard of its zone; an
// order that is on its way, a failure and the last third of its lifetime are told. What covers none is not shown.
func TestABindingShowsTheCertificateThatCoversItTheLongest(t *testing.T) {
	t.Parallel()
	b, _ := statesBench(t, 5)
	const day, zone = 24 * time.Hour, "{*.example.com,example.com}"
	now := b.Clock.Now().UTC().Truncate(time.Second)
	certificate := func(names, issuer, failure string, from, until time.Duration) {
		b.seed(`insert into certificates (id, names, source, issuer, last_error, not_before, not_after, created_at, updated_at)
			values (?, ?, 'upload', ?, ?, ?, ?, ?, ?)`, database.NewID(), names, issuer, failure, now.Add(from),
			now.Add(until), now, now)
	}
	certificate(zone, "short", "", -80*day, 10*day)
	require.Equal(t, "expiring", b.listed("")["n001.example.com"].Certificate.State)
	certificate(zone, "long", "", -day, 89*day)
	certificate("{n002.example.com}", "own", "the authority said no", -day, 200*day)
	certificate("{n003.example.com}", "over", "", -90*day, -day)
	certificate("{deep.n004.example.com}", "deeper", "", -day, 300*day)
	page := b.listed("")
	require.Equal(t, "long", page["n001.example.com"].Certificate.Issuer)
	require.Equal(t, "valid", page["n001.example.com"].Certificate.State)
	require.True(t, now.Add(89*day).Equal(*page["n001.example.com"].Certificate.NotAfter))
	require.Equal(t, "failed", page["n002.example.com"].Certificate.State)
	require.Equal(t, "the authority said no", page["n002.example.com"].Certificate.LastError)
	require.Equal(t, "long", page["n003.example.com"].Certificate.Issuer, "what is over is not what serves")
	require.Equal(t, "long", page["n004.example.com"].Certificate.Issuer)

	b.seed("delete from certificates")
	none := b.listed("")["n001.example.com"].Certificate
	require.Equal(t, "none", none.State)
	require.Nil(t, none.NotAfter)
	id := database.NewID()
	b.seed(`insert into certificates (id, names, source, created_at, updated_at) values (?, ?, 'authority', ?, ?)`, id, zone,
		now, now)
	b.seed(`insert into certificate_orders (id, certificate_id, directory, names, domains, renewal, stage, created_at)
		values (?, ?, '', ?, '{example.com}', false, 'made', ?)`, database.NewID(), id, zone, now)
	require.Equal(t, "issuing", b.listed("")["n001.example.com"].Certificate.State)
}

// A binding shows its records as they were seen, and the network in front of it: a CDN before proxied records, which
// are ready when all of them are.
func TestABindingShowsItsRecordsAndItsNetwork(t *testing.T) {
	t.Parallel()
	b, _ := statesBench(t, 3)
	require.Equal(t, "pending", b.listed("")["n000.example.com"].DNSState)
	b.seed(`insert into domain_watches (domain_id, node_id, hostname, state, since, next_at, wanted, resolved)
		select id, node_id, hostname, 'mismatch', now(), now() + interval '1 day', '[{"type":"AAAA"}]', '{198.51.100.9}'
		from node_domains where hostname = 'n000.example.com'`)
	record := func(kind, value, state string) {
		b.seed(`insert into cdn_resources (id, domain_id, hostname, kind, integration_id, zone_id, zone, type, value, provider_id,
				phase, state, apply_id, created_at, updated_at)
			select ?, id, hostname, 'cloudflare', ?, 'z', 'example.com', ?, ?, 'record-' || ?, 'written', ?, ?, now(), now()
			from node_domains where hostname = 'n001.example.com'`, database.NewID(), database.NewID(), kind, value, value,
			state, database.NewID())
	}
	record("CNAME", "away.example.net", "provisioning")
	require.Equal(t, "absent", b.listed("")["n001.example.com"].CDN.State, "an alias is no proxied record")
	record("A", "192.0.2.1", "ready")
	require.Equal(t, "ready", b.listed("")["n001.example.com"].CDN.State)
	record("A", "192.0.2.2", "provisioning")
	integration := database.NewID()
	b.seed(`insert into cdndns_integrations (id, provider, label, fields, sealed, zones, zone_read, dns_edit, last_error,
			created_at, updated_at, revision)
		values (?, 'bunny', 'CDN', '{}', '', '[]', true, true, '', now(), now(), 1)`, integration)
	b.seed(`insert into cdn_fronts (id, domain_id, hostname, kind, integration_id, name, origin, origin_tls, marks, target, step,
			state, apply_id, created_at, updated_at)
		select ?, id, hostname, 'bunny', ?, 'front', '192.0.2.7', true, '{"resource":"4711"}', 'x.b-cdn.net.', 'made', 'ready', ?,
			now(), now() from node_domains where hostname = 'n002.example.com'`, database.NewID(), integration,
		database.NewID())

	page := b.listed("")
	seen := page["n000.example.com"]
	require.Equal(t, "mismatch", seen.DNSState)
	require.Equal(t, []string{"198.51.100.9"}, seen.ResolvedIPs)
	require.Equal(t, "AAAA", seen.Record.Type)
	proxied := page["n001.example.com"].CDN
	require.Equal(t, "cloudflare", proxied.Kind)
	require.Equal(t, "192.0.2.1", proxied.OriginHost)
	require.Equal(t, "record-192.0.2.1", proxied.ResourceID)
	require.Equal(t, "provisioning", proxied.State, "one of its records is not answered for yet")
	front := page["n002.example.com"]
	require.Equal(t, "CNAME", front.Record.Type)
	require.Equal(t, "4711", front.CDN.ResourceID)
	require.Equal(t, "x.b-cdn.net", front.CDN.CNAME)
	require.Equal(t, "192.0.2.7", front.CDN.OriginHost)
	require.Equal(t, 443, front.CDN.OriginPort)
	require.Equal(t, "ready", front.CDN.State)
}
