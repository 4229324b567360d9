package statuspage

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/health/healthapi"
	"panel/modules/statuspage/statuspageapi"
	"panel/platform/database"
	"panel/platform/events"
)

// outage is an incident of health that a node suffers from.
type outage struct {
	s  *stage
	id string
}

func (s *stage) outage(node, severity string) *outage {
	s.t.Helper()
	o := &outage{s, database.NewID()}
	o.write(`insert into health_incidents (id, kind, subject_id, name, class, severity, began_at, opened_at, joined_at)
		values (?, 'node', ?, 'ams-secret-1', 'silent', ?, now(), now(), now())`, o.id, node, severity)
	o.write(`insert into health_incident_subjects (incident_id, kind, subject_id, name, state, reason, hint, joined_at)
		values (?, 'node', ?, 'ams-secret-1', 'down', '', '', now())`, o.id, node)
	o.tell(healthapi.EventIncidentOpened)
	return o
}

func (o *outage) write(query string, args ...any) {
	o.s.t.Helper()
	_, err := o.s.DB.NewRaw(query, args...).Exec(o.s.t.Context())
	require.NoError(o.s.t, err)
}

// tell has health emit an event about it, as health does.
func (o *outage) tell(kind string) {
	o.s.t.Helper()
	event := events.Event{Kind: kind, SubjectID: o.id, Data: healthapi.IncidentNews{IncidentID: o.id}}
	require.NoError(o.s.t, o.s.DB.InTx(o.s.t.Context(), func(ctx context.Context) error {
		return o.s.App.Bus().Emit(ctx, event)
	}))
}

func (o *outage) becomes(state, kind string) {
	o.s.t.Helper()
	o.write(`update health_incidents set state = ?, resolved_at = case when ? = 'resolved' then now() end where id = ?`,
		state, state, o.id)
	o.tell(kind)
}

func (s *stage) notices() []Notice {
	s.t.Helper()
	var list struct{ Items []Notice }
	s.admin.Get(base + "/incidents?state=all&page_id=" + s.page.ID).Is(http.StatusOK).JSON(&list)
	return list.Items
}

// untilNotice waits for a notice that is as the test wants it; there is never more than one.
func (s *stage) untilNotice(is func(n Notice) bool) (found Notice) {
	s.t.Helper()
	require.Eventually(s.t, func() bool {
		all := s.notices()
		require.LessOrEqual(s.t, len(all), 1, "one notice for an incident")
		if len(all) == 1 {
			found = all[0]
		}
		return len(all) == 1 && is(found)
	}, within, every)
	return found
}

// watched is a stage whose page shows a node, with a rule for what follows from incidents.
func watched(t *testing.T, auto fields) (s *stage, node string) {
	t.Helper()
	s = newStage(t)
	node = s.admin.AddNode("ams-secret-1")
	component := standsFor("Amsterdam", "node", node)
	component["names"] = fields{"en": "Amsterdam", "ru": "Амстердам"}
	s.compose(component)
	s.admin.Patch(s.at(""), fields{"revision": s.read().Revision, "auto": auto}).Is(http.StatusOK)
	return s, node
}

func TestAnIncidentOfHealthIsDraftedAndFollowedToItsEnd(t *testing.T) {
	t.Parallel()
	s, node := watched(t, fields{"draft": true, "publish": "never", "min_severity": "critical"})
	news := s.Follow()
	o := s.outage(node, "critical")
	n := s.untilNotice(func(Notice) bool { return true })
	require.Equal(t, s.page.ID, news.Next(statuspageapi.NoticeDrafted).SubjectID)
	require.False(t, n.Published, "a person publishes it")
	require.Equal(t, o.id, n.DraftedFrom)
	require.Equal(t, Localised{"en": "Problems with Amsterdam", "ru": "Проблемы: Амстердам"}, n.Titles)
	require.Equal(t, []string{s.page.Components[0].ID}, n.ComponentIDs)
	require.Equal(t, sentences[stateInvestigating], n.Updates[0].Bodies)
	o.becomes(healthapi.IncidentMitigated, healthapi.EventIncidentChanged)
	s.untilNotice(func(n Notice) bool { return n.State == stateMonitoring })
	o.becomes(healthapi.IncidentResolved, healthapi.EventIncidentResolved)
	n = s.untilNotice(func(n Notice) bool { return n.State == stateResolved })
	require.NotNil(t, n.ResolvedAt)
	o.becomes(healthapi.IncidentOpen, healthapi.EventIncidentOpened)
	n = s.untilNotice(func(n Notice) bool { return n.State == stateInvestigating })
	require.Equal(t, againBegun, n.Updates[0].Bodies, "it came back: an update, and no second notice")
	require.Len(t, n.Updates, 4)
	require.Nil(t, n.ResolvedAt)
}

