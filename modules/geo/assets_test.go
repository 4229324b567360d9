package geo

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/geo/geoapi"
	"panel/platform/httpapi"
	"panel/platform/paneltest"
	"panel/platform/testneed/geofiles"
)

func TestTheModuleIsWhole(t *testing.T) { //nolint:paralleltest // it counts the goroutines of the process
	all := features()
	paneltest.Check(t, all[len(all)-1], all[:len(all)-1]...)
}

func TestAnAssetIsAddedChangedAndRemoved(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	id := s.geosite()
	made := s.asset(id)
	require.Equal(t, nameGeosite, made.Name)
	require.Equal(t, stateIdle, made.State)
	require.True(t, made.OnNodes)
	require.Equal(t, Schedule{Enabled: true, Cron: usualCron}, made.Schedule)
	require.NotNil(t, made.NextUpdateAt)
	require.Nil(t, made.Version)
	s.admin.Post(assetsPath, fields{"file": "geosite", "preset": "v2fly"}).Refused(http.StatusConflict, "name_taken")

	s.admin.Patch(assetsPath+"/"+id, fields{"revision": 7, "pinned": true}).Refused(http.StatusConflict, "revision_conflict")
	s.admin.Patch(assetsPath+"/"+id, fields{"pinned": true}).Refused(http.StatusBadRequest, "missing_field")
	s.admin.Patch(assetsPath+"/"+id, fields{"revision": 1, "pinned": true}).Is(http.StatusOK)
	require.Nil(t, s.asset(id).NextUpdateAt, "the schedule leaves a pinned asset alone")
	s.admin.Patch(assetsPath+"/"+id, fields{"revision": 2, "pinned": true}).Is(http.StatusOK)
	require.Equal(t, int64(2), s.asset(id).Revision, "no change is none")
	s.admin.Patch(assetsPath+"/"+id, fields{"revision": 2, "preset": "loyalsoldier", "schedule": fields{"enabled": true, "cron": "x"}}).
		Refused(http.StatusUnprocessableEntity, "invalid_value")
	s.admin.Patch(assetsPath+"/"+id, fields{"revision": 2, "preset": "loyalsoldier"}).Is(http.StatusOK)
	require.Contains(t, s.asset(id).SourceURL, "Loyalsoldier/v2ray-rules-dat")
	require.Equal(t, []string{geoapi.AssetAdded, geoapi.AssetChanged, geoapi.AssetChanged}, s.Recorded(object, id))

	s.admin.Delete(assetsPath + "/" + id).Is(http.StatusNoContent)
	s.admin.Get(assetsPath+"/"+id).Refused(http.StatusNotFound, "not_found")
	s.admin.Get(assetsPath+"/nothing").Refused(http.StatusNotFound, "not_found")
}

func TestWhatAnAssetMayBeIsSaid(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for name, body := range map[string]fields{
		"a custom file without a name":    {"file": "custom", "preset": "custom", "source_url": "https://example.com/a.dat"},
		"a name that leads out":           {"file": "custom", "preset": "custom", "name": "../a.dat", "source_url": "https://example.com/a"},
		"a name of the core":              {"file": "custom", "preset": "custom", "name": "geoip.dat", "source_url": "https://example.com/a"},
		"another ending":                  {"file": "mmdb", "preset": "custom", "name": "a.dat", "source_url": "https://example.com/a"},
		"another name of geoip":           {"file": "geoip", "preset": "v2fly", "name": "a.dat"},
		"a source that has none":          {"file": "mmdb", "preset": "v2fly", "name": "a.mmdb"},
		"no source":                       {"file": "geoip", "preset": "custom"},
		"a source with a password":        {"file": "geoip", "preset": "custom", "source_url": "https://a:b@example.com/a"},
		"a source on the disk":            {"file": "geoip", "preset": "custom", "source_url": "file:///etc/passwd"},
		"a checksum that is no address":   {"file": "geoip", "preset": "v2fly", "checksum_url": "abc"},
		"a capital letter in a file name": {"file": "custom", "preset": "custom", "name": "Ads.dat", "source_url": "https://example.com/a"},
	} {
		s.admin.Post(assetsPath, body).Refused(http.StatusUnprocessableEntity, "invalid_value")
		_ = name
	}
	made := s.admin.Post(assetsPath, fields{"file": "mmdb", "preset": "loyalsoldier"}).Is(http.StatusCreated)
	require.Equal(t, "country.mmdb", made.Text("name"))
	require.Equal(t, false, made.Value("on_nodes"))
	var known Presets
	s.admin.Get(assetsPath + "/presets").Is(http.StatusOK).JSON(&known)
	for _, one := range known.Items {
		require.True(t, address(one.SourceURL) && address(one.ChecksumURL), one)
	}
}

