package assistant

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/uptrace/bun"

	"panel/modules/assistant/internal/engine"
	"panel/platform/access"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/fault"
	"panel/platform/httpapi"
)

// idleFor is how long the holder of the helper session may do nothing before it ends (specification: one at a time for
// the panel; domain 4.14).
const idleFor = 10 * time.Minute

const (
	objectHelper = "assistant_helper"
	kindHelper   = "assistant.helper_changed"
)

// Steps of the helper session, in their order.
const (
	stepToken = "token"
	stepChat  = "chat"
	stepRule  = "rule"
	stepTest  = "test"
	stepDone  = "done"
)

// Helper is the one session of the panel that goes with a person from the token of a bot to a delivered message.
type Helper struct {
	ID       string       `json:"id"`
	Holder   Holder       `json:"holder"`
	Mine     bool         `json:"mine"`
	Since    time.Time    `json:"since"`
	IdleAt   time.Time    `json:"idle_at" doc:"When it ends if its holder does nothing"`
	Language string       `json:"language" enum:"en,ru"`
	Step     string       `json:"step" enum:"token,chat,rule,test,done"`
	Steps    []HelperStep `json:"steps"`
}

// Holder is who has the session.
type Holder struct {
	AccountID string `json:"account_id"`
	Name      string `json:"name"`
}

// HelperStep is one step. Its request is sent by the browser, to the routes of notifications.
type HelperStep struct {
	Key     string          `json:"key" enum:"token,chat,rule,test"`
	Title   string          `json:"title"`
	Text    string          `json:"text"`
	State   string          `json:"state" enum:"done,current,waiting"`
	Href    string          `json:"href"`
	Request *engine.Request `json:"request" doc:"Its form, with empty places for what the person enters"`
}

// HelperNews is the data of the event that the session began, got on or ended.
type HelperNews struct {
	Held bool `json:"held"`
}

type helperRow struct {
	bun.BaseModel `bun:"table:assistant_helper,alias:h"`

	Single    bool      `bun:"single,pk"`
	ID        string    `bun:"id,type:uuid"`
	AccountID string    `bun:"account_id,type:uuid"`
	Name      string    `bun:"account_name"`
	Language  string    `bun:"language"`
	Step      string    `bun:"step"`
	Since     time.Time `bun:"since"`
	IdleAt    time.Time `bun:"idle_at"`
}

// helper is the session. It lives in the database alone, so that every panel and every window tells the same.
type helper struct {
	db    *database.DB
	panel *httpapi.Reader
	bus   *events.Bus
	clock clockwork.Clock
}

func newHelper(db *database.DB, panel *httpapi.Reader, b *events.Bus, c clockwork.Clock) *helper {
	return &helper{db: db, panel: panel, bus: b, clock: c}
}

func (h *helper) now() time.Time { return h.clock.Now().UTC().Truncate(time.Microsecond) }

var errNoHelper = fault.Conflict("assistant_no_session", "there is no such helper session of yours; begin one")

func busy(row *helperRow) error {
	return fault.Conflict("assistant_busy", "somebody else is being helped just now; wait, or end that session").
		With("holder", row.Name).With("since", row.Since.UTC()).With("helper_id", row.ID)
}

// current is the session that has not ended, or nil.
func (h *helper) current(ctx context.Context) (*Helper, error) {
	row, err := h.row(ctx, "")
	if row == nil || err != nil {
		return nil, err
	}
	shown := row.shown(access.From(ctx))
	return &shown, nil
}

// row reads the session that has not ended.
func (h *helper) row(ctx context.Context, lock string) (*helperRow, error) {
	var rows []helperRow
	read := h.db.In(ctx).NewSelect().Model(&rows).Where("h.idle_at > ?", h.now())
	if lock != "" {
		read = read.For(lock)
	}
	if err := read.Scan(ctx); err != nil {
		return nil, database.Fault(fmt.Errorf("read the helper session: %w", err), nil)
	}
	if len(rows) == 0 {
		return nil, nil //nolint:nilnil // nobody holds it
	}
	return &rows[0], nil
}

