package abuse

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/abuse/internal/cases"
	"panel/modules/abuse/internal/score"
	"panel/modules/flows/flowsapi"
	"panel/platform/agentapi"
	"panel/platform/database"
)

const casesPath = "/api/v1/abuse/cases"

// scan is a signal that makes a user conspicuous by itself.
func scan(user string, change ...func(*agentapi.AbuseSignal)) agentapi.AbuseSignal {
	return seen(user, append([]func(*agentapi.AbuseSignal){func(s *agentapi.AbuseSignal) {
		s.Kind, s.Count, s.DetectedBy, s.Confidence = agentapi.AbusePortScan, 500, agentapi.DetectedByFlows, 1
	}}, change...)...)
}

// scores lets the panel score what has come.
func (w *world) scores() {
	w.t.Helper()
	require.Eventually(w.t, func() bool { // another transaction of the panel may hold back what was stored
		require.NoError(w.t, w.cases.CatchUp(w.t.Context()))
		var left int
		require.NoError(w.t, w.DB.NewRaw(`select (select count(*) from abuse_signals s, abuse_progress p
				where (s.xact, s.user_ref) > (p.signals_xact, p.signals_ref))
			+ (select count(*) from abuse_diversity d, abuse_progress p
				where (d.xact, d.user_ref) > (p.diversity_xact, p.diversity_ref))`).Scan(w.t.Context(), &left))
		return left == 0
	}, time.Minute, 10*time.Millisecond)
}

func (w *world) openCases(query string) (found []cases.Line) {
	w.t.Helper()
	var page struct {
		Items []cases.Line `json:"items"`
		Total int          `json:"total"`
	}
	w.As(string(View)).Get(casesPath + query).Is(http.StatusOK).JSON(&page)
	require.Len(w.t, page.Items, page.Total)
	return page.Items
}

func (w *world) theCase() (found cases.Case) {
	w.t.Helper()
	all := w.openCases("")
	require.Len(w.t, all, 1)
	w.As(string(View)).Get(casesPath + "/" + all[0].ID).Is(http.StatusOK).JSON(&found)
	return found
}

// exec changes the database behind the panel's back, as time does.
func (w *world) exec(statement string, args ...any) {
	w.t.Helper()
	_, err := w.DB.NewRaw(statement, args...).Exec(w.t.Context())
	require.NoError(w.t, err)
}

// Rule: a conspicuous user gets a case with its evidence, its sentences and a recommended step, and people are told.
func TestAConspicuousUserGetsACase(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	news := w.Follow()
	w.told(0, 1, agentapi.DiversityBatch{
		Coverage: []agentapi.Coverage{{InboundTag: "in", Source: agentapi.CoverageStats}},
		Users:    []agentapi.UserDiversity{connected(w.users[0], func(*agentapi.UserDiversity) {})},
	})
	w.scores()
	require.Empty(t, w.openCases(""))
	w.tells(1, scan(w.users[0], func(s *agentapi.AbuseSignal) { s.FlowID = w.flows[0] }))
	w.scores()
	got := w.theCase()
	require.Equal(t, cases.User{Name: "user of fra", Known: true}, got.User)
	require.Equal(t, cases.Open, got.State)
	require.Equal(t, 80, got.Score)
	require.Equal(t, 255, got.Most)
	require.Equal(t, score.SoftBlock, got.Recommended)
	require.Equal(t, map[string]int64{"port_scan": 500}, got.Signals)
	require.Equal(t, "port_scan, 500 times", got.Why.Text)
	require.Equal(t, "signal", got.Findings[0].Code)
	require.Equal(t, w.nodes[0].NodeID, got.Findings[0].NodeID)
	require.Equal(t, []cases.Named{{ID: w.nodes[0].NodeID, Name: "fra"}}, got.Nodes)
	require.Equal(t, []cases.Named{{ID: w.flows[0], Name: "flow of a test"}}, got.Flows)
	require.Equal(t, []cases.Incomplete{{NodeID: w.nodes[0].NodeID, Node: "fra", Why: "not_seen_whole", Listeners: 1}},
		got.Incomplete)
	entry := flowsapi.ServedEntry{FlowID: w.flows[0], Block: "in", NodeID: w.nodes[0].NodeID, Tag: "panel"}
	w.served.serves(entry, entry)
	require.Equal(t, cases.Incomplete{
		NodeID: w.nodes[0].NodeID, Node: "fra", Why: "proxy_panel_serves", Listeners: 2,
	}, w.theCase().Incomplete[1])
	require.Len(t, got.Breakdown, 7)
	told := news.Next(cases.EventOpened)
	require.Equal(t, got.ID, told.SubjectID)
	require.Equal(t, "user of fra", told.Data.(cases.News).User)
	w.admin.Get(casesPath+"/"+database.NewID()).Refused(http.StatusNotFound, "not_found")
	w.admin.Get(casesPath+"/x").Refused(http.StatusNotFound, "not_found")
	w.As("nodes.view").Get(casesPath).Refused(http.StatusForbidden, "permission_denied")
	w.scores()
	require.Len(t, w.openCases(""), 1, "nothing new came")
}

