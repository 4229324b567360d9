package engine

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Words for a time and for a kind of thing narrow what is read of the journal.
func TestTheJournalIsAskedForWhatTheQuestionNames(t *testing.T) {
	t.Parallel()
	p := two()
	p["/api/v1/audit"] = `{"items":[],"total":0}`
	for text, want := range map[string]url.Values{
		"Who changed the flow main yesterday?": values("action", "flow.*", "object", "f1", "from", "2026-11-19T00:00:00Z",
			"to", "2026-11-20T00:00:00Z"),
		"Who changed the port of main today?":       values("action", "flow.*", "object", "f1", "from", "2026-11-20T00:00:00Z"),
		"Who deleted nodes this week?":              values("action", "node.*", "from", "2026-11-13T00:00:00Z"),
		"Who created clients in the last hour?":     values("action", "client.*", "from", "2026-11-20T11:00:00Z"),
		"Who logged in?":                            values("action", "account.login_ok"),
		"Who changed ams-1?":                        values("object", "n1"),
		"Кто менял лицензию вчера?":                 values("action", "license.*", "from", "2026-11-19T00:00:00Z", "to", "2026-11-20T00:00:00Z"),
		"Кто удалял пулы за последнюю неделю?":      values("action", "pool.*", "from", "2026-11-13T00:00:00Z"),
		"Кто перезапускал ams-2 за последний час?":  values("object", "n2", "from", "2026-11-20T11:00:00Z"),
		"Кто остановил автоматику сегодня?":         values("action", "automation.*", "from", "2026-11-20T00:00:00Z"),
		"Who changed notifications?":                values("action", "notification.*"),
		"Who put ams-1 into maintenance this week?": values("action", "node.*", "object", "n1", "from", "2026-11-13T00:00:00Z"),
		"Кто создал домен?":                         values("action", "domain.*"),
		"Who changed the backup?":                   values("action", "backup.*"),
	} {
		answer, offers := respond(t, p, text, "en")
		require.Equal(t, "who_changed", answer.Topic, text)
		require.Empty(t, offers, text)
		read := answer.Read[len(answer.Read)-1].Path
		query, err := url.ParseQuery(strings.TrimPrefix(read, "/api/v1/audit?"))
		require.NoError(t, err)
		want.Set("limit", "200")
		want.Set("result", "ok")
		require.Equal(t, want, query, text)
		require.Equal(t, []string{"Nobody: the journal has nothing of this kind for that time. -> /audit"}, lines(answer), text)
	}
}

func journal(t *testing.T, total int, lines ...string) panel {
	t.Helper()
	p := two()
	text, err := json.Marshal(map[string]any{"total": total, "items": []json.RawMessage{}})
	require.NoError(t, err)
	p["/api/v1/audit"] = strings.Replace(string(text), "[]", "["+strings.Join(lines, ",")+"]", 1)
	return p
}

func line(kind, name, action, object, changes string) string {
	return `{"at":"2026-11-20T11:00:00Z","actor":{"kind":"` + kind + `","name":"` + name + `"},"action":"` + action + `","object":` +
		object + `,"changes":` + changes + `}`
}

const (
	onFlow   = `{"type":"flow","id":"f1","name":"main"}`
	onClient = `{"type":"client","id":"c1","name":"Ivan"}`
)

// People are told who did what, when and to what; what the panel did by itself, and other kinds of change, are not the
// answer.
func TestTheJournalTellsWhoDidIt(t *testing.T) {
	t.Parallel()
	p := journal(t, 6, line("admin", "eve", "flow.deleted", onFlow, "{}"), line("system", "panel", "flow.deleted", onFlow, "{}"),
		line("agent", "ams-1", "flow.removed", onFlow, "{}"), line("token", "", "client.revoked", onClient, "{}"),
		line("admin", "bob", "flow.updated", onFlow, "{}"),
		line("admin", "bob", "node.enrolled", `{"type":"node","id":"n1","name":""}`, "{}"))
	const head = "By the journal, the newest first (times in UTC): -> /audit"
	deleted, _ := respond(t, p, "Who deleted it?", "en")
	require.Equal(t, []string{
		head, "item: 2026-11-20 11:00 UTC (1 h ago): eve did flow.deleted to main -> /flows/f1",
		"item: 2026-11-20 11:00 UTC (1 h ago): token did client.revoked to Ivan",
	}, lines(deleted))
	created, _ := respond(t, p, "Кто добавил?", "ru")
	require.Equal(t, []string{
		"По журналу, сначала новое (время UTC): -> /audit",
		"item: 2026-11-20 11:00 UTC (1 ч назад): bob — node.enrolled, node -> /nodes/n1",
	}, lines(created))
	all, _ := respond(t, p, "Who changed it?", "en")
	require.Len(t, all.Paragraphs, 5, "every change of a person")
}

