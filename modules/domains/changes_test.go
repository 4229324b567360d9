package domains

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/domains/domainsapi"
	"panel/platform/database"
	"panel/platform/database/dbtest"
	"panel/platform/doctor"
	"panel/platform/paneltest"
)

const someCDN = "0199a0de-0000-7000-8000-00000000000c"

// withCDN is a panel that knows one account at a CDN.
func withCDN(t *testing.T) (*paneltest.Panel, *ports) {
	t.Helper()
	p, with := asked(t)
	with.states.CDNs(func(_ context.Context, id string) (bool, error) { return id == someCDN, nil })
	return p, with
}

// A change and its line in the journal are one: what is refused leaves neither.
func TestEachChangeOfABindingIsTold(t *testing.T) {
	t.Parallel()
	p, _ := asked(t)
	admin := p.Admin()
	_, id := bound(t, admin)
	path := domainsapi.Path + "/" + id
	admin.Patch(path, map[string]any{"revision": 1, "ttl": 60}).Is(http.StatusOK)
	told := []string{domainsapi.Created, domainsapi.Updated}
	require.Equal(t, told, p.Recorded("node_domain", id))

	admin.Patch(path, map[string]any{"revision": 1, "ttl": 90}).Refused(http.StatusConflict, "revision_conflict")
	admin.Patch(path, map[string]any{"revision": 2, "label": "a.b"}).Refused(http.StatusUnprocessableEntity, "invalid_value")
	require.Equal(t, told, p.Recorded("node_domain", id), "nothing happened")
	require.EqualValues(t, 2, admin.Get(path).Value("revision"))

	admin.Delete(path).Is(http.StatusNoContent)
	admin.Delete(path).Refused(http.StatusNotFound, "not_found")
	require.Equal(t, append(told, domainsapi.Deleted), p.Recorded("node_domain", id))
}

// Two writers that start from the same revision: one of them is refused, and what the other wrote stays whole.
func TestTwoWritersOfOneBinding(t *testing.T) {
	t.Parallel()
	p, _ := asked(t)
	admin := p.Admin()
	_, id := bound(t, admin)
	path := domainsapi.Path + "/" + id
	var written, refused atomic.Int32
	var writing sync.WaitGroup
	for i := range 8 {
		writing.Go(func() {
			answer := admin.Patch(path, map[string]any{"revision": 1, "ttl": 100 + i, "label": "own"})
			switch answer.Status {
			case http.StatusOK:
				written.Add(1)
			case http.StatusConflict:
				refused.Add(1)
			}
		})
	}
	writing.Wait()
	require.EqualValues(t, 1, written.Load())
	require.EqualValues(t, 7, refused.Load())
	require.EqualValues(t, 2, admin.Get(path).Value("revision"))
	require.Equal(t, "own.example.com", admin.Get(path).Text("hostname"))
}

// Two requests for one name at the same time: one binding, and a conflict for everybody else.
func TestOneNameIsBoundOnce(t *testing.T) {
	t.Parallel()
	p, _ := asked(t)
	admin := p.Admin()
	node := admin.AddNode("node")
	var made, refused atomic.Int32
	var asking sync.WaitGroup
	for range 8 {
		asking.Go(func() {
			switch admin.Post(domainsapi.Path, map[string]any{"node_id": node, "zone": "example.com", "label": "one"}).Status {
			case http.StatusCreated:
				made.Add(1)
			case http.StatusConflict:
				refused.Add(1)
			}
		})
	}
	asking.Wait()
	require.EqualValues(t, 1, made.Load())
	require.EqualValues(t, 7, refused.Load())
	require.EqualValues(t, 1, admin.Get(domainsapi.Path).Value("total"))
}

