package assistant

import (
	"context"

	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"

	"panel/modules/assistant/internal/engine"
	"panel/platform/entitlement"
	"panel/platform/httpapi"
	"panel/platform/settings"
)

type handlers struct {
	questions *questions
	proposals *proposals
	helper    *helper
	answering *answering
	settings  *settings.Doc[Settings]
	license   *entitlement.Shared
	sessions  httpapi.Sessions
	streams   *httpapi.Streams
	clock     clockwork.Clock
	log       *zap.Logger
}

func newHandlers(
	q *questions, p *proposals, h *helper, a *answering, doc *settings.Doc[Settings], l *entitlement.Shared,
	s httpapi.Sessions, streams *httpapi.Streams, c clockwork.Clock, log *zap.Logger,
) *handlers {
	return &handlers{
		questions: q, proposals: p, helper: h, answering: a, settings: doc, license: l, sessions: s, streams: streams,
		clock: c, log: log,
	}
}

type body[T any] struct{ Body T }

// State is what the assistant can do now.
type State struct {
	ReadOnly    bool     `json:"read_only" doc:"The panel is read-only, so that nothing can be asked"`
	Available   bool     `json:"available" doc:"The license's plan includes the assistant"`
	Helper      *Helper  `json:"helper" doc:"The helper session of the panel, whoever holds it; null: nobody"`
	Suggestions []string `json:"suggestions" doc:"What can be asked on the page"`
	KeepDays    int      `json:"keep_days" doc:"How long questions are kept"`
	Model       Model    `json:"model"`
}

// Model is the language model as everybody may know it who asks.
type Model struct {
	On    bool   `json:"on"`
	Kind  string `json:"kind" enum:"openai,anthropic"`
	Name  string `json:"name"`
	Spent Spent  `json:"spent"`
}

type stateInput struct {
	Page     string `query:"page" maxLength:"200"`
	Language string `query:"language" enum:"en,ru" default:"en"`
}

func (h *handlers) state(ctx context.Context, in *stateInput) (*body[State], error) {
	held, err := h.helper.current(ctx)
	if err != nil {
		return nil, err
	}
	now, _, err := h.settings.Get(ctx)
	if err != nil {
		return nil, err
	}
	spent, err := h.answering.spending.today(ctx, now)
	if err != nil {
		return nil, err
	}
	license := h.license.Current()
	return &body[State]{State{
		ReadOnly: license.ReadOnly(), Available: license.Allows(feature), Helper: held,
		Suggestions: engine.Suggestions(in.Language, in.Page), KeepDays: int(keptFor.Hours() / 24),
		Model: Model{On: now.Enabled, Kind: now.Kind, Name: now.Model, Spent: spent},
	}}, nil
}

type askInput struct{ Body NewQuestion }

func (h *handlers) ask(ctx context.Context, in *askInput) (*body[Question], error) {
	by, err := h.answering.by(ctx, in.Body.Engine)
	if err != nil {
		return nil, err
	}
	question, err := h.questions.ask(ctx, in.Body, by)
	return &body[Question]{question}, err
}

func (h *handlers) cancel(ctx context.Context, in *QuestionPath) (*body[Question], error) {
	question, err := h.questions.cancel(ctx, in.ID)
	return &body[Question]{question}, err
}

// Preview is what would leave the panel for a question.
type Preview struct {
	Address string        `json:"address" doc:"Where it would go; empty: no model is set"`
	Sends   []Sent        `json:"sends"`
	Tools   []PreviewTool `json:"tools" doc:"What the model may ask the panel, with the caller's rights"`
	Masked  []string      `json:"masked" doc:"What is taken out before"`
}

// Sent is one message to a model.
type Sent struct {
	Role string `json:"role" enum:"system,user"`
	Text string `json:"text"`
}

// PreviewTool is one tool of a model.
type PreviewTool struct {
	Name  string   `json:"name"`
	About string   `json:"about"`
	Reads []string `json:"reads" doc:"Operations of the panel that it may ask"`
}

