package policies

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/httpapi"
)

// catalogueOf is a catalogue with one set of one domain.
func catalogueOf(revision int, domain string) fields {
	return fields{
		"revision": revision, "note": "why", "sets": []fields{{"name": "ads", "domain": []string{domain}}},
		"presets": []fields{}, "geo_tokens": []string{"geosite:ru"},
	}
}

// Saving makes a new version, and the old ones stay to be read.
func TestTheCatalogueHasVersions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	none := must[Catalogue](w, cataloguePath)
	require.Zero(t, none.Version)
	require.Nil(t, none.SavedAt)
	w.admin.Get(cataloguePath+"/versions/1").Refused(404, "not_found")
	w.admin.Put(cataloguePath, fields{"sets": []fields{}, "presets": []fields{}, "geo_tokens": []string{}}).
		Refused(400, "missing_field")
	w.admin.Put(cataloguePath, catalogueOf(0, "one.example")).Is(200)
	w.admin.Put(cataloguePath, catalogueOf(0, "two.example")).Refused(409, "revision_conflict")
	w.admin.Put(cataloguePath, catalogueOf(1, "one.example")).Is(200)
	require.Equal(t, 1, must[Catalogue](w, cataloguePath).Version, "the same again is no new version")
	var saved Catalogue
	w.admin.Put(cataloguePath, catalogueOf(1, "two.example")).Is(200).JSON(&saved)
	require.Equal(t, 2, saved.Version)
	require.Equal(t, "why", saved.Note)
	require.Equal(t, []string{"two.example"}, saved.Sets[0].Domain)
	old := must[Catalogue](w, cataloguePath+"/versions/1")
	require.Equal(t, []string{"one.example"}, old.Sets[0].Domain)
	require.Equal(t, 2, old.Newest)
	page := must[httpapi.Page[CatalogueVersion]](w, cataloguePath+"/versions?limit=1")
	require.Equal(t, 2, page.Items[0].Version)
	page = must[httpapi.Page[CatalogueVersion]](w, cataloguePath+"/versions?limit=1&cursor="+*page.NextCursor)
	require.Equal(t, 1, page.Items[0].Version)
	require.Equal(t, []string{"policy.catalogue_saved"}, w.panel.Recorded("policy_catalogue", "2"))
}

func TestTheCatalogueRefusesWhatNoDrawingCouldUse(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	with := func(sets, presets []fields, tokens ...string) fields {
		return fields{"revision": 0, "sets": sets, "presets": presets, "geo_tokens": append([]string{}, tokens...)}
	}
	none := []fields{}
	set := func(name string, more ...any) fields {
		s := fields{"name": name}
		for i := 0; i+1 < len(more); i += 2 {
			s[more[i].(string)] = more[i+1]
		}
		return s
	}
	ads := set("ads", "domain", []string{"ads.example"})
	for field, body := range map[string]fields{
		"sets[0].name":      with([]fields{set("Big Name", "domain", []string{"x.example"})}, none),
		"sets[1].name":      with([]fields{ads, ads}, none),
		"sets[0]":           with([]fields{set("empty")}, none),
		"sets[1].domain[1]": with([]fields{ads, set("b", "domain", []string{"x.example", "not a domain"})}, none),
		"sets[0].ip[0]":     with([]fields{set("b", "ip", []string{"10.0.0.0/99"})}, none),
		"sets[0].geoip[0]":  with([]fields{set("b", "geoip", []string{"a b"})}, none),
		"presets[0].name":   with(none, []fields{{"name": "-", "protocol": "vless"}}),
		"geo_tokens[0]":     with(none, none, "ru"),
		"geo_tokens[1]":     with(none, none, "geosite:ru", "geosite:ru"),
	} {
		require.Equal(t, field, said(w.admin.Put(cataloguePath, body).Refused(422, "invalid_value")).Errors[0].Field)
	}
	require.Zero(t, must[Catalogue](w, cataloguePath).Version)
	long := set("long", "domain", []string{strings.Repeat("a", 300) + ".example"})
	w.admin.Put(cataloguePath, with([]fields{long}, none)).Refused(422, "invalid_value")
}

