package statuspage

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/statuspage/statuspageapi"
	"panel/platform/testneed/places"
)

func TestADeployBringsThePageToItsPlacesAndComparesIt(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.compose(byHandOf("Website", "operational"))
	s.admin.Post(s.at("/deploy"), fields{"revision": s.page.Revision}).Refused(http.StatusUnprocessableEntity, "invalid_value")
	s.target(kindLocal, fields{"folder": "www"})
	s.target(kindPanel, fields{})
	s.admin.Post(s.at("/deploy"), fields{"revision": 99}).Refused(http.StatusConflict, "revision_conflict")
	var preview DeployPreview
	s.admin.Get(s.at("/deploy-preview")).Is(http.StatusOK).JSON(&preview)
	require.False(t, preview.Unchanged)
	require.Len(t, preview.Targets, 2)
	require.Contains(t, preview.Texts, TextChange{Field: "titles.en", To: "Our service"})
	d := s.deploy()
	require.Equal(t, deployLive, d.State, "%+v", d.Targets)
	require.NotEmpty(t, d.Targets[0].SHA256)
	page := s.read()
	require.Equal(t, page.Revision, page.PublishedRevision)
	require.NotNil(t, page.DataAt)
	content, err := os.ReadFile(filepath.Join(s.folder, "www", "index.html"))
	require.NoError(t, err)
	require.Contains(t, string(content), "All systems operational")

	open := s.Anonymous().Get("/status/service/index.html").Is(http.StatusOK)
	require.Contains(t, string(open.Body), "Our service")
	require.Contains(t, open.Header.Get("Content-Security-Policy"), "default-src 'none'")
	require.Empty(t, open.Header.Values("Set-Cookie"))
	s.Anonymous().Get("/status/service/ru/index.html").Is(http.StatusOK)
	s.Anonymous().Get("/status/service").Is(http.StatusOK) // led on to index.html
	s.Anonymous().Get("/status/nothing/index.html").Refused(http.StatusNotFound, "not_found")

	// "Deploy of an unchanged page touches nothing."
	before := times(t, s.folder)
	again := s.deploy()
	require.Equal(t, targetUnchanged, again.Targets[0].State)
	require.Equal(t, before, times(t, s.folder))
	preview = DeployPreview{}
	s.admin.Get(s.at("/deploy-preview")).Is(http.StatusOK).JSON(&preview)
	require.True(t, preview.Unchanged)
	require.Contains(t, s.Recorded(object, page.ID), statuspageapi.Deployed)
}

// A file that is just overwritten is no news for the preview. Where whoever wrote it died, the next deploy writes it
// again.
func TestAFileThatIsBeingOverwrittenIsKnownAndNotTrusted(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.compose(byHandOf("Website", "operational"))
	s.target(kindLocal, fields{"folder": "www"})
	require.Equal(t, deployLive, s.deploy().State)
	file := filepath.Join(s.folder, "www", "index.html")
	require.Eventually(t, func() (rests bool) { // the first snapshot is over
		require.NoError(t, s.DB.NewRaw("select push_at > now() + interval '20 seconds' from statuspage_targets").
			Scan(t.Context(), &rests))
		return rests
	}, within, every)
	require.NoError(t, os.WriteFile(file, []byte("half of a pa"), 0o600))
	_, err := s.DB.NewRaw(`update statuspage_targets set push_at = null,
		files = jsonb_set(files, '{index.html,sha256}', '""')`).Exec(t.Context())
	require.NoError(t, err)
	var preview DeployPreview
	s.admin.Get(s.at("/deploy-preview")).Is(http.StatusOK).JSON(&preview)
	require.True(t, preview.Unchanged)
	require.Equal(t, deployLive, s.deploy().Targets[0].State)
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Contains(t, string(content), "All systems operational")
}

// times are when assets were written: news go on coming to pages.
func times(t *testing.T, folder string) map[string]time.Time {
	t.Helper()
	out := map[string]time.Time{}
	require.NoError(t, filepath.Walk(folder, func(path string, about os.FileInfo, err error) error {
		if err == nil && !about.IsDir() && (strings.Contains(path, "assets") || strings.Contains(path, "history")) {
			out[path] = about.ModTime()
		}
		return err
	}))
	require.NotEmpty(t, out)
	return out
}

