package specimen

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/entitlement"
	"panel/platform/jobs"
	"panel/platform/module"
	"panel/platform/paneltest"
)

// inside is what tests see of the module beside its operations.
type inside struct{ items *items }

// watched starts a panel and gives the inside of its module.
func watched(t *testing.T, options ...paneltest.Setting) (*paneltest.Panel, *inside) {
	t.Helper()
	own, manifest := new(inside), Module()
	manifest.Attach = func(h *handlers, i *items) module.Parts {
		own.items = i
		return attach(h, i)
	}
	return paneltest.Start(t, append(options, paneltest.Modules(manifest))...), own
}

const (
	within = 30 * time.Second
	every  = 50 * time.Millisecond
)

// A new item is looked at soon: its event reaches the listener, the listener inserts the job, and a panel runs it.
func TestANewItemIsLookedAt(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	admin, news := p.Admin(), p.Follow()
	id := admin.Post(path, fields{"name": "first"}).Is(http.StatusCreated).Text("id")
	require.Equal(t, id, news.Next(kindAdded).SubjectID)
	require.Equal(t, id, news.Next(kindSeen).SubjectID)
	require.NotEmpty(t, admin.Get(path+"/"+id).Text("seen_at"))
	admin.Delete(path + "/" + id).Is(http.StatusNoContent)
	require.Equal(t, News{Name: "first"}, news.Next(kindRemoved).Data)
}

// The job of the schedule looks at what is due and leaves the rest; looking is no change that others would collide
// with.
func TestTheScheduleLooksAtWhatIsDue(t *testing.T) {
	t.Parallel()
	p, own := watched(t)
	admin, ids := p.Admin(), map[string]string{}
	for _, name := range []string{"late", "early"} {
		id := admin.Post(path, fields{"name": name}).Is(http.StatusCreated).Text("id")
		require.Eventually(t, func() bool { return admin.Get(path+"/"+id).Text("seen_at") != "" }, within, every)
		ids[name] = id
	}
	long := p.Clock.Now().Add(-lookEvery - time.Minute)
	_, err := p.DB.ExecContext(t.Context(), "update specimen_items set seen_at = ? where id = ?", long, ids["late"])
	require.NoError(t, err)
	early := admin.Get(path + "/" + ids["early"]).Text("seen_at")

	require.NoError(t, own.items.queue.Insert(t.Context(), schedule().Args(), jobs.Opts{}))
	require.Eventually(t, func() bool {
		at, err := time.Parse(time.RFC3339Nano, admin.Get(path+"/"+ids["late"]).Text("seen_at"))
		return err == nil && at.After(long.Add(time.Second))
	}, within, every)
	require.Equal(t, early, admin.Get(path+"/"+ids["early"]).Text("seen_at"))
	require.EqualValues(t, 1, admin.Get(path+"/"+ids["late"]).Value("revision"))
}

// An event may come twice, and an item may be gone when it is looked at: neither is an error.
func TestLookingMayBeRepeated(t *testing.T) {
	t.Parallel()
	p, own := watched(t)
	admin, news := p.Admin(), p.Follow()
	id := admin.Post(path, fields{"name": "first"}).Is(http.StatusCreated).Text("id")
	added := news.Next(kindAdded)
	require.NoError(t, own.items.greet(t.Context(), added))
	require.NoError(t, own.items.greet(t.Context(), added))
	admin.Delete(path + "/" + id).Is(http.StatusNoContent)
	require.Eventually(t, func() bool {
		var waiting int
		err := p.DB.NewRaw("select count(*) from jobs.river_job where kind = ? and finalized_at is null", lookKind).
			Scan(t.Context(), &waiting)
		return err == nil && waiting == 0
	}, within, every)
}

// Rule: without a license nothing is changed, and what is there stays readable.
func TestReadingStaysOpenWithoutALicense(t *testing.T) {
	t.Parallel()
	for code, state := range map[string]entitlement.State{
		"license_read_only":       {State: entitlement.Degraded, Reason: "none"},
		"license_feature_blocked": {State: entitlement.Active, Reason: "ok"},
	} {
		p := paneltest.Start(t, paneltest.Modules(Module()), paneltest.License(entitlement.Fixed(state)))
		p.Admin().Get(path).Is(http.StatusOK)
		p.Admin().Post(path, fields{"name": "first"}).Refused(http.StatusForbidden, code)
	}
}
