package abuse

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/abuse/internal/intake"
	"panel/modules/abuse/internal/views"
	"panel/modules/flows/flowsapi"
	"panel/platform/agentapi"
	"panel/platform/cli"
	"panel/platform/database"
	"panel/platform/doctor"
	"panel/platform/module"
)

// Filters choose, orders sort, and pages are read on from their cursor.
func TestSignalsAreFilteredAndPaged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	now := time.Now().UTC()
	for i := range 5 {
		w.tells(int64(i+1), seen(w.users[0], func(s *agentapi.AbuseSignal) {
			s.Count, s.LastAt = int64(i+1), now.Add(-time.Duration(i)*time.Hour)
			s.FirstAt = s.LastAt
		}))
	}
	w.tells(6, seen(w.users[0], func(s *agentapi.AbuseSignal) {
		s.Kind, s.DetectedBy, s.Confidence, s.FlowID = agentapi.AbuseSMTPSpam, agentapi.DetectedByRule, 0.3, w.flows[0]
		s.FirstAt, s.LastAt = now.AddDate(0, 0, -10), now.AddDate(0, 0, -10)
	}))
	require.Len(t, w.signals(""), 5, "those of a week")
	month := "?from=" + url.QueryEscape(now.AddDate(0, 0, -20).Format(time.RFC3339))
	require.Len(t, w.signals(month), 6)
	for query, n := range map[string]int{
		"&kind=smtp_spam": 1, "&kind=torrent": 5, "&detected_by=rule": 1, "&min_confidence=0.5": 5,
		"&node_id=" + w.nodes[0].NodeID: 6, "&node_id=" + w.nodes[1].NodeID: 0, "&node_id=x": 0,
		"&flow_id=" + w.flows[0]: 1, "&user_ref=" + w.users[0]: 6, "&user_ref=" + w.users[1]: 0,
		"&to=" + url.QueryEscape(now.Add(-90*time.Minute).Format(time.RFC3339)): 4,
	} {
		require.Len(t, w.signals(month+query), n, query)
	}
	w.admin.Get("/api/v1/abuse/signals?kind=mining").Refused(http.StatusBadRequest, "bad_parameter")
	require.Equal(t, []int64{1, 2, 3, 4, 5}, w.counts("-last_at"))
	require.Equal(t, []int64{5, 4, 3, 2, 1}, w.counts("-count"))
}

// counts are those of all signals, read in pages of two.
func (w *world) counts(sort string) (all []int64) {
	w.t.Helper()
	for query := "?limit=2&sort=" + sort; ; {
		var page struct {
			Items []views.Signal `json:"items"`
			Next  *string        `json:"next_cursor"`
		}
		w.admin.Get("/api/v1/abuse/signals" + query).Is(http.StatusOK).JSON(&page)
		for _, one := range page.Items {
			all = append(all, one.Count)
		}
		if page.Next == nil {
			return all
		}
		query = "?limit=2&sort=" + sort + "&cursor=" + *page.Next
	}
}

// connected is a line of diversity of a user.
func connected(user string, change func(*agentapi.UserDiversity)) agentapi.UserDiversity {
	now := time.Now().UTC()
	u := agentapi.UserDiversity{
		UserRef: user, IPs: 3, Sources: 2, MaxConcurrent: 2, FirstAt: now.Add(-time.Minute), LastAt: now,
	}
	change(&u)
	return u
}

func (w *world) told(at int, seq int64, batch agentapi.DiversityBatch) {
	w.t.Helper()
	batch.StreamID, batch.Seq = "d-1", seq
	require.NoError(w.t, w.intake.Diversity(w.t.Context(), w.nodes[at].NodeID, &batch))
}

func (w *world) diversity(user, query string) (found views.Diversity) {
	w.t.Helper()
	w.As(string(View)).Get("/api/v1/abuse/users/" + user + "/diversity" + query).Is(http.StatusOK).JSON(&found)
	return found
}

