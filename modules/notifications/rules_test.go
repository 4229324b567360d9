package notifications

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Rule: every kind whose manifest says Notify can be chosen, with its words; a new module's appear by themselves.
func TestTheKindsOfAllModulesCanBeChosen(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	var list EventList
	b.As(string(View)).Get(base + "/events").Is(http.StatusOK).JSON(&list)
	kinds := map[string]EventKind{}
	for _, kind := range list.Items {
		kinds[kind.Kind] = kind
	}
	require.Equal(t, EventKind{
		Kind: probeDown, Family: "probe.*", Severity: "critical", Resolves: []string{},
		English: EventWords{"A probe is down", "Nothing is probed."},
		Russian: EventWords{"Проба не отвечает", "Nothing is probed."},
	}, kinds[probeDown])
	require.NotContains(t, kinds, probeQuit)
	require.Contains(t, kinds, kindFailed)
}

// Rule: a rule names what there is; one whose kind went with its module stays and sends nothing.
func TestRulesNameWhatThereIs(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	admin := b.Admin()
	for _, body := range []fields{
		{"name": "x", "event": "probe.unheard", "channels": []string{"messenger"}},
		{"name": "x", "event": probeQuit, "channels": []string{"messenger"}},
		{"name": "x", "event": "ghost.*", "channels": []string{"messenger"}},
		{"name": "x", "event": "*", "channels": []string{"pigeon"}},
		{"name": "x", "event": "*", "channels": []string{}},
		{"name": "x", "event": "*", "channels": []string{"messenger"}, "cooldown_s": -1},
	} {
		admin.Post(base+"/rules", body).Refused(http.StatusUnprocessableEntity, "invalid_value")
	}
	added := admin.Post(base+"/rules", fields{
		"name": "probes", "event": "probe.*", "channels": []string{"messenger", "messenger"}, "min_severity": "critical",
	}).Is(http.StatusCreated)
	require.Equal(t, []any{"messenger"}, added.Value("channels"))
	require.EqualValues(t, 300, added.Value("cooldown_s"))
	one := base + "/rules/" + added.Text("id")
	admin.Patch(one, fields{"revision": 1, "event": probeOdd, "enabled": false}).Is(http.StatusOK)
	admin.Patch(one, fields{"revision": 1}).Refused(http.StatusConflict, "revision_conflict")
	_, err := b.DB.ExecContext(t.Context(), "update notifications_rules set event = 'gone.kind' where id = ?", added.Text("id"))
	require.NoError(t, err)
	require.Equal(t, false, admin.Get(one).Value("known"))
	admin.Delete(one).Is(http.StatusNoContent)
	admin.Get(one).Refused(http.StatusNotFound, "not_found")
	require.Equal(t, []string{ruleAdded, ruleChanged, ruleRemoved}, b.Recorded(objectRule, added.Text("id")))
}

// Rule: the token and the proxy are write-only; what is left out stays, an empty one goes.
func TestTheTokenIsNeverShown(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.configure(func(s fields) {
		s["messenger"] = fields{"bot_token": token, "chat_id": "1", "thread_id": 0, "proxy": "socks5://u:hidden@p.example:1"}
	})
	viewer := b.As(string(View))
	shown := viewer.Get(base + "/settings").Is(http.StatusOK)
	require.Equal(t, true, shown.Value("settings.messenger.has_bot_token"))
	require.Equal(t, true, shown.Value("settings.messenger.has_proxy"))
	require.NotContains(t, string(shown.Body), token)
	require.NotContains(t, string(shown.Body), "hidden")
	b.configure(func(s fields) { s["messenger"] = fields{"chat_id": "2", "thread_id": 0, "proxy": ""} })
	shown = viewer.Get(base + "/settings")
	require.Equal(t, true, shown.Value("settings.messenger.has_bot_token"))
	require.Equal(t, false, shown.Value("settings.messenger.has_proxy"))
	require.Equal(t, []string{actionSettings, actionSettings}, b.Recorded("settings", "notifications"))
}

func TestSettingsThatCannotWorkAreRefused(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	put := func(change func(fields)) {
		document := fields{
			"messenger":   fields{"bot_token": token, "chat_id": "42", "thread_id": 0},
			"quiet_hours": fields{"enabled": false, "from": "22:00", "to": "07:00", "zone": "UTC"}, "language": "en",
		}
		change(document)
		b.Admin().Put(base+"/settings", fields{"revision": 0, "settings": document}).
			Refused(http.StatusUnprocessableEntity, "invalid_value")
	}
	put(func(s fields) { s["language"] = "xx" })
	put(func(s fields) { s["messenger_api_root"] = "http://169.254.169.254/" })
	put(func(s fields) { s["messenger"] = fields{"bot_token": "a/../b", "chat_id": "1", "thread_id": 0} })
	put(func(s fields) { s["messenger"] = fields{"proxy": "file:///etc", "chat_id": "1", "thread_id": 0} })
	put(func(s fields) {
		s["quiet_hours"] = fields{"enabled": true, "from": "22:00", "to": "07:00", "zone": "Mars/Olympus"}
	})
	put(func(s fields) {
		s["quiet_hours"] = fields{"enabled": true, "from": "25:00", "to": "07:00", "zone": "UTC"}
	})
}

// Rule: quiet hours hold back all but what is critical, over midnight and in their own time zone.
func TestQuietHours(t *testing.T) {
	t.Parallel()
	night := Settings{QuietHours: Quiet{Enabled: true, From: "22:00", To: "07:00", Zone: "Europe/Moscow"}}
	at := func(text string) time.Time {
		moment, err := time.Parse(time.RFC3339, text)
		require.NoError(t, err)
		return moment
	}
	require.Equal(t, at("2026-03-11T04:00:00Z"), night.until(at("2026-03-10T19:00:00Z")))
	require.Equal(t, at("2026-03-11T04:00:00Z"), night.until(at("2026-03-11T03:59:59Z")))
	require.True(t, night.until(at("2026-03-11T04:00:00Z")).IsZero())
	require.True(t, night.until(at("2026-03-10T18:59:59Z")).IsZero())
	night.QuietHours.Enabled = false
	require.True(t, night.until(at("2026-03-10T20:00:00Z")).IsZero())
	noon := Settings{QuietHours: Quiet{Enabled: true, From: "12:00", To: "13:00", Zone: "UTC"}}
	require.Equal(t, at("2026-03-11T13:00:00Z"), noon.until(at("2026-03-11T12:30:00Z")))
	same := Settings{QuietHours: Quiet{Enabled: true, From: "12:00", To: "12:00", Zone: "UTC"}}
	require.True(t, same.until(at("2026-03-11T12:00:00Z")).IsZero())
}

func TestQuietHoursHoldBackAllButWhatIsCritical(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	now := b.Clock.Now().UTC()
	b.configure(func(s fields) {
		s["quiet_hours"] = fields{
			"enabled": true, "zone": "UTC", "from": now.Add(-time.Hour).Format("15:04"), "to": now.Add(2 * time.Hour).Format("15:04"),
		}
	})
	b.happens(probeOdd, "p1", "first")
	b.happens(probeDown, "p2", "second")
	require.Contains(t, b.api.next(t, 1)[0].Text, "A probe is down")
	held := b.until("&state=queued", 1)
	require.Equal(t, probeOdd, held[0].Kind)
	require.Greater(t, held[0].NotBefore.Sub(now), time.Hour)
	require.Len(t, b.api.messages(), 1)
}