// A place that fails keeps what it served, and the others go live.
func TestAPlaceThatFailsKeepsTheOldPage(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.compose(byHandOf("Website", "operational"))
	s3 := places.NewS3(t)
	good := fields{
		"endpoint": s3.Endpoint, "bucket": places.Bucket, "region": "us-east-1", "prefix": "status",
		"access_key": places.AccessKey, "path_style": true,
	}
	ssh := places.NewSSH(t)
	sftp := fields{
		"host": places.Address, "port": ssh.Port, "user": ssh.User, "folder": ssh.Folder, "host_key": ssh.HostKey,
	}
	s.target(kindS3, good, places.SecretKey)
	folder := s.target(kindSFTP, sftp, ssh.Key)
	tested := s.admin.Post(base+"/targets/"+folder+"/test", fields{}).Is(http.StatusOK)
	require.Equal(t, true, tested.Value("ok"), string(tested.Body))
	d := s.deploy()
	require.Equal(t, deployLive, d.State)
	for _, at := range d.Targets {
		require.Equal(t, deployLive, at.State, at.Error)
	}
	old, err := os.ReadFile(filepath.Join(ssh.Folder, "index.html"))
	require.NoError(t, err)

	// The host shows another key: it is refused, and the page stays as it is.
	_, sftp["host_key"] = places.KeyPair(t)
	s.admin.Patch(base+"/targets/"+folder, fields{"config": sftp}).Is(http.StatusOK)
	s.compose(byHandOf("Website", "major_outage"))
	d = s.deploy()
	require.Equal(t, deployLive, d.State)
	require.Equal(t, deployLive, d.Targets[0].State)
	require.Equal(t, deployFailed, d.Targets[1].State)
	require.Contains(t, d.Targets[1].Error, "host key")
	now, err := os.ReadFile(filepath.Join(ssh.Folder, "index.html"))
	require.NoError(t, err)
	require.Equal(t, old, now)
	require.Equal(t, "failed", s.targets()[1].State)
	tested = s.admin.Post(base+"/targets/"+folder+"/test", fields{}).Is(http.StatusOK)
	require.Equal(t, "host_key_changed", tested.Text("code"))
	require.Contains(t, s.Recorded(object, s.page.ID), statuspageapi.DeployFailed)

	wrong := s.admin.Post(s.at("/targets"), fields{"kind": kindS3, "label": "wrong", "config": good, "secret": "another"}).
		Is(http.StatusCreated)
	require.Equal(t, true, wrong.Value("has_secret"))
	require.NotContains(t, string(wrong.Body), "another")
	tested = s.admin.Post(base+"/targets/"+wrong.Text("id")+"/test", fields{}).Is(http.StatusOK)
	require.Contains(t, tested.Text("message"), "SignatureDoesNotMatch")
}

// Readers are told at once, and not with the next snapshot.
func TestAPublishedIncidentReachesPlacesAtOnce(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.compose(byHandOf("Website", "operational"))
	s.target(kindLocal, fields{"folder": "www"})
	s.deploy()
	s.admin.Post(base+"/incidents", fields{
		"page_id": s.page.ID, "titles": fields{"en": "It is slow"}, "impact": "minor", "state": "investigating",
		"bodies": fields{"en": "We look."}, "component_ids": []string{}, "published": true,
	}).Is(http.StatusCreated)
	require.Eventually(t, func() bool {
		content, err := os.ReadFile(filepath.Join(s.folder, "www", "index.html"))
		return err == nil && strings.Contains(string(content), "It is slow")
	}, within/2, every)
}

// While a page is being deployed nothing else begins, and who does is told who began it.
func TestOneDeployAtATime(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.compose(byHandOf("Website", "operational"))
	s.target(kindLocal, fields{"folder": "www"})
	_, err := s.DB.ExecContext(t.Context(), `insert into statuspage_deploys
		(id, page_id, revision, content, state, targets, started_by, started_at, lease_token, lease_until)
		values (gen_random_uuid(), ?, 1, '{}', 'queued', '[]', 'somebody', now(), 'x', now() + interval '1 hour')`, s.page.ID)
	require.NoError(t, err)
	refused := s.admin.Post(s.at("/deploy"), fields{"revision": s.page.Revision}).Refused(http.StatusConflict, "deploy_active")
	require.Equal(t, "somebody", refused.Text("started_by"))
	s.admin.Delete(s.at("")).Refused(http.StatusConflict, "deploy_active")
}