// start begins the session, or gives the caller their own back. Fault: assistant_busy (409), which says who holds it.
func (h *helper) start(ctx context.Context, language string) (shown Helper, err error) {
	caller, now := access.From(ctx), h.now()
	err = h.db.InTx(ctx, func(ctx context.Context) error {
		_, err := h.db.In(ctx).NewDelete().Model((*helperRow)(nil)).Where("idle_at <= ?", now).Exec(ctx)
		if err != nil {
			return database.Fault(fmt.Errorf("end an idle helper session: %w", err), nil)
		}
		row := helperRow{
			Single: true, ID: database.NewID(), AccountID: caller.AccountID, Name: caller.Username, Language: language,
			Step: stepToken, Since: now, IdleAt: now.Add(idleFor),
		}
		if _, err := h.db.In(ctx).NewInsert().Model(&row).On("conflict (single) do nothing").Exec(ctx); err != nil {
			return database.Fault(fmt.Errorf("begin the helper session: %w", err), nil)
		}
		held, err := h.row(ctx, "update")
		switch {
		case err != nil:
			return err
		case held == nil:
			return fault.Unavailable("the helper session changed just now; try again")
		case held.AccountID != caller.AccountID:
			return busy(held)
		}
		if shown = held.shown(caller); held.ID != row.ID {
			return nil
		}
		return h.announce(ctx, held.ID, true)
	})
	return shown, err
}

// check looks at what is done by now and goes on. What is not done stays the step. The holder's rights decide what may
// be looked at. Faults: assistant_no_session (409), permission_denied (403).
func (h *helper) check(ctx context.Context, delivered bool) (shown Helper, err error) {
	held, err := h.row(ctx, "")
	caller := access.From(ctx)
	switch {
	case err != nil:
		return shown, err
	case held == nil || held.AccountID != caller.AccountID:
		return shown, errNoHelper
	}
	step, err := h.reached(ctx, held, delivered)
	if err != nil {
		return shown, err
	}
	err = h.db.InTx(ctx, func(ctx context.Context) error {
		now, err := h.row(ctx, "update")
		if err != nil {
			return err
		}
		if now == nil || now.ID != held.ID {
			return errNoHelper
		}
		now.Step, now.IdleAt = step, h.now().Add(idleFor)
		if _, err := h.db.In(ctx).NewUpdate().Model(now).Column("step", "idle_at").WherePK().Exec(ctx); err != nil {
			return database.Fault(fmt.Errorf("go on with the helper session: %w", err), nil)
		}
		shown = now.shown(caller)
		return h.announce(ctx, now.ID, true)
	})
	return shown, err
}

// cancel ends the session with this id, whoever holds it: the one way to take it over. Fault: assistant_no_session
// (409) when it is not the current one any more.
func (h *helper) cancel(ctx context.Context, id string) error {
	return h.db.InTx(ctx, func(ctx context.Context) error {
		held, err := h.row(ctx, "update")
		if err != nil {
			return err
		}
		if held == nil || held.ID != id {
			return errNoHelper
		}
		if _, err := h.db.In(ctx).NewDelete().Model(held).WherePK().Exec(ctx); err != nil {
			return database.Fault(fmt.Errorf("end the helper session: %w", err), nil)
		}
		return h.announce(ctx, id, false)
	})
}

func (h *helper) announce(ctx context.Context, id string, held bool) error {
	return h.bus.Emit(ctx, events.Event{Kind: kindHelper, SubjectID: id, At: h.now(), Data: HelperNews{Held: held}})
}

// reached is the first step that is not done.
func (h *helper) reached(ctx context.Context, held *helperRow, delivered bool) (string, error) {
	var now struct {
		Settings struct {
			Messenger struct {
				HasToken bool   `json:"has_bot_token"`
				ChatID   string `json:"chat_id"`
			} `json:"messenger"`
		} `json:"settings"`
	}
	if err := h.read(ctx, "/api/v1/notifications/settings", nil, &now); err != nil {
		return "", err
	}
	var rules struct {
		Items []struct {
			Channels []string `json:"channels"`
			Enabled  bool     `json:"enabled"`
		} `json:"items"`
	}
	if err := h.read(ctx, "/api/v1/notifications/rules", url.Values{"limit": {"200"}}, &rules); err != nil {
		return "", err
	}
	sends := false
	for _, rule := range rules.Items {
		sends = sends || rule.Enabled && slices.Contains(rule.Channels, "messenger")
	}
	switch {
	case !now.Settings.Messenger.HasToken:
		return stepToken, nil
	case now.Settings.Messenger.ChatID == "":
		return stepChat, nil
	case !sends:
		return stepRule, nil
	}
	arrived, err := h.tested(ctx, held, delivered)
	if err != nil || !arrived {
		return stepTest, err
	}
	return stepDone, nil
}

