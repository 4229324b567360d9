package engine

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// lines are the paragraphs of an answer with where they lead to; those that are no plain text say what they are.
func lines(a Answer) (out []string) {
	for _, p := range a.Paragraphs {
		text := p.Text
		if p.Kind != Text {
			text = p.Kind + ": " + text
		}
		for _, link := range p.Links {
			text += " -> " + link.Href
		}
		out = append(out, text)
	}
	return out
}

// Answers tell what the panel says, sentence by sentence, each where it leads to.
func TestAnswersTellWhatThePanelSays(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text, language string
		panel          panel
		want           []string
	}{
		{
			"When does the license expire?", "en",
			panel{"/api/v1/license/status": `{"state":"active","reason":"ok","plan":"Pro","valid_until":"2026-12-20T12:00:00Z"}`},
			[]string{
				"The plan is Pro. -> /license", "The license is valid until 2026-12-20 12:00 UTC (in 30 days). -> /license",
				"Its state is active: in order. -> /license",
			},
		},
		{
			"Почему режим чтения?", "ru",
			panel{"/api/v1/license/status": `{"state":"degraded","reason":"unreachable","read_only":true,
				"grace_until":"2026-11-20T12:30:00Z"}`},
			[]string{
				"Состояние: только чтение, сервер лицензий недоступен. -> /license",
				"warning: Льготный срок кончается 2026-11-20 12:30 UTC (через 30 мин).",
				"warning: Панель в режиме чтения, пока не активирована лицензия.",
			},
		},
		{
			"Is the panel read-only?", "en",
			panel{"/api/v1/license/status": `{"state":"grace","reason":"unreachable"}`},
			[]string{"Its state is grace: the license server cannot be reached. -> /license", "The panel is not read-only."},
		},
		{
			"When was the last backup?", "en",
			panel{
				"/api/v1/backups/profiles": `{"total":3,"items":[
					{"name":"daily","last_success_at":"2026-11-19T12:00:00Z","next_run_at":"2026-11-20T12:00:00Z"},
					{"name":"hourly","last_success_at":"2026-11-20T11:30:00Z"}, {"name":"never"}]}`,
				"/api/v1/backups/runs": `{"items":[{"state":"failed","profile_name":"hourly","created_at":"2026-11-20T11:59:30Z"}]}`,
			},
			[]string{
				"The last backup that succeeded was made 2026-11-20 11:30 UTC (30 min ago). -> /backups",
				"item: Profile daily runs next 2026-11-20 12:00 UTC (just now)",
				"item: The newest run, of profile hourly, 2026-11-20 11:59 UTC (just now): failed -> /backups",
			},
		},
		{
			"Когда был последний бэкап?", "ru",
			panel{
				"/api/v1/backups/profiles": `{"total":1,"items":[{"name":"daily"}]}`,
				"/api/v1/backups/runs":     `{"items":[{"state":"succeeded"}]}`,
			},
			[]string{"warning: Ни один бэкап ещё не удался. -> /backups"},
		},
		{
			"When was the last backup?", "en",
			panel{"/api/v1/backups/profiles": `{"total":0,"items":[]}`},
			[]string{"There is no backup: no profile is set up. -> /backups"},
		},
		{
			"Which certificates expire?", "en",
			panel{"/api/v1/certificates": `{"total":3,"items":[
				{"names":["none.example.com"],"state":"issuing"},
				{"names":["late.example.com"],"state":"valid","not_after":"2027-01-20T12:00:00Z","renew_at":"2026-12-20T12:00:00Z"},
				{"names":["soon.example.com","www.example.com"],"state":"expiring","not_after":"2026-11-21T12:00:00Z"}]}`},
			[]string{
				"Certificates: 3; the first to expire stand first. -> /domains/certificates",
				"item: soon.example.com, www.example.com: expiring, expires 2026-11-21 12:00 UTC (in 24 h)",
				"item: late.example.com: valid, expires 2027-01-20 12:00 UTC (in 61 days), renewed by itself 2026-12-20 12:00 UTC (in 30 days)",
				"item: none.example.com: being issued, not issued",
			},
		},
		{
			"Когда истекает сертификат WWW.example.com?", "ru",
			panel{"/api/v1/certificates": `{"total":2,"items":[
				{"names":["a.example.com","www.Example.com"],"state":"expired","not_after":"2026-11-10T12:00:00Z"},
				{"names":["b.example.com"],"state":"valid"}]}`},
			[]string{
				"Сертификатов: 1; первыми те, что истекут раньше. -> /domains/certificates",
				"item: a.example.com, www.Example.com: истёк, истекает 2026-11-10 12:00 UTC (10 дн. назад)",
			},
		},
		{
			"Is an update available?", "en",
			panel{
				"/api/v1/system/status":  `{"version":"1.2.3"}`,
				"/api/v1/system/updates": `{"configured":true,"available":{"version":"1.3.0"}}`,
			},
			[]string{"The panel has version 1.2.3. -> /updates", "Version 1.3.0 is available."},
		},
		{
			"Доступно ли обновление?", "ru",
			panel{"/api/v1/system/status": `{"version":"1.2.3"}`, "/api/v1/system/updates": `{"configured":false}`},
			[]string{"Версия панели: 1.2.3. -> /updates", "Сервер выпусков не задан, панель не знает об обновлениях."},
		},
		{
			"What does Doctor find?", "en",
			panel{"/api/v1/system/diagnostics": `{"doctor":{"checks":[
				{"title":"disk","status":"warn","finding":"90 % used","action":"make room"}, {"title":"clock","status":"ok"},
				{"title":"agent","status":"skipped"}, {"title":"dns","status":"fail","finding":"no answer"}]}}`},
			[]string{
				"Findings of Doctor: 2. -> /diagnostics", "item: disk (warn): 90 % used; what to do: make room",
				"item: dns (fail): no answer",
			},
		},
		{
			"Что находит доктор?", "ru",
			panel{"/api/v1/system/diagnostics": `{"doctor":{"checks":[{"title":"disk","status":"warn",
				"finding":"90 % used","action":"make room","translations":{"ru":{"title":"диск","finding":"занято 90 %","action":""}}}]}}`},
			[]string{"Находок доктора: 1. -> /diagnostics", "item: диск (warn): занято 90 %; что делать: make room"},
		},
		{
			"What does Doctor find?", "en",
			panel{"/api/v1/system/diagnostics": `{"doctor":{"checks":[{"status":"ok"}]}}`},
			[]string{"Doctor has found nothing wrong. -> /diagnostics"},
		},
		{
			"Is the automation stopped?", "en",
			panel{"/api/v1/system/automation": `{"stopped":true,"by":"eve","reason":"odd","at":"2026-11-20T10:00:00Z"}`},
			[]string{"warning: Automatic acts are stopped since 2026-11-20 10:00 UTC (2 h ago) by eve: odd -> /settings"},
		},
		{
			"What can I do?", "en",
			panel{"/api/v1/auth/me": `{"account":{"username":"eve"},"permissions":["a.view","b.edit"]}`},
			[]string{"You are eve. Your permissions: a.view, b.edit -> /account/security"},
		},
		{
			"Who has access?", "en",
			panel{"/api/v1/accounts": `{"total":22,"items":[
				{"id":"1","username":"eve","permissions":["a.view"]}, {"id":"2","username":"bob","state":"disabled"}]}`},
			[]string{"Accounts: 22. -> /accounts", "item: eve: a.view -> /accounts/1", "item: bob: - (disabled) -> /accounts/2", "And 20 more. -> /accounts"},
		},
		{
			"What is going on?", "en",
			panel{"/api/v1/operations": `{"total":1,"items":[
				{"kind":"backup.run","progress":40,"started_by":"eve","created_at":"2026-11-20T11:58:00Z"}]}`},
			[]string{
				"Operations that go on and you may see: 1.", "item: backup.run, 40 %, started 2026-11-20 11:58 UTC (2 min ago) by eve",
			},
		},
		{
			"Есть ли жалобы?", "ru",
			panel{"/api/v1/abuse/cases": `{"total":1,"items":[{"number":7,"id":"c","opened_at":"2026-11-18T12:00:00Z"}]}`},
			[]string{"Открытых дел о злоупотреблениях: 1. -> /abuse", "item: Дело 7 с 2026-11-18 12:00 UTC (2 дн. назад) -> /abuse/cases/c"},
		},
		{
			"When is the next payment?", "en",
			panel{"/api/v1/cloud-providers/billing": `{"due":[
				{"name":"server","account":"main","due_at":"2026-11-20T13:00:00Z"}]}`},
			[]string{"Payments that are due soon: 1.", "item: server (main): 2026-11-20 13:00 UTC (in 1 h)"},
		},
		{
			"How many clients are online?", "en",
			panel{
				"/api/v1/clients": `{"total":12}`, "/api/v1/nodes/summary": `{"figures":{"sessions":30}}`,
			},
			[]string{
				"Clients: 12, of them active: 12. -> /clients", "item: Sessions at this moment: 30; the panel does not count people",
			},
		},
		{
			"Какие версии на нодах?", "ru",
			panel{"/api/v1/nodes/summary": `{"agents":[{"version":"1.2","nodes":3},{"nodes":1}]}`},
			[]string{"Версии агентов на нодах: -> /updates", "item: 1.2: нод 3", "item: неизвестна: нод 1"},
		},
	} {
		answer, offers := respond(t, test.panel, test.text, test.language)
		require.True(t, answer.Understood, test.text)
		require.Empty(t, offers, test.text)
		require.Equal(t, test.want, lines(answer), test.text)
		for _, read := range answer.Read {
			require.True(t, read.OK, read.Path)
		}
	}
	unknown, _ := respond(t, panel{"/api/v1/certificates": `{"items":[{"names":["a"]}]}`}, "When does the certificate of b.c expire?", "en")
	require.False(t, unknown.Understood)
	require.Equal(t, []string{`I do not find a certificate for "b.c". -> /domains/certificates`}, lines(unknown))
}