// Whoever goes on with a deploy that a panel began and did not end, in whatever state, brings it to its end.
func TestADeployGoesOnAfterAKillInEachState(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.compose(byHandOf("Website", "operational"))
	id := s.target(kindLocal, fields{"folder": "www"})
	first := s.deploy()
	for _, state := range []string{deployQueued, deployBuilding, deployUploading, deployVerifying} {
		at := map[string]string{deployQueued: targetWaiting, deployBuilding: targetWaiting}[state]
		if at == "" {
			at = state
		}
		s.compose(byHandOf("Website "+state, "operational"))
		var deploy string
		require.NoError(t, s.DB.NewRaw(`insert into statuspage_deploys
			(id, page_id, revision, content, state, targets, started_by, started_at, lease_token, lease_until)
			select gen_random_uuid(), p.id, p.revision, p.draft, ?, jsonb_build_array(jsonb_build_object('target_id', ?::text,
				'label', 'local', 'kind', 'local', 'address', '', 'state', ?::text, 'error', '', 'files', 0, 'bytes', 0, 'sha256', '')),
				'killed', now(), 'dead', now() - interval '1 minute' from statuspage_pages p where p.id = ?
			returning id`, state, id, at, s.page.ID).Scan(t.Context(), &deploy))
		require.Equal(t, deployLive, s.ended(deploy).State, state)
		content, err := os.ReadFile(filepath.Join(s.folder, "www", "index.html"))
		require.NoError(t, err)
		require.Contains(t, string(content), "Website "+state)
	}
	require.NotEmpty(t, first.ID)
}

// "Never an address, node name, SNI or flow id in what is published": 30 planted names and addresses are in no file.
func TestNothingOfTheFleetIsPublished(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	var planted []string
	components := []fields{}
	for i := range 15 {
		name, address := "planted-node-"+string(rune('a'+i)), "198.51.100."+string(rune('1'+i%9))+string(rune('0'+i%10))
		id := s.admin.AddNode(name, "address", address, "region", "planted-region")
		planted = append(planted, name, address, id)
		components = append(components, standsFor("Place "+string(rune('A'+i)), "node", id))
	}
	components = append(components, standsFor("Everywhere", "region", "planted-region"))
	s.compose(components...)
	s.admin.Post(base+"/incidents", fields{
		"page_id": s.page.ID, "titles": fields{"en": "Slow"}, "impact": "minor", "state": "investigating",
		"bodies": fields{"en": "We look."}, "component_ids": []string{s.page.Components[0].ID}, "published": true,
	}).Is(http.StatusCreated)
	s.target(kindLocal, fields{"folder": "www"})
	require.Equal(t, deployLive, s.deploy().State)
	count := 0
	require.NoError(t, filepath.Walk(s.folder, func(path string, about os.FileInfo, err error) error {
		if err != nil || about.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		count++
		for _, word := range append(planted, "planted-region", s.admin.AccountID) {
			require.NotContains(t, string(content), word, path)
		}
		return nil
	}))
	require.Greater(t, count, 8)
}

// Fault: 10,000 components. The page is deployed whole; one more is refused in words.
func TestTenThousandComponentsAreOnePage(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.target(kindLocal, fields{"folder": "www"})
	components := make([]fields, 10_000)
	for i := range components {
		components[i] = byHandOf(fmt.Sprintf("Component %d", i), "operational")
	}
	s.compose(components...)
	require.Equal(t, deployLive, s.deploy().State)
	content, err := os.ReadFile(filepath.Join(s.folder, "www", "index.html"))
	require.NoError(t, err)
	require.Contains(t, string(content), "Component 9999")
	s.admin.Put(s.at("/components"), fields{
		"revision": s.read().Revision, "groups": []fields{}, "components": append(components, components[0]),
	}).Refused(http.StatusUnprocessableEntity, "invalid_value")
}
