package engine

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// proposed is what a person is shown of a proposal.
type proposed struct {
	text, language string
	panel          panel
	want           Proposal
	body           string
}

func proposals() []proposed {
	off := two()
	off["/api/v1/connection-units/{id}"] = `{"id":"f1","name":"main","enabled":false,"draft_changes":4}`
	resting := two()
	resting["/api/v1/nodes/{id}"] = `{"id":"n1","name":"ams-1","state":"maintenance"}`
	backups := panel{"/api/v1/backups/profiles": `{"total":1,"items":[{"id":"b1","name":"daily"}]}`}
	const why = "A node in maintenance raises no incidents and is not repaired."
	return []proposed{
		{
			"Put ams-1 into maintenance", "en", two(), Proposal{
				Kind: Form, Title: "Put ams-1 into maintenance", Why: why, Needs: "nodes.edit", Href: "/nodes/n1",
				Diff: []Diff{{"maintenance", "off", "on"}}, Request: Request{Method: "POST", Path: "/api/v1/nodes/n1/maintenance"},
			}, `{"on":true}`,
		},
		{
			"End the maintenance of ams-1", "en", resting, Proposal{
				Kind: Form, Title: "End the maintenance of ams-1", Why: why, Needs: "nodes.edit", Href: "/nodes/n1",
				Diff: []Diff{{"maintenance", "on", "off"}}, Request: Request{Method: "POST", Path: "/api/v1/nodes/n1/maintenance"},
			}, `{"on":false}`,
		},
		{
			"Выключи main", "ru", two(), Proposal{
				Kind: Form, Title: "Отключить main", Why: "Действующих клиентов потока: 0.", Needs: "connection_units.apply",
				Href: "/flows/f1", Diff: []Diff{{"enabled", "true", "false"}},
				Request: Request{Method: "POST", Path: "/api/v1/connection-units/f1/disable"},
			}, ``,
		},
		{
			"Turn on main", "en", off, Proposal{
				Kind: Form, Title: "Switch main on", Why: "Active clients of the flow: 0.", Needs: "connection_units.apply",
				Href: "/flows/f1", Diff: []Diff{{"enabled", "false", "true"}},
				Request: Request{Method: "POST", Path: "/api/v1/connection-units/f1/enable"},
			}, ``,
		},
		{
			"Preview the plan of main", "en", off, Proposal{
				Kind: Plan, Title: "Preview what applying main would do", Why: "It changes nothing; applying is a step of its own.",
				Needs: "connection_units.view", Href: "/flows/f1", Diff: []Diff{{"changes", "0", "4"}},
				Request: Request{Method: "POST", Path: "/api/v1/connection-units/f1/plan/preview"},
			}, `{}`,
		},
		{
			"Сделай бэкап", "ru", backups, Proposal{
				Kind: Form, Title: "Запустить бэкап daily сейчас", Why: "Он выполняется, не мешая работе панели.",
				Needs: "backups.manage", Href: "/backups", Diff: []Diff{{"runs", "", "daily"}},
				Request: Request{Method: "POST", Path: "/api/v1/backups/runs"},
			}, `{"profile_id":"b1"}`,
		},
		{
			"Replace ams-1 by ams-2", "en", two(), Proposal{
				Kind: Plan, Title: "See what replacing ams-1 by ams-2 would change", Why: "A dry run: drafts stay as they are.",
				Needs: "connection_units.apply", Href: "/flows/bulk", Diff: []Diff{{"node", "ams-1", "ams-2"}},
				Request: Request{Method: "POST", Path: "/api/v1/connection-units/bulk/replace-node"},
			}, `{"node_id":"n1","by_node_id":"n2","dry_run":true}`,
		},
		{
			"Останови автоматику", "ru", panel{}, Proposal{
				Kind: Form, Title: "Остановить всю автоматику",
				Why:   "Тогда панель сама ничего не делает с нодами и другими системами.",
				Needs: "settings.manage", Href: "/settings", Diff: []Diff{{"stopped", "false", "true"}},
				Request: Request{Method: "POST", Path: "/api/v1/system/automation/stop"},
			}, `{"reason":"Остановлено из помощника"}`,
		},
		{
			"How do I make the first flow?", "en", two(), Proposal{
				Kind: Form, Title: `Create the flow "First flow"`, Why: "An empty draft to draw in; nothing is installed.",
				Needs: "connection_units.edit", Href: "/flows", Diff: []Diff{{"name", "", "First flow"}},
				Request: Request{Method: "POST", Path: "/api/v1/connection-units"},
			}, `{"name":"First flow"}`,
		},
	}
}

