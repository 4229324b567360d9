package statuspage

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/statuspage/internal/site"
	"panel/platform/database"
)

// shownNodes gives the page a component for each of so many nodes with ninety days behind it, of which one was bad, and
// of every tenth node twenty-five; and fifty notices.
func (s *stage) shownNodes(count int) {
	s.t.Helper()
	for _, query := range []string{
		`insert into nodes (id, name, name_key, country_code, region, agent_access, created_at, updated_at)
			select gen_random_uuid(), 'node-' || i, 'node-' || i, 'PL', 'r' || i % 10, 'granted', now(), now()
			from generate_series(1, ?) i`,
		`insert into health_changes (kind, subject_id, at, was, state, reason, hint)
			select 'node', n.id, now() - i * interval '3 days' - (case when up then 0 else 1 end) * interval '1 hour',
				case when up then 'down' else 'up' end, case when up then 'up' else 'down' end, '', ''
			from nodes n, unnest(array[true, false]) up, generate_series(1, 25) i
			where ? > 0 and (i = 1 or right(n.name, 1) = '9')`,
		`insert into statuspage_notices (id, page_id, titles, impact, state, published, component_ids, started_at, resolved_at,
				updated_at)
			select gen_random_uuid(), p.id, '{"en":"Slow"}', 'minor', 'resolved', true, '{}', now() - i * interval '1 day',
				now() - i * interval '1 day', now() from statuspage_pages p, generate_series(1, 50) i where ? > 0`,
		`insert into statuspage_updates (id, notice_id, at, state, bodies, by)
			select gen_random_uuid(), id, started_at, 'resolved', '{"en":"It was **slow**."}', 'x'
			from statuspage_notices, generate_series(1, 3) where ? > 0`,
		`analyze`,
	} {
		_, err := s.DB.NewRaw(query, count).Exec(s.t.Context())
		require.NoError(s.t, err, query)
	}
	var ids []string
	require.NoError(s.t, s.DB.NewRaw("select id::text from nodes order by name").Scan(s.t.Context(), &ids))
	row, err := s.own.store.page(s.t.Context(), s.page.ID, false)
	require.NoError(s.t, err)
	for i, id := range ids {
		row.Draft.Components = append(row.Draft.Components, Component{
			ID: database.NewID(), Names: Localised{"en": fmt.Sprintf("Place %d", i), "ru": fmt.Sprintf("Место %d", i)},
			Source: fromNode, SourceID: id, Visible: true, ShowBars: true,
		})
	}
	require.NoError(s.t, s.own.store.save(s.t.Context(), &row, "draft"))
	s.known()
}

// known has health know the nodes, and gives the page that shows it. Whoever placed checks when the nodes were about to
// come takes them for gone once.
func (s *stage) known() (page []byte) {
	require.Eventually(s.t, func() bool {
		_, err := s.DB.NewRaw(`insert into health_states (kind, subject_id, name, name_key, state, since, policy_id)
			select 'node', id, name, name_key, 'up', now() - interval '1 hour', gen_random_uuid() from nodes
			on conflict do nothing`).Exec(s.t.Context())
		require.NoError(s.t, err)
		for _, file := range s.snapshot() {
			if file.Path == "index.html" {
				page = file.Content
			}
		}
		return bytes.Contains(page, []byte("major_outage"))
	}, within, every)
	return page
}

// snapshot is what a minute's work at a place is made of: the queries, and the files.
func (s *stage) snapshot() []site.File {
	row, err := s.own.store.page(s.t.Context(), s.page.ID, false)
	require.NoError(s.t, err)
	shown, err := s.own.siteOf(s.t.Context(), row.ID, &row.Draft, "https://status.example.org/")
	require.NoError(s.t, err)
	files, err := site.Build(shown)
	require.NoError(s.t, err)
	return files
}

// Promise: a snapshot for 500 components takes at most 50 ms, with its queries.
func BenchmarkSnapshot(b *testing.B) {
	for _, count := range []int{500} {
		b.Run(fmt.Sprint(count), func(b *testing.B) {
			s := newStage(b)
			s.shownNodes(count)
			for b.Loop() {
				s.snapshot()
			}
		})
	}
}

// The page of the benchmark is one as it should be: each component has its days, and a down day shows.
func TestTheMeasuredSnapshotShowsEveryComponent(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.shownNodes(500)
	page := s.known()
	require.Contains(t, string(page), "Place 499")
	require.LessOrEqual(t, zipped(t, page), 60_000, "the page keeps its promise of 60 kB as well")
}

func zipped(t *testing.T, content []byte) int {
	t.Helper()
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	_, err := zip.Write(content)
	require.NoError(t, errors.Join(err, zip.Close()))
	return out.Len()
}