// Rule: no false case for a crowd behind one carrier address.
func TestACrowdBehindACarrierIsNoCase(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var crowd []agentapi.UserDiversity
	for i := range 200 {
		client := database.NewID()
		w.served.serve(w.nodes[0].NodeID, w.flows[0], client, fmt.Sprint("crowd ", i))
		crowd = append(crowd, connected("c:"+client, func(u *agentapi.UserDiversity) {
			u.IPs, u.Sources, u.MaxConcurrent = 1, 1, 1
			u.Networks = []agentapi.UserNetwork{{ASN: 64510, NAT: true, Country: "RU", Prefixes: []string{"aa"}}}
		}))
	}
	w.told(0, 1, agentapi.DiversityBatch{Users: crowd})
	w.scores()
	require.Empty(t, w.openCases(""))
	var subjects, conspicuous int
	require.NoError(t, w.DB.NewRaw("select count(*), count(*) filter (where score > 0) from abuse_subjects").
		Scan(t.Context(), &subjects, &conspicuous))
	require.Equal(t, [2]int{200, 0}, [2]int{subjects, conspicuous})
}

// Rule: a case is scored again after its cool-down of 15 minutes, also where a clock has jumped.
func TestACaseIsScoredAgainAfterItsCoolDown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tells(1, scan(w.users[0]))
	w.scores()
	w.tells(2, scan(w.users[0], func(s *agentapi.AbuseSignal) { s.Kind = agentapi.AbuseTorrent }))
	w.scores()
	require.Equal(t, 80, w.theCase().Score, "it was scored a moment ago")
	w.exec("update abuse_cases set scored_at = scored_at - interval '15 minutes'")
	w.scores()
	require.Equal(t, 110, w.theCase().Score)
	w.exec("update abuse_cases set scored_at = now() + interval '3 days', score = 1")
	w.scores()
	require.Equal(t, 110, w.theCase().Score, "a score from the future waits for no clock")
}

// Rules: a batch that comes twice counts once; what comes after a day, or out of its sequence, is no evidence of now.
func TestEvidenceCountsOnceAndInItsTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	old := scan(w.users[0], func(s *agentapi.AbuseSignal) {
		s.FirstAt, s.LastAt = s.FirstAt.AddDate(0, 0, -2), s.LastAt.AddDate(0, 0, -2)
	})
	w.tells(2, old)
	w.tells(1, old)
	w.scores()
	require.Empty(t, w.openCases(""))
	w.tells(3, scan(w.users[0], func(s *agentapi.AbuseSignal) { s.Count = 10 }))
	w.tells(3, scan(w.users[0], func(s *agentapi.AbuseSignal) { s.Count = 10 }))
	w.scores()
	require.Equal(t, map[string]int64{"port_scan": 10}, w.theCase().Signals)
}

// Rule: two panels score at the same time and open one case.
func TestTwoPanelsOpenOneCase(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range 20 {
		client := database.NewID()
		w.served.serve(w.nodes[0].NodeID, w.flows[0], client, fmt.Sprint("user ", i))
		w.tells(int64(i+1), scan("c:"+client), scan("c:"+client))
	}
	var both sync.WaitGroup
	for range 4 {
		both.Go(func() { _ = w.cases.CatchUp(t.Context()) })
	}
	both.Wait()
	w.scores()
	require.Len(t, w.openCases(""), 20)
	require.Len(t, w.openCases("?q=user+7"), 1)
	require.Empty(t, w.openCases("?min_score=81"))
	require.Len(t, w.openCases("?state=open&recommended=soft_block&node_id="+w.nodes[0].NodeID), 20)
	require.Empty(t, w.openCases("?node_id="+w.nodes[1].NodeID))
	require.Empty(t, w.openCases("?node_id=x"))
	one := w.openCases("?q=%237")
	require.Len(t, one, 1)
	require.EqualValues(t, 7, one[0].Number)
	require.Len(t, w.openCases("?sort=-score&user_ref="+one[0].UserRef), 1)
}

