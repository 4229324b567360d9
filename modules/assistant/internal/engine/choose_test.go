package engine

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/assistant/internal/refusals"
)

// chosen is what a question is taken for, and the names in it; empty: for nothing.
func chosen(text string) (topic string, names []string) {
	one := &talk{ask: Ask{Text: text, Language: "en", Page: "/"}, words: read(text)}
	if best := one.choose(); best != nil {
		return best.name, one.names
	}
	return "", nil
}

// asked are questions of every kind, in both languages.
var asked = map[string][]string{
	"offline_nodes": {
		"Which nodes are offline?", "How many servers are offline?", "Какие ноды не в сети?", "Какие серверы не отвечают?",
	},
	"maintained_nodes": {"Which nodes are in maintenance?", "Какие ноды на обслуживании?"},
	"red":              {"What is red and since when?", "What's wrong?", "What’s wrong?", "Что сломано?"},
	"count_nodes":      {"How many nodes are there?", "How many nodes are online?", "Сколько нод в сети?"},
	"node_dies":        {"What would break if ams-1 dies?", "Что сломается, если ams-1 упадёт?"},
	"flows_of_node":    {"Which flows use ams-1?", "Какие потоки используют ams-1?"},
	"object_state": {
		"How is ams-1 doing?", "Why is ams-1 red?", "Is flow main down?", "Как дела у ams-1?", "Почему ams-1 не в сети?",
	},
	"node_traffic":       {"How much traffic does ams-1 use?", "Сколько трафика у ams-1?"},
	"fleet_traffic":      {"How much traffic is there in total?", "Сколько сейчас трафика?"},
	"flow_leaves":        {"Why does main leave through ams-1?", "Почему main выходит через ams-1?"},
	"red_flows":          {"Which flows are down?", "Какие потоки не работают?"},
	"failed_applies":     {"Which flows failed to apply?", "Какие потоки не удалось применить?"},
	"count_flows":        {"How many flows are applied?", "Сколько потоков?"},
	"count_clients":      {"How many clients are online?", "Сколько клиентов?"},
	"pools":              {"Which pools are degraded?", "Which pools are down?", "How are the pools doing?", "Какие пулы нездоровы?"},
	"who_changed":        {"Who changed the port of main yesterday?", "Кто менял порт main вчера?", "Who logged in today?"},
	"certificates":       {"Which certificates are broken?", "Is the certificate of example.com fine?", "When does the certificate of example.com expire?", "Когда истекает сертификат example.com?"},
	"license":            {"When does the license expire?", "Why is the panel read-only?", "Когда истекает лицензия?"},
	"last_backup":        {"Is the backup fine?", "Что не так с бэкапом?", "When was the last backup?", "Когда был последний бэкап?"},
	"version":            {"Which version is the panel?", "Is an update available?", "Доступно ли обновление?"},
	"agent_versions":     {"Which versions do the nodes run?", "Какие версии на нодах?"},
	"doctor":             {"Is Doctor fine?", "What does Doctor find?", "Что находит доктор?"},
	"automation":         {"Is the automation stopped?", "Автоматика остановлена?"},
	"own_rights":         {"What can I do?", "Какие у меня права?"},
	"accounts":           {"Who has access?", "Какие есть учётные записи?"},
	"running":            {"What is going on?", "Что сейчас выполняется?"},
	"abuse":              {"What is the state of abuse?", "Is there any abuse?", "Есть ли жалобы?"},
	"payments":           {"When is the next payment?", "Когда платить?"},
	"task_notifications": {"How do I set up notifications?", "Как настроить уведомления?"},
	"task_first_flow":    {"How do I make the first flow?", "Как создать первый поток?"},
	"task_replace_node":  {"How do I replace a node?", "Replace ams-1 by ams-2", "Как заменить ноду?"},
	"task_read_finding":  {"How do I read a Doctor finding?", "Как читать находку доктора?"},
	"maintenance_on":     {"Put ams-1 into maintenance", "Поставь ams-1 на обслуживание"},
	"maintenance_off":    {"End the maintenance of ams-1", "Сними ams-1 с обслуживания"},
	"flow_off":           {"Turn off main", "Выключи main"},
	"flow_on":            {"Turn on main", "Включи поток main"},
	"flow_plan":          {"Preview the plan of main", "Покажи план потока main"},
	"backup_now":         {"Make a backup", "Сделай бэкап"},
	"automation_stop":    {"Stop the automation", "Останови автоматику"},
	"help":               {"What can you do?", "Что ты умеешь?"},
}