// From where a user was connected is shown over all nodes: windows with the most that one node saw, each network once,
// and which listeners are not seen whole, because what is unknown is not zero.
func TestDiversityIsShownOverAllNodes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	user := w.users[0]
	w.served.serve(w.nodes[1].NodeID, w.flows[0], strings.TrimPrefix(user, "c:"), "user of fra")
	now := time.Now().UTC()
	window := agentapi.Window{From: now.Add(-5 * time.Minute), To: now}
	home := agentapi.UserNetwork{
		ASN: 64500, Name: "Home\u202e net", Kind: agentapi.NetworkHome, Country: "DE", City: "Berlin",
		Prefixes: []string{"aa11", "bb22", "192.0.2.1"}, FirstAt: now.Add(-4 * time.Minute), LastAt: now,
	}
	w.told(0, 1, agentapi.DiversityBatch{
		Window: window, Coverage: []agentapi.Coverage{
			{InboundTag: "in", Source: agentapi.CoverageStats, Complete: true},
			{InboundTag: "wg", Source: agentapi.CoverageStats},
		},
		Users: []agentapi.UserDiversity{connected(user, func(u *agentapi.UserDiversity) {
			u.Networks, u.Countries, u.ASNs = []agentapi.UserNetwork{home}, []string{"de", "DE", "xx", "??"}, []int64{64500, -1}
		})},
	})
	devices := int64(4)
	mobile := home
	mobile.ASN, mobile.Kind, mobile.NAT, mobile.Prefixes = 64501, agentapi.NetworkMobile, true, []string{"cc33"}
	home.Prefixes = []string{"bb22", "dd44"}
	w.told(1, 1, agentapi.DiversityBatch{
		Window: window,
		Users: []agentapi.UserDiversity{connected(user, func(u *agentapi.UserDiversity) {
			u.Sources, u.MaxConcurrent, u.MobileShare, u.Devices = 5, 1, 3, &devices
			u.Networks = []agentapi.UserNetwork{home, mobile}
		})},
	})
	found := w.diversity(user, "")
	require.Equal(t, "user of fra", found.UserLabel)
	require.Equal(t, []int64{5, 2}, []int64{found.MaxSources, found.MaxConcurrent}, "not added up: it may be one source on two nodes")
	require.Equal(t, []string{"DE"}, found.Countries)
	require.Len(t, found.Windows, 1)
	require.ElementsMatch(t, []string{w.nodes[0].NodeID, w.nodes[1].NodeID}, found.Windows[0].NodeIDs)
	require.InDelta(t, 1.0, found.Windows[0].MobileShare, 0)
	require.EqualValues(t, 4, *found.Windows[0].Devices)
	require.Len(t, found.Networks, 2)
	require.Equal(t, "Home net", found.Networks[0].Name)
	require.Equal(t, []int{3, 1}, []int{found.Networks[0].Prefixes, found.Networks[1].Prefixes},
		"a prefix that two nodes saw counts once; an address is no hash")
	require.True(t, found.Networks[1].NAT)
	require.Equal(t, []views.Unseen{{
		NodeID: w.nodes[0].NodeID, NodeName: "fra", InboundTag: "wg", Source: "stats_api", Reason: "not_seen_whole",
	}}, found.Unseen)
	w.served.serves(flowsapi.ServedEntry{FlowID: w.flows[0], Block: "in", NodeID: w.nodes[0].NodeID, Tag: "panel"})
	require.Equal(t, views.Unseen{
		NodeID: w.nodes[0].NodeID, NodeName: "fra", InboundTag: "panel", Reason: "proxy_panel_serves",
	}, w.diversity(user, "").Unseen[1], "no agent sees who comes in at the node of a proxy panel")
	require.Equal(t, 3600, w.diversity(user, "?hours=168").StepSeconds)
}

// A client of whom nothing was told has no windows; who is unknown is not found. An agent tells of its own users alone.
func TestDiversityOfOthersIsNotTaken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	unknown := "abuse diversity " + database.NewID()
	said := w.admin.Command([]module.Module{Module()}, unknown)
	require.Contains(t, said.Err, "nothing is known of this user")
	said = w.admin.Command([]module.Module{Module()}, unknown, "PANEL_LANG", "ru")
	require.Contains(t, said.Err, "об этом пользователе ничего не известно")
	w.told(0, 1, agentapi.DiversityBatch{Users: []agentapi.UserDiversity{
		connected(w.users[1], func(*agentapi.UserDiversity) {}), connected(w.users[0], func(u *agentapi.UserDiversity) {
			u.FirstAt, u.LastAt = time.Unix(1, 0), time.Unix(2, 0)
		}),
	}})
	for _, user := range w.users {
		found := w.diversity(user, "?hours=1")
		require.Empty(t, found.Windows)
		require.NotNil(t, found.Networks)
	}
	require.EqualValues(t, 2, w.agents()[0].Refused)
	for _, ref := range []string{"c:" + database.NewID(), "p:panel:7", "x", "c%3A"} {
		w.admin.Get("/api/v1/abuse/users/"+ref+"/diversity").Refused(http.StatusNotFound, "not_found")
	}
	w.admin.Get("/api/v1/abuse/users/"+w.users[0]+"/diversity?hours=169").
		Refused(http.StatusBadRequest, "bad_parameter")
}

