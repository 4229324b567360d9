// Package shadow keeps what is known of the objects and users of proxy panels: a closed list of fields for each kind,
// never a credential. A row is written only when its object has changed.
package shadow

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"panel/modules/proxypanel/internal/remnawave"
	"panel/platform/database"
	"panel/platform/jobs"
)

// Object is what is known of a node, profile, inbound, host or squad. Fields is the JSON of the kind's struct in
// package remnawave (NodeFields and so on).
type Object struct {
	bun.BaseModel `bun:"table:proxypanel_objects,alias:o"`

	ConnectionID string          `bun:"connection_id,type:uuid"`
	Kind         string          `bun:"kind"`
	ExternalID   string          `bun:"external_id,type:uuid"`
	Name         string          `bun:"name"`
	ParentID     *string         `bun:"parent_id,type:uuid"` // profile of an inbound, inbound of a host
	Fields       json.RawMessage `bun:"fields,type:jsonb"`
	Hash         []byte          `bun:"hash"`
	SeenAt       time.Time       `bun:"seen_at"` // when its present form was first seen
	GoneAt       *time.Time      `bun:"gone_at"`
	SortKey      string          `bun:"sort_key,scanonly"`
}

// User is what is known of a user.
type User struct {
	bun.BaseModel `bun:"table:proxypanel_users,alias:u"`

	RowID        string     `bun:"row_id,type:uuid"`
	ConnectionID string     `bun:"connection_id,type:uuid"`
	ID           int64      `bun:"id"`
	Username     string     `bun:"username"`
	Status       string     `bun:"status"`
	Tag          string     `bun:"tag"`
	TrafficLimit int64      `bun:"traffic_limit"`
	TrafficUsed  int64      `bun:"traffic_used"`
	LifetimeUsed int64      `bun:"lifetime_used"`
	ExpiresAt    *time.Time `bun:"expires_at"`
	OnlineAt     *time.Time `bun:"online_at"`
	LastNodeID   *string    `bun:"last_node_id,type:uuid"`
	MadeAt       *time.Time `bun:"made_at"`
	Squads       []string   `bun:"squads,type:jsonb"`
	Hash         []byte     `bun:"hash"`
	SeenAt       time.Time  `bun:"seen_at"`
	GoneAt       *time.Time `bun:"gone_at"`
	SortKey      string     `bun:"sort_key,scanonly"`
}

// Shadow reads and writes it.
type Shadow struct{ db *database.DB }

// New makes it.
func New(db *database.DB) *Shadow { return &Shadow{db} }

// Objects gives those of a kind that are there, by name.
func (s *Shadow) Objects(ctx context.Context, connectionID, kind string) ([]Object, error) {
	objects := []Object{}
	err := s.db.In(ctx).NewSelect().Model(&objects).ExcludeColumn("hash").
		Where("o.connection_id = ? and o.kind = ? and o.gone_at is null", connectionID, kind).
		OrderExpr("o.name, o.external_id").Scan(ctx)
	if err != nil {
		return nil, database.Fault(fmt.Errorf("list the objects of a proxy panel: %w", err), nil)
	}
	return objects, nil
}

// Object gives one, also one that is gone. Fault: not_found (404).
func (s *Shadow) Object(ctx context.Context, connectionID, kind, externalID string) (o Object, err error) {
	err = s.db.In(ctx).NewSelect().Model(&o).
		Where("o.connection_id = ? and o.kind = ? and o.external_id = ?", connectionID, kind, externalID).Scan(ctx)
	return o, database.Fault(err, nil)
}

// Users gives those of the ids that are known, also those that are gone.
func (s *Shadow) Users(ctx context.Context, connectionID string, ids ...int64) ([]User, error) {
	users := []User{}
	if len(ids) == 0 {
		return users, nil
	}
	err := s.db.In(ctx).NewSelect().Model(&users).ExcludeColumn("hash").
		Where("u.connection_id = ? and u.id in ?", connectionID, bun.Tuple(ids)).OrderExpr("u.id").Scan(ctx)
	if err != nil {
		return nil, database.Fault(fmt.Errorf("read users of a proxy panel: %w", err), nil)
	}
	return users, nil
}

// Into reads the fields into the struct of the kind.
func (o *Object) Into(fields any) error {
	if err := json.Unmarshal(o.Fields, fields); err != nil {
		return fmt.Errorf("read the fields of the %s %s: %w", o.Kind, o.ExternalID, err)
	}
	return nil
}

// keepGone is how long what is gone there keeps its name here.
const keepGone = 90 * 24 * time.Hour

// Tidy lets go what has long been gone there.
func Tidy() []jobs.Tidy {
	return []jobs.Tidy{
		{Table: "proxypanel_objects", Column: "gone_at", Age: keepGone},
		{Table: "proxypanel_users", Column: "gone_at", Age: keepGone},
	}
}

// Kinds are those of objects.
func Kinds() []string { return remnawave.Kinds() }