// A person sees what would be sent, what it changes, why and which right it asks for: the request is that and no other.
func TestWhatIsProposedForWhichQuestion(t *testing.T) {
	t.Parallel()
	for _, test := range proposals() {
		answer, offers := respond(t, test.panel, test.text, test.language)
		require.True(t, answer.Understood, test.text)
		require.Len(t, offers, 1, test.text)
		if test.body == "" {
			require.Empty(t, offers[0].Request.Body, test.text)
		} else {
			require.JSONEq(t, test.body, string(offers[0].Request.Body), test.text)
		}
		offers[0].Request.Body = nil
		require.Equal(t, test.want, offers[0], test.text)
		require.NotEmpty(t, answer.Paragraphs, "a proposal does not come without a word")
	}
}

// Who may not see what a proposal is about gets none: he is told which right he lacks instead.
func TestNothingIsProposedOfWhatMayNotBeSeen(t *testing.T) {
	t.Parallel()
	for _, test := range proposals() {
		for path := range test.panel {
			p := panel{}
			for other, document := range test.panel {
				p[other] = document
			}
			p[path] = "some.right"
			answer, offers, err := Respond(t.Context(), p, Ask{Text: test.text, Language: test.language, Page: "/", Now: noon})
			require.NoError(t, err)
			if readOf(answer, false) {
				require.Empty(t, offers, "%s without %s", test.text, path)
				require.Contains(t, answer.Paragraphs[0].Text, "some.right", "%s without %s", test.text, path)
				require.Equal(t, Warning, answer.Paragraphs[0].Kind)
			}
		}
	}
}

// readOf says whether one of the reads of an answer succeeded or not.
func readOf(a Answer, ok bool) bool {
	for _, read := range a.Read {
		if read.OK == ok {
			return true
		}
	}
	return false
}

// What is so already is not proposed again, and without a profile there is no backup to run.
func TestWhatIsSoAlreadyIsNotProposed(t *testing.T) {
	t.Parallel()
	resting := two()
	resting["/api/v1/nodes/{id}"] = `{"id":"n1","name":"ams-1","state":"maintenance"}`
	for _, test := range []struct {
		text, said string
		panel      panel
	}{
		{"Put ams-1 into maintenance", "ams-1 is in maintenance already. -> /nodes/n1", resting},
		{"End the maintenance of ams-1", "ams-1 is online already. -> /nodes/n1", two()},
		{"Turn on main", "main is so already. -> /flows/f1", two()},
		{
			"Make a backup", "No profile of backups is set up; make one first. -> /backups/profiles/new",
			panel{"/api/v1/backups/profiles": `{"total":0,"items":[]}`},
		},
	} {
		answer, offers := respond(t, test.panel, test.text, "en")
		require.True(t, answer.Understood, test.text)
		require.Empty(t, offers, test.text)
		require.Equal(t, []string{test.said}, lines(answer))
	}
}

// A question about a change is no wish for it: who asks how, who or why is answered, and nothing is proposed.
func TestAQuestionIsNoWish(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"Who put ams-1 into maintenance?", "How do I put ams-1 into maintenance?", "Who stopped the automation?",
		"How do I stop the automation?", "Who turned off main?", "How do I turn off main?", "When was the last backup?",
		"Who made the backup?", "Is the automation stopped?", "Кто выключил main?", "Как сделать бэкап?", "Кто заменил ams-1?",
	} {
		_, offers := respond(t, two(), text, "en")
		require.Empty(t, offers, text)
	}
}