// What is not among the newest lines is not known; of many that are, ten are told.
func TestTheJournalSaysWhereItEnds(t *testing.T) {
	t.Parallel()
	unknown, _ := respond(t, journal(t, 500, line("admin", "eve", "flow.updated", onFlow, "{}")), "Who deleted it?", "en")
	require.False(t, unknown.Understood)
	require.Equal(t, []string{"I do not know: it is not among the newest 1 of 500 lines of the journal. -> /audit"}, lines(unknown))
	var many []string
	for range told + 3 {
		many = append(many, line("admin", "eve", "flow.deleted", onFlow, "{}"))
	}
	answer, _ := respond(t, journal(t, 13, many...), "Who deleted it?", "en")
	require.Len(t, answer.Paragraphs, 1+told+1)
	require.Equal(t, "And 3 more. -> /audit", lines(answer)[told+1])
}

// Who changed a port is who changed it: another change of the same thing is none, and the ports are told.
func TestAPortIsFoundInsideAChange(t *testing.T) {
	t.Parallel()
	p := journal(t, 3,
		line("admin", "eve", "flow.updated", onFlow, `{"entry":{"from":{"a":{"port":443}},"to":{"a":{"port":8443}}}}`),
		line("admin", "bob", "flow.updated", onFlow, `{"entry":{"from":{"port":443,"x":1},"to":{"port":443,"x":2}},"name":{"from":"port"}}`),
		line("admin", "ann", "flow.created", onFlow, `{"port":{"from":null,"to":443}}`))
	answer, _ := respond(t, p, "Who changed the port?", "en")
	require.Equal(t, []string{
		"By the journal, the newest first (times in UTC): -> /audit",
		"item: 2026-11-20 11:00 UTC (1 h ago): eve did flow.updated to main, port from 443 to 8443 -> /flows/f1",
		"item: 2026-11-20 11:00 UTC (1 h ago): ann did flow.created to main -> /flows/f1",
	}, lines(answer))
	for _, test := range []struct {
		from, to, was, is string
		changed           bool
	}{
		{`{"port":1}`, `{"port":1}`, "", "", false},
		{`{"port":1}`, `{}`, "1", "-", true},
		{`null`, `{"port":"any"}`, "-", "any", true},
		{`{"port":[1,2]}`, `null`, "[1,2]", "-", true},
		{`{"a":{"b":{"port":65535}}}`, `{"a":{"b":{"port":true}}}`, "65535", "true", true},
		{`"port"`, `7`, "", "", false},
	} {
		var from, to any
		require.NoError(t, json.Unmarshal([]byte(test.from), &from))
		require.NoError(t, json.Unmarshal([]byte(test.to), &to))
		was, is, changed := differing(from, to, "port")
		require.Equal(t, test.changed, changed, test.from)
		require.Equal(t, []string{test.was, test.is}, []string{was, is}, test.from)
	}
}

// Moments are told with how far away they are, in the language of the question, and sizes in the unit that fits.
func TestTimesAndSizesAreTold(t *testing.T) {
	t.Parallel()
	english, russian := &talk{ask: Ask{Language: "en", Now: noon}}, &talk{ask: Ask{Language: "ru", Now: noon}}
	for _, test := range []struct {
		passed        time.Duration
		english, said string
	}{
		{0, "just now", "только что"},
		{59 * time.Second, "just now", "только что"},
		{time.Minute, "1 min ago", "1 мин назад"},
		{time.Hour - time.Second, "59 min ago", "59 мин назад"},
		{time.Hour, "1 h ago", "1 ч назад"},
		{48*time.Hour - time.Second, "47 h ago", "47 ч назад"},
		{48 * time.Hour, "2 days ago", "2 дн. назад"},
		{-time.Millisecond, "in 1 min", "через 1 мин"},
		{-59 * time.Minute, "in 59 min", "через 59 мин"},
		{-time.Hour, "in 1 h", "через 1 ч"},
		{-47 * time.Hour, "in 47 h", "через 47 ч"},
		{-30 * 24 * time.Hour, "in 30 days", "через 30 дн."},
	} {
		require.Equal(t, test.english, english.ago(noon.Add(-test.passed)), test.passed)
		require.Equal(t, test.said, russian.ago(noon.Add(-test.passed)), test.passed)
	}
	require.Equal(t, "2026-11-20 12:00 UTC (just now)", english.moment(noon.In(time.FixedZone("x", 3600))))
	for n, want := range map[int64]string{0: "0 B", 1023: "1023 B", 1024: "1.0 KiB", 1536: "1.5 KiB", 1 << 40: "1.0 TiB", 1 << 62: "4096.0 PiB"} {
		require.Equal(t, want, english.bytes(n))
	}
	for bps, want := range map[float64]string{0: "0 bit/s", 999: "999 bit/s", 1000: "1.0 kbit/s", 2.5e9: "2.5 Gbit/s", 1e16: "10000.0 Tbit/s"} {
		require.Equal(t, want, english.rate(bps))
	}
	require.Equal(t, "/api/v1/nodes/a%2Fb?limit=1&q=x+y", shown("/api/v1/nodes/{id}", values("id", "a/b", "q", "x y", "limit", "1")))
	require.Equal(t, "/api/v1/nodes", shown("/api/v1/nodes", nil))
}
