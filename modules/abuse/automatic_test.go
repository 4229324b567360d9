package abuse

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/abuse/internal/acts"
	"panel/modules/abuse/internal/cases"
)

const settingsPath = "/api/v1/abuse/settings"

// automatic has acts done without being asked.
func (s *scene) automatic(steps fields) {
	s.t.Helper()
	kept := s.admin.Get(settingsPath).Is(http.StatusOK)
	document, _ := kept.Value("settings").(map[string]any)
	for step, kinds := range steps {
		document["automatic"].(map[string]any)[step] = kinds
	}
	s.admin.Put(settingsPath, fields{"revision": kept.Value("revision"), "settings": document}).Is(http.StatusOK)
}

// acted are the acts of the scene's case after a look.
func (s *scene) acted() []cases.Action {
	s.t.Helper()
	require.NoError(s.t, s.acts.ByThemselves(s.t.Context()))
	var got cases.Case
	s.admin.Get(casesPath + "/" + s.caseID).Is(http.StatusOK).JSON(&got)
	return got.Actions
}

// By default nothing happens by itself (specification: automatic action is off).
func TestNothingIsDoneAboutUsersUnlessItIsSet(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	require.Empty(t, s.acted())
	s.automatic(fields{"hard_block": []string{"revoke"}})
	require.Empty(t, s.acted(), "another step is recommended")
}

func TestWhatIsSetIsDoneOnceForACaseAndEndsByItself(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.automatic(fields{"soft_block": []string{"limit", "warn"}, "minutes": 30})
	done := s.acted()
	require.Len(t, done, 2)
	for _, one := range done {
		require.True(t, one.Automatic)
		require.Equal(t, acts.Active, one.State)
		require.NotContains(t, one.By, "admin", "nobody asked for it")
		require.Contains(t, one.Reason, "soft_block")
		require.NotNil(t, one.Until)
		require.WithinDuration(t, one.StartedAt.Add(30*time.Minute), *one.Until, time.Second)
	}
	require.Len(t, s.acted(), 2, "each kind once")
	for _, one := range done {
		s.admin.Post(actionsPath+"/"+one.ID+"/undo", nil).Is(http.StatusOK)
	}
	require.Len(t, s.acted(), 2, "what somebody took back is not done again")
}

func TestWhatPeopleHaveDoneIsNotDoneByItselfAsWell(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.automatic(fields{"soft_block": []string{"warn"}})
	s.done(fields{"kind": "warn"})
	require.Len(t, s.acted(), 1)
}

// The switch that stops everything automatic stops this as well, and so does a mute of the user.
func TestNothingIsDoneWhileAutomationIsStoppedOrTheUserIsLeftAlone(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.automatic(fields{"soft_block": []string{"warn"}})
	s.admin.Post("/api/v1/system/automation/stop", fields{"reason": "an outage"}).Is(http.StatusOK)
	require.Empty(t, s.acted())
	s.admin.Post("/api/v1/system/automation/resume", nil).Is(http.StatusOK)
	s.exec("update abuse_cases set whitelist_until = now() + interval '1 hour'")
	require.Empty(t, s.acted())
	s.exec("update abuse_cases set whitelist_until = null")
	require.Len(t, s.acted(), 1)
}

// What cannot be done is told once, with why.
func TestAnActThatCannotBeDoneByItselfIsToldOnce(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.automatic(fields{"soft_block": []string{"block_ips"}})
	for range 2 {
		done := s.acted()
		require.Len(t, done, 1)
		require.Equal(t, acts.Failed, done[0].State)
		require.Equal(t, "addresses_unknown", done[0].Result.Error)
		require.False(t, done[0].Undoable)
	}
	s.admin.Get(casesPath + "/" + s.caseID).Is(http.StatusOK)
}

// However many cases there are, something is done about no more than thirty users in an hour.
func TestNoMoreThanThirtyUsersInAnHour(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	for range 35 {
		client := s.admin.Post(clientsPath, fields{"label": "Guest", "flow_ids": s.flows[:1]}).Is(http.StatusCreated)
		s.opens(client.Text("id"))
	}
	s.automatic(fields{"soft_block": []string{"limit", "warn"}})
	require.NoError(t, s.acts.ByThemselves(t.Context()))
	require.NoError(t, s.acts.ByThemselves(t.Context()))
	require.EqualValues(t, 60, s.admin.Get(actionsPath).Is(http.StatusOK).Value("total"), "two kinds about each of 30")
	s.exec("update abuse_actions set started_at = started_at - interval '1 hour 1 minute'")
	require.NoError(t, s.acts.ByThemselves(t.Context()))
	var users int
	require.NoError(t, s.DB.NewRaw("select count(distinct user_ref) from abuse_actions").Scan(t.Context(), &users))
	require.Equal(t, 36, users, "the others have their turn later")
}

func TestAutomaticActsAreOfKnownKinds(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	kept := s.admin.Get(settingsPath).Is(http.StatusOK)
	document, _ := kept.Value("settings").(map[string]any)
	document["automatic"].(map[string]any)["warn"] = []string{"delete"}
	s.admin.Put(settingsPath, fields{"revision": kept.Value("revision"), "settings": document}).
		Refused(http.StatusUnprocessableEntity, "invalid_value")
}
