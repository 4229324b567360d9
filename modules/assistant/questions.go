package assistant

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/uptrace/bun"

	"panel/modules/assistant/internal/engine"
	"panel/platform/access"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/httpapi"
	"panel/platform/keyset"
	"panel/platform/limits"
)

// States of a question.
const (
	running   = "running"
	answered  = "answered"
	failed    = "failed"
	cancelled = "cancelled"
)

// Engines that answer.
const (
	builtIn = "built_in"
	byModel = "model"
)

// keptFor is how long questions are kept.
const keptFor = 90 * 24 * time.Hour

// asking is how often one person may ask.
var asking = access.Limit{PerMinute: 30, Burst: 15}

// NewQuestion is what is asked.
type NewQuestion struct {
	Text     string `json:"text" minLength:"1" maxLength:"1000"`
	Language string `json:"language" enum:"en,ru" doc:"Language of the answer"`
	Page     string `json:"page" maxLength:"200" doc:"Path of the page that the caller looks at, /flows/ID"`
	Engine   string `json:"engine,omitempty" enum:"auto,built_in,model" doc:"Who answers; left out: the model where one is on"`
}

// Question is a question with its answer.
type Question struct {
	ID         string     `json:"id"`
	Text       string     `json:"text"`
	Language   string     `json:"language" enum:"en,ru"`
	Page       string     `json:"page"`
	AskedAt    time.Time  `json:"asked_at"`
	FinishedAt *time.Time `json:"finished_at"`
	State      string     `json:"state" enum:"running,answered,failed,cancelled"`
	Engine     string     `json:"engine" enum:"built_in,model"`
	Error      *Failure   `json:"error" doc:"Why the model gave no answer; null: it did, or was not asked"`
	Tokens     int64      `json:"tokens" doc:"What the model has used"`
	Answer     Answer     `json:"answer"`
}

// Failure is why a model gave no answer.
type Failure struct {
	Code string `json:"code"`
	Text string `json:"text" doc:"In the language of the question"`
}

// Answer is what is told, with the changes that are proposed.
type Answer struct {
	engine.Answer

	Proposals []Proposal `json:"proposals"`
}

type questionRow struct {
	bun.BaseModel `bun:"table:assistant_questions,alias:q"`

	ID         string          `bun:"id,pk,type:uuid"`
	AccountID  string          `bun:"account_id,type:uuid"`
	Text       string          `bun:"text"`
	Language   string          `bun:"language"`
	Page       string          `bun:"page"`
	Engine     string          `bun:"engine"`
	State      string          `bun:"state"`
	AskedAt    time.Time       `bun:"asked_at"`
	FinishedAt *time.Time      `bun:"finished_at"`
	BeatAt     time.Time       `bun:"beat_at"`
	Cancel     bool            `bun:"cancel_requested"`
	ErrorCode  string          `bun:"error_code"`
	Tokens     int64           `bun:"tokens"`
	Claimed    bool            `bun:"claimed"`
	Answer     json.RawMessage `bun:"answer,type:jsonb"`
	SortKey    string          `bun:"sort_key,scanonly"`
}

// questions are asked, answered and kept for the one who asked.
type questions struct {
	db        *database.DB
	panel     *httpapi.Reader
	proposals *proposals
	clock     clockwork.Clock
	pace      *limits.Limiter
	meter     *meter
}

func newQuestions(
	db *database.DB, panel *httpapi.Reader, p *proposals, clock clockwork.Clock, m *meter,
) (*questions, error) {
	pace, err := limits.New()
	return &questions{db: db, panel: panel, proposals: p, clock: clock, pace: pace, meter: m}, err
}

func (q *questions) now() time.Time { return q.clock.Now().UTC().Truncate(time.Microsecond) }

// ask answers a question and keeps both; one for a model is answered while somebody follows it.
// Faults: throttled (429), assistant_answering (409).
func (q *questions) ask(ctx context.Context, in NewQuestion, by string) (Question, error) {
	caller, now := access.From(ctx), q.now()
	if wait := q.pace.Take(limits.Key{Route: caller.AccountID}, asking, now); wait > 0 {
		return Question{}, fault.Throttled(wait)
	}
	row := questionRow{
		ID: database.NewID(), AccountID: caller.AccountID, Text: masked(in.Text), Language: in.Language, Page: in.Page,
		Engine: builtIn, State: answered, AskedAt: now, BeatAt: now,
	}
	if by == byModel {
		return q.expect(ctx, row)
	}
	answer, offers, err := engine.Respond(ctx, q.panel, engine.Ask{
		Text: in.Text, Language: in.Language, Page: in.Page, Now: now,
	})
	if err != nil {
		return Question{}, fmt.Errorf("answer a question: %w", err)
	}
	q.meter.answered(answer)
	return q.keep(ctx, row, answer, offers)
}

