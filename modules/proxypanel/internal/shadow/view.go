package shadow

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/uptrace/bun"

	"panel/modules/proxypanel/proxypanelapi"
	"panel/platform/database"
	"panel/platform/httpapi"
	"panel/platform/keyset"
)

// Filter chooses what a list holds.
type Filter struct {
	ConnectionID string
	Search       string // part of the name, of any case
	Gone         bool   // those that are gone instead of those that are there
	Status       string // of users; empty: any
}

// Lists pages through what is known.
type Lists struct {
	db     *database.DB
	clock  clockwork.Clock
	totals keyset.Totals[Filter]
}

// NewLists makes them.
func NewLists(db *database.DB, c clockwork.Clock) *Lists {
	const cheap = 1000
	return &Lists{db: db, clock: c, totals: keyset.Totals[Filter]{Least: cheap}}
}

// ListedUser is a user of a list.
type ListedUser struct {
	ID           int64      `json:"id" doc:"As there; one number may be given to another user later"`
	UserRef      string     `json:"user_ref" doc:"p:<connection>:<id>, as signals of abuse name the user"`
	Username     string     `json:"username"`
	Status       string     `json:"status" doc:"ACTIVE, DISABLED, LIMITED or EXPIRED"`
	Tag          string     `json:"tag"`
	TrafficLimit int64      `json:"traffic_limit" doc:"Bytes; 0: none"`
	TrafficUsed  int64      `json:"traffic_used" doc:"Bytes in the current period, up to two minutes late"`
	LifetimeUsed int64      `json:"lifetime_used" doc:"Bytes"`
	ExpiresAt    *time.Time `json:"expires_at"`
	OnlineAt     *time.Time `json:"online_at" doc:"null: never seen"`
	LastNodeID   *string    `json:"last_node_id" doc:"Id there of the node that was used last"`
	MadeAt       *time.Time `json:"made_at"`
	Squads       []string   `json:"squads" doc:"Ids"`
	SeenAt       time.Time  `json:"seen_at" doc:"When this was first seen as it is"`
	GoneAt       *time.Time `json:"gone_at" doc:"null: there"`
}

func (u *User) listed() ListedUser {
	return ListedUser{
		ID: u.ID, UserRef: proxypanelapi.RefOf(u.ConnectionID, u.ID), Username: u.Username, Status: u.Status,
		Tag: u.Tag, TrafficLimit: u.TrafficLimit, TrafficUsed: u.TrafficUsed, LifetimeUsed: u.LifetimeUsed,
		ExpiresAt: u.ExpiresAt, OnlineAt: u.OnlineAt, LastNodeID: u.LastNodeID, MadeAt: u.MadeAt, Squads: u.Squads,
		SeenAt: u.SeenAt.UTC(), GoneAt: u.GoneAt,
	}
}

var userOrders = map[string]keyset.Order{"username": {Expression: "u.username", Kind: httpapi.CursorText}}

// Users lists users by name.
func (l *Lists) Users(
	ctx context.Context, f Filter, query httpapi.PageQuery,
) (page httpapi.Page[ListedUser], err error) {
	k, err := keyset.New(query, "u.row_id", "username", userOrders)
	if err != nil {
		return page, err
	}
	where := func(q *bun.SelectQuery) *bun.SelectQuery {
		q.Where("u.connection_id = ?", f.ConnectionID).Where(f.present("u"))
		if f.Status != "" {
			q.Where("u.status = ?", f.Status)
		}
		if f.Search != "" {
			q.Where("(u.username ilike ? or u.id::text = ?)", contains(f.Search), f.Search)
		}
		return q
	}
	var rows []User
	find := where(l.db.In(ctx).NewSelect().Model(&rows).ColumnExpr("u.*"))
	if err := k.Apply(find, nil).Scan(ctx); err != nil {
		return page, database.Fault(fmt.Errorf("list users of a proxy panel: %w", err), nil)
	}
	total, err := l.totals.Of(f, l.clock.Now(), func() (int, error) {
		n, err := where(l.db.In(ctx).NewSelect().Model((*User)(nil))).Count(ctx)
		return int(n), err
	})
	if err != nil {
		return page, database.Fault(fmt.Errorf("count users of a proxy panel: %w", err), nil)
	}
	last := func(u *User) (string, string) { return u.SortKey, u.RowID }
	return keyset.Page(k, rows, total, (*User).listed, last), nil
}

var objectOrders = map[string]keyset.Order{"name": {Expression: "o.name", Kind: httpapi.CursorText}}

// Page lists the objects of a kind by name, each as shown makes it.
func Page[T any](
	ctx context.Context, l *Lists, kind string, f Filter, query httpapi.PageQuery, shown func(*Object) T,
) (page httpapi.Page[T], err error) {
	k, err := keyset.New(query, "o.external_id", "name", objectOrders)
	if err != nil {
		return page, err
	}
	where := func(q *bun.SelectQuery) *bun.SelectQuery {
		q.Where("o.connection_id = ? and o.kind = ?", f.ConnectionID, kind).Where(f.present("o"))
		if f.Search != "" {
			q.Where("o.name ilike ?", contains(f.Search))
		}
		return q
	}
	var rows []Object
	find := where(l.db.In(ctx).NewSelect().Model(&rows).ColumnExpr("o.*"))
	if err := k.Apply(find, nil).Scan(ctx); err != nil {
		return page, database.Fault(fmt.Errorf("list objects of a proxy panel: %w", err), nil)
	}
	total, err := where(l.db.In(ctx).NewSelect().Model((*Object)(nil))).Count(ctx)
	if err != nil {
		return page, database.Fault(fmt.Errorf("count objects of a proxy panel: %w", err), nil)
	}
	last := func(o *Object) (string, string) { return o.SortKey, o.ExternalID }
	return keyset.Page(k, rows, int(total), shown, last), nil
}

func (f Filter) present(alias string) string {
	if f.Gone {
		return alias + ".gone_at is not null"
	}
	return alias + ".gone_at is null"
}

// contains is a pattern of what holds a text.
func contains(text string) string {
	return "%" + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(text) + "%"
}

// UserID reads the id of a user as people and references write it.
func UserID(text string) (id int64, known bool) {
	id, err := strconv.ParseInt(text, 10, 64)
	return id, err == nil && id > 0
}