// Rule: who is on the allow-list has no case, and a network there says nothing.
func TestTheAllowlistKeepsCasesFromBeingOpened(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.admin.Post("/api/v1/abuse/allowlist", fields{"kind": "user", "value": w.users[0]}).Is(http.StatusCreated)
	w.admin.Post("/api/v1/abuse/allowlist", fields{"kind": "asn", "value": "64500"}).Is(http.StatusCreated)
	other := database.NewID()
	w.served.serve(w.nodes[0].NodeID, w.flows[0], other, "other")
	w.tells(1, scan(w.users[0]),
		scan("c:"+other, func(s *agentapi.AbuseSignal) { s.Source = &agentapi.AbuseSource{ASN: 64500} }))
	w.told(0, 1, agentapi.DiversityBatch{Users: []agentapi.UserDiversity{
		connected("c:"+other, func(u *agentapi.UserDiversity) {
			u.IPs, u.Sources, u.MaxConcurrent = 60, 60, 60
			u.Networks = []agentapi.UserNetwork{{ASN: 64500, Prefixes: make([]string, 0)}}
			for i := range 60 {
				u.Networks[0].Prefixes = append(u.Networks[0].Prefixes, fmt.Sprintf("%04x", i))
			}
		}),
	}})
	w.scores()
	require.Empty(t, w.openCases(""))
}

// Rules: a dismissed case is opened again only by worse evidence; who is left alone has no case until then; a person
// may open it again; the journal says who did it.
func TestACaseIsDismissedAndOpenedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tells(1, scan(w.users[0]))
	w.scores()
	one := w.theCase()
	path := casesPath + "/" + one.ID
	w.As(string(View)).Patch(path, fields{"revision": 1, "state": "dismissed"}).
		Refused(http.StatusForbidden, "permission_denied")
	w.admin.Patch(path, fields{"state": "dismissed"}).Refused(http.StatusBadRequest, "missing_field")
	w.admin.Patch(path, fields{"revision": 7, "state": "dismissed"}).Refused(http.StatusConflict, "revision_conflict")
	w.admin.Patch(path, fields{"revision": 1, "state": "expired"}).Refused(http.StatusUnprocessableEntity, "invalid_value")
	gone := w.admin.Patch(path, fields{"revision": 1, "state": "dismissed", "note": "One household."}).Is(http.StatusOK)
	require.Equal(t, "dismissed", gone.Text("state"))
	require.EqualValues(t, 2, gone.Value("revision"))
	require.NotEmpty(t, gone.Text("closed_by"))
	require.Equal(t, []string{cases.ActionNoted, cases.EventChanged}, w.Recorded(cases.Object, one.ID))

	w.tells(2, scan(w.users[0]))
	w.scores()
	require.Equal(t, cases.Dismissed, w.theCase().State, "the same again is what was dismissed")
	w.exec("update abuse_cases set closed_at = now() - interval '1 minute'")
	w.tells(3, scan(w.users[0], func(s *agentapi.AbuseSignal) { s.Kind = agentapi.AbuseSMTPSpam }))
	w.scores()
	again := w.theCase()
	require.Equal(t, cases.Open, again.State, "worse than what was dismissed")
	require.Equal(t, 1, again.Reopened)
	require.Len(t, again.Notes, 1)

	w.admin.Patch(path, fields{
		"revision": again.Revision, "state": "dismissed", "whitelist_until": time.Now().Add(time.Hour).UTC(),
	}).Is(http.StatusOK)
	w.exec("update abuse_cases set closed_at = now() - interval '8 days'")
	w.tells(4, scan(w.users[0], func(s *agentapi.AbuseSignal) { s.Kind = agentapi.AbuseFlood }))
	w.scores()
	require.Equal(t, cases.Dismissed, w.theCase().State, "left alone")
	w.exec("update abuse_cases set whitelist_until = now() - interval '1 second'")
	w.tells(5, scan(w.users[0]))
	w.scores()
	all := w.openCases("?sort=opened_at")
	require.Len(t, all, 2, "after a week another case begins")
	require.Equal(t, 1, all[1].Earlier)
	w.admin.Patch(path, fields{"revision": all[0].Revision, "state": "open"}).Refused(http.StatusConflict, "case_live")
}

