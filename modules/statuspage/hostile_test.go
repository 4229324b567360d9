package statuspage

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/testneed/places"
)

// hostile is what somebody in haste, or somebody who is not one of ours, writes into texts for readers.
const hostile = `<script>alert(1)</script> ![x](https://evil.example/p.png) [a](javascript:alert(1)) ` +
	`<img src=x onerror=alert(1)> </title><iframe src="https://evil.example"></iframe> ` + "\u202e" + `{{.Site}} "'><svg/onload=x>`

// Hostile texts in every place that takes one: what is published runs nothing, fetches nothing from elsewhere, and each
// file is still what it is.
func TestHostileTextsArePublishedHarmlessly(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	texts := fields{"en": hostile, "ru": hostile}
	name := fields{"en": hostile[:100], "ru": hostile[:100]}
	s.admin.Patch(s.at(""), fields{
		"revision": s.read().Revision, "titles": name, "descriptions": texts, "footers": texts,
	}).Is(http.StatusOK)
	component := byHandOf("x", "operational")
	component["names"] = name
	s.compose(component)
	s.admin.Put(s.at("/announcements"), fields{"revision": s.read().Revision, "announcements": []fields{{
		"titles": name, "bodies": texts, "starts_at": "2026-01-01T00:00:00Z", "ends_at": nil,
	}}}).Is(http.StatusOK)
	s.admin.Post(base+"/incidents", fields{
		"page_id": s.page.ID, "titles": name, "impact": "minor", "state": "investigating", "bodies": texts,
		"component_ids": []string{}, "published": true,
	}).Is(http.StatusCreated)
	s.admin.Post(base+"/maintenance", fields{
		"page_id": s.page.ID, "titles": name, "bodies": texts, "starts_at": "2027-01-01T00:00:00Z",
		"ends_at": "2027-01-02T00:00:00Z", "component_ids": []string{},
	}).Is(http.StatusCreated)
	s.target(kindLocal, fields{"folder": "www"})
	require.Equal(t, deployLive, s.deploy().State)
	pages, err := filepath.Glob(filepath.Join(s.folder, "www", "*", "*.html"))
	require.NoError(t, err)
	require.NotEmpty(t, pages)
	for _, path := range append(pages, filepath.Join(s.folder, "www", "index.html")) {
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, word := range []string{"<script>alert", "<img src=x", "<iframe", "<svg/onload", `"javascript:`, `src="https://evil`} {
			require.NotContains(t, string(content), word, path)
		}
	}
}

// Whatever stands in the address of a page, an answer is a file of it or "not found".
func TestHostileAddressesOfAPageAreNotFound(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.target(kindPanel, fields{})
	require.Equal(t, deployLive, s.deploy().State)
	for _, path := range []string{
		"/status/service/..%2f..%2fetc%2fpasswd", "/status/service/%00", "/status/service/en/..%2findex.html",
		"/status/SERVICE/index.html", "/status/service'--/index.html", "/status/service/nothing.html",
		"/status/%F0%9F%98%80", "/status/service/" + strings.Repeat("x", 2000),
	} {
		got := s.Anonymous().Get(path)
		require.Equal(t, http.StatusNotFound, got.Status, path)
		require.Equal(t, "not_found", got.Text("code"), path)
	}
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete} {
		require.Equal(t, http.StatusMethodNotAllowed, s.Anonymous().Do(method, "/status/service/index.html", nil).Status)
	}
	require.Eventually(t, func() bool { // a snapshot may come between the two
		tag := s.Anonymous().Get("/status/service/index.html").Is(http.StatusOK).Header.Get("ETag")
		again := s.Anonymous().Do(http.MethodGet, "/status/service/index.html", nil, "If-None-Match", tag)
		return again.Status == http.StatusNotModified
	}, within, every)
}

// A place with a wrong key fails alone and in words; with the right one it is live at the next deploy, and its secret
// is in no answer.
func TestAWrongKeyIsMendedByTheRightOne(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.compose(byHandOf("Website", "operational"))
	server := places.NewS3(t)
	id := s.target(kindS3, fields{
		"endpoint": server.Endpoint, "bucket": places.Bucket, "region": "us-east-1", "access_key": places.AccessKey,
		"path_style": true,
	}, "canary-wrong-key")
	failed := s.deploy()
	require.Equal(t, deployFailed, failed.State)
	require.Contains(t, failed.Targets[0].Error, "SignatureDoesNotMatch")
	require.Nil(t, s.read().PublishedAt, "nothing was published")
	require.Equal(t, "failed", s.targets()[0].State)
	s.admin.Patch(base+"/targets/"+id, fields{"secret": places.SecretKey}).Is(http.StatusOK)
	d := s.deploy()
	require.Equal(t, deployLive, d.State, fmt.Sprint(d.Targets))
	require.Equal(t, "live", s.targets()[0].State)
	require.Empty(t, s.targets()[0].Error, "the old failure is forgotten")
	for _, path := range []string{s.at("/targets"), s.at("/deploys"), base + "/deploys/" + failed.ID} {
		require.NotContains(t, string(s.admin.Get(path).Is(http.StatusOK).Body), "canary", path)
	}
}
