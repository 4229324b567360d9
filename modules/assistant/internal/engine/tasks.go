package engine

import (
	"net/http"
	"strings"

	"panel/modules/assistant/internal/refusals"
)

// Suggestions are questions that the engine understands, those about the page first.
func Suggestions(language, page string) []string {
	t := &talk{ask: Ask{Language: language}, answer: Answer{}}
	switch {
	case strings.HasPrefix(page, "/flows/"):
		t.suggest("Why does this flow leave through its exit?", "Почему этот поток выходит через свой выход?")
		t.suggest("Who changed the port of this flow?", "Кто менял порт этого потока?")
		t.suggest("How is this flow doing?", "Как дела у этого потока?")
	case strings.HasPrefix(page, "/nodes/"):
		t.suggest("How is this node doing?", "Как дела у этой ноды?")
		t.suggest("Which flows use this node?", "Какие потоки используют эту ноду?")
		t.suggest("What would break if this node dies?", "Что сломается, если эта нода упадёт?")
	case strings.HasPrefix(page, "/notifications"):
		t.suggest("How do I set up notifications?", "Как настроить уведомления?")
	case strings.HasPrefix(page, "/diagnostics"):
		t.suggest("How do I read a Doctor finding?", "Как читать находку доктора?")
	}
	t.suggest("What is red and since when?", "Что красное и с каких пор?")
	t.suggest("Which nodes are offline?", "Какие ноды не в сети?")
	t.suggest("When was the last backup?", "Когда был последний бэкап?")
	t.suggest("How do I make the first flow?", "Как создать первый поток?")
	t.suggest("When does the license expire?", "Когда истекает лицензия?")
	return t.answer.Suggestions[:min(len(t.answer.Suggestions), mostSuggestions)]
}

const mostSuggestions = 6

func (t *talk) help() {
	t.text(t.say("I answer from what you may see in this panel, say what I read, and propose changes that you confirm. I never act by myself.",
		"Отвечаю по тому, что вам видно в панели, говорю, что прочитал, и предлагаю изменения, которые подтверждаете вы. Сам ничего не делаю."))
	t.answer.Suggestions = Suggestions(t.ask.Language, t.ask.Page)
}

// explained answers what an error code means, if that is the question.
func (t *talk) explained() bool {
	code := t.code()
	text, known := refusals.Of(code)
	if !known || !strings.Contains(code, "_") && !t.has("mean") {
		return false
	}
	for _, w := range t.words {
		if w.text != code && !w.is(stop, this, "mean", "why", "how", "read", "do", "red", "state", "end", "setup") {
			return false
		}
	}
	t.answer.Understood, t.answer.Topic = true, "code"
	t.text(t.say("%s is an answer with the HTTP status %d %s.", "%s — это ответ с кодом HTTP %d %s.", code, text.Status,
		http.StatusText(text.Status)))
	if t.ask.Language != "ru" {
		t.text(text.Meaning + ".")
	}
	t.text(text.Advice[orNone(t.ask.Language, "en")])
	return true
}

// taskFirstFlow leads to the first flow, and marks what is there already.
func (t *talk) taskFirstFlow() {
	online, ok := t.count("online")
	if !ok {
		return
	}
	var flows page[flow]
	if !t.get("/api/v1/connection-units", values("limit", "1"), &flows) {
		return
	}
	t.text(t.say("A flow leads clients from an entry to an exit. It takes four steps:",
		"Поток ведёт клиентов от входа к выходу. Нужно четыре шага:"))
	t.step(t.say("Add a node: run the command of the panel on a server. Nodes online now: %d.",
		"Добавьте ноду: выполните на сервере команду панели. Нод в сети сейчас: %d.", online),
		Link{Label: t.say("New node", "Новая нода"), Href: "/nodes/new"})
	t.step(t.say("Create a flow and draw an entry and an exit. Flows now: %d.", "Создайте поток и нарисуйте вход и выход. Потоков сейчас: %d.",
		flows.Total), Link{Label: t.say("Flows", "Потоки"), Href: "/flows"})
	t.step(t.say("Look at the plan and apply it: the panel checks it and installs it on the nodes.",
		"Посмотрите план и примените его: панель проверит его и установит на ноды."))
	t.step(t.say("Add a client and pass on the link of the flow.", "Добавьте клиента и передайте ему ссылку потока."),
		Link{Label: t.say("Clients", "Клиенты"), Href: "/clients"})
	name := t.say("First flow", "Первый поток")
	t.offer(Proposal{
		Kind: Form, Title: t.say("Create the flow %q", "Создать поток «%s»", name), Needs: "connection_units.edit", Href: "/flows",
		Why:     t.say("An empty draft to draw in; nothing is installed.", "Пустой черновик, в котором можно рисовать; ничего не устанавливается."),
		Diff:    []Diff{{Field: "name", From: "", To: name}},
		Request: Request{Method: http.MethodPost, Path: "/api/v1/connection-units", Body: body(map[string]any{"name": name})},
	})
}