// Each kind of question can be asked in both languages, and is taken for nothing else.
func TestEachKindOfQuestionIsUnderstood(t *testing.T) {
	t.Parallel()
	for _, one := range topics() {
		require.Contains(t, asked, one.name, "a kind of question that nobody asks")
	}
	for want, questions := range asked {
		for _, text := range questions {
			topic, names := chosen(text)
			require.Equal(t, want, topic, text)
			for _, name := range names {
				require.Contains(t, []string{"ams-1", "ams-2", "main", "example.com"}, name, text)
			}
			again, _ := chosen(strings.ToUpper(text) + " ?!")
			require.Equal(t, want, again, "%s: however it is written", text)
		}
	}
}

// two is a panel with two nodes and a flow.
func two() panel {
	return panel{
		"/api/v1/nodes":                 `{"items":[{"id":"n1","name":"ams-1"},{"id":"n2","name":"ams-2"},{"id":"n3","name":"Backup"}],"total":3}`,
		"/api/v1/nodes/{id}":            `{"id":"n1","name":"ams-1","state":"online","state_since":"2026-11-20T11:00:00Z"}`,
		"/api/v1/connection-units":      `{"items":[{"id":"f1","name":"main"},{"id":"f2","name":"automation"}],"total":2}`,
		"/api/v1/connection-units/{id}": `{"id":"f1","name":"main","enabled":true}`,
		"/api/v1/health/incidents":      `{"items":[],"total":0}`,
	}
}

// A typing error is not guessed away: nothing is told of something else, and nothing is proposed.
func TestATypingErrorIsNotGuessedAway(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"Wich nodes are offline?", "Which nodes are ofline?", "Сколко нод?", "Stop teh automation", "Make a bakup",
		"Put ams-1 in maintenence", "Turn of main", "Turn off mian", "Выклчи main", "Поставь asm-1 на обслуживание",
		"Replace ams-1 by asm-2", "offline", "?", "ams-1", "and the",
	} {
		answer, offers := respond(t, two(), text, "en")
		require.False(t, answer.Understood, text)
		require.Empty(t, offers, text)
		require.NotEmpty(t, answer.Paragraphs, text)
		require.NotEmpty(t, answer.Suggestions, text)
	}
}

// A name may be a word of the language, or be called as something else: it is the name of what the question is about.
func TestANameMayLookLikeAWord(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ text, topic, names string }{
		{`How is "red" doing?`, "object_state", "red"},
		{"How is backup doing?", "object_state", "backup"},
		{"How is flow «Новый Поток» doing?", "object_state", "новый поток"},
		{`Turn off "automation"`, "flow_off", "automation"},
		{"Turn off automation", "automation_stop", ""},
		{"Replace backup by port", "task_replace_node", "backup,port"},
		{`Put "stop all" into maintenance`, "maintenance_on", "stop all"},
		{"How is new york 1 doing?", "object_state", "new york 1"},
		{"How is 'ams-1' doing?", "object_state", "ams-1"},
		{"How is ‘ams-1’ doing?", "object_state", "ams-1"},
		{"How is ams-1. doing?", "object_state", "ams-1"},
		{"Как дела у ёлки?", "object_state", "елки"},
	} {
		topic, names := chosen(test.text)
		require.Equal(t, test.topic, topic, test.text)
		require.Equal(t, test.names, strings.Join(names, ","), test.text)
	}
	answer, _ := respond(t, two(), "How is BACKUP doing?", "en")
	require.True(t, answer.Understood, "capitals are no part of a name")
}

// A question about one thing needs one: of two names, of none, and of one that nobody has it is said what is missing.
func TestAQuestionAboutOneThingNeedsOne(t *testing.T) {
	t.Parallel()
	const which = "Say which one: name it, or ask on its page."
	for text, want := range map[string]string{
		"How is ams-1 and ams-2 doing?":                 which,
		"How is this node doing?":                       which,
		"How is nobody doing?":                          `I do not find "nobody" among what you may see.`,
		"How is ams doing?":                             `I do not find "ams" among what you may see.`,
		"Replace ams-1 by ams-1":                        "Name the node that goes and the one that comes.",
		"Replace ams-1 by ams-2 and backup":             "Name the node that goes and the one that comes.",
		"Why does ams-1 leave through the exit":         `Say which flow: name it, or ask on its page.`,
		"How is " + strings.Repeat("x", 65) + " doing?": `I do not find "` + strings.Repeat("x", 65) + `" among what you may see.`,
	} {
		answer, offers := respond(t, two(), text, "en")
		require.False(t, answer.Understood, text)
		require.Empty(t, offers, text)
		require.Equal(t, want, answer.Paragraphs[0].Text, text)
		require.NotEmpty(t, answer.Suggestions, text)
	}
	answer, _ := respond(t, two(), "Как дела у никого?", "ru")
	require.Equal(t, "Не нахожу «никого» среди того, что вам видно.", answer.Paragraphs[0].Text)
}