// Rule: only a binding of the mode cdn leads through an account at a CDN, which must be one; another mode ends that.
func TestABindingLeadsThroughACDNThatThereIs(t *testing.T) {
	t.Parallel()
	p, with := withCDN(t)
	admin := p.Admin()
	node := admin.AddNode("node")
	body := func(mode, account string) map[string]any {
		return map[string]any{"node_id": node, "zone": "example.com", "label": "n1", "mode": mode, "cdn_integration_id": account}
	}
	for _, one := range [][2]string{
		{"direct", someCDN}, {"relay", someCDN}, {"cdn", database.NewID()}, {"cdn", "zzz"},
	} {
		refused := admin.Post(domainsapi.Path, body(one[0], one[1])).Refused(http.StatusUnprocessableEntity, "invalid_value")
		require.Contains(t, string(refused.Body), `"cdn_integration_id"`, "%v", one)
	}
	made := admin.Post(domainsapi.Path, body("cdn", someCDN)).Is(http.StatusCreated)
	require.Equal(t, someCDN, made.Text("cdn.integration_id"))
	require.Equal(t, true, made.Value("record.proxied"))
	path := domainsapi.Path + "/" + made.Text("id")

	kept := admin.Patch(path, map[string]any{"revision": 1, "ttl": 60}).Is(http.StatusOK)
	require.Equal(t, someCDN, kept.Text("cdn.integration_id"), "what is not given stays")
	require.NoError(t, with.domains.SetUses(t.Context(), someFlow, made.Text("id")))
	for _, change := range []map[string]any{{"mode": "direct"}, {"cdn_integration_id": ""}} {
		change["revision"] = 2
		admin.Patch(path, change).Refused(http.StatusConflict, "domain_conflict")
	}
	require.NoError(t, with.domains.SetUses(t.Context(), someFlow))
	admin.Patch(path, map[string]any{"revision": 2, "mode": "direct", "cdn_integration_id": someCDN}).
		Refused(http.StatusUnprocessableEntity, "invalid_value")
	gone := admin.Patch(path, map[string]any{"revision": 2, "mode": "direct"}).Is(http.StatusOK)
	require.Nil(t, gone.Value("cdn.integration_id"))
	require.Equal(t, false, gone.Value("record.proxied"))
}

// What is out of its range or of another form is refused before anything is stored.
func TestRequestsThatCannotBeMeant(t *testing.T) {
	t.Parallel()
	p, _ := asked(t)
	admin := p.Admin()
	node, id := bound(t, admin)
	path := domainsapi.Path + "/" + id
	for what, change := range map[string]map[string]any{
		"too short for caches": {"ttl": 29}, "longer than a day": {"ttl": 86401}, "no mode": {"mode": "teleport"},
		"no node": {"node_id": "zzz"}, "no zone": {"zone": "x"},
	} {
		body := map[string]any{"node_id": node, "zone": "example.org", "label": "n2"}
		for name, value := range change {
			body[name] = value
		}
		require.GreaterOrEqual(t, admin.Post(domainsapi.Path, body).Status, http.StatusBadRequest, what)
		change["revision"] = 1
		require.GreaterOrEqual(t, admin.Patch(path, change).Status, http.StatusBadRequest, what)
	}
	admin.Patch(path, map[string]any{"ttl": 60}).Refused(http.StatusBadRequest, "missing_field")
	for _, query := range []string{"?sort=ttl", "?cursor=zzz", "?limit=0", "?limit=9999", "?what=1"} {
		require.Equal(t, http.StatusBadRequest, admin.Get(domainsapi.Path+query).Status, query)
	}
	for _, unknown := range []string{"zzz", database.NewID(), "%00", "'"} {
		require.GreaterOrEqual(t, admin.Get(domainsapi.Path+"/"+unknown).Status, http.StatusBadRequest)
	}
	require.Empty(t, admin.Get(domainsapi.Path+"?node_id=zzz").Is(http.StatusOK).Value("items"))
	require.EqualValues(t, 1, admin.Get(domainsapi.Path).Value("total"))
	require.EqualValues(t, 1, admin.Get(path).Value("revision"))
}