// taskNotifications leads to a delivered message, and marks what is there already.
func (t *talk) taskNotifications() {
	var now struct {
		Settings struct {
			Messenger struct {
				HasToken bool   `json:"has_bot_token"`
				ChatID   string `json:"chat_id"`
			} `json:"messenger"`
		} `json:"settings"`
	}
	if !t.get("/api/v1/notifications/settings", nil, &now) {
		return
	}
	var rules page[named]
	if !t.get("/api/v1/notifications/rules", values("limit", "1"), &rules) {
		return
	}
	t.text(t.say("Notifications come through a bot of the messenger. The helper of this sheet goes with you through it:",
		"Уведомления приходят через бота мессенджера. Помощник на этой панели пройдёт шаги вместе с вами:"))
	link := Link{Label: t.say("Settings of notifications", "Настройки уведомлений"), Href: "/notifications/settings"}
	t.step(t.done(now.Settings.Messenger.HasToken, t.say("Make a bot with @BotFather and enter its token.",
		"Создайте бота у @BotFather и введите его токен.")), link)
	t.step(t.done(now.Settings.Messenger.ChatID != "", t.say("Write to the bot and enter the id of the chat.",
		"Напишите боту и введите идентификатор чата.")), link)
	t.step(t.done(rules.Total > 0, t.say("Add a rule that says which events are sent.", "Добавьте правило: какие события отправлять.")),
		Link{Label: t.say("Rules", "Правила"), Href: "/notifications/rules"})
	t.step(t.say("Send a test and look whether it has arrived.", "Отправьте тест и проверьте, что он пришёл."), link)
}

func (t *talk) done(is bool, sentence string) string {
	if is {
		return sentence + t.say(" (done)", " (сделано)")
	}
	return sentence
}

func (t *talk) taskReadFinding() {
	t.text(t.say("Doctor looks at the panel and its machine; each finding has the same parts:",
		"Доктор осматривает панель и её сервер; у каждой находки одни и те же части:"),
		Link{Label: t.say("Diagnostics", "Диагностика"), Href: "/diagnostics"})
	t.step(t.say("The state: ok is in order, warn wants a look, fail keeps something from working, skipped could not be looked at.",
		"Состояние: ok — в порядке, warn — стоит посмотреть, fail — что-то не работает, skipped — проверить не удалось."))
	t.step(t.say("The finding says what was seen, with figures.", "Находка говорит, что обнаружено, с цифрами."))
	t.step(t.say("The action says what to do; a command in it can be copied.", "Действие говорит, что делать; команду из него можно скопировать."))
	t.step(t.say("After you have done it, run Doctor again: the finding must be gone.",
		"Сделав это, запустите доктора снова: находка должна исчезнуть."))
	t.suggest("What does Doctor find now?", "Что сейчас находит доктор?")
}

// taskReplaceNode leads through the replacement of a node; where both are named, it proposes to look what it would do.
func (t *talk) taskReplaceNode() {
	nodes, ok := t.objects(aNode)
	if !ok {
		return
	}
	if len(nodes) > 2 || len(nodes) == 2 && nodes[0].ID == nodes[1].ID {
		t.answer.Understood = false
		t.text(t.say("Name the node that goes and the one that comes.", "Назовите уходящую ноду и ту, что её заменит."))
		return
	}
	if len(nodes) == 2 {
		t.replaceIn(nodes[0], nodes[1])
		return
	}
	t.text(t.say("A node is replaced without losing its flows:", "Ноду можно заменить, не потеряв потоков:"))
	t.step(t.say("Add the new node and wait until it is online.", "Добавьте новую ноду и дождитесь, пока она будет в сети."),
		Link{Label: t.say("New node", "Новая нода"), Href: "/nodes/new"})
	t.step(t.say("Let the panel put it in place of the old one in all drafts: it shows first what would change.",
		"Поручите панели поставить её вместо старой во всех черновиках: сначала она покажет, что изменится."),
		Link{Label: t.say("Flows", "Потоки"), Href: "/flows"})
	t.step(t.say("Apply the flows that have changed.", "Примените изменившиеся потоки."),
		Link{Label: t.say("Apply several", "Применить несколько"), Href: "/flows/bulk"})
	t.step(t.say("Delete the old node once no flow uses it.", "Удалите старую ноду, когда её не использует ни один поток."),
		Link{Label: t.say("Nodes", "Ноды"), Href: "/nodes"})
	t.suggest("Which flows use this node?", "Какие потоки используют эту ноду?")
}
