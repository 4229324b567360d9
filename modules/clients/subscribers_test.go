package clients_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/app"
	"panel/platform/database/dbtest"
	"panel/platform/paneltest"
)

// Whatever ends a subscription or changes its figures is seen by the next program that asks, at every panel on the
// database: an answer that was kept before is given no more.
func TestNoAnswerOfBeforeIsGivenAfterAChange(t *testing.T) {
	t.Parallel()
	db := dbtest.New(t, app.Migrations(app.With(features()))...)
	one := start(t, nil, paneltest.On(db))
	other := paneltest.Start(t, paneltest.On(db), paneltest.Modules(features()...))
	changes := map[string]struct {
		make   func(id string)
		status int
		shows  string // in subscription-userinfo
	}{
		"it is revoked":     {func(id string) { one.admin.Delete(path + "/" + id).Is(204) }, 404, ""},
		"its address ends":  {func(id string) { one.admin.Delete(path + "/" + id + "/public-link").Is(204) }, 404, ""},
		"it gets a quota":   {func(id string) { one.patch(id, "quota", map[string]any{"bytes": 4711}) }, 200, "total=4711"},
		"its time is ended": {func(id string) { one.patch(id, "expires_at", "2020-01-01T00:00:00Z") }, 200, "expire=1577836800"},
		"another address":   {func(id string) { one.admin.Post(path+"/"+id+"/public-link", nil).Is(201) }, 404, ""},
	}
	for name, change := range changes {
		id := one.add(name)
		url := one.admin.Post(path+"/"+id+"/public-link", nil).Is(201).Text("url")
		address := url[strings.Index(url, "/s/"):]
		panels := []*paneltest.Panel{one.panel, other}
		for range 2 {
			for _, panel := range panels {
				require.NotContains(t, panel.Anonymous().Get(address).Is(200).Header.Get("subscription-userinfo"), "4711")
			}
		}
		change.make(id)
		for _, panel := range panels {
			answer := panel.Anonymous().Get(address).Is(change.status)
			require.Contains(t, answer.Header.Get("subscription-userinfo"), change.shows, name)
		}
	}
}

func (s *stage) patch(id, field string, value any) {
	s.t.Helper()
	s.admin.Patch(path+"/"+id, map[string]any{"revision": s.get(id).Revision, field: value}).Is(200)
}
