package engine

import (
	"encoding/json"
	"net/http"
	"strconv"
)

// offer adds a proposal. Nothing is done: the person's browser sends the request once they have confirmed it.
func (t *talk) offer(p Proposal) { t.offers = append(t.offers, p) }

// body is the JSON of a request.
func body(value any) json.RawMessage {
	text, _ := json.Marshal(value) // maps of texts and numbers always encode
	return text
}

const needsConfirmation = "I propose it below. Nothing happens before you confirm."

func (t *talk) proposed() {
	t.text(t.say(needsConfirmation, "Предложение ниже. Ничего не произойдёт, пока вы не подтвердите."))
}

func (t *talk) maintenance(on bool) {
	about, ok := t.subject(aNode)
	if !ok {
		return
	}
	n, ok := t.node(about.ID)
	if !ok {
		return
	}
	if on == (n.State == "maintenance") {
		t.text(t.say("%s is %s already.", "%s: уже %s.", n.Name, t.state(n.State)), nodeLink(n.named))
		return
	}
	from, to, title := "off", "on", t.say("Put %s into maintenance", "Перевести %s на обслуживание", n.Name)
	if !on {
		from, to, title = "on", "off", t.say("End the maintenance of %s", "Закончить обслуживание %s", n.Name)
	}
	t.proposed()
	t.offer(Proposal{
		Kind: Form, Title: title, Needs: "nodes.edit", Href: "/nodes/" + n.ID,
		Why:  t.say("A node in maintenance raises no incidents and is not repaired.", "Нода на обслуживании не вызывает инцидентов и не восстанавливается."),
		Diff: []Diff{{Field: "maintenance", From: from, To: to}},
		Request: Request{
			Method: http.MethodPost, Path: "/api/v1/nodes/" + n.ID + "/maintenance", Body: body(map[string]any{"on": on}),
		},
	})
}

func (t *talk) switched(on bool) {
	about, ok := t.subject(aFlow)
	if !ok {
		return
	}
	f, ok := t.flow(about.ID)
	if !ok {
		return
	}
	if f.Enabled == on {
		t.text(t.say("%s is so already.", "%s: уже так.", f.Name), flowLink(f.named))
		return
	}
	act, title := "enable", t.say("Switch %s on", "Включить %s", f.Name)
	if !on {
		act, title = "disable", t.say("Switch %s off", "Отключить %s", f.Name)
	}
	t.proposed()
	t.offer(Proposal{
		Kind: Form, Title: title, Needs: "connection_units.apply", Href: "/flows/" + f.ID,
		Why:     t.say("Active clients of the flow: %d.", "Действующих клиентов потока: %d.", f.Clients.Active),
		Diff:    []Diff{{Field: "enabled", From: strconv.FormatBool(f.Enabled), To: strconv.FormatBool(on)}},
		Request: Request{Method: http.MethodPost, Path: "/api/v1/connection-units/" + f.ID + "/" + act},
	})
}

func (t *talk) planned() {
	about, ok := t.subject(aFlow)
	if !ok {
		return
	}
	f, ok := t.flow(about.ID)
	if !ok {
		return
	}
	changes := 0
	if f.Changes != nil {
		changes = *f.Changes
	}
	t.proposed()
	t.offer(Proposal{
		Kind: Plan, Title: t.say("Preview what applying %s would do", "Посмотреть, что сделает применение %s", f.Name),
		Why:   t.say("It changes nothing; applying is a step of its own.", "Ничего не меняется; применение — отдельный шаг."),
		Needs: "connection_units.view", Href: "/flows/" + f.ID,
		Diff: []Diff{{Field: "changes", From: "0", To: strconv.Itoa(changes)}},
		Request: Request{
			Method: http.MethodPost, Path: "/api/v1/connection-units/" + f.ID + "/plan/preview", Body: body(map[string]any{}),
		},
	})
}

