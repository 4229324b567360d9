package accounts

import (
	"cmp"
	"context"
	"time"

	"github.com/uptrace/bun"

	"panel/platform/access"
	"panel/platform/fault"
	"panel/platform/httpapi"
	"panel/platform/tokens"
)

// apiTokenPrefix begins every API token, so that a proof knows where to look and a scanner for secrets what it has
// found.
const apiTokenPrefix = "pat_"

type apiTokenRow struct {
	bun.BaseModel `bun:"table:api_tokens,alias:t"`
	ID            string       `bun:",pk"`
	AccountID     string       `bun:"account_id"`
	Name          string       `bun:"name"`
	TokenHash     []byte       `bun:"token_hash"`
	Permissions   []access.Key `bun:"permissions,array"`
	CreatedAt     time.Time    `bun:"created_at"`
	ExpiresAt     time.Time    `bun:"expires_at"`
	LastUsedAt    *time.Time   `bun:"last_used_at"`
}

// apiToken is an API token as lists show it; the token itself is shown once, at its creation.
type apiToken struct {
	ID          string     `json:"id" format:"uuid"`
	Name        string     `json:"name"`
	Permissions []string   `json:"permissions" doc:"It opens those of them that its account holds, too"`
	CreatedAt   time.Time  `json:"created_at"`
	ExpiresAt   time.Time  `json:"expires_at"`
	LastUsedAt  *time.Time `json:"last_used_at" doc:"To the minute; null: never"`
	Expired     bool       `json:"expired"`
}

func (r *apiTokenRow) shown(now time.Time) apiToken {
	return apiToken{
		ID: r.ID, Name: r.Name, Permissions: words(r.Permissions), CreatedAt: r.CreatedAt, ExpiresAt: r.ExpiresAt,
		LastUsedAt: r.LastUsedAt, Expired: !now.Before(r.ExpiresAt),
	}
}

// liveToken is an API token in memory.
type liveToken struct {
	row    *apiTokenRow
	caller access.Caller
	last   time.Time
}

var errTokenExpired = fault.Unauthenticated("api_token_expired", "the API token has expired; create a new one")

func (d *directory) proveToken(
	ctx context.Context, token string, by func(*liveToken) (access.Caller, error),
) (access.Caller, error) {
	held, err := d.apiTokens.Prove(ctx, tokens.DigestOf(token))
	if err != nil {
		return access.Caller{}, err
	}
	return by(held)
}

// readToken is what the image of API tokens reads. The rights are those that the token was given and that its account
// holds now: a change of the account drops the image.
func (d *directory) readToken(ctx context.Context, digest tokens.Digest) (*liveToken, error) {
	row, owner, err := lookedUp(ctx, d, digest, d.store.apiToken)
	if err != nil {
		return nil, err
	}
	held := &liveToken{row: row, caller: access.Caller{
		Kind: access.Admin, AccountID: owner.ID, Username: owner.Username, TokenID: row.ID, TokenName: row.Name,
		Permissions: access.Set(row.Permissions).And(owner.Permissions), MustChangePassword: owner.MustChangePassword,
	}}
	if row.LastUsedAt != nil {
		held.last = *row.LastUsedAt
	}
	held.last = d.tokenUses.latest(row.ID, held.last)
	return held, nil
}

func (d *directory) livingToken(held *liveToken) (access.Caller, error) {
	if !d.clock.Now().Before(held.row.ExpiresAt) {
		return access.Caller{}, errTokenExpired
	}
	return held.caller, nil
}

func (d *directory) usedToken(held *liveToken) (access.Caller, error) {
	caller, err := d.livingToken(held)
	if err != nil {
		return caller, err
	}
	now := d.clock.Now()
	d.mu.RLock()
	due := now.Sub(held.last) >= touchStep
	d.mu.RUnlock()
	if due {
		d.mu.Lock()
		held.last = now
		d.mu.Unlock()
		d.tokenUses.note(held.row.ID, now)
	}
	return caller, nil
}

type createTokenInput struct {
	Body struct {
		Name            string   `json:"name" minLength:"1" maxLength:"64" doc:"What the token is for"`
		Permissions     []string `json:"permissions" maxItems:"100" doc:"A part of your own; none: what needs no permission"`
		ExpiresInDays   int      `json:"expires_in_days,omitempty" minimum:"1" maximum:"365" default:"90"`
		CurrentPassword string   `json:"current_password" maxLength:"128" doc:"Your own password again"`
	}
}

type createdToken struct {
	Token    string   `json:"token" doc:"Shown this once"`
	APIToken apiToken `json:"api_token"`
}

type createdTokenOutput struct{ Body createdToken }

func (h *handlers) createToken(ctx context.Context, in *createTokenInput) (*createdTokenOutput, error) {
	token, row, err := h.service.createToken(ctx, tokenOrder{
		name: in.Body.Name, permissions: in.Body.Permissions, days: in.Body.ExpiresInDays,
		password: in.Body.CurrentPassword,
	})
	if err != nil {
		return nil, err
	}
	return &createdTokenOutput{Body: createdToken{Token: token, APIToken: row.shown(h.service.clock.Now())}}, nil
}

type tokensOutput struct{ Body httpapi.Page[apiToken] }

// TokensQuery is a page that holds all API tokens of an account, unless a smaller one is asked for.
type TokensQuery struct {
	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"200"`
	Cursor string `query:"cursor" maxLength:"512"`
	Sort   string `query:"sort" maxLength:"64" doc:"name, created_at or expires_at; a leading minus turns the order. Default: name"`
}

var tokenList = httpapi.ShortList[apiToken]{
	ID: func(t apiToken) string { return t.ID }, Usual: "name", Sorts: map[string]func(a, b apiToken) int{
		"name":       func(a, b apiToken) int { return cmp.Compare(a.Name, b.Name) },
		"created_at": func(a, b apiToken) int { return a.CreatedAt.Compare(b.CreatedAt) },
		"expires_at": func(a, b apiToken) int { return a.ExpiresAt.Compare(b.ExpiresAt) },
	},
}

func (h *handlers) tokens(ctx context.Context, in *TokensQuery) (*tokensOutput, error) {
	return h.tokensPage(ctx, access.From(ctx).AccountID, *in)
}

func (h *handlers) tokensPage(ctx context.Context, accountID string, q TokensQuery) (*tokensOutput, error) {
	held, err := h.service.tokensOf(ctx, accountID)
	if err != nil {
		return nil, err
	}
	page, err := tokenList.Page(held, httpapi.PageQuery(q))
	return &tokensOutput{Body: page}, err
}

func (h *handlers) revokeToken(ctx context.Context, in *idInput) (*none, error) {
	return nil, h.service.revokeToken(ctx, in.ID)
}

type tokensOfInput struct {
	ID string `path:"id"`
	TokensQuery
}

func (h *handlers) tokensOf(ctx context.Context, in *tokensOfInput) (*tokensOutput, error) {
	if _, err := h.service.store.account(ctx, in.ID); err != nil {
		return nil, err
	}
	return h.tokensPage(ctx, in.ID, in.TokensQuery)
}

type tokenOfInput struct {
	ID      string `path:"id"`
	TokenID string `path:"token_id"`
}

func (h *handlers) revokeTokenOf(ctx context.Context, in *tokenOfInput) (*none, error) {
	return nil, h.service.revokeTokenOf(ctx, in.ID, in.TokenID)
}
