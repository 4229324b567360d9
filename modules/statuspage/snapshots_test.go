package statuspage

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/statuspage/statuspageapi"
)

// wait lets time pass for all places: their news get older, and the next snapshot is due.
func (s *stage) wait(by time.Duration) {
	s.t.Helper()
	_, err := s.DB.NewRaw(`update statuspage_targets set data_at = data_at - ? * interval '1 second', push_at = now()
		where push_at is not null`, by.Seconds()).Exec(s.t.Context())
	require.NoError(s.t, err)
}

func (s *stage) dataAt() time.Time {
	s.t.Helper()
	all := s.targets()
	require.Len(s.t, all, 1)
	require.NotNil(s.t, all[0].DataAt)
	return *all[0].DataAt
}

func TestASnapshotRenewsWhatIsNewsAndNothingElse(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.compose(byHandOf("Website", "operational"))
	s.target("local", fields{"folder": "public"})
	require.Equal(t, "live", s.deploy().State)
	folder := filepath.Join(s.folder, "public")
	styles, err := filepath.Glob(filepath.Join(folder, "assets", "*.css"))
	require.NoError(t, err)
	require.Len(t, styles, 1)
	before, err := os.Stat(styles[0])
	require.NoError(t, err)
	s.wait(time.Minute)
	old := s.dataAt()
	require.Eventually(t, func() bool { return s.dataAt().After(old.Add(30 * time.Second)) }, within, every)
	after, err := os.Stat(styles[0])
	require.NoError(t, err)
	require.Equal(t, before.ModTime(), after.ModTime())
	page, err := os.ReadFile(filepath.Join(folder, "index.html"))
	require.NoError(t, err)
	require.Contains(t, string(page), s.dataAt().UTC().Format("15:04")+" UTC")
}

// "Doctor (page older than promised)": the page says by itself how old it is, and the panel tells its people.
func TestAPlaceThatGetsNoNewsIsToldOfAndComesBack(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.target("local", fields{"folder": "public"})
	require.Equal(t, "live", s.deploy().State)
	news := s.Follow()
	folder, aside := filepath.Join(s.folder, "public"), filepath.Join(s.folder, "aside")
	require.NoError(t, os.Rename(folder, aside))
	require.NoError(t, os.WriteFile(folder, nil, 0o600))
	s.wait(time.Minute)
	require.Eventually(t, func() bool { return s.targets()[0].Error != "" }, within, every)
	var all struct {
		TargetsFailed int `json:"targets_failed"`
	}
	s.admin.Get(base).Is(http.StatusOK).JSON(&all)
	require.Zero(t, all.TargetsFailed, "one snapshot that fails is no broken promise")
	s.wait(staleAfter)
	require.Equal(t, s.page.ID, news.Next(statuspageapi.PageStale).SubjectID)
	s.admin.Get(base).Is(http.StatusOK).JSON(&all)
	require.Equal(t, 1, all.TargetsFailed)
	require.NoError(t, os.Remove(folder))
	require.NoError(t, os.Rename(aside, folder))
	s.wait(time.Minute)
	require.Equal(t, s.page.ID, news.Next(statuspageapi.PageFresh).SubjectID)
	require.Empty(t, s.targets()[0].Error)
}
