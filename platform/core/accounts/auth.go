package accounts

import (
	"context"
	"slices"

	"panel/platform/access"
	"panel/platform/httpapi"
)

type handlers struct{ service *service }

func newHandlers(s *service) *handlers { return &handlers{service: s} }

type loginInput struct {
	Body struct {
		Username string `json:"username" maxLength:"64"`
		Password string `json:"password" maxLength:"128"`
	}
}

type signedInOutput struct{ Body *signedIn }

func (h *handlers) login(ctx context.Context, in *loginInput) (*signedInOutput, error) {
	opened, err := h.service.login(ctx, in.Body.Username, in.Body.Password)
	return &signedInOutput{Body: opened}, err
}

type none struct{}

type meOutput struct {
	Body struct {
		Account     account   `json:"account"`
		Permissions []string  `json:"permissions"`
		Session     *session  `json:"session,omitempty" doc:"Absent where an API token calls"`
		APIToken    *apiToken `json:"api_token,omitempty" doc:"The API token that calls"`
	}
}

func (h *handlers) me(ctx context.Context, _ *none) (*meOutput, error) {
	caller := access.From(ctx)
	owner, err := h.service.store.account(ctx, caller.AccountID)
	if err != nil {
		return nil, err
	}
	out := &meOutput{}
	out.Body.Account, out.Body.Permissions = owner.shown(), words(caller.Permissions)
	if caller.TokenID != "" {
		own, err := h.service.tokensOf(ctx, caller.AccountID)
		out.Body.APIToken = only(own, func(t apiToken) bool { return t.ID == caller.TokenID })
		return out, err
	}
	own, err := h.service.ownSessions(ctx)
	out.Body.Session = only(own, func(s session) bool { return s.Current })
	return out, err
}

type languageInput struct {
	Body struct {
		Language string `json:"language" enum:"en,ru" doc:"Language of the web interface"`
	}
}

// setLanguage is how somebody reads, nothing that the panel does: it is no change for the journal.
func (h *handlers) setLanguage(ctx context.Context, in *languageInput) (*none, error) {
	return nil, h.service.store.setLanguage(ctx, access.From(ctx).AccountID, in.Body.Language)
}

// only is the one that is meant; nil where it has just ended.
func only[T any](all []T, meant func(T) bool) *T {
	if at := slices.IndexFunc(all, meant); at >= 0 {
		return &all[at]
	}
	return nil
}

func (h *handlers) logout(ctx context.Context, _ *none) (*none, error) {
	return nil, h.service.logout(ctx)
}

type passwordInput struct {
	Body struct {
		CurrentPassword string `json:"current_password" maxLength:"128"`
		NewPassword     string `json:"new_password" minLength:"8" maxLength:"128"`
	}
}

func (h *handlers) changePassword(ctx context.Context, in *passwordInput) (*none, error) {
	return nil, h.service.changePassword(ctx, in.Body.CurrentPassword, in.Body.NewPassword)
}

type sessionsOutput struct{ Body httpapi.Page[session] }

// SessionsQuery is a page that holds all sessions of nearly everybody, unless a smaller one is asked for.
type SessionsQuery struct {
	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"200"`
	Cursor string `query:"cursor" maxLength:"512"`
	Sort   string `query:"sort" maxLength:"64" doc:"created_at or last_seen_at; a leading minus turns the order. Default: -last_seen_at"`
}

var sessionList = httpapi.ShortList[session]{
	ID: func(s session) string { return s.ID }, Usual: "-last_seen_at", Sorts: map[string]func(a, b session) int{
		"created_at":   func(a, b session) int { return a.CreatedAt.Compare(b.CreatedAt) },
		"last_seen_at": func(a, b session) int { return a.LastSeenAt.Compare(b.LastSeenAt) },
	},
}

func (q SessionsQuery) page(held []session) (*sessionsOutput, error) {
	page, err := sessionList.Page(held, httpapi.PageQuery(q))
	return &sessionsOutput{Body: page}, err
}

func (h *handlers) sessions(ctx context.Context, in *SessionsQuery) (*sessionsOutput, error) {
	own, err := h.service.ownSessions(ctx)
	if err != nil {
		return nil, err
	}
	return in.page(own)
}

func (s *service) ownSessions(ctx context.Context) ([]session, error) {
	return s.sessionsOf(ctx, access.From(ctx).AccountID)
}

func (s *service) sessionsOf(ctx context.Context, accountID string) ([]session, error) {
	now := s.clock.Now()
	rows, err := s.store.sessionsOf(ctx, accountID, now, now.Add(-s.directory.idle))
	if err != nil {
		return nil, err
	}
	held := make([]session, len(rows))
	for i := range rows {
		held[i] = rows[i].shown(s.directory.idle, access.From(ctx).SessionID)
	}
	return held, nil
}

type sessionInput struct {
	ID string `path:"id"`
}

func (h *handlers) endSession(ctx context.Context, in *sessionInput) (*none, error) {
	return nil, h.service.endSession(ctx, in.ID, "account.session_ended")
}
