package accounts

import (
	"context"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"panel/platform/database"
	"panel/platform/httpapi"
	"panel/platform/names"
)

type listInput struct {
	httpapi.PageQuery
	State string `query:"state" enum:"active,disabled"`
	Q     string `query:"q" maxLength:"64" doc:"Part of the username"`
}

type listOutput struct{ Body httpapi.Page[account] }

func (h *handlers) list(ctx context.Context, in *listInput) (*listOutput, error) {
	if in.Sort == "" {
		in.Sort = "username"
	}
	rows, total, err := h.service.store.page(ctx, in)
	if err != nil {
		return nil, err
	}
	out := &listOutput{Body: httpapi.Page[account]{Items: []account{}, Total: total}}
	for i := range rows {
		if i == in.Limit {
			out.Body.NextCursor = rows[i-1].cursor(in.Sort).Text()
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
		Username: &in.Body.Username, Password: &in.Body.Password, Permissions: in.Body.Permissions,
		MustChange: in.Body.MustChange,
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
	row, err := h.service.store.account(ctx, in.ID)
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
	revision, err := httpapi.Revision(in.Body.Revision, in.IfMatch)
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

type sessionsOfInput struct {
	ID string `path:"id"`
	SessionsQuery
}

func (h *handlers) sessionsOf(ctx context.Context, in *sessionsOfInput) (*sessionsOutput, error) {
	if _, err := h.service.store.account(ctx, in.ID); err != nil {
		return nil, err
	}
	held, err := h.service.sessionsOf(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return in.page(held)
}

type sessionOfInput struct {
	ID        string `path:"id"`
	SessionID string `path:"session_id"`
}

func (h *handlers) endSessionOf(ctx context.Context, in *sessionOfInput) (*none, error) {
	return nil, h.service.endSessionOf(ctx, in.ID, in.SessionID)
}

// cursor is where a page that ends with this account ends.
func (r *accountRow) cursor(sort string) httpapi.Cursor {
	c := httpapi.Cursor{Sort: sort, Value: r.position(), ID: r.ID}
	if strings.TrimPrefix(sort, "-") == "created_at" {
		c.Value = r.CreatedAt.UTC().Format(time.RFC3339Nano)
	}
	return c
}

// accountOrders are the columns of a sorted list, and what a cursor's value is compared as.
var accountOrders = map[string]struct {
	column, given string
	value         httpapi.CursorValue
}{
	"username":   {namePosition, "?", httpapi.CursorText},
	"created_at": {"created_at", "?::timestamptz", httpapi.CursorMoment},
}

// pageColumns are what a list shows or goes on from. Digests of passwords stay in the database.
const pageColumns = "a.id, a.username, a.username_key, a.permissions AS keys, a.state, a.must_change_password, a.last_login_at, " +
	"a.last_login_ip, a.created_at, a.revision"

// page gives one account more than the page holds, and how many match. Fault: bad_parameter (400).
func (s *store) page(ctx context.Context, in *listInput) (rows []listedRow, total int, err error) {
	name, down := strings.CutPrefix(in.Sort, "-")
	by, known := accountOrders[name]
	if !known {
		return nil, 0, httpapi.ErrSort
	}
	after, err := httpapi.ReadCursor(in.Cursor, in.Sort, by.value)
	if err != nil {
		return nil, 0, err
	}
	args := new(database.Arguments)
	total, all := 0, in.kept(s.db.NewSelect().TableExpr("accounts AS a").ColumnExpr("count(*)"), args)
	query := in.kept(s.db.NewSelect().TableExpr("accounts AS a").ColumnExpr("a.*"), args)
	direction, than := "", ">"
	if down {
		direction, than = " desc", "<"
	}
	if after != nil {
		query = query.Where("("+by.column+", id) "+than+" ("+by.given+", ?::uuid)", args.Add(after.Value),
			args.Add(after.ID))
	}
	query = query.ColumnExpr("(?) AS total", all).ColumnExpr(by.column + " AS sort_key").
		OrderExpr(by.column + direction + ", id" + direction).Limit(int64(in.Limit) + 1)
	shown := s.db.NewSelect().With("p", query).TableExpr("p AS a").ColumnExpr(pageColumns + ", a.total, " + pageFactors).
		Join(pagePasskeys).OrderExpr("a.sort_key" + direction + ", a.id" + direction)
	if err := database.Read(ctx, s.db, &rows, shown, args); err != nil {
		return nil, 0, database.Fault(err, nil)
	}
	if len(rows) > 0 {
		return rows, rows[0].Total, nil
	}
	if after != nil {
		total, err = s.matching(ctx, in)
	}
	return rows, total, err
}

// The second factors of a page are looked up for all of its accounts at once.
const (
	pageFactors = "a.id = any(array(select account_id from totp_factors where confirmed_at is not null)) as totp_enabled, " +
		"coalesce(k.passkeys, 0) as passkeys"
	pagePasskeys = `left join (select account_id, count(*) as passkeys from passkeys
		where account_id = any(array(select id from p)) group by account_id) as k on k.account_id = a.id`
)

// listedRow is an account of a page, beside how many match. Its keys are read as the texts that are shown.
type listedRow struct {
	accountRow
	Keys  []string `bun:"keys,scanonly,array"`
	Total int      `bun:"total,scanonly"`
}

func (r *listedRow) shown() account {
	out := r.accountRow.shown()
	out.Permissions = r.Keys
	return out
}

// matching is for a page beyond the last account, which has no row that could tell.
func (s *store) matching(ctx context.Context, in *listInput) (int, error) {
	n, err := in.kept(s.db.NewSelect().TableExpr("accounts AS a"), nil).Count(ctx)
	return int(n), database.Fault(err, nil)
}

// kept narrows the accounts down to those that are asked for.
func (in *listInput) kept(q *bun.SelectQuery, args *database.Arguments) *bun.SelectQuery {
	if in.State != "" {
		q = q.Where("state = ?", args.Add(in.State))
	}
	if in.Q != "" {
		q = q.Where("strpos("+namePosition+", ?) > 0", args.Add(names.Key(in.Q)))
	}
	return q
}

// namePosition orders accounts by name; one that an older panel has just written has no key yet.
const namePosition = "coalesce(username_key, username)"

func (r *accountRow) position() string {
	if r.UsernameKey == nil {
		return r.Username
	}
	return *r.UsernameKey
}