// The newest word about listeners holds: one of which nothing is said any more is forgotten, and an older batch that
// comes late changes nothing.
func TestCoverageIsThatOfTheNewestBatch(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	says := func(seq int64, complete bool, tags ...string) {
		var all []agentapi.Coverage
		for _, tag := range tags {
			one := agentapi.Coverage{InboundTag: tag, Source: agentapi.CoverageAccessLog, Complete: complete}
			all = append(all, one)
		}
		w.told(0, seq, agentapi.DiversityBatch{Dropped: 9, Coverage: all})
	}
	says(1, false, "a", "b", "b", "")
	require.Equal(t, []int{2, 2}, []int{w.agents()[0].Listeners, w.agents()[0].Incomplete})
	says(2, true, "a")
	got := w.agents()[0]
	require.Equal(t, []int{1, 0}, []int{got.Listeners, got.Incomplete})
	require.EqualValues(t, 9, got.Dropped)
	require.Equal(t, "fra", got.NodeName)
	require.NotNil(t, got.DiversityAt)
	require.Nil(t, got.SignalsAt)
}

// Rule: addresses of users are kept for 14 days, the rest for 90, or for less where administrators say so.
func TestOldAddressesAndOldWeeksGo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tells(1, seen(w.users[0], func(s *agentapi.AbuseSignal) {
		s.Source = &agentapi.AbuseSource{IP: "192.0.2.7"}
	}))
	_, err := w.DB.ExecContext(t.Context(), `with old as (select date_trunc('week', now() at time zone 'UTC') - interval '14 weeks' as at)
		select abuse_partition('abuse_signals', at at time zone 'UTC', (at + interval '7 days') at time zone 'UTC') from old`)
	require.NoError(t, err)
	partitions := func() (n int) {
		require.NoError(t, w.DB.NewRaw("select count(*) from pg_inherits where inhparent = 'abuse_signals'::regclass").
			Scan(t.Context(), &n))
		return n
	}
	require.Equal(t, 3, partitions())
	const day = 24 * time.Hour
	require.NoError(t, w.intake.Renew(t.Context(), intake.Kept{All: 90 * day, Addresses: 14 * day}))
	require.Equal(t, 2, partitions(), "the week that ended 13 weeks ago is gone")
	require.Equal(t, "192.0.2.7", w.signals("")[0].Source.IP)
	_, err = w.DB.ExecContext(t.Context(), "update abuse_signals set stored_at = stored_at - interval '1 second'")
	require.NoError(t, err)
	require.NoError(t, w.intake.Renew(t.Context(), intake.Kept{All: 90 * day, Addresses: 0}))
	require.Empty(t, w.signals("")[0].Source.IP)
}

// The schedule keeps to the settings as they hold when it runs.
func TestTheScheduleKeepsToTheSettings(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const path = "/api/v1/abuse/settings"
	require.EqualValues(t, 14, w.As(string(View)).Get(path).Is(http.StatusOK).Value("settings.keep_address_days"))
	w.admin.Put(path, w.set("keep_days", 91)).Refused(http.StatusUnprocessableEntity, "invalid_value")
	w.As(string(View)).Put(path, w.set("keep_days", 30)).Refused(http.StatusForbidden, "permission_denied")
	w.admin.Put(path, w.set("keep_days", 30, "keep_address_days", 1)).Is(http.StatusOK)
	w.tells(1, seen(w.users[0], func(s *agentapi.AbuseSignal) {
		s.Source = &agentapi.AbuseSource{IP: "192.0.2.7"}
	}))
	_, err := w.DB.ExecContext(t.Context(), `select abuse_partition('abuse_signals', at at time zone 'UTC', (at + interval '7 days') at time zone 'UTC')
		from (select date_trunc('week', now() at time zone 'UTC') - interval '7 days' as at) w`)
	require.NoError(t, err)
	_, err = w.DB.ExecContext(t.Context(), "update abuse_signals set stored_at = stored_at - interval '25 hours'")
	require.NoError(t, err)
	w.RunSchedule("abuse.renew")
	require.Empty(t, w.signals("")[0].Source.IP)
}