func TestWhoMayNotSeeOrManageIsRefused(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	id := s.geosite()
	s.As("nodes.view").Get(assetsPath).Refused(http.StatusForbidden, "permission_denied")
	s.As(string(view)).Post(assetsPath+"/"+id+"/update", fields{}).Refused(http.StatusForbidden, "permission_denied")
	s.As(string(seesFlows)).Get(assetsPath + "/complete?q=a").Is(http.StatusOK)
	s.As(string(seesFlows)).Post(assetsPath+"/validate", fields{"tokens": []string{"geosite:a"}}).Is(http.StatusOK)
	s.As(string(seesFlows)).Get(assetsPath+"/lookup?q=a.example").Refused(http.StatusForbidden, "permission_denied")
}

func TestAFileIsFetchedCheckedAndLookedInto(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	digest := s.origin.publish("geosite.dat", geofiles.File(
		geofiles.Names("google", geofiles.Name{Kind: geofiles.Domain, Value: "google.com", Attributes: []string{"ads"}},
			geofiles.Name{Kind: geofiles.Full, Value: "g.example"}), geofiles.Site("ru-blocked", "blocked.example", "b.example")))
	id := s.geosite()
	a := s.update(id, false)
	require.Equal(t, stateReady, a.State, a.RejectDetail)
	require.Nil(t, a.Version)
	require.Equal(t, digest, a.Candidate.SHA256)
	require.Equal(t, 2, a.Candidate.Categories)
	require.Equal(t, int64(4), a.Candidate.Entries)
	require.NotNil(t, a.FetchedAt)
	s.admin.Post(assetsPath+"/"+id+"/rollback", fields{}).Refused(http.StatusConflict, "geo_no_previous")
	s.admin.Post(assetsPath+"/"+id+"/distribute", fields{}).Is(http.StatusAccepted)
	a = s.until(id, inState(stateCurrent))
	require.Equal(t, digest, a.Version.SHA256)
	require.Nil(t, a.Candidate)
	s.admin.Post(assetsPath+"/"+id+"/distribute", fields{}).Refused(http.StatusConflict, "geo_no_candidate")

	var categories httpapi.Page[Category]
	s.admin.Get(assetsPath + "/" + id + "/categories?limit=1").Is(http.StatusOK).JSON(&categories)
	require.Equal(t, "google", categories.Items[0].Category)
	require.Equal(t, 2, categories.Total)
	s.admin.Get(assetsPath + "/" + id + "/categories?limit=1&cursor=" + *categories.NextCursor).JSON(&categories)
	require.Equal(t, "ru-blocked", categories.Items[0].Category)
	require.Nil(t, categories.NextCursor)
	for sort, wanted := range map[string][]string{ // of as many entries each
		"category": {"google", "ru-blocked"}, "-category": {"ru-blocked", "google"}, "entries": {"google", "ru-blocked"},
	} {
		s.admin.Get(assetsPath + "/" + id + "/categories?sort=" + sort).Is(http.StatusOK).JSON(&categories)
		require.Equal(t, wanted, []string{categories.Items[0].Category, categories.Items[1].Category}, sort)
	}
	s.admin.Get(assetsPath+"/"+id+"/categories?sort=other").Refused(http.StatusBadRequest, "bad_parameter")
	s.admin.Get(assetsPath+"/"+id+"/categories?cursor=abc").Refused(http.StatusBadRequest, "bad_parameter")
	s.admin.Get(assetsPath + "/" + id + "/categories?q=BLOCK").JSON(&categories)
	require.Equal(t, "ru-blocked", categories.Items[0].Category)

	var entries httpapi.Page[Entry]
	s.admin.Get(assetsPath + "/" + id + "/categories/ru-blocked?limit=1").Is(http.StatusOK).JSON(&entries)
	require.Equal(t, []Entry{{Kind: "domain", Value: "blocked.example", Attributes: []string{}}}, entries.Items)
	require.Equal(t, 2, entries.Total)
	s.admin.Get(assetsPath + "/" + id + "/categories/ru-blocked?limit=1&cursor=" + *entries.NextCursor).JSON(&entries)
	require.Equal(t, "b.example", entries.Items[0].Value)
	require.Nil(t, entries.NextCursor)
	s.admin.Get(assetsPath + "/" + id + "/categories/google?q=com").JSON(&entries)
	require.Equal(t, []string{"ads"}, entries.Items[0].Attributes)
	s.admin.Get(assetsPath+"/"+id+"/categories/nothing").Refused(http.StatusNotFound, "not_found")

	var found Found
	s.admin.Get(assetsPath + "/lookup?q=WWW.google.com.").Is(http.StatusOK).JSON(&found)
	require.Equal(t, []Match{{
		AssetID: id, Asset: nameGeosite, Category: "google", RuleKind: "domain", Rule: "google.com",
		Attributes: []string{"ads"},
	}}, found.Matches)
	s.admin.Get(assetsPath+"/lookup?q=a%20b").Refused(http.StatusUnprocessableEntity, "invalid_value")
	require.Equal(t, "address", s.admin.Get(assetsPath+"/lookup?q=192.0.2.1").Is(http.StatusOK).Text("kind"))

	var complete Completions
	s.admin.Get(assetsPath + "/complete?q=goog").JSON(&complete)
	require.Equal(t, []Completion{{Token: "geosite:google", Entries: 2}}, complete.Items)
	var checked Validated
	s.admin.Post(assetsPath+"/validate", fields{"tokens": []string{
		"geosite:google@ads", "geosite:gogle", "geoip:ru", "nonsense",
	}}).Is(http.StatusOK).JSON(&checked)
	require.True(t, checked.Items[0].OK)
	require.Equal(t, codeCategory, checked.Items[1].Code)
	require.Equal(t, []string{"geosite:google"}, checked.Items[1].Suggestions)
	require.Equal(t, codeFile, checked.Items[2].Code)
	require.Equal(t, codeBad, checked.Items[3].Code)

	second := s.origin.publish("geosite.dat", sites("google", "new"))
	require.Equal(t, second, s.update(id, false).Candidate.SHA256)
	var changes Changes
	s.admin.Get(assetsPath + "/" + id + "/changes").Is(http.StatusOK).JSON(&changes)
	require.Equal(t, [2]string{digest, second}, [2]string{changes.From, changes.To})
	require.Equal(t, []string{"new"}, changes.Added)
	require.Equal(t, []string{"ru-blocked"}, changes.Removed)
	require.Equal(t, []CategoryChange{{
		Category: "google", AddedCount: 1, RemovedCount: 2, Added: []string{"google.example"},
		Removed: []string{"google.com", "g.example"},
	}}, changes.Changed)
	s.admin.Get(assetsPath+"/"+id+"/changes?from="+digest+"&to=abc").Refused(http.StatusNotFound, "not_found")
	var kept KeptVersions
	s.admin.Get(assetsPath + "/" + id + "/versions").Is(http.StatusOK).JSON(&kept)
	require.Equal(t, [2]string{"candidate", "current"}, [2]string{kept.Items[0].State, kept.Items[1].State})
}