// Notes are kept with who wrote them; what says nothing is refused.
func TestNotes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tells(1, scan(w.users[0]))
	w.scores()
	path := casesPath + "/" + w.theCase().ID + "/notes"
	w.admin.Post(path, fields{"text": "   "}).Refused(http.StatusUnprocessableEntity, "invalid_value")
	w.admin.Post(path, fields{"text": "Asked the reseller. \u202e<b>"}).Is(http.StatusCreated)
	w.admin.Post(casesPath+"/x/notes", fields{"text": "a"}).Refused(http.StatusNotFound, "not_found")
	notes := w.theCase().Notes
	require.Len(t, notes, 1)
	require.NotEmpty(t, notes[0].By)
}

// Rule: open cases of which nothing was heard for a month end by themselves, and closed ones go with what is kept.
func TestOldCasesEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tells(1, scan(w.users[0]))
	w.scores()
	w.exec("update abuse_cases set evidence_at = now() - interval '31 days'")
	w.exec("update abuse_subjects set state = '{}'")
	w.scores()
	require.Equal(t, cases.Expired, w.theCase().State)
	w.exec("update abuse_cases set closed_at = now() - interval '91 days'")
	w.exec("update abuse_subjects set updated_at = now() - interval '91 days'")
	w.RunSchedule("abuse.renew")
	require.Empty(t, w.openCases(""))
	var left int
	require.NoError(t, w.DB.NewRaw("select count(*) from abuse_subjects").Scan(t.Context(), &left))
	require.Zero(t, left)
}

// Rule: the document abuse has the settings, one salt of the fleet that is sealed where it is kept, and the users with
// a live case; the same is not set twice.
func TestAgentsAreToldWhatToLookFor(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.ableTo(agentapi.DocumentAbuse.Capability())
	require.NoError(t, w.watching.Place(t.Context()))
	first := w.holds(0)
	require.True(t, first.Collect)
	require.Len(t, first.Salt, 32)
	require.Equal(t, agentapi.UsualAbuseLimits, first.Limits)
	require.Equal(t, agentapi.AbuseRecord{Hours: 24, MB: 256}, first.Record)
	require.Empty(t, first.Told)
	require.Equal(t, first.Salt, w.holds(1).Salt)
	var sealed string
	require.NoError(t, w.DB.NewRaw("select sealed from abuse_secrets").Scan(t.Context(), &sealed))
	require.NotContains(t, sealed, string(first.Salt))
	require.NotContains(t, string(w.admin.Get("/api/v1/abuse/settings").Is(http.StatusOK).Body), "salt")

	w.tells(1, scan(w.users[0]))
	w.scores()
	w.admin.Put("/api/v1/abuse/settings", w.set("hosts", []string{"*.Phish.Example", "phish.example"},
		"countries", []string{"kp"}, "collect.kinds", []string{"torrent"})).Is(http.StatusOK)
	require.Eventually(t, func() bool { return len(w.holds(0).Hosts) == 1 && len(w.holds(0).Told) == 1 },
		time.Minute, 20*time.Millisecond)
	now := w.holds(0)
	require.Equal(t, []string{w.users[0]}, now.Told)
	require.Equal(t, []string{"phish.example"}, now.Hosts)
	require.Equal(t, []string{"KP"}, now.Countries)
	require.Equal(t, []agentapi.AbuseKind{agentapi.AbuseTorrent}, now.Kinds)
	require.Equal(t, first.Salt, now.Salt)
}

// holds is the document abuse that a node is to hold.
func (w *world) holds(at int) (found agentapi.AbuseWatch) {
	w.t.Helper()
	var document agentapi.Document
	w.nodes[at].Get("/agent/v1/desired/abuse").Is(http.StatusOK).JSON(&document)
	require.NoError(w.t, json.Unmarshal(document.Content, &found))
	return found
}

// ableTo lets the agents of all nodes name capabilities, and waits until the panel has heard of it.
func (w *world) ableTo(capabilities ...agentapi.Capability) {
	w.t.Helper()
	for _, n := range w.nodes {
		n.Online(func(h *agentapi.Heartbeat) { h.Capabilities = append(h.Capabilities, capabilities...) })
	}
	require.Eventually(w.t, func() bool {
		var able int
		require.NoError(w.t, w.DB.NewRaw("select count(*) from node_reports where jsonb_exists(report->'capabilities', ?)",
			string(capabilities[0])).Scan(w.t.Context(), &able))
		return able == len(w.nodes)
	}, time.Minute, 10*time.Millisecond)
}