func (t *talk) backupNow() {
	var profiles page[named]
	if !t.get("/api/v1/backups/profiles", values("limit", "3"), &profiles) {
		return
	}
	if profiles.Total == 0 {
		t.text(t.say("No profile of backups is set up; make one first.", "Не настроен ни один профиль бэкапов; сначала создайте его."),
			Link{Label: t.say("New profile", "Новый профиль"), Href: "/backups/profiles/new"})
		return
	}
	t.proposed()
	for _, p := range profiles.Items {
		t.offer(Proposal{
			Kind: Form, Title: t.say("Run the backup %s now", "Запустить бэкап %s сейчас", p.Name), Needs: "backups.manage",
			Why: t.say("It runs beside the work of the panel.", "Он выполняется, не мешая работе панели."), Href: "/backups",
			Diff: []Diff{{Field: "runs", From: "", To: p.Name}},
			Request: Request{
				Method: http.MethodPost, Path: "/api/v1/backups/runs", Body: body(map[string]any{"profile_id": p.ID}),
			},
		})
	}
}

func (t *talk) automationStop() {
	t.proposed()
	t.offer(Proposal{
		Kind: Form, Title: t.say("Stop all automatic acts", "Остановить всю автоматику"), Needs: "settings.manage", Href: "/settings",
		Why:  t.say("The panel then does nothing to nodes and other systems by itself.", "Тогда панель сама ничего не делает с нодами и другими системами."),
		Diff: []Diff{{Field: "stopped", From: "false", To: "true"}},
		Request: Request{
			Method: http.MethodPost, Path: "/api/v1/system/automation/stop",
			Body: body(map[string]any{"reason": t.say("Stopped from the assistant", "Остановлено из помощника")}),
		},
	})
}

// replaceIn proposes to put a node in place of another one: in the draft of the page's flow, else in all flows.
func (t *talk) replaceIn(old, by object) {
	if here, known := t.here(aFlow); known {
		t.redraw(here, old, by)
		return
	}
	t.proposed()
	t.offer(Proposal{
		Kind: Plan, Title: t.say("See what replacing %s by %s would change", "Посмотреть, что изменит замена %s на %s", old.Name, by.Name),
		Why:   t.say("A dry run: drafts stay as they are.", "Пробный запуск: черновики не меняются."),
		Needs: "connection_units.apply", Href: "/flows/bulk", Diff: []Diff{{Field: "node", From: old.Name, To: by.Name}},
		Request: Request{
			Method: http.MethodPost, Path: "/api/v1/connection-units/bulk/replace-node",
			Body: body(map[string]any{"node_id": old.ID, "by_node_id": by.ID, "dry_run": true}),
		},
	})
}

// redraw proposes the draft of a flow with another node.
func (t *talk) redraw(about, old, by object) {
	var draft struct {
		Graph    map[string]any `json:"graph"`
		Revision int64          `json:"revision"`
	}
	if !t.get("/api/v1/connection-units/{id}/draft", values("id", about.ID), &draft) {
		return
	}
	var diff []Diff
	blocks, _ := draft.Graph["nodes"].([]any)
	for _, one := range blocks {
		block, _ := one.(map[string]any)
		if block["node_id"] == old.ID {
			block["node_id"] = by.ID
			diff = append(diff, Diff{Field: plain(block["key"]) + ".node", From: old.Name, To: by.Name})
		}
	}
	if len(diff) == 0 {
		t.text(t.say("The draft of %s does not use %s.", "Черновик потока %s не использует %s.", about.Name, old.Name), about.link())
		return
	}
	t.proposed()
	t.offer(Proposal{
		Kind: Draft, Title: t.say("Replace %s by %s in the draft of %s", "Заменить %s на %s в черновике %s", old.Name, by.Name, about.Name),
		Why:   t.say("Only the draft changes; what is installed stays until you apply it.", "Меняется только черновик; установленное остаётся, пока вы не примените его."),
		Needs: "connection_units.edit", Href: "/flows/" + about.ID, Diff: diff,
		Request: Request{
			Method: http.MethodPut, Path: "/api/v1/connection-units/" + about.ID + "/draft",
			Body: body(map[string]any{"graph": draft.Graph, "revision": draft.Revision}),
		},
	})
}
