package accounts

import (
	"context"
	"strconv"
	"strings"

	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/httpapi"
)

type listInput struct {
	httpapi.PageQuery
	State string `query:"state" enum:"active,disabled"`
	Q     string `query:"q" maxLength:"64" doc:"Part of the username"`
}

type listOutput struct{ Body httpapi.Page[account] }

func (h *handlers) list(ctx context.Context, in *listInput) (*listOutput, error) {
	rows, total, err := h.service.store.page(ctx, pageOf{after: in.Cursor, limit: in.Limit + 1, state: in.State, like: in.Q})
	if err != nil {
		return nil, err
	}
	out := &listOutput{Body: httpapi.Page[account]{Items: []account{}, Total: total}}
	for i := range rows {
		if i == in.Limit {
			cursor := rows[i-1].position()
			out.Body.NextCursor = &cursor
			break
		}
		out.Body.Items = append(out.Body.Items, rows[i].shown())
	}
	return out, nil
}

type createInput struct {
	Body struct {
		Username    string    `json:"username" minLength:"3" maxLength:"64" pattern:"^[\\p{L}\\p{N}._@-][\\p{L}\\p{M}\\p{N}._@-]*$" patternDescription:"letters, digits and . _ @ -"`
		Password    string    `json:"password" minLength:"8" maxLength:"128"`
		Permissions *[]string `json:"permissions,omitempty" maxItems:"100" doc:"Not sent: full access"`
		MustChange  *bool     `json:"must_change_password,omitempty"`
	}
}

type accountOutput struct{ Body account }

func (h *handlers) create(ctx context.Context, in *createInput) (*accountOutput, error) {
	row, err := h.service.create(ctx, draft{
		Username: &in.Body.Username, Password: &in.Body.Password, Permissions: in.Body.Permissions, MustChange: in.Body.MustChange,
	})
	if err != nil {
		return nil, err
	}
	return &accountOutput{Body: row.shown()}, nil
}

type idInput struct {
	ID string `path:"id"`
}

func (h *handlers) show(ctx context.Context, in *idInput) (*accountOutput, error) {
	row, err := h.service.store.account(ctx, h.service.db, in.ID)
	if err != nil {
		return nil, err
	}
	return &accountOutput{Body: row.shown()}, nil
}

type updateInput struct {
	ID      string `path:"id"`
	IfMatch string `header:"If-Match" maxLength:"32"`
	Body    struct {
		Username    *string   `json:"username,omitempty" minLength:"3" maxLength:"64" pattern:"^[\\p{L}\\p{N}._@-][\\p{L}\\p{M}\\p{N}._@-]*$" patternDescription:"letters, digits and . _ @ -"`
		Permissions *[]string `json:"permissions,omitempty" maxItems:"100"`
		State       *string   `json:"state,omitempty" enum:"active,disabled"`
		Revision    *int64    `json:"revision,omitempty" doc:"Here or in If-Match"`
	}
}

func (h *handlers) update(ctx context.Context, in *updateInput) (*accountOutput, error) {
	revision, err := revisionOf(in.Body.Revision, in.IfMatch)
	if err != nil {
		return nil, err
	}
	d := draft{Username: in.Body.Username, Permissions: in.Body.Permissions, State: in.Body.State}
	row, err := h.service.update(ctx, in.ID, revision, d)
	if err != nil {
		return nil, err
	}
	return &accountOutput{Body: row.shown()}, nil
}

// revisionOf takes the body's revision or the If-Match header's; one of them is required.
func revisionOf(inBody *int64, ifMatch string) (int64, error) {
	if inBody != nil {
		return *inBody, nil
	}
	revision, err := strconv.ParseInt(strings.Trim(ifMatch, `"`), 10, 64)
	if err != nil {
		return 0, fault.Malformed("missing_field", "send the revision that you read, in the body or in If-Match").
			Field("revision", "missing_field", "this field is required")
	}
	return revision, nil
}

type removeInput struct {
	ID         string `path:"id"`
	HandOverTo string `query:"hand_over_to" maxLength:"64" doc:"Account that gets what this one owns; needs full access"`
}

func (h *handlers) remove(ctx context.Context, in *removeInput) (*none, error) {
	return nil, h.service.remove(ctx, in.ID, in.HandOverTo)
}

type resetInput struct {
	ID   string `path:"id"`
	Body struct {
		Password           string  `json:"password" minLength:"8" maxLength:"128"`
		MustChangePassword bool    `json:"must_change_password,omitempty" doc:"Nothing else is open to the account until it has changed it"`
		RemoveSecondFactor bool    `json:"remove_second_factor,omitempty" doc:"Needs current_password"`
		CurrentPassword    *string `json:"current_password,omitempty" maxLength:"128" doc:"Your own password again"`
	}
}

func (h *handlers) resetPassword(ctx context.Context, in *resetInput) (*none, error) {
	return nil, h.service.resetPassword(ctx, in.ID, newPassword{
		plain: in.Body.Password, mustChange: in.Body.MustChangePassword,
		withoutFactors: in.Body.RemoveSecondFactor, confirmation: in.Body.CurrentPassword,
	})
}

func (h *handlers) sessionsOf(ctx context.Context, in *idInput) (*sessionsOutput, error) {
	if _, err := h.service.store.account(ctx, h.service.db, in.ID); err != nil {
		return nil, err
	}
	held, err := h.service.sessionsOf(ctx, in.ID)
	return &sessionsOutput{Body: httpapi.Page[session]{Items: held, Total: len(held)}}, err
}

type sessionOfInput struct {
	ID        string `path:"id"`
	SessionID string `path:"session_id"`
}

func (h *handlers) endSessionOf(ctx context.Context, in *sessionOfInput) (*none, error) {
	return nil, h.service.endSessionOf(ctx, in.ID, in.SessionID)
}

// pageOf is one page of the list, by username.
type pageOf struct {
	after, state, like string
	limit              int
}

func (s *store) page(ctx context.Context, p pageOf) ([]accountRow, int, error) {
	var rows []accountRow
	query := selectAccounts(s.db, &rows)
	if p.state != "" {
		query = query.Where("state = ?", p.state)
	}
	if p.like != "" {
		query = query.Where("strpos("+namePosition+", ?) > 0", nameKey(p.like))
	}
	total, err := query.Count(ctx)
	if err != nil {
		return nil, 0, database.Fault(err, nil)
	}
	if p.after != "" {
		query = query.Where(namePosition+" > ?", p.after)
	}
	err = query.OrderExpr(namePosition).Limit(int64(p.limit)).Scan(ctx)
	return rows, int(total), database.Fault(err, nil)
}

// namePosition orders accounts by name; one that an older panel has just written has no key yet.
const namePosition = "coalesce(username_key, username)"

func (r *accountRow) position() string {
	if r.UsernameKey == nil {
		return r.Username
	}
	return *r.UsernameKey
}
