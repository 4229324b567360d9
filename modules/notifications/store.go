package notifications

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	sender "panel/modules/notifications/internal/mail"
	"panel/modules/notifications/internal/message"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/httpapi"
	"panel/platform/keyset"
)

// channelRow is a channel as the table keeps it. Target may be shown; Sealed holds what may not.
type channelRow struct {
	bun.BaseModel `bun:"table:notifications_channels,alias:c"`

	ID        string          `bun:"id,pk,type:uuid"`
	Kind      string          `bun:"kind"`
	Name      string          `bun:"name"`
	Enabled   bool            `bun:"enabled"`
	Target    json.RawMessage `bun:"target,type:jsonb"`
	Sealed    string          `bun:"sealed"`
	CreatedAt time.Time       `bun:"created_at"`
	UpdatedAt time.Time       `bun:"updated_at"`
	Revision  int64           `bun:"revision"`
	SortKey   string          `bun:"sort_key,scanonly"`
	Last      json.RawMessage `bun:"last,scanonly,type:jsonb"` // see lastDelivery
}

// shown is the channel without its secrets. Secrets that this panel's key does not open count as none.
func (c *channels) shown(r *channelRow) Channel {
	channel := Channel{
		ID: r.ID, Kind: r.Kind, Name: r.Name, Enabled: r.Enabled, CreatedAt: r.CreatedAt.UTC(),
		UpdatedAt: r.UpdatedAt.UTC(), Revision: r.Revision, LastDelivery: r.last(),
	}
	var at address
	var server sender.Server
	switch {
	case r.Kind == kindWebhook && json.Unmarshal(r.Target, &at) == nil:
		target, err := c.webhook(r)
		channel.Webhook = &ShownWebhook{Host: at.Host, HasSecret: err == nil && target.Secret != ""}
	case r.Kind == kindEmail && json.Unmarshal(r.Target, &server) == nil:
		opened, err := c.server(r)
		channel.Email = &ShownEmail{
			Host: server.Host, Port: server.Port, Security: server.Security, Username: server.Username,
			HasPassword: err == nil && opened.Password != "", From: server.From, To: server.To, CA: server.CA,
		}
	}
	return channel
}

// lastDelivery is the newest delivery of a channel; the index of its name finds it.
const lastDelivery = `(select jsonb_build_object('id', d.id, 'state', d.state, 'created_at', d.created_at,
		'finished_at', d.finished_at) from notifications_deliveries d where d.channel = c.id::text
	order by d.created_at desc, d.id desc limit 1) as last`

func (r *channelRow) last() *LastDelivery {
	var last LastDelivery
	if len(r.Last) == 0 || json.Unmarshal(r.Last, &last) != nil {
		return nil
	}
	last.CreatedAt = last.CreatedAt.UTC()
	if last.FinishedAt != nil {
		at := last.FinishedAt.UTC()
		last.FinishedAt = &at
	}
	return &last
}

// store is rows and queries; it knows no rules. Each query takes part in the context's transaction.
type store struct{ db *database.DB }

func newStore(db *database.DB) *store { return &store{db} }

var constraints = map[string]*fault.Fault{
	"notifications_channels_name": fault.Conflict("name_taken", "a channel of this name is already there"),
	"notifications_rules_name":    fault.Conflict("name_taken", "a rule of this name is already there"),
}

var channelOrders = map[string]keyset.Order{
	"name":       {Expression: "c.name", Kind: httpapi.CursorText},
	"created_at": {Expression: "c.created_at", Kind: httpapi.CursorMoment},
}

func (c *channels) page(ctx context.Context, query httpapi.PageQuery) (page httpapi.Page[Channel], err error) {
	k, err := keyset.New(query, "c.id", "name", channelOrders)
	if err != nil {
		return page, err
	}
	db := c.store.db.In(ctx)
	var rows []channelRow
	if err := k.Apply(db.NewSelect().Model(&rows).ColumnExpr("c.*").ColumnExpr(lastDelivery), nil).
		Scan(ctx); err != nil {
		return page, database.Fault(fmt.Errorf("list channels: %w", err), nil)
	}
	total, err := db.NewSelect().Model((*channelRow)(nil)).Count(ctx)
	if err != nil {
		return page, database.Fault(fmt.Errorf("count channels: %w", err), nil)
	}
	last := func(r *channelRow) (sortKey, id string) { return r.SortKey, r.ID }
	return keyset.Page(k, rows, int(total), c.shown, last), nil
}

func (s *store) channel(ctx context.Context, id string) (row channelRow, err error) {
	err = s.db.In(ctx).NewSelect().Model(&row).ColumnExpr("c.*").ColumnExpr(lastDelivery).Where("c.id = ?", id).Scan(ctx)
	return row, database.Fault(err, nil)
}

// lockChannel gives the row at its revision, and nobody else changes it until the transaction ends.
func (s *store) lockChannel(ctx context.Context, id string, revision int64) (row channelRow, err error) {
	err = s.db.In(ctx).NewSelect().Model(&row).Where("c.id = ?", id).For("UPDATE").Scan(ctx)
	if err == nil && row.Revision != revision {
		return row, httpapi.ErrRevision
	}
	return row, database.Fault(err, nil)
}

// insertChannel adds a channel and the lane of its deliveries.
func (s *store) insertChannel(ctx context.Context, row *channelRow) error {
	if _, err := s.db.In(ctx).NewInsert().Model(row).Exec(ctx); err != nil {
		return database.Fault(err, constraints)
	}
	_, err := s.db.In(ctx).NewRaw("insert into notifications_lanes (channel) values (?)", row.ID).Exec(ctx)
	return database.Fault(err, nil)
}

func (s *store) updateChannel(ctx context.Context, row *channelRow) error {
	_, err := s.db.In(ctx).NewUpdate().Model(row).
		Column("name", "enabled", "target", "sealed", "updated_at", "revision").WherePK().Exec(ctx)
	return database.Fault(err, constraints)
}

// deleteChannel takes the lane first, as everybody does who works on it.
func (s *store) deleteChannel(ctx context.Context, id string, now time.Time) (row channelRow, err error) {
	why := message.Reason{Code: message.ChannelRemoved}
	for _, query := range []string{
		"delete from notifications_lanes where channel = ?0",
		`update notifications_deliveries set state = 'cancelled', reason = ?2, reason_code = ?3, reason_detail = '',
			finished_at = ?1 where channel = ?0 and state = 'queued'`,
		"update notifications_rules set channels = array_remove(channels, ?0::text) where ?0::text = any(channels)",
	} {
		if _, err := s.db.In(ctx).NewRaw(query, id, now, message.English.Reason(why), why.Code).Exec(ctx); err != nil {
			return row, database.Fault(fmt.Errorf("remove a channel: %w", err), nil)
		}
	}
	err = s.db.In(ctx).NewDelete().Model(&row).Where("c.id = ?", id).Returning("*").Scan(ctx)
	return row, database.Fault(err, nil)
}