// "This" is the object of the page that the caller looks at; a name counts more than the page.
func TestThisIsTheObjectOfThePage(t *testing.T) {
	t.Parallel()
	for page, known := range map[string]bool{
		"/nodes/n1": true, "/nodes/n1/": true, "/nodes/n1?tab=log": true, "/monitoring/nodes/n1": true, "/nodes/n1/graph": true,
		"/flows/f1": true, "/nodes": false, "/": false, "": false, "/monitoring": false, "/clients/c1": false,
	} {
		answer, _, err := Respond(t.Context(), two(), Ask{Text: "How is this doing?", Language: "en", Page: page, Now: noon})
		require.NoError(t, err)
		require.Equal(t, known, answer.Understood, page)
	}
	answer, _, err := Respond(t.Context(), two(), Ask{Text: "How is main doing?", Language: "en", Page: "/nodes/n1", Now: noon})
	require.NoError(t, err)
	require.Contains(t, answer.Paragraphs[0].Text, "main is ")
}

// Of many names only the first few are looked up: a question is no search of the fleet.
func TestOnlyAFewNamesAreLookedUp(t *testing.T) {
	t.Parallel()
	answer, _ := respond(t, two(), "Replace ams-1 by ams-2 and ams-1 and ams-2 and ams-1 and ams-2", "en")
	require.Len(t, answer.Read, mostNames)
	require.False(t, answer.Understood)
}

// Every error code is explained in both languages to whoever asks what it means; one that there is not is said to be
// none.
func TestEveryErrorCodeIsExplained(t *testing.T) {
	t.Parallel()
	for _, code := range refusals.Codes() {
		known, _ := refusals.Of(code)
		english, offers := respond(t, panel{}, "What does "+code+" mean?", "en")
		require.Empty(t, offers)
		require.Equal(t, "code", english.Topic, code)
		require.Contains(t, english.Paragraphs[0].Text, code+" is an answer with the HTTP status ")
		require.Equal(t, known.Meaning+".", english.Paragraphs[1].Text)
		require.Equal(t, known.Advice["en"], english.Paragraphs[2].Text)
		russian, _ := respond(t, panel{}, "Что значит "+code+"?", "ru")
		require.True(t, russian.Understood, code)
		require.Len(t, russian.Paragraphs, 2)
		require.Equal(t, known.Advice["ru"], russian.Paragraphs[1].Text)
	}
	port, _ := respond(t, panel{}, "port_conflict", "en")
	require.Equal(t, "port_conflict is an answer with the HTTP status 409 Conflict.", port.Paragraphs[0].Text)
	none, _ := respond(t, panel{}, "What does my_error mean?", "en")
	require.False(t, none.Understood)
	require.Equal(t, `The panel has no error code "my_error".`, none.Paragraphs[1].Text)
	other, _ := respond(t, panel{}, "Delete everything with port_conflict", "en")
	require.False(t, other.Understood, "a code does not make any question one about it")
}

// A concept is no word twice, and of several words the one that means the least else is taken.
func TestEachConceptNeedsAWordOfItsOwn(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{"flow": 0, "flow flows": 2, "when flow": 0, "flow поток": 2} {
		one := &talk{words: read(text)}
		require.Equal(t, want, one.speaksOf([]concept{"flow", "flow"}), text)
	}
	one := &talk{words: read("ends end")}
	require.Equal(t, 2, one.speaksOf([]concept{"end", "expire"}), "the first is nothing but an expiry")
	lexemes := readLexicon("# flow: comment\nflow: flow, =поток \n\nnothing\nend: out of\n")
	require.Equal(t, []stem{
		{"flow", []string{"flow"}}, {"flow", []string{"=поток"}}, {"end", []string{"out", "of"}},
	}, lexemes)
	require.False(t, slices.ContainsFunc(lexicon, func(s stem) bool { return len(s.words) == 0 }), "no phrase without words")
}
