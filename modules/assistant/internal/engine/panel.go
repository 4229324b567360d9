package engine

import (
	"slices"
	"strings"
	"time"
)

// certificate is one as the list tells of it.
type certificate struct {
	Names    []string   `json:"names"`
	NotAfter *time.Time `json:"not_after"`
	RenewAt  *time.Time `json:"renew_at"`
	State    string     `json:"state"`
}

func (t *talk) certificates() {
	var all page[certificate]
	if !t.get("/api/v1/certificates", values("limit", "200"), &all) {
		return
	}
	link := Link{Label: t.say("Certificates", "Сертификаты"), Href: "/domains/certificates"}
	chosen := all.Items
	if len(t.names) > 0 {
		chosen = slices.DeleteFunc(slices.Clone(chosen), func(c certificate) bool {
			return !slices.ContainsFunc(c.Names, func(name string) bool { return slices.Contains(t.names, fold(name)) })
		})
	}
	switch {
	case len(chosen) == 0 && len(t.names) > 0:
		t.answer.Understood = false
		t.text(t.say("I do not find a certificate for %q.", "Не нахожу сертификата для «%s».", strings.Join(t.names, ", ")), link)
		return
	case len(chosen) == 0:
		t.text(t.say("The panel has no certificates.", "Сертификатов у панели нет."), link)
		return
	}
	slices.SortFunc(chosen, func(a, b certificate) int {
		return byMoment(a.NotAfter, b.NotAfter)
	})
	t.text(t.say("Certificates: %d; the first to expire stand first.", "Сертификатов: %d; первыми те, что истекут раньше.",
		len(chosen)), link)
	for _, c := range chosen[:min(len(chosen), told)] {
		until := t.say("not issued", "не выпущен")
		if c.NotAfter != nil {
			until = t.say("expires %s", "истекает %s", t.moment(*c.NotAfter))
		}
		text := strings.Join(c.Names, ", ") + ": " + t.state(c.State) + ", " + until
		if c.RenewAt != nil {
			text += t.say(", renewed by itself %s", ", продлится сам %s", t.moment(*c.RenewAt))
		}
		t.item(text)
	}
	t.more(len(chosen), min(len(chosen), told), link.Href)
}

// byMoment puts what has no moment last.
func byMoment(a, b *time.Time) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return 1
	case b == nil:
		return -1
	}
	return a.Compare(*b)
}

var licenseStates = map[string]both{
	"active": {"active", "действует"}, "grace": {"grace", "льготный срок"}, "degraded": {"degraded", "только чтение"},
}

var licenseReasons = map[string]both{
	"ok": {"in order", "в порядке"}, "none": {"there is no license", "лицензии нет"},
	"expired": {"it has expired", "она истекла"}, "refused": {"the license server refuses it", "сервер лицензий её отклоняет"},
	"removed":     {"it was removed", "она удалена"},
	"unreachable": {"the license server cannot be reached", "сервер лицензий недоступен"},
}

func (t *talk) license() {
	var l struct {
		State      string     `json:"state"`
		Reason     string     `json:"reason"`
		ReadOnly   bool       `json:"read_only"`
		Plan       *string    `json:"plan"`
		ValidUntil *time.Time `json:"valid_until"`
		GraceUntil *time.Time `json:"grace_until"`
	}
	if !t.get("/api/v1/license/status", nil, &l) {
		return
	}
	link := Link{Label: t.say("License", "Лицензия"), Href: "/license"}
	if l.Plan != nil {
		t.text(t.say("The plan is %s.", "Тариф: %s.", *l.Plan), link)
	}
	if l.ValidUntil != nil {
		t.text(t.say("The license is valid until %s.", "Лицензия действует до %s.", t.moment(*l.ValidUntil)), link)
	}
	t.text(t.say("Its state is %s: %s.", "Состояние: %s, %s.", t.word(licenseStates, l.State),
		t.word(licenseReasons, l.Reason)), link)
	if l.GraceUntil != nil {
		t.warn(t.say("The time of grace ends %s.", "Льготный срок кончается %s.", t.moment(*l.GraceUntil)))
	}
	if l.ReadOnly {
		t.warn(t.say("The panel is read-only until a license is activated.", "Панель в режиме чтения, пока не активирована лицензия."))
	} else if t.has("readonly") {
		t.text(t.say("The panel is not read-only.", "Панель не в режиме чтения."))
	}
}

