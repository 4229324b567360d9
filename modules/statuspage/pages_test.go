package statuspage

import (
	"bytes"
	"image"
	"image/png"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/statuspage/statuspageapi"
	"panel/platform/database"
	"panel/platform/httpapi"
	"panel/platform/paneltest"
)

func TestTheModuleIsWhole(t *testing.T) { //nolint:paralleltest // it counts the goroutines of the process
	all := features()
	paneltest.Check(t, all[len(all)-1], all[:len(all)-1]...)
}

func TestAPageIsMadeChangedAndRemoved(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	require.Equal(t, Theme{Mode: "auto", Accent: usualAccent}, s.page.Theme)
	require.Equal(t, []string{"en", "ru"}, s.page.Locales)
	require.Zero(t, s.page.PublishedRevision)
	s.admin.Post(base+"/pages", fields{"slug": "service", "titles": fields{"en": "x"}}).
		Refused(http.StatusConflict, "name_taken")
	s.admin.Patch(s.at(""), fields{"revision": 9, "slug": "other"}).Refused(http.StatusConflict, "revision_conflict")
	s.admin.Patch(s.at(""), fields{"slug": "other"}).Refused(http.StatusBadRequest, "missing_field")
	s.admin.Patch(s.at(""), fields{
		"revision": 1, "slug": "other", "theme": fields{"accent": "#ff0000"}, "default_locale": "ru",
		"auto": fields{"draft": true, "publish": "at_once", "min_severity": "warning"},
	}).Is(http.StatusOK)
	require.Equal(t, "other", s.read().Slug)
	require.Equal(t, Theme{Mode: "auto", Accent: "#ff0000"}, s.page.Theme)
	s.admin.Patch(s.at(""), fields{"revision": 2, "slug": "other"}).Is(http.StatusOK)
	require.Equal(t, int64(2), s.read().Revision, "no change is none")
	require.Equal(t, []string{statuspageapi.PageCreated, statuspageapi.PageUpdated}, s.Recorded(object, s.page.ID))
	s.admin.Delete(s.at("")).Is(http.StatusNoContent)
	s.admin.Get(s.at("")).Refused(http.StatusNotFound, "not_found")
	s.admin.Get(base+"/pages/nothing").Refused(http.StatusNotFound, "not_found")
}

func TestWhatAPageMayBeIsSaid(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for name, change := range map[string]fields{
		"a slug with a capital":     {"slug": "Service"},
		"a slug that leads out":     {"slug": "../x"},
		"no title in the default":   {"titles": fields{"ru": "x"}},
		"a language that none has":  {"titles": fields{"en": "x", "de": "y"}},
		"a title of two lines":      {"titles": fields{"en": "x\ny"}},
		"a long title":              {"titles": fields{"en": strings.Repeat("я", longestName+1)}},
		"no language":               {"locales": []string{}},
		"a default that is not one": {"locales": []string{"ru"}},
	} {
		change["revision"] = 1
		answer := s.admin.Patch(s.at(""), change)
		require.Equal(t, http.StatusUnprocessableEntity, answer.Status, name)
	}
	require.Equal(t, int64(1), s.read().Revision)
}

// Specification, Endpoints 10: "reading of status-page routes needs statuspage.view; changing routes also need
// statuspage.deploy".
func TestChangingNeedsBothKeys(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	viewer, half, both := s.As(string(view)), s.As(string(publish)), s.As(string(view), string(publish))
	viewer.Get(base + "/pages").Is(http.StatusOK)
	half.Get(base+"/pages").Refused(http.StatusForbidden, "permission_denied")
	for _, c := range []*paneltest.Client{viewer, half} {
		c.Post(base+"/pages", fields{"slug": "x", "titles": fields{"en": "x"}}).
			Refused(http.StatusForbidden, "permission_denied")
	}
	both.Post(base+"/pages", fields{"slug": "x", "titles": fields{"en": "x"}}).Is(http.StatusCreated)
}

