package assistant

import (
	"context"

	"panel/modules/assistant/internal/engine"
	"panel/platform/entitlement"
	"panel/platform/httpapi"
)

type handlers struct {
	questions *questions
	proposals *proposals
	helper    *helper
	license   *entitlement.Shared
}

func newHandlers(q *questions, p *proposals, h *helper, l *entitlement.Shared) *handlers {
	return &handlers{questions: q, proposals: p, helper: h, license: l}
}

type body[T any] struct{ Body T }

// State is what the assistant can do now.
type State struct {
	ReadOnly    bool     `json:"read_only" doc:"The panel is read-only, so that nothing can be asked"`
	Available   bool     `json:"available" doc:"The license's plan includes the assistant"`
	Helper      *Helper  `json:"helper" doc:"The helper session of the panel, whoever holds it; null: nobody"`
	Suggestions []string `json:"suggestions" doc:"What can be asked on the page"`
	KeepDays    int      `json:"keep_days" doc:"How long questions are kept"`
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
	license := h.license.Current()
	return &body[State]{State{
		ReadOnly: license.ReadOnly(), Available: license.Allows(feature), Helper: held,
		Suggestions: engine.Suggestions(in.Language, in.Page), KeepDays: int(keptFor.Hours() / 24),
	}}, nil
}

type askInput struct{ Body NewQuestion }

func (h *handlers) ask(ctx context.Context, in *askInput) (*body[Question], error) {
	question, err := h.questions.ask(ctx, in.Body)
	return &body[Question]{question}, err
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