func (t *talk) lastBackup() {
	var profiles page[struct {
		named

		Last *time.Time `json:"last_success_at"`
		Next *time.Time `json:"next_run_at"`
	}]
	if !t.get("/api/v1/backups/profiles", values("limit", "50"), &profiles) {
		return
	}
	link := Link{Label: t.say("Backups", "Бэкапы"), Href: "/backups"}
	if profiles.Total == 0 {
		t.text(t.say("There is no backup: no profile is set up.", "Бэкапов нет: не настроен ни один профиль."), link)
		return
	}
	var newest *time.Time
	for _, p := range profiles.Items {
		if p.Last != nil && (newest == nil || p.Last.After(*newest)) {
			newest = p.Last
		}
	}
	if newest == nil {
		t.warn(t.say("No backup has succeeded yet.", "Ни один бэкап ещё не удался."), link)
	} else {
		t.text(t.say("The last backup that succeeded was made %s.", "Последний удавшийся бэкап сделан %s.", t.moment(*newest)), link)
	}
	for _, p := range profiles.Items {
		if p.Next != nil {
			t.item(t.say("Profile %s runs next %s", "Профиль %s: следующий запуск %s", p.Name, t.moment(*p.Next)))
		}
	}
	t.lastRun(link)
}

// lastRun tells of the newest run when it did not succeed.
func (t *talk) lastRun(link Link) {
	var runs page[struct {
		State   string    `json:"state"`
		Error   string    `json:"error"`
		Profile string    `json:"profile_name"`
		Created time.Time `json:"created_at"`
	}]
	if !t.get("/api/v1/backups/runs", values("limit", "1"), &runs) || len(runs.Items) == 0 {
		return
	}
	if run := runs.Items[0]; run.State != "succeeded" {
		t.item(t.say("The newest run, of profile %s, %s: %s", "Новейший запуск, профиль %s, %s: %s", run.Profile,
			t.moment(run.Created), t.state(run.State)), link)
	}
}

func (t *talk) version() {
	var status struct {
		Version string `json:"version"`
	}
	if !t.get("/api/v1/system/status", nil, &status) {
		return
	}
	t.text(t.say("The panel has version %s.", "Версия панели: %s.", status.Version),
		Link{Label: t.say("Updates", "Обновления"), Href: "/updates"})
	if !t.has("update", "available") {
		return
	}
	var updates struct {
		Available *struct {
			Version string `json:"version"`
		} `json:"available"`
		Configured bool       `json:"configured"`
		Checked    *time.Time `json:"checked_at"`
	}
	if !t.get("/api/v1/system/updates", nil, &updates) {
		return
	}
	switch {
	case updates.Available != nil:
		t.text(t.say("Version %s is available.", "Доступна версия %s.", updates.Available.Version))
	case !updates.Configured:
		t.text(t.say("No release server is configured, so that the panel does not know of updates.",
			"Сервер выпусков не задан, панель не знает об обновлениях."))
	default:
		t.text(t.say("No newer version is known.", "Более новая версия неизвестна."))
	}
}

func (t *talk) doctor() {
	var view struct {
		Doctor struct {
			Checks []finding `json:"checks"`
		} `json:"doctor"`
	}
	if !t.get("/api/v1/system/diagnostics", values("tail", "1"), &view) {
		return
	}
	link := Link{Label: t.say("Diagnostics", "Диагностика"), Href: "/diagnostics"}
	bad := slices.DeleteFunc(view.Doctor.Checks, func(c finding) bool { return c.Status == "ok" || c.Status == "skipped" })
	if len(bad) == 0 {
		t.text(t.say("Doctor has found nothing wrong.", "Доктор ничего не нашёл."), link)
		return
	}
	t.text(t.say("Findings of Doctor: %d.", "Находок доктора: %d.", len(bad)), link)
	for _, c := range bad {
		t.item(t.findingText(c))
	}
	t.suggest("How do I read a Doctor finding?", "Как читать находку доктора?")
}

// finding is a check of Doctor that is not in order.
type finding struct {
	ID      string                       `json:"id"`
	Title   string                       `json:"title"`
	Status  string                       `json:"status"`
	Finding string                       `json:"finding"`
	Action  string                       `json:"action"`
	Words   map[string]map[string]string `json:"translations"`
}

func (t *talk) findingText(c finding) string {
	said := map[string]string{"title": c.Title, "finding": c.Finding, "action": c.Action}
	for field, text := range c.Words[t.ask.Language] {
		if text != "" {
			said[field] = text
		}
	}
	text := said["title"] + " (" + c.Status + "): " + said["finding"]
	if said["action"] != "" {
		text += t.say("; what to do: ", "; что делать: ") + said["action"]
	}
	return text
}