func TestComponentsStandForWhatIsThere(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	node := s.admin.AddNode("node-7", "region", "eu-west")
	page := s.compose(byHandOf("Website", ""), standsFor("Amsterdam", "node", node), standsFor("Europe", "region", "eu-west"))
	require.Equal(t, "operational", page.Components[0].Status, "by hand it is what people say")
	require.Equal(t, "unknown", page.Components[1].Status, "nobody judges it yet, and no data is never green")
	require.Equal(t, "node-7", page.Components[1].SourceName)
	require.Equal(t, "eu-west", page.Components[2].SourceName)
	refused := s.admin.Put(s.at("/components"), fields{"revision": page.Revision, "groups": []fields{}, "components": []fields{
		standsFor("Gone", "node", "0199a0de-0000-7000-8000-000000000001"), standsFor("Gone too", "region", "nowhere"),
	}}).Refused(http.StatusUnprocessableEntity, "invalid_value")
	require.Len(t, refused.Value("errors"), 2, "all that are gone are named at once")
	kept := standsFor("Amsterdam 2", "node", node)
	kept["id"] = page.Components[1].ID
	again := s.compose(kept)
	require.Equal(t, page.Components[1].ID, again.Components[0].ID)
	s.admin.Delete("/api/v1/nodes/" + node).Is(http.StatusNoContent)
	require.Empty(t, s.read().Components[0].SourceName)
	s.compose(kept) // what is gone may stay on the page

	var bars Bars
	s.admin.Get(s.at("/bars?days=90")).Is(http.StatusOK).JSON(&bars)
	require.Len(t, bars.Items[0].Days, 90)
	require.Nil(t, bars.Items[0].UptimePercent)
	require.Equal(t, "unknown", bars.Items[0].Days[0].Worst)
	s.admin.AddNode("node-8", "region", "us-east")
	var found Sources
	s.admin.Get(base + "/sources?kind=region").Is(http.StatusOK).JSON(&found)
	require.Equal(t, []Source{{Source: "region", ID: "us-east", Name: "us-east", Detail: "1"}}, found.Items)
	s.admin.Get(base + "/sources?q=NODE-8").Is(http.StatusOK).JSON(&found)
	require.Equal(t, "node-8", found.Items[0].Name)
}

func TestALogoIsAnImage(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	var picture bytes.Buffer
	require.NoError(t, png.Encode(&picture, image.NewGray(image.Rect(0, 0, 8, 8))))
	s.admin.Do(http.MethodPut, s.at("/logo"), "<svg onload=alert(1)>").
		Refused(http.StatusUnprocessableEntity, "invalid_value")
	s.admin.Do(http.MethodPut, s.at("/logo"), picture.Bytes()).Is(http.StatusOK)
	require.NotEmpty(t, s.read().Theme.LogoSHA256)
	require.Equal(t, picture.String(), string(s.admin.Get(s.at("/logo")).Is(http.StatusOK).Body))
	s.admin.Delete(s.at("/logo")).Is(http.StatusOK)
	require.Empty(t, s.read().Theme.LogoSHA256)
	s.admin.Get(s.at("/logo")).Refused(http.StatusNotFound, "not_found")
}

func TestReadersAreToldOfIncidentsAndWork(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	page := s.compose(byHandOf("Website", "operational"))
	part := page.Components[0].ID
	order := fields{
		"page_id": page.ID, "titles": fields{"en": "Slow"}, "impact": "minor", "state": "investigating",
		"bodies": fields{"en": "We look."}, "component_ids": []string{part}, "published": false,
	}
	id := s.admin.Post(base+"/incidents", order).Is(http.StatusCreated).Text("id")
	require.Equal(t, "operational", s.read().Components[0].Status, "a draft says nothing")
	s.admin.Post(base+"/incidents/"+id+"/publish", fields{}).Is(http.StatusOK)
	require.Equal(t, "degraded", s.read().Components[0].Status)
	s.admin.Delete(base+"/incidents/"+id).Refused(http.StatusConflict, "notice_published")
	s.admin.Patch(base+"/incidents/"+id, fields{"revision": 2, "impact": "critical"}).Is(http.StatusOK)
	require.Equal(t, "major_outage", s.read().Components[0].Status)
	s.admin.Post(base+"/incidents/"+id+"/updates", fields{"state": "resolved", "bodies": fields{"en": "Over."}}).Is(http.StatusOK)
	require.Equal(t, "operational", s.read().Components[0].Status)
	var list httpapi.Page[Notice]
	s.admin.Get(base + "/incidents?state=resolved&published=true&page_id=" + page.ID).Is(http.StatusOK).JSON(&list)
	require.Equal(t, []string{"Over.", "We look."}, []string{list.Items[0].Updates[0].Bodies["en"], list.Items[0].Updates[1].Bodies["en"]})
	order["component_ids"] = []string{"0199a0de-0000-7000-8000-000000000001"}
	s.admin.Post(base+"/incidents", order).Refused(http.StatusUnprocessableEntity, "invalid_value")
	order["component_ids"], order["bodies"] = []string{}, fields{"ru": "Смотрим"}
	s.admin.Post(base+"/incidents", order).Refused(http.StatusUnprocessableEntity, "invalid_value")

	now := s.own.now()
	work := fields{
		"page_id": page.ID, "titles": fields{"en": "Disks"}, "bodies": fields{}, "component_ids": []string{part},
		"starts_at": now.Add(-within), "ends_at": now.Add(within * 60),
	}
	planned := s.admin.Post(base+"/maintenance", work).Is(http.StatusCreated)
	require.Equal(t, "active", planned.Text("state"))
	require.Equal(t, "maintenance", s.read().Components[0].Status)
	s.admin.Post(base+"/maintenance/"+planned.Text("id")+"/end", fields{}).Is(http.StatusOK)
	require.Equal(t, "operational", s.read().Components[0].Status)
	work["ends_at"] = now.Add(-2 * within)
	s.admin.Post(base+"/maintenance", work).Refused(http.StatusUnprocessableEntity, "invalid_value")
	var overview Overview
	s.admin.Get(base).Is(http.StatusOK).JSON(&overview)
	require.Equal(t, Overview{Pages: 1}, overview)
}

