package statuspage

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/statuspage/statuspageapi"
	"panel/platform/database"
	"panel/platform/httpapi"
	"panel/platform/restored"
)

// Announced work is changed, ended, cancelled and taken back, and each revision once.
func TestWorkIsChangedUntilItIsOver(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	part := s.compose(byHandOf("Website", "operational")).Components[0].ID
	now := s.own.now()
	plan := func(from, to time.Duration) string {
		return s.admin.Post(base+"/maintenance", fields{
			"page_id": s.page.ID, "titles": fields{"en": "Disks"}, "bodies": fields{}, "component_ids": []string{part},
			"starts_at": now.Add(from), "ends_at": now.Add(to),
		}).Is(http.StatusCreated).Text("id")
	}
	soon, past := plan(time.Hour, 2*time.Hour), plan(-2*time.Hour, -time.Hour)
	at := base + "/maintenance/" + soon
	changed := s.admin.Patch(at, fields{
		"revision": 1, "titles": fields{"en": "New disks"}, "ends_at": now.Add(3 * time.Hour), "component_ids": []string{},
	}).Is(http.StatusOK)
	require.Equal(t, "New disks", changed.Value("titles").(map[string]any)["en"]) //nolint:forcetypeassert // text
	s.admin.Patch(at, fields{"revision": 1, "titles": fields{"en": "x"}}).Refused(http.StatusConflict, "revision_conflict")
	for name, change := range map[string]fields{
		"it ends before it starts": {"ends_at": now}, "no title": {"titles": fields{"en": " "}},
		"a component of another page": {"component_ids": []string{database.NewID()}},
	} {
		change["revision"] = 2
		require.Equal(t, http.StatusUnprocessableEntity, s.admin.Patch(at, change).Status, name)
	}
	names := func(when string) (ids []string) {
		var list httpapi.Page[Maintenance]
		s.admin.Get(base + "/maintenance?page_id=" + s.page.ID + "&when=" + when).Is(http.StatusOK).JSON(&list)
		for _, one := range list.Items {
			ids = append(ids, one.ID)
		}
		return ids
	}
	require.Equal(t, []string{soon}, names("upcoming"))
	require.Equal(t, []string{past}, names("past"))
	require.Equal(t, "done", s.admin.Post(base+"/maintenance/"+past+"/end", fields{}).Is(http.StatusOK).Text("state"))
	require.Equal(t, "cancelled", s.admin.Post(at+"/end", fields{}).Is(http.StatusOK).Text("state"),
		"what has not begun is cancelled, so that calendars strike it out")
	require.Equal(t, []string{soon, past}, names("past"))
	s.admin.Delete(at).Is(http.StatusNoContent)
	s.admin.Delete(at).Refused(http.StatusNotFound, "not_found")
	require.Equal(t, []string{past}, names("all"))
}

// A notice keeps to its revisions; a draft can be thrown away, and one that an incident has already stays the only one.
func TestANoticeKeepsToItsRevisions(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	incident := database.NewID()
	order := fields{
		"page_id": s.page.ID, "titles": fields{"en": "Slow"}, "impact": "minor", "state": "investigating",
		"bodies": fields{"en": "We look."}, "component_ids": []string{}, "published": false, "health_incident_id": incident,
	}
	id := s.admin.Post(base+"/incidents", order).Is(http.StatusCreated).Text("id")
	s.admin.Post(base+"/incidents", order).Refused(http.StatusConflict, "name_taken")
	at := base + "/incidents/" + id
	s.admin.Patch(at, fields{"revision": 9, "impact": "major"}).Refused(http.StatusConflict, "revision_conflict")
	same := s.admin.Patch(at, fields{"revision": 1, "impact": "minor"}).Is(http.StatusOK)
	require.EqualValues(t, 1, same.Value("revision"), "no change is none")
	s.admin.Patch(at, fields{"revision": 1, "titles": fields{"ru": "x"}}).
		Refused(http.StatusUnprocessableEntity, "invalid_value")
	require.Equal(t, "major", s.admin.Patch(at, fields{"revision": 1, "impact": "major"}).Is(http.StatusOK).Text("impact"))
	require.Equal(t, incident, s.admin.Get(at).Is(http.StatusOK).Text("drafted_from"))
	s.admin.Delete(at).Is(http.StatusNoContent)
	s.admin.Get(at).Refused(http.StatusNotFound, "not_found")
	order["health_incident_id"], order["page_id"] = "nothing", s.page.ID
	s.admin.Post(base+"/incidents", order).Refused(http.StatusUnprocessableEntity, "invalid_value")
	order["health_incident_id"], order["page_id"] = "", database.NewID()
	s.admin.Post(base+"/incidents", order).Refused(http.StatusUnprocessableEntity, "invalid_value")
}