func TestTheRuleOfAPagePublishesAtOnceUnlessEverythingAutomaticIsStopped(t *testing.T) {
	t.Parallel()
	auto := fields{"draft": true, "publish": "at_once", "min_severity": "warning"}
	s, node := watched(t, auto)
	s.outage(node, "warning")
	n := s.untilNotice(func(n Notice) bool { return n.Published })
	require.Equal(t, "minor", n.Impact)

	stopped, other := watched(t, auto)
	stopped.admin.Post("/api/v1/system/automation/stop", fields{"reason": "strange"}).Is(http.StatusOK)
	stopped.outage(other, "critical")
	n = stopped.untilNotice(func(Notice) bool { return true })
	require.False(t, n.Published)
	require.Equal(t, "major", n.Impact)
}

func TestADraftIsPublishedTenMinutesLaterIfNobodyDealtWithIt(t *testing.T) {
	t.Parallel()
	s, node := watched(t, fields{"draft": true, "publish": "after_10_min", "min_severity": "critical"})
	o := s.outage(node, "critical")
	n := s.untilNotice(func(Notice) bool { return true })
	require.False(t, n.Published)
	require.WithinDuration(t, time.Now().Add(laterMeans), *n.PublishAt, 2*time.Minute)
	require.NoError(t, s.own.publishDue(t.Context()))
	require.False(t, s.notices()[0].Published, "not yet")
	o.write("update statuspage_notices set publish_at = now() - interval '1 second'")
	s.RunSchedule("statuspage.publish")
	s.untilNotice(func(n Notice) bool { return n.Published })
}

func TestWhatIsOverBeforeItWasToldIsNotPublished(t *testing.T) {
	t.Parallel()
	s, node := watched(t, fields{"draft": true, "publish": "after_10_min", "min_severity": "critical"})
	o := s.outage(node, "critical")
	s.untilNotice(func(Notice) bool { return true })
	o.becomes(healthapi.IncidentResolved, healthapi.EventIncidentResolved)
	n := s.untilNotice(func(n Notice) bool { return n.State == stateResolved })
	require.Nil(t, n.PublishAt)
	require.False(t, n.Published)
}

func TestReadersAreNotToldOfWhatTheyDoNotSee(t *testing.T) {
	t.Parallel()
	s, node := watched(t, fields{"draft": true, "publish": "at_once", "min_severity": "critical"})
	slight := s.outage(node, "warning")
	require.NoError(t, s.own.follow(t.Context(), slight.id))
	require.Empty(t, s.notices(), "a warning is below what the page is told of")
	other := s.outage(s.admin.AddNode("fra-secret-1"), "critical")
	require.NoError(t, s.own.follow(t.Context(), other.id))
	require.Empty(t, s.notices(), "no component stands for that node")
	s.admin.Patch(s.at(""), fields{
		"revision": s.read().Revision, "auto": fields{"draft": false, "publish": "never", "min_severity": "warning"},
	}).Is(http.StatusOK)
	slight.write("delete from health_incident_subjects")
	require.NoError(t, s.own.follow(t.Context(), s.outage(node, "critical").id))
	require.Empty(t, s.notices(), "the page wants no drafts")
}