func TestThePreviewShowsTheDraft(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.compose(byHandOf("Website", "partial_outage"))
	page := s.admin.Get(s.at("/preview?locale=ru&theme=dark")).Is(http.StatusOK)
	require.Contains(t, string(page.Body), "Наш сервис")
	require.Contains(t, string(page.Body), "Часть систем не работает")
	require.NotContains(t, string(page.Body), "<script")
	s.admin.Get(s.at("/preview?theme=x")).Refused(http.StatusBadRequest, "bad_parameter")
}

// What is typed is seen before it is saved: nothing of it is stored, and whoever may only look may do it.
func TestThePreviewShowsWhatIsNotSaved(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.compose(byHandOf("Website", "operational"))
	node := s.admin.AddNode("node-7")
	typed := fields{
		"locale": "ru", "mode": "dark", "titles": fields{"en": "Typed", "ru": "Набрано"}, "theme": fields{"accent": "#ff0000"},
		"groups":        []fields{{"id": database.NewID(), "names": fields{"en": "Typed group"}}},
		"components":    []fields{byHandOf("Typed component", "major_outage"), standsFor("Typed node", "node", node)},
		"announcements": []fields{{"titles": fields{"en": "Typed news"}, "bodies": fields{}, "starts_at": s.own.now(), "ends_at": nil}},
	}
	viewer := s.As(string(view))
	page := viewer.Post(s.at("/preview"), typed).Is(http.StatusOK).Text("html")
	for _, word := range []string{
		`<html lang="ru" class="dark">`, "Набрано", "Typed component", "Typed node", "Typed news", "Не работает",
	} {
		require.Contains(t, page, word)
	}
	require.NotContains(t, page, "Website")
	require.NotContains(t, page, "<script")
	require.NotContains(t, page, "node-7")
	part := viewer.Post(s.at("/preview"), fields{"locale": "en", "mode": "auto", "announcements": []fields{}}).Is(http.StatusOK)
	require.Contains(t, part.Text("html"), "Website", "what is not given is as it is stored")
	require.Equal(t, int64(2), s.read().Revision)
	require.Equal(t, "Our service", s.page.Titles["en"])
	require.Len(t, s.Recorded(object, s.page.ID), 2, "it was made, and got its component")
}

// What cannot be saved cannot be seen either, and is refused in the same words.
func TestThePreviewHasTheBoundsOfSaving(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for name, typed := range map[string]fields{
		"titles.en":               {"titles": fields{"ru": "x"}},
		"slug":                    {"slug": "../x"},
		"components[0].names.en":  {"components": []fields{byHandOf("", "operational")}},
		"components[0].source_id": {"components": []fields{standsFor("x", "node", database.NewID())}},
		"components[0].group_id": {"groups": []fields{}, "components": []fields{func() fields {
			one := byHandOf("x", "operational")
			one["group_id"] = database.NewID()
			return one
		}()}},
		"announcements[0].bodies.en": {"announcements": []fields{{
			"titles": fields{"en": "x"}, "bodies": fields{"en": strings.Repeat("x", longestBody+1)},
			"starts_at": s.own.now(), "ends_at": nil,
		}}},
	} {
		typed["locale"], typed["mode"] = "en", "light"
		refused := s.admin.Post(s.at("/preview"), typed).Refused(http.StatusUnprocessableEntity, "invalid_value")
		require.Contains(t, string(refused.Body), `"`+name+`"`)
	}
	s.admin.Post(base+"/pages/"+database.NewID()+"/preview", fields{"locale": "en", "mode": "auto"}).
		Refused(http.StatusNotFound, "not_found")
}

// The history has all that was still open in the last 90 days, however long ago it began; older news and drafts are not
// told.
func TestTheHistoryHasWhatEndedLately(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	told := func(title, began, ended string, published bool) {
		_, err := s.DB.ExecContext(t.Context(), `insert into statuspage_notices
			(id, page_id, titles, impact, state, published, component_ids, started_at, resolved_at, updated_at)
			values (?, ?, jsonb_build_object('en', ?::text), 'minor', 'resolved', ?, '{}', now() - ?::interval,
				now() - ?::interval, now())`, database.NewID(), s.page.ID, title, published, began, ended)
		require.NoError(t, err)
	}
	told("long", "100 days", "1 day", true)
	told("short", "2 days", "1 day", true)
	told("over", "100 days", "91 days", true)
	told("a draft", "2 days", "1 day", false)
	row, err := s.own.store.page(t.Context(), s.page.ID, false)
	require.NoError(t, err)
	shown, err := s.own.siteOf(t.Context(), row.ID, &row.Draft, "")
	require.NoError(t, err)
	var titles []string
	for _, n := range shown.Notices {
		titles = append(titles, n.Titles["en"])
	}
	require.Equal(t, []string{"short", "long"}, titles, "the one that began last comes first")
}