// set is the body that changes some of the settings, by the names of their fields.
func (w *world) set(changes ...any) fields {
	w.t.Helper()
	body := fields{}
	w.admin.Get("/api/v1/abuse/settings").Is(http.StatusOK).JSON(&body)
	for i := 0; i < len(changes); i += 2 {
		at, path := body["settings"].(fields), strings.Split(changes[i].(string), ".")
		for _, name := range path[:len(path)-1] {
			at = at[name].(fields)
		}
		at[path[len(path)-1]] = changes[i+1]
	}
	return fields{"revision": body["revision"], "settings": body["settings"]}
}

// Who is on the allow-list is left out of lists until the entry ends or is taken back; what was told stays.
func TestTheAllowlistLeavesOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tells(1, seen(w.users[0], func(s *agentapi.AbuseSignal) { s.Source = &agentapi.AbuseSource{ASN: 64500} }))
	const path = "/api/v1/abuse/allowlist"
	news := w.Follow()
	user := w.admin.Post(path, fields{"kind": "user", "value": w.users[0], "note": "ours"}).Is(http.StatusCreated)
	require.Equal(t, "user of fra", user.Text("label"))
	require.Equal(t, News{Kind: "user", Value: w.users[0]}, news.Next(kindAllowed).Data)
	require.Empty(t, w.signals(""))
	require.Len(t, w.signals("?allowed=true"), 1)
	w.admin.Post(path, fields{"kind": "user", "value": w.users[0]}).Refused(http.StatusConflict, "name_taken")
	w.admin.Delete(path + "/" + user.Text("id")).Is(http.StatusNoContent)
	w.admin.Delete(path+"/"+user.Text("id")).Refused(http.StatusNotFound, "not_found")
	require.Len(t, w.signals(""), 1)

	network := w.admin.Post(path, fields{
		"kind": "asn", "value": "AS64500", "until": time.Now().Add(time.Hour).UTC().Format(time.RFC3339),
	}).Is(http.StatusCreated)
	require.Equal(t, "64500", network.Text("value"))
	require.Empty(t, w.signals(""))
	require.EqualValues(t, 1, w.admin.Get(path).Is(http.StatusOK).Value("total"))
	_, err := w.DB.ExecContext(t.Context(), "update abuse_allowlist set until = now() - interval '1 second'")
	require.NoError(t, err)
	require.Len(t, w.signals(""), 1)
	require.EqualValues(t, 0, w.admin.Get(path).Value("total"))
	w.admin.Post(path, fields{"kind": "asn", "value": "64500"}).Is(http.StatusCreated)
	require.Equal(t, []string{kindAllowed, kindDisallowed, kindAllowed, kindAllowed}, w.journal())
}

// journal are the acts on the allow-list, the oldest first.
func (w *world) journal() (actions []string) {
	w.t.Helper()
	err := w.DB.NewRaw("select action from journal where object_type = ? order by seq", object).Scan(w.t.Context(), &actions)
	require.NoError(w.t, err)
	return actions
}

// What names nobody is not put on the allow-list, and whoever may only see changes nothing.
func TestTheAllowlistTakesOnlyWhatIsThere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const path = "/api/v1/abuse/allowlist"
	for _, body := range []fields{
		{"kind": "user", "value": "c:" + database.NewID()},
		{"kind": "user", "value": "p:panel:7"},
		{"kind": "asn", "value": "0"},
		{"kind": "asn", "value": "home"},
		{"kind": "asn", "value": "4294967296"},
		{"kind": "city", "value": "Berlin"},
		{"kind": "asn", "value": "64500", "until": "2020-01-01T00:00:00Z"},
	} {
		w.admin.Post(path, body).Refused(http.StatusUnprocessableEntity, "invalid_value")
	}
	w.As(string(View)).Post(path, fields{"kind": "asn", "value": "64500"}).
		Refused(http.StatusForbidden, "permission_denied")
	require.EqualValues(t, 0, w.admin.Get(path).Value("total"))
}