const nodeOf = `{"id":"n1","name":"ams-1","state":"degraded","state_since":"2026-11-20T11:00:00Z","reasons":["agent_stale","unheard_of"]`

// What is told of nodes and flows names them, why they are as they are, and leads to each.
func TestAnswersAboutTheFleet(t *testing.T) {
	t.Parallel()
	list := func(item string, total string) string { return `{"total":` + total + `,"items":[` + item + `]}` }
	for _, test := range []struct {
		text, language string
		panel          panel
		want           []string
	}{
		{
			"Which nodes are offline?", "en",
			panel{"/api/v1/nodes": list(nodeOf+"}", "12")},
			[]string{
				"Nodes offline: 12. -> /nodes?state=offline",
				"item: ams-1 is offline since 2026-11-20 11:00 UTC (1 h ago): its agent is late with its reports, unheard_of -> /nodes/n1",
				"And 11 more. -> /nodes?state=offline",
			},
		},
		{
			"Какие ноды не в сети?", "ru",
			panel{"/api/v1/nodes": `{"total":0,"items":[]}`},
			[]string{"Нод в состоянии «не в сети» нет. Те, что ждут агента или на обслуживании, не считаются."},
		},
		{
			"How is ams-1 doing?", "en",
			panel{
				"/api/v1/nodes": list(nodeOf+"}", "1"), "/api/v1/nodes/{id}": nodeOf + `,"maintenance":{"reason":"new disk"}}`,
				"/api/v1/health/incidents": list(`{"id":"i","severity":"critical","root_cause_hint":"ddos","began_at":"2026-11-20T11:30:00Z",
					"subject_name":"ams-1","nodes":2,"connection_units":3}`, "1"),
			},
			[]string{
				"ams-1 is degraded since 2026-11-20 11:00 UTC (1 h ago). -> /nodes/n1", "item: its agent is late with its reports",
				"item: unheard_of", "item: Reason of the maintenance: new disk",
				"item: Open incident: ams-1 since 2026-11-20 11:30 UTC (30 min ago) (critical): it is attacked; nodes: 2, flows: 3" +
					" -> /monitoring/incidents/i",
			},
		},
		{
			"How much traffic does ams-1 use?", "en",
			panel{
				"/api/v1/nodes":      list(nodeOf+"}", "1"),
				"/api/v1/nodes/{id}": nodeOf + `,"traffic":{"used_bytes":1536,"limit_bytes":1099511627776,"resets_at":"2026-11-30T12:00:00Z"}}`,
			},
			[]string{"ams-1 has carried 1.5 KiB of 1.0 TiB in this period, which ends on 2026-11-30 12:00 UTC (in 10 days). -> /nodes/n1"},
		},
		{
			"Сколько трафика у ams-1?", "ru",
			panel{"/api/v1/nodes": list(nodeOf+"}", "1"), "/api/v1/nodes/{id}": nodeOf + "}"},
			[]string{"Трафик ноды ams-1 панель ещё не считала. -> /nodes/n1"},
		},
		{
			"What would break if ams-1 dies?", "en",
			panel{
				"/api/v1/nodes": list(nodeOf+"}", "1"),
				"/api/v1/connection-units": list(`{"id":"f1","name":"main","node_ids":["n1"],"entry":{"node_id":"n1"},"client_counts":{"active":5}},
					{"id":"f2","name":"other","node_ids":["n1","n2"],"entry":{"node_id":"n2"},"client_counts":{"active":2}},
					{"id":"f3","name":"sketch"}`, "3"),
				"/api/v1/transit-pools": list(`{"id":"p1","name":"exits","members":3,"down":1}`, "1"),
			},
			[]string{
				"Flows installed on ams-1: 3. -> /nodes/n1",
				"item: main: clients enter here, so that they could not connect (clients: 5) -> /flows/f1",
				"item: other: it leads on through this node; traffic goes on only where a pool or a rule has another way (clients: 2) -> /flows/f2",
				"item: sketch: only its draft names the node -> /flows/f3",
				"item: Pool exits would have 1 of 3 members left -> /pools/p1",
			},
		},
		{
			"Which pools are down?", "en",
			panel{"/api/v1/transit-pools": list(`{"id":"p1","name":"exits","state":"down","members":2,"down":2},
				{"id":"p2","name":"fine","state":"healthy","members":2}, {"id":"p3","name":"spare","state":"healthy","on_fallback":true}`, "3")},
			[]string{
				"Pools: 3, of them not healthy: 2. -> /pools", "item: exits is down: 2 of 2 members are down -> /pools/p1",
				"item: spare is healthy: 0 of 0 members are down -> /pools/p3",
			},
		},
		{
			"Which flows failed to apply?", "en",
			panel{"/api/v1/connection-units": list(`{"id":"f1","name":"main"}`, "2")},
			[]string{
				"Flows whose last apply failed: 2. -> /flows?state=apply_failed", "item: main -> /flows/f1",
				"And 1 more. -> /flows?state=apply_failed",
			},
		},
		{
			"Which flows are down?", "en",
			panel{"/api/v1/health/connection-units": list(`{"id":"f1","name":"main","state":"down"}`, "1")},
			[]string{
				"Flows that are down or degraded: 2. -> /monitoring/flows", "item: main is down since an unknown time -> /flows/f1",
				"item: main is down since an unknown time -> /flows/f1",
			},
		},
	} {
		answer, offers := respond(t, test.panel, test.text, test.language)
		require.True(t, answer.Understood, test.text)
		require.Empty(t, offers, test.text)
		require.Equal(t, test.want, lines(answer), test.text)
	}
}

