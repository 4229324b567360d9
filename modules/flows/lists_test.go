package flows_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/flows"
)

// column reads one field of every item of a list, page by page.
func (s *stage) column(path, sort, field string) []any {
	s.t.Helper()
	seen, cursor := []any{}, ""
	for {
		page := s.admin.Get(s.path(path + "?limit=1&sort=" + sort + "&cursor=" + cursor)).Is(200)
		items, _ := page.Value("items").([]any)
		for _, item := range items {
			row, _ := item.(map[string]any)
			seen = append(seen, row[field])
		}
		next, more := page.Value("next_cursor").(string)
		if !more {
			return seen
		}
		cursor = next
	}
}

// Every list of a flow is sorted as it is asked, page by page, and refuses a field that it does not know.
func TestListsOfAFlowAreSorted(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for _, label := range []string{"Zoe", "anna"} {
		s.admin.Post(s.path("/clients"), map[string]any{"label": label}).Is(201)
	}
	first := s.install().ApplyID
	s.save(s.drawing(8443))
	second := s.install().ApplyID
	for _, c := range []struct {
		path, sort, field string
		want              []any
	}{
		{"/versions", "number", "number", []any{1.0, 2.0}},
		{"/versions", "created_at", "number", []any{1.0, 2.0}},
		{"/versions", "", "number", []any{2.0, 1.0}},
		{"/applies", "started_at", "apply_id", []any{first, second}},
		{"/applies", "", "apply_id", []any{second, first}},
		{"/clients", "label", "label", []any{"anna", "Default", "Zoe"}},
		{"/clients", "", "label", []any{"Default", "Zoe", "anna"}},
	} {
		require.Equal(t, c.want, s.column(c.path, c.sort, c.field), "%s by %s", c.path, c.sort)
		if c.sort != "" {
			turned := slices.Clone(c.want)
			slices.Reverse(turned)
			require.Equal(t, turned, s.column(c.path, "-"+c.sort, c.field), "%s by -%s", c.path, c.sort)
		}
	}
	for _, path := range []string{"/versions", "/applies", "/clients"} {
		for _, sort := range []string{"port", "-port", "--number", "id;drop"} {
			s.admin.Get(s.path(path+"?sort="+sort)).Refused(400, "bad_parameter")
		}
	}
}

// Loading a version into the draft is told as such: in the journal and on the live stream.
func TestALoadedVersionIsTold(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.install()
	s.save(s.drawing(8443))
	news := s.panel.Bus().Subscribe(t.Context())
	var versions struct{ Items []flows.Version }
	s.admin.Get(s.path("/versions")).Is(200).JSON(&versions)
	version := versions.Items[0].ID
	save := func(port int, version string) map[string]any {
		return map[string]any{"revision": s.get().DraftRevision, "graph": s.drawing(port), "version_id": version}
	}
	for _, wrong := range []string{"zzz", s.flow} {
		s.admin.Put(s.path("/draft"), save(443, wrong)).Refused(422, "invalid_value")
	}
	s.admin.Put(s.path("/draft"), save(444, version)).Refused(422, "invalid_value")
	s.admin.Put(s.path("/draft"), save(443, version)).Is(200)

	var number int
	err := s.panel.DB.NewRaw(`select (changes::jsonb -> 'version' ->> 'to')::int from journal where action = 'flow.version_loaded' and object_id = ?`,
		s.flow).Scan(t.Context(), &number)
	require.NoError(t, err)
	require.Equal(t, 1, number)
	require.Eventually(t, func() bool {
		select {
		case event := <-news:
			return event.Kind == "flow.version_loaded" && event.SubjectID == s.flow
		default:
			return false
		}
	}, 10*time.Second, time.Millisecond)
}