// Other modules page through all bindings, find them by name, and a node that a flow needs by one of them stays.
func TestOtherModulesPageThroughBindings(t *testing.T) {
	t.Parallel()
	p, with := asked(t)
	admin := p.Admin()
	node, id := bound(t, admin)
	for _, label := range []string{"c", "a", "b"} {
		admin.Post(domainsapi.Path, map[string]any{"node_id": node, "zone": "example.com", "label": label}).
			Is(http.StatusCreated)
	}
	var names []string
	for after := ""; ; {
		page, err := with.domains.All(t.Context(), after, 3)
		require.NoError(t, err)
		if len(page) == 0 {
			break
		}
		for _, one := range page {
			names = append(names, one.Hostname)
		}
		after = page[len(page)-1].Hostname
	}
	require.Equal(t, []string{"a.example.com", "b.example.com", "c.example.com", "waw-03.example.com"}, names)
	found, err := with.domains.ByHostnames(t.Context(), "a.example.com", "nobody.example.com", "waw-03.example.com")
	require.NoError(t, err)
	require.Len(t, found, 2)
	require.Equal(t, id, found["waw-03.example.com"].ID)
	none, err := with.domains.ByIDs(t.Context())
	require.NoError(t, err)
	require.Empty(t, none)

	require.NoError(t, with.domains.SetUses(t.Context(), someFlow, id, found["a.example.com"].ID))
	require.NoError(t, with.domains.SetUses(t.Context(), someFlow, id), "in place of what was noted before")
	refused := admin.Delete("/api/v1/nodes/" + node)
	require.Equal(t, http.StatusConflict, refused.Status)
	require.Contains(t, string(refused.Body), someFlow)
	require.EqualValues(t, 4, admin.Get(domainsapi.Path).Value("total"), "nothing went with it")
	require.NoError(t, with.domains.SetUses(t.Context(), someFlow))
	admin.Delete("/api/v1/nodes/" + node).Is(http.StatusNoContent)
	require.EqualValues(t, 0, admin.Get(domainsapi.Path).Value("total"), "the bindings of a node go with it")
}

// A binding that a flow takes while it is deleted is either kept or unknown to the flow, never half of both.
func TestABindingIsNotDeletedWhileAFlowTakesIt(t *testing.T) {
	t.Parallel()
	p, with := asked(t)
	admin := p.Admin()
	_, id := bound(t, admin)
	answered := make(chan *paneltest.Answer, 1)
	require.NoError(t, p.DB.InTx(t.Context(), func(ctx context.Context) error {
		_, err := with.domains.ByIDs(ctx, id)
		require.NoError(t, err)
		go func() { answered <- admin.Delete(domainsapi.Path + "/" + id) }()
		blocked(t, p)
		return with.domains.SetUses(ctx, someFlow, id)
	}))
	(<-answered).Refused(http.StatusConflict, "domain_conflict")
	require.NoError(t, with.domains.SetUses(t.Context(), someFlow))
	admin.Delete(domainsapi.Path + "/" + id).Is(http.StatusNoContent)
	require.ErrorIs(t, with.domains.SetUses(t.Context(), someFlow, id), domainsapi.ErrUnknown)
}

// What a flow notes takes part in its transaction: an apply that is rolled back uses nothing.
func TestUsesAreRolledBackWithTheirFlow(t *testing.T) {
	t.Parallel()
	p, with := asked(t)
	admin := p.Admin()
	_, id := bound(t, admin)
	broken := errors.New("the flow could not be stored")
	require.ErrorIs(t, p.DB.InTx(t.Context(), func(ctx context.Context) error {
		require.NoError(t, with.domains.SetUses(ctx, someFlow, id))
		return broken
	}), broken)
	require.Empty(t, admin.Get(domainsapi.Path+"/"+id).Value("used_by_flows"))
	require.ErrorIs(t, p.DB.InTx(t.Context(), func(ctx context.Context) error {
		return with.domains.SetUses(ctx, someFlow, id, database.NewID())
	}), domainsapi.ErrUnknown)
	require.Empty(t, admin.Get(domainsapi.Path+"/"+id).Value("used_by_flows"), "an unknown one changes nothing")
	admin.Delete(domainsapi.Path + "/" + id).Is(http.StatusNoContent)
}

// Doctor looks while the panel is down, too: without a database or a domain there is nothing to say.
func TestDoctorWithoutDomains(t *testing.T) {
	t.Parallel()
	p, _ := asked(t)
	env := func(dsn string) doctor.Env {
		return doctor.Env{
			Now: time.Now, Getenv: func(name string) string { return map[string]string{"PANEL_DB_URL": dsn}[name] },
		}
	}
	own := env(p.DB.Pool.Config().ConnString())
	for what, at := range map[string]doctor.Env{
		"nobody answers": env("postgres://nobody@127.0.0.1:1/none"), "another database": env(dbtest.DSN(t)), "no domain": own,
	} {
		require.Equal(t, doctor.Skipped, domainCertificates(t.Context(), at).Status, what)
	}
}