// The rules geo_tokens, presets and catalogue_sets speak of the newest catalogue.
func TestRulesSpeakOfTheCatalogue(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	body := catalogueOf(0, "ads.example")
	body["presets"] = []fields{{"name": "tls", "protocol": "trojan"}}
	w.admin.Put(cataloguePath, body).Is(200)
	w.assign(w.policy("Presets", "security", "rules", []fields{{"type": "presets"}}), w.flow)
	require.Equal(t, "presets", said(w.compile(w.flow).Refused(422, "compile_failed")).Problems[0].Rule)
	body["revision"], body["presets"] = 1, []fields{{"name": "reality", "protocol": "vless", "security": "reality"}}
	w.admin.Put(cataloguePath, body).Is(200)
	w.compile(w.flow).Is(201)
	w.assign(w.policy("Sets", "routing", "rules", []fields{{"type": "catalogue_sets"}}), w.flow)
	draft := func(revision int, match fields) {
		w.admin.Put(units+w.flow+"/draft", fields{"revision": revision, "graph": w.drawing(443,
			fields{"from": "in", "to": "stop", "match": match})}).Is(200)
	}
	draft(1, fields{"domain": []string{"ads.example"}})
	require.Equal(t, "catalogue_sets", said(w.compile(w.flow).Refused(422, "compile_failed")).Problems[0].Rule)
	draft(2, fields{"sets": []string{"ads"}})
	require.EqualValues(t, 2, w.compile(w.flow).Is(201).Value("catalogue_version"))
	draft(3, fields{"sets": []string{"nothing"}})
	require.Equal(t, "unknown_catalogue_set", said(w.compile(w.flow).Refused(422, "compile_failed")).Errors[0].Code)
}

// A flow is outdated when its sets say something else today; another set, or the same again, does not count.
func TestFlowsThatRunAnOlderSnapshotAreListed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.admin.Put(cataloguePath, catalogueOf(0, "one.example")).Is(200)
	w.runs(w.flow, 1, "ads")
	require.Zero(t, must[Catalogue](w, cataloguePath).Outdated)
	two := catalogueOf(1, "one.example")
	two["geo_tokens"] = []string{}
	w.admin.Put(cataloguePath, two).Is(200)
	require.Empty(t, must[Outdated](w, cataloguePath+"/outdated").Items)
	w.admin.Put(cataloguePath, catalogueOf(2, "three.example")).Is(200)
	require.Equal(t, Outdated{Newest: 3, Items: []OutdatedFlow{{w.flow, "Europe", 1, []string{"ads"}}}},
		must[Outdated](w, cataloguePath+"/outdated"))
	require.Equal(t, 1, must[Catalogue](w, cataloguePath).Outdated)
	require.Contains(t, w.panel.Scrape(), "panel_flows_on_old_catalogue 1")
	require.Contains(t, w.admin.Command(features(), "policies outdated --plain").Out, "Europe\t1\t3\tads")
}

// runs writes down that a flow has a drawing installed, as an apply does.
func (w *world) runs(flow string, catalogue int, sets ...string) {
	w.t.Helper()
	_, err := w.panel.DB.NewRaw(`with v as (insert into flow_versions
			(id, flow_id, number, revision, reason, graph, applied, bypassed, created_at, created_by, plan_hash, note, catalogue_version)
			select gen_random_uuid(), id, 1, 1, 'apply', jsonb_build_object('nodes', graph -> 'nodes', 'edges', jsonb_build_array(
				jsonb_build_object('from', 'in', 'to', 'stop', 'match', jsonb_build_object('sets', ?::jsonb)))),
				true, '[]', now(), 'admin', '', '', ? from flows where id = ? returning id)
		update flows set installed_version_id = (select id from v), installed_revision = 1 where id = ?`,
		`["`+strings.Join(sets, `","`)+`"]`, catalogue, flow, flow).Exec(w.t.Context())
	require.NoError(w.t, err)
}
