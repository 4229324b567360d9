package flows_test

import (
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/flows"
	"panel/modules/flows/internal/past"
)

func (s *stage) installedAt(at time.Time) (got past.Installed) {
	s.t.Helper()
	s.admin.Get("/api/v1/connection-units/installed?at=" + url.QueryEscape(at.Format(time.RFC3339Nano))).Is(200).JSON(&got)
	return got
}

func (s *stage) finished(a flows.Apply) time.Time {
	s.t.Helper()
	require.NotNil(s.t, a.FinishedAt)
	return *a.FinishedAt
}

// Whoever looks back sees the version that was served then, and that a flow which was switched off served none.
func TestWhatWasInstalledIsShownAtAnyMoment(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.create("Never applied", 8444)
	first := s.install()
	s.save(s.drawing(8443))
	second := s.install()
	off := s.ended(s.admin.Post(s.path("/disable"), nil).Is(202).Text("apply_id"))

	require.Empty(t, s.installedAt(first.StartedAt.Add(-time.Millisecond)).Items)
	for _, c := range []struct {
		name    string
		at      time.Time
		version any
		state   string
		apply   string
	}{
		{"while the first is applied", first.StartedAt, nil, "applying", first.ApplyID},
		{"after the first", s.finished(first), 1, "applied", first.ApplyID},
		{"while the second is applied", second.StartedAt, 1, "applying", second.ApplyID},
		{"after the second", s.finished(second), 2, "applied", second.ApplyID},
		{"after it was switched off", s.finished(off), nil, "disabled", off.ApplyID},
	} {
		got := s.installedAt(c.at)
		require.Len(t, got.Items, 1, c.name)
		require.Equal(t, 1, got.Total, c.name)
		flow := got.Items[0]
		require.Equal(t, c.state, flow.State, c.name)
		require.Equal(t, c.apply, *flow.ApplyID, c.name)
		if c.version == nil {
			require.Nil(t, flow.Version, c.name)
		} else {
			require.Equal(t, c.version, *flow.Version, c.name)
		}
	}
	between := s.installedAt(s.finished(first))
	require.Nil(t, between.Earlier)
	require.True(t, between.Later.Equal(s.finished(second)))
}

// The future is not known, and a moment must be one.
func TestOnlyThePastWasInstalled(t *testing.T) {
	t.Parallel()
	s := setup(t)
	later := url.QueryEscape(time.Now().Add(time.Hour).Format(time.RFC3339))
	for _, at := range []string{later, "yesterday", ""} {
		answer := s.admin.Get("/api/v1/connection-units/installed?at=" + at)
		require.Contains(t, []int{400, 422}, answer.Status, at)
	}
}