func (t *talk) automation() {
	var now struct {
		Stopped bool       `json:"stopped"`
		By      string     `json:"by"`
		Reason  string     `json:"reason"`
		At      *time.Time `json:"at"`
	}
	if !t.get("/api/v1/system/automation", nil, &now) {
		return
	}
	link := Link{Label: t.say("Settings", "Настройки"), Href: "/settings"}
	if !now.Stopped {
		t.text(t.say("Automatic acts are on.", "Автоматика включена."), link)
		return
	}
	when := t.say("an unknown time", "неизвестного времени")
	if now.At != nil {
		when = t.moment(*now.At)
	}
	t.warn(t.say("Automatic acts are stopped since %s by %s: %s", "Автоматика остановлена с %s, остановил %s: %s", when, now.By,
		now.Reason), link)
}

func (t *talk) ownRights() {
	var me struct {
		Account struct {
			Username string `json:"username"`
		} `json:"account"`
		Permissions []string `json:"permissions"`
	}
	if !t.get("/api/v1/auth/me", nil, &me) {
		return
	}
	t.text(t.say("You are %s. Your permissions: %s", "Вы %s. Ваши права: %s", me.Account.Username,
		orNone(strings.Join(me.Permissions, ", "), "-")), Link{Label: t.say("Account", "Учётная запись"), Href: "/account/security"})
}

func (t *talk) accounts() {
	var all page[struct {
		ID          string   `json:"id"`
		Username    string   `json:"username"`
		State       string   `json:"state"`
		Permissions []string `json:"permissions"`
	}]
	if !t.get("/api/v1/accounts", values("limit", "20"), &all) {
		return
	}
	t.text(t.say("Accounts: %d.", "Учётных записей: %d.", all.Total), Link{Label: t.say("Accounts", "Учётные записи"), Href: "/accounts"})
	for _, a := range all.Items {
		text := a.Username + ": " + orNone(strings.Join(a.Permissions, ", "), "-")
		if a.State == "disabled" {
			text += t.say(" (disabled)", " (отключена)")
		}
		t.item(text, Link{Label: a.Username, Href: "/accounts/" + a.ID})
	}
	t.more(all.Total, len(all.Items), "/accounts")
}

func (t *talk) running() {
	var all page[struct {
		Kind     string    `json:"kind"`
		State    string    `json:"state"`
		Progress int       `json:"progress"`
		By       string    `json:"started_by"`
		At       time.Time `json:"created_at"`
	}]
	if !t.get("/api/v1/operations", values("active", "true", "limit", "10"), &all) {
		return
	}
	t.text(t.say("Operations that go on and you may see: %d.", "Идёт операций, которые вам видны: %d.", all.Total))
	for _, o := range all.Items {
		t.item(t.say("%s, %d %%, started %s by %s", "%s, %d %%, начата %s, кем: %s", o.Kind, o.Progress, t.moment(o.At), o.By))
	}
	t.more(all.Total, len(all.Items), "/")
}

func (t *talk) abuse() {
	var all page[struct {
		Number int64     `json:"number"`
		ID     string    `json:"id"`
		Score  float64   `json:"score"`
		Opened time.Time `json:"opened_at"`
	}]
	if !t.get("/api/v1/abuse/cases", values("state", "open", "limit", "10"), &all) {
		return
	}
	t.text(t.say("Open cases of abuse: %d.", "Открытых дел о злоупотреблениях: %d.", all.Total),
		Link{Label: t.say("Abuse", "Злоупотребления"), Href: "/abuse"})
	for _, c := range all.Items {
		t.item(t.say("Case %d since %s", "Дело %d с %s", c.Number, t.moment(c.Opened)),
			Link{Label: t.say("Case %d", "Дело %d", c.Number), Href: "/abuse/cases/" + c.ID})
	}
	t.more(all.Total, len(all.Items), "/abuse")
}

func (t *talk) payments() {
	var billing struct {
		Due []struct {
			Name    string    `json:"name"`
			Account string    `json:"account"`
			At      time.Time `json:"due_at"`
			Price   struct {
				Amount   int64  `json:"amount"`
				Currency string `json:"currency"`
			} `json:"price"`
		} `json:"due"`
	}
	if !t.get("/api/v1/cloud-providers/billing", nil, &billing) {
		return
	}
	t.text(t.say("Payments that are due soon: %d.", "Ближайших платежей: %d.", len(billing.Due)))
	for _, d := range billing.Due[:min(len(billing.Due), told)] {
		t.item(t.say("%s (%s): %s", "%s (%s): %s", d.Name, d.Account, t.moment(d.At)))
	}
}