// There are so many pages and places, and the next one is refused in words.
func TestThereAreOnlySoManyPagesAndPlaces(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for i := range mostPages - 1 {
		s.admin.Post(base+"/pages", fields{"slug": fmt.Sprint("page-", i), "titles": fields{"en": "x"}}).
			Is(http.StatusCreated)
	}
	s.admin.Post(base+"/pages", fields{"slug": "more", "titles": fields{"en": "x"}}).
		Refused(http.StatusUnprocessableEntity, "invalid_value")
	for i := range mostTargets {
		s.target(kindLocal, fields{"folder": fmt.Sprint("www-", i)})
	}
	one := fields{"kind": kindLocal, "label": "more", "config": fields{"folder": "more"}}
	s.admin.Post(s.at("/targets"), one).Refused(http.StatusUnprocessableEntity, "invalid_value")
}

// A place that could never work is refused before anything is stored, and no secret is echoed.
func TestWhatAPlaceMayBeIsSaid(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.target(kindPanel, fields{})
	s3 := fields{"endpoint": "https://s3.example.org", "bucket": "b", "region": "r", "access_key": "k"}
	with := func(name string, value any) fields {
		out := fields{name: value}
		for key, old := range s3 {
			if key != name {
				out[key] = old
			}
		}
		return out
	}
	for name, place := range map[string]struct {
		kind   string
		config fields
	}{
		"a second time the panel":     {kindPanel, fields{}},
		"a folder outside":            {kindLocal, fields{"folder": "../../etc"}},
		"an address that is none":     {kindLocal, fields{"folder": "x", "public_url": "javascript:alert(1)"}},
		"an address with a password":  {kindLocal, fields{"folder": "x", "public_url": "https://a:b@example.org"}},
		"a certificate that is none":  {kindS3, with("ca", "nonsense")},
		"an endpoint that is none":    {kindS3, with("endpoint", "ftp://example.org")},
		"no bucket":                   {kindS3, with("bucket", "")},
		"a host key that is none":     {kindSFTP, fields{"host": "h.example.org", "user": "u", "folder": "/f", "host_key": "x"}},
		"a node that is not there":    {kindNode, fields{"node_id": database.NewID(), "port": 8080}},
		"a node without a port":       {kindNode, fields{"node_id": database.NewID()}},
		"a node by another than a id": {kindNode, fields{"node_id": "ams-1", "port": 8080}},
	} {
		answer := s.admin.Post(s.at("/targets"), fields{
			"kind": place.kind, "label": "x", "config": place.config, "secret": "canary-secret",
		})
		require.Equal(t, http.StatusUnprocessableEntity, answer.Status, name)
		require.NotContains(t, string(answer.Body), "canary", name)
	}
	require.Len(t, s.targets(), 1)
}

// A page is live once readers get it at their address, and not before: a cache that gives an old file fails the deploy.
func TestADeployIsCheckedWhereReadersFindIt(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	var broken atomic.Value
	broken.Store("")
	readers := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch broken.Load() {
		case "old":
			_, _ = w.Write([]byte("an older file")) // who has left hears nothing
		case "gone":
			http.NotFound(w, r)
		default:
			content, err := os.ReadFile(filepath.Join(s.folder, "www", filepath.Clean(r.URL.Path)))
			if err != nil {
				http.NotFound(w, r)
			}
			_, _ = w.Write(content) // who has left hears nothing
		}
	}))
	t.Cleanup(readers.Close)
	s.target(kindLocal, fields{"folder": "www", "public_url": readers.URL})
	s.compose(byHandOf("Website", "operational"))
	for _, fault := range []struct{ name, said string }{{"old", errOther.Error()}, {"gone", "HTTP 404"}} {
		broken.Store(fault.name)
		d := s.deploy()
		require.Equal(t, deployFailed, d.State, fault.name)
		require.Contains(t, d.Targets[0].Error, fault.said)
		require.NoFileExists(t, filepath.Join(s.folder, "www", "index.html"), "readers see nothing that was not checked")
	}
	broken.Store("")
	d := s.deploy()
	require.Equal(t, deployLive, d.State, "%+v", d.Targets)
	require.Equal(t, readers.URL+"/", s.read().Address)
}

// After a restore nothing is taken for granted: deploys of then have ended, and each place is brought everything anew.
func TestAfterARestorePlacesAreBroughtEverythingAnew(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.compose(byHandOf("Website", "operational"))
	s.target(kindLocal, fields{"folder": "www"})
	require.Equal(t, deployLive, s.deploy().State)
	style, err := filepath.Glob(filepath.Join(s.folder, "www", "assets", "*.css"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(style[0], []byte("of another time"), 0o600))
	then := database.NewID()
	_, err = s.DB.ExecContext(t.Context(), `insert into statuspage_deploys
		(id, page_id, revision, content, state, targets, started_by, started_at, lease_token, lease_until)
		values (?, ?, 1, '{}', 'uploading', '[]', 'then', now(), 'x', now() + interval '1 hour')`, then, s.page.ID)
	require.NoError(t, err)
	require.NoError(t, s.DB.InTx(t.Context(), func(ctx context.Context) error {
		return s.deployer.restored(ctx, nil, &restored.Restoration{})
	}))
	require.Equal(t, deployFailed, s.ended(then).State)
	require.Equal(t, deployLive, s.deploy().State)
	content, err := os.ReadFile(style[0])
	require.NoError(t, err)
	require.NotEqual(t, "of another time", string(content))
	require.Contains(t, s.Recorded(object, s.page.ID), statuspageapi.DeployFailed)
}