// tested says whether a test was delivered in this session: the holder says so, and the journal, where they
// may read it, that the messenger took it.
func (h *helper) tested(ctx context.Context, held *helperRow, delivered bool) (bool, error) {
	if held.Step == stepDone || !delivered {
		return held.Step == stepDone, nil
	}
	var lines struct {
		Total int `json:"total"`
	}
	err := h.panel.Get(ctx, "/api/v1/audit", url.Values{
		"action": {"notification.test"}, "result": {"ok"}, "from": {held.Since.UTC().Format(time.RFC3339)}, "limit": {"1"},
	}, &lines)
	var refused *httpapi.ReadError
	if errors.As(err, &refused) {
		return delivered, nil
	}
	return lines.Total > 0, err
}

// read asks with the holder's rights, and turns a refusal into the same refusal.
func (h *helper) read(ctx context.Context, path string, values url.Values, into any) error {
	err := h.panel.Get(ctx, path, values, into)
	var refused *httpapi.ReadError
	if errors.As(err, &refused) && refused.Code == "permission_denied" {
		return fault.Forbidden("permission_denied", "your account may not see how notifications are set up").
			With("required", refused.Missing)
	}
	return err
}

func (r *helperRow) shown(caller access.Caller) Helper {
	return Helper{
		ID: r.ID, Holder: Holder{AccountID: r.AccountID, Name: r.Name}, Mine: r.AccountID == caller.AccountID,
		Since: r.Since.UTC(), IdleAt: r.IdleAt.UTC(), Language: r.Language, Step: r.Step,
		Steps: helperSteps(r.Language, r.Step),
	}
}

func helperSteps(language, current string) []HelperStep {
	order := []string{stepToken, stepChat, stepRule, stepTest, stepDone}
	at := slices.Index(order, current)
	steps := make([]HelperStep, len(order)-1)
	for i, key := range order[:len(order)-1] {
		words := helperWords[key][language]
		steps[i] = HelperStep{
			Key: key, Title: words.title, Text: words.text, State: "waiting", Href: helperHref[key],
			Request: helperRequest[key],
		}
		switch {
		case i < at:
			steps[i].State = "done"
		case i == at:
			steps[i].State = "current"
		}
	}
	return steps
}

type helperText struct{ title, text string }

var helperWords = map[string]map[string]helperText{
	stepToken: {
		"en": {"Token of the bot", "Write /newbot to @BotFather in the messenger and enter the token that it gives."},
		"ru": {"Токен бота", "Напишите /newbot боту @BotFather в мессенджере и введите токен, который он даст."},
	},
	stepChat: {
		"en": {"Chat", "Write to the bot, or add it to a group, and enter the id of the chat."},
		"ru": {"Чат", "Напишите боту или добавьте его в группу и введите идентификатор чата."},
	},
	stepRule: {
		"en": {"What is sent", "Add a rule: which events go to the messenger, and from which severity on."},
		"ru": {"Что отправлять", "Добавьте правило: какие события отправлять в мессенджер и с какой важности."},
	},
	stepTest: {
		"en": {"Test", "Send a test and say whether it has arrived."},
		"ru": {"Проверка", "Отправьте тест и скажите, пришёл ли он."},
	},
}

var helperHref = map[string]string{
	stepToken: "/notifications/settings", stepChat: "/notifications/settings", stepRule: "/notifications/rules",
	stepTest: "/notifications/settings",
}

var helperRequest = map[string]*engine.Request{
	stepToken: {
		Method: "PUT", Path: "/api/v1/notifications/settings",
		Body: json.RawMessage(`{"settings":{"messenger":{"bot_token":""}}}`),
	},
	stepChat: {
		Method: "PUT", Path: "/api/v1/notifications/settings",
		Body: json.RawMessage(`{"settings":{"messenger":{"chat_id":""}}}`),
	},
	stepRule: {
		Method: "POST", Path: "/api/v1/notifications/rules",
		Body: json.RawMessage(`{"name":"","event":"*","channels":["messenger"],"min_severity":"warning"}`),
	},
	stepTest: {Method: "POST", Path: "/api/v1/notifications/messenger/test", Body: json.RawMessage("null")},
}