// keep stores a question with its answer and what it proposes.
func (q *questions) keep(
	ctx context.Context, row questionRow, answer engine.Answer, offers []engine.Proposal,
) (Question, error) {
	at := q.now()
	row.FinishedAt = &at
	var err error
	if row.Answer, err = json.Marshal(answer); err != nil {
		return Question{}, fmt.Errorf("encode an answer: %w", err)
	}
	err = q.db.InTx(ctx, func(ctx context.Context) error {
		if _, err := q.db.In(ctx).NewInsert().Model(&row).Exec(ctx); err != nil {
			return database.Fault(fmt.Errorf("keep a question: %w", err), nil)
		}
		return q.proposals.add(ctx, row.ID, row.AccountID, offers)
	})
	if err != nil {
		return Question{}, err
	}
	return q.get(ctx, row.ID)
}

var errNoQuestion = fault.Missing(fault.NoSuchThing)

// own gives a question of the caller. Fault: not_found (404), for those of others too.
func (q *questions) own(ctx context.Context, id string) (*questionRow, error) {
	if !database.IsID(id) {
		return nil, errNoQuestion
	}
	row := new(questionRow)
	err := q.db.In(ctx).NewSelect().Model(row).Where("q.id = ? and q.account_id = ?", id, access.From(ctx).AccountID).
		Scan(ctx)
	return row, database.Fault(err, nil)
}

// get shows an own question. Fault: not_found (404).
func (q *questions) get(ctx context.Context, id string) (Question, error) {
	row, err := q.own(ctx, id)
	if err != nil {
		return Question{}, err
	}
	all, err := q.shown(ctx, []questionRow{*row})
	if err != nil {
		return Question{}, err
	}
	return all[0], nil
}

var questionOrders = map[string]keyset.Order{
	"asked_at": {Expression: "q.asked_at", Kind: httpapi.CursorMoment},
}

// page lists the caller's own questions, the newest first.
func (q *questions) page(ctx context.Context, query httpapi.PageQuery) (page httpapi.Page[Question], err error) {
	k, err := keyset.New(query, "q.id", "-asked_at", questionOrders)
	if err != nil {
		return page, err
	}
	account := access.From(ctx).AccountID
	var rows []questionRow
	read := q.db.In(ctx).NewSelect().Model(&rows).ColumnExpr("q.*").Where("q.account_id = ?", account)
	if err := k.Apply(read, nil).Scan(ctx); err != nil {
		return page, database.Fault(fmt.Errorf("list questions: %w", err), nil)
	}
	total, err := q.db.In(ctx).NewSelect().Model((*questionRow)(nil)).Where("q.account_id = ?", account).Count(ctx)
	if err != nil {
		return page, database.Fault(fmt.Errorf("count questions: %w", err), nil)
	}
	last := func(r *questionRow) (sortKey, id string) { return r.SortKey, r.ID }
	raw := keyset.Page(k, rows, int(total), func(r *questionRow) questionRow { return *r }, last)
	page = httpapi.Page[Question]{NextCursor: raw.NextCursor, Total: raw.Total}
	page.Items, err = q.shown(ctx, raw.Items)
	return page, err
}

// shown turns rows into questions with their proposals.
func (q *questions) shown(ctx context.Context, rows []questionRow) ([]Question, error) {
	ids := make([]string, len(rows))
	for i, row := range rows {
		ids[i] = row.ID
	}
	offers, err := q.proposals.of(ctx, ids)
	if err != nil {
		return nil, err
	}
	out := make([]Question, len(rows))
	for i, row := range rows {
		if out[i], err = row.shown(offers[row.ID], q.now()); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (r *questionRow) shown(offers []Proposal, now time.Time) (Question, error) {
	if r.State == running && r.BeatAt.Before(now.Add(-silentFor)) {
		r.State, r.ErrorCode = failed, failInterrupted
	}
	out := Question{
		ID: r.ID, Text: r.Text, Language: r.Language, Page: r.Page, AskedAt: r.AskedAt.UTC(), State: r.State,
		Engine: r.Engine, Tokens: r.Tokens, Error: failureOf(r.ErrorCode, r.Language),
		Answer: Answer{Proposals: append([]Proposal{}, offers...)},
	}
	if err := json.Unmarshal(r.Answer, &out.Answer.Answer); err != nil {
		return out, fmt.Errorf("read a stored answer: %w", err)
	}
	if out.Answer.Refused == nil { // kept before calls were told of
		out.Answer.Refused = []engine.Refused{}
	}
	if r.FinishedAt != nil {
		at := r.FinishedAt.UTC()
		out.FinishedAt = &at
	}
	return out, nil
}

// forget deletes an own question with what it proposed. Fault: not_found (404).
func (q *questions) forget(ctx context.Context, id string) error {
	if _, err := q.own(ctx, id); err != nil {
		return err
	}
	_, err := q.db.In(ctx).NewDelete().Model((*questionRow)(nil)).
		Where("q.id = ? and q.account_id = ?", id, access.From(ctx).AccountID).Exec(ctx)
	return database.Fault(err, nil)
}

// forgetAll deletes all own questions.
func (q *questions) forgetAll(ctx context.Context) error {
	_, err := q.db.In(ctx).NewDelete().Model((*questionRow)(nil)).
		Where("q.account_id = ?", access.From(ctx).AccountID).Exec(ctx)
	return database.Fault(err, nil)
}
