package flows_test

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/clients"
	"panel/modules/flows"
	"panel/platform/paneltest"
)

// written are names as somebody writes them, sorted as the lists sort them, each with what finds it alone.
var written = []struct{ name, typed string }{
	{"Besiktaş — Kadıköy", "KADIKO\u0308Y"},
	{"Ferry to İstanbul", "istanbul"},
	{"Hauptstraße 5", "HAUPTSTRASSE"},
	{"Zu\u0308rich A\u030angstro\u0308m", "ångström"},
	{"Élan vital", "E\u0301LAN"},
	{"АДМИН, Ёлка", "е\u0308лка"},
	{"мир", "МИР"},
	{"Ялта", "яЛТА"},
}

// found reads the names of a list that a search keeps.
func (s *stage) found(path, field, typed string) (seen []any) {
	s.t.Helper()
	items, _ := s.admin.Get(path + "q=" + url.QueryEscape(typed)).Is(200).Value("items").([]any)
	for _, item := range items {
		row, _ := item.(map[string]any)
		seen = append(seen, row[field])
	}
	return seen
}

// sorted is what a list shows: the names of written with the one that the stage has made behind the first.
func sorted(own string) []any {
	all := []any{written[0].name, own}
	for _, w := range written[1:] {
		all = append(all, w.name)
	}
	return all
}

// Flows and clients of any script are found and sorted whatever the case and composition of their letters, in a
// database whose locale folds ASCII alone; those that an older panel has written are, once a panel has started.
func TestNamesAreFoundAndSortedInAnyScript(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for i, w := range written {
		s.admin.Post(s.path("/clients"), map[string]any{"label": w.name}).Is(201)
		if i%2 == 0 {
			s.create(w.name, 2000+i)
			continue
		}
		id := s.create("to be renamed", 2000+i)
		s.admin.Patch(units+"/"+id, map[string]any{"revision": 1, "name": w.name}).Is(200)
	}
	s.finds()

	_, err := s.panel.DB.ExecContext(t.Context(), "update flows set name_key = null")
	require.NoError(t, err)
	_, err = s.panel.DB.ExecContext(t.Context(), "update client_profiles set label_key = 'of another folding'")
	require.NoError(t, err)
	require.Nil(t, s.found(units+"?", "name", "Ялта"))
	s.panel = paneltest.Start(t, paneltest.On(s.panel.DB),
		paneltest.Modules(s.fleet.manifest(), s.fleet.bindings(), clients.Module(), flows.Module()))
	s.admin = s.panel.Admin()
	s.finds()
}

func (s *stage) finds() {
	s.t.Helper()
	for _, w := range written {
		require.Equal(s.t, []any{w.name}, s.found(units+"?", "name", w.typed))
		require.Equal(s.t, []any{w.name}, s.found(s.path("/clients?"), "label", w.typed))
		require.Equal(s.t, []any{w.name}, s.found(units+"/clients?", "label", w.typed))
	}
	require.Equal(s.t, sorted("Default"), s.column("/clients", "label", "label"))
	names := []any{}
	for cursor := ""; ; {
		page := s.admin.Get(units + "?limit=2&sort=name&cursor=" + cursor).Is(200)
		items, _ := page.Value("items").([]any)
		for _, item := range items {
			row, _ := item.(map[string]any)
			names = append(names, row["name"])
		}
		next, more := page.Value("next_cursor").(string)
		if !more {
			break
		}
		cursor = next
	}
	require.Equal(s.t, sorted("Europe main"), names)
}