// In the draft of a flow every place of the old node is taken by the new one and nothing else is touched; a draft
// without it is left alone.
func TestADraftIsRedrawnWhereTheNodeIs(t *testing.T) {
	t.Parallel()
	p := two()
	ask := Ask{Text: "Замени ams-1 на ams-2", Language: "ru", Page: "/flows/f1", Now: noon}
	p["/api/v1/connection-units/{id}/draft"] = `{"revision":4,"graph":{"nodes":[{"key":"a","node_id":"n1","x":1.5},
		{"key":"b","node_id":"n3"},{"key":"c","node_id":"n1"}],"edges":[{"from":"a","to":"c","note":"n1"}],"zoom":2}}`
	_, offers, err := Respond(t.Context(), p, ask)
	require.NoError(t, err)
	require.Len(t, offers, 1)
	require.Equal(t, "Заменить ams-1 на ams-2 в черновике main", offers[0].Title)
	require.Equal(t, []Diff{{"a.node", "ams-1", "ams-2"}, {"c.node", "ams-1", "ams-2"}}, offers[0].Diff)
	require.Equal(t, "PUT /api/v1/connection-units/f1/draft", offers[0].Request.Method+" "+offers[0].Request.Path)
	require.JSONEq(t, `{"revision":4,"graph":{"nodes":[{"key":"a","node_id":"n2","x":1.5},{"key":"b","node_id":"n3"},
		{"key":"c","node_id":"n2"}],"edges":[{"from":"a","to":"c","note":"n1"}],"zoom":2}}`, string(offers[0].Request.Body))
	for _, draft := range []string{`{"revision":4,"graph":{"nodes":[{"node_id":"n3"},7,null]}}`, `{"revision":4}`, `{"graph":{"nodes":"x"}}`} {
		p["/api/v1/connection-units/{id}/draft"] = draft
		answer, offers, err := Respond(t.Context(), p, ask)
		require.NoError(t, err)
		require.Empty(t, offers)
		require.Equal(t, "Черновик потока main не использует ams-1.", answer.Paragraphs[0].Text)
	}
}

// A model proposes by the same rules as a person's words do, and the text that it is told says who decides.
func TestAModelProposesByTheSameRules(t *testing.T) {
	t.Parallel()
	for tool, arguments := range map[string]any{
		"maintenance_on": map[string]string{"subject": "AMS-1"}, "flow_off": map[string]string{"subject": " main "},
		"task_replace_node": map[string]string{"subject": "ams-1", "other": "ams-2"}, "flow_plan": map[string]string{"subject": "main"},
	} {
		text, err := json.Marshal(arguments)
		require.NoError(t, err)
		result, err := Call(t.Context(), two(), Ask{Language: "en", Page: "/", Now: noon}, tool, string(text))
		require.NoError(t, err)
		require.Len(t, result.Proposals, 1, tool)
		require.Contains(t, result.Text(), "Proposed to the person, who alone decides: "+result.Proposals[0].Title)
	}
	for _, tool := range []string{"maintenance_on", "flow_off", "flow_on", "flow_plan", "maintenance_off"} {
		result, err := Call(t.Context(), two(), Ask{Language: "en", Page: "/", Now: noon}, tool, `{"subject":""}`)
		require.NoError(t, err)
		require.Empty(t, result.Proposals, tool)
		require.Contains(t, result.Text(), "Say which one", tool)
	}
	onPage, err := Call(t.Context(), two(), Ask{Language: "en", Page: "/nodes/n1", Now: noon}, "maintenance_on", "")
	require.NoError(t, err)
	require.Len(t, onPage.Proposals, 1, "without a name it is the object of the page")
}