func (h *handlers) preview(ctx context.Context, in *askInput) (*body[Preview], error) {
	now, _, err := h.settings.Get(ctx)
	if err != nil {
		return nil, err
	}
	about := conversation(engine.Ask{Text: in.Body.Text, Language: in.Body.Language, Page: in.Body.Page})
	out := Preview{
		Address: now.Address, Masked: []string{"addresses", "keys", "clients"},
		Sends: []Sent{{"system", about.System}, {"user", about.Messages[0].Text}}, Tools: []PreviewTool{},
	}
	for _, tool := range engine.Tools() {
		out.Tools = append(out.Tools, PreviewTool{tool.Name, tool.About, append([]string{}, tool.Reads...)})
	}
	return &body[Preview]{out}, nil
}

type historyInput struct{ httpapi.PageQuery }

func (h *handlers) history(ctx context.Context, in *historyInput) (*body[httpapi.Page[Question]], error) {
	page, err := h.questions.page(ctx, in.PageQuery)
	return &body[httpapi.Page[Question]]{page}, err
}

// QuestionPath names a question.
type QuestionPath struct {
	ID string `path:"id" maxLength:"64"`
}

func (h *handlers) question(ctx context.Context, in *QuestionPath) (*body[Question], error) {
	question, err := h.questions.get(ctx, in.ID)
	return &body[Question]{question}, err
}

func (h *handlers) forget(ctx context.Context, in *QuestionPath) (*struct{}, error) {
	return nil, h.questions.forget(ctx, in.ID)
}

func (h *handlers) forgetAll(ctx context.Context, _ *struct{}) (*struct{}, error) {
	return nil, h.questions.forgetAll(ctx)
}

// ProposalPath names a proposal.
type ProposalPath struct {
	ID string `path:"id" maxLength:"64"`
}

func (h *handlers) proposal(ctx context.Context, in *ProposalPath) (*body[Proposal], error) {
	proposal, err := h.proposals.get(ctx, in.ID)
	return &body[Proposal]{proposal}, err
}

func (h *handlers) confirm(ctx context.Context, in *ProposalPath) (*body[Proposal], error) {
	proposal, err := h.proposals.settle(ctx, in.ID, confirmed, kindConfirmed)
	return &body[Proposal]{proposal}, err
}

func (h *handlers) reject(ctx context.Context, in *ProposalPath) (*body[Proposal], error) {
	proposal, err := h.proposals.settle(ctx, in.ID, rejected, kindRejected)
	return &body[Proposal]{proposal}, err
}

// HelperState is the helper session, if there is one.
type HelperState struct {
	Helper *Helper `json:"helper" doc:"null: nobody is being helped"`
}

func (h *handlers) helperState(ctx context.Context, _ *struct{}) (*body[HelperState], error) {
	held, err := h.helper.current(ctx)
	return &body[HelperState]{HelperState{held}}, err
}

// NewHelper begins the helper session.
type NewHelper struct {
	Language string `json:"language" enum:"en,ru"`
}

type helperInput struct{ Body NewHelper }

func (h *handlers) helperStart(ctx context.Context, in *helperInput) (*body[Helper], error) {
	held, err := h.helper.start(ctx, in.Body.Language)
	return &body[Helper]{held}, err
}

// HelperCheck says what only the person can know.
type HelperCheck struct {
	Delivered bool `json:"delivered" doc:"The test message has arrived"`
}

type checkInput struct{ Body HelperCheck }

func (h *handlers) helperCheck(ctx context.Context, in *checkInput) (*body[Helper], error) {
	held, err := h.helper.check(ctx, in.Body.Delivered)
	return &body[Helper]{held}, err
}

// HelperEnd names the session that is to end.
type HelperEnd struct {
	ID string `json:"id" maxLength:"64"`
}

type endInput struct{ Body HelperEnd }

func (h *handlers) helperCancel(ctx context.Context, in *endInput) (*struct{}, error) {
	return nil, h.helper.cancel(ctx, in.Body.ID)
}