// The commands show what the API does, in words of both languages.
func TestCommandsShowWhatAgentsTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tells(1, seen(w.users[0], func(s *agentapi.AbuseSignal) {
		s.Dest = &agentapi.AbuseDest{Host: "tracker.example", Port: 80}
	}), seen(w.users[1]))
	w.told(0, 1, agentapi.DiversityBatch{
		Window: agentapi.Window{From: time.Now().Add(-time.Minute), To: time.Now()},
		Users: []agentapi.UserDiversity{connected(w.users[0], func(u *agentapi.UserDiversity) {
			u.Networks = []agentapi.UserNetwork{{ASN: 64500, Name: "Home", Country: "DE"}}
		})},
	})
	all := []module.Module{Module()}
	runs := func(line string, env ...string) string {
		ran := w.admin.Command(all, line, env...)
		require.Equal(t, cli.ExitDone, ran.Exit, ran.Err)
		return ran.Out
	}
	require.Regexp(t, `\ttorrent\tuser of fra\tfra\ttracker.example:80\t3\t90 %\txray_routing\n$`, runs("abuse signals --plain"))
	require.Contains(t, runs("abuse signals --table", "PANEL_LANG", "ru"), "УВЕРЕННОСТЬ")
	id := strings.TrimPrefix(w.users[0], "c:")
	require.Contains(t, runs("abuse diversity "+id+" --plain"), "AS64500\tHome\t-\tDE\t")
	require.Contains(t, runs("abuse agents --plain"), "\t1\tforeign\n")
	require.Contains(t, runs(fmt.Sprintf("abuse allow user %s --note ours --days 2 --plain", w.users[0])), "user of fra\tours\t")
	var listed struct{ Items []Entry }
	w.admin.Get("/api/v1/abuse/allowlist").JSON(&listed)
	require.Contains(t, runs("abuse allowlist --plain"), listed.Items[0].ID)
	require.Empty(t, runs("abuse disallow "+listed.Items[0].ID))
	require.Equal(t, "keep_days\t90\nkeep_address_days\t14\n", runs("abuse settings --plain"))
	require.Equal(t, "keep_days\t30\nkeep_address_days\t14\n", runs("abuse settings --keep-days 30 --plain"))
	require.Equal(t, cli.ExitNotAllowed, w.As().Command(all, "abuse signals").Exit)
}

// asked is what Doctor sees of a database now.
func asked(dsn string) doctor.Env {
	return doctor.Env{
		Now: time.Now, Getenv: func(name string) string { return map[string]string{"PANEL_DB_URL": dsn}[name] },
	}
}

// Doctor names agents that tell of what is not theirs, and those that lose what they have.
func TestDoctorWatchesTheAgents(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dsn := w.DB.Pool.Config().ConnString()
	finds := func(status doctor.Status, text string) {
		t.Helper()
		found := check().Run(t.Context(), asked(dsn))
		require.Equal(t, status, found.Status)
		require.Equal(t, text, found.Found.In("en"))
	}
	finds(doctor.OK, "0 agents tell of abuse, 0 of them do not see all sessions; 0 cases are open")
	w.told(0, 1, agentapi.DiversityBatch{
		Coverage: []agentapi.Coverage{{InboundTag: "in", Source: agentapi.CoverageStats}},
	})
	finds(doctor.OK, "1 agents tell of abuse, 1 of them do not see all sessions; 0 cases are open")
	w.told(0, 2, agentapi.DiversityBatch{Dropped: 3})
	finds(doctor.Warning, "1 agents have lost signals because their buffers were full")
	w.tells(1, seen(w.users[1]))
	finds(doctor.Warning, "1 agents told of users that their nodes do not serve, or what makes no sense")
	require.Equal(t, doctor.Skipped, check().Run(t.Context(), asked("postgres://panel@127.0.0.1:1/panel")).Status)
	w.tells(2, seen(w.users[0]))
	require.Contains(t, w.Scrape(), `panel_abuse_signals{kind="torrent"} 1`)
}

// Doctor, the metrics and their alerts tell of cases that wait and of questions about complaints that do not end.
func TestCasesAndLookupsAreWatched(t *testing.T) {
	t.Parallel()
	w := fleet(t)
	w.tells(1, scan(w.users[0]))
	w.scores()
	w.exec("update abuse_cases set opened_at = now() - interval '2 days'")
	look := func() doctor.Finding { return check().Run(t.Context(), asked(w.DB.Pool.Config().ConnString())) }
	require.Equal(t, "1 agents tell of abuse, 0 of them do not see all sessions; 1 cases are open",
		look().Found.In("en"))
	question := w.ask()
	w.exec("update abuse_lookups set ends_by = now() - interval '1 minute'")
	w.abandon(question.ID)
	require.Equal(t, "1 questions about complaints have no end", look().Found.In("en"))
	shown := w.Scrape()
	require.Contains(t, shown, `panel_abuse_cases{state="open"} 1`)
	require.Regexp(t, `panel_abuse_case_oldest_seconds 1728\d\d`, shown)
	require.Contains(t, shown, "panel_abuse_lookups_late 1")
}