// The way of a flow is told with the rule that was taken, from what is installed and else from the draft; where the
// panel cannot say it, it says so.
func TestTheWayOfAFlowIsTold(t *testing.T) {
	t.Parallel()
	p := two()
	p["/api/v1/connection-units/{id}"] = `{"id":"f1","name":"main","installed_at":"2026-11-20T11:00:00Z"}`
	for way, want := range map[string][]string{
		`{"of":"installed","result":"exit","node_id":"n2","node_name":"ams-2","steps":[
			{"from":"in","to":"a","result":"passed_over","reason":"another port"}, {"from":"in","to":"out","result":"taken","reason":"of its own"}]}`: {
			"main, as installed: traffic to any site that no rule chooses leaves through ams-2. -> /flows/f1 -> /nodes/n2",
			"warning: It does not leave through ams-1. -> /nodes/n1",
			"item: The rule from in to a is passed over: another port", "item: The rule from in to out is taken: of its own",
		},
		`{"result":"block"}`:   {"main, as installed: traffic to any site that no rule chooses is blocked. -> /flows/f1"},
		`{"result":"unknown"}`: {"main, as installed: the panel cannot say the way to any site that no rule chooses. -> /flows/f1"},
		`{"of":"draft","result":"exit","pools":[{"pool_id":"p","pool_name":"x","name":"exits","choices":[
			{"node_name":"ams-1","reason":"member_down","at":"2026-11-20T11:00:00Z"}],
			"members":[{"node_name":"ams-2","seen":[{"state":"down","since":"2026-11-20T11:00:00Z"},{"state":"healthy"}]}]}]}`: {
			"main, as its draft says, since nothing is installed: traffic to any site that no rule chooses leaves through members of a pool." +
				" -> /flows/f1",
			"item: In pool exits on ams-1 since 2026-11-20 11:00 UTC (1 h ago): members in turn carries it, because a member went down -> /pools/p",
			"item: Member ams-2 is down since 2026-11-20 11:00 UTC (1 h ago) -> /pools/p",
		},
	} {
		p["/api/v1/connection-units/{id}/explain"] = way
		answer, _ := respond(t, p, "Why does main leave through ams-1?", "en")
		require.Equal(t, want, lines(answer))
	}
	for text, query := range map[string]string{
		"Why does main leave through ams-1?":  "domain=example.com&ip=192.0.2.1&of=installed&port=443&protocol=tls",
		"How does main leave to 203.0.113.9":  "ip=203.0.113.9&of=installed&port=443&protocol=tls",
		"How does main leave to shop.example": "domain=shop.example&of=installed&port=443&protocol=tls",
	} {
		answer, _ := respond(t, p, text, "en")
		path := answer.Read[len(answer.Read)-1].Path
		require.Equal(t, query, path[strings.Index(path, "?")+1:], text)
	}
	p["/api/v1/connection-units/{id}"] = `{"id":"f1","name":"main"}`
	answer, _ := respond(t, p, "Why does main leave through ams-1?", "en")
	require.Contains(t, answer.Read[len(answer.Read)-1].Path, "of=draft")
}
