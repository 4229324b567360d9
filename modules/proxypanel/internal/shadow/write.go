package shadow

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"panel/modules/proxypanel/internal/remnawave"
	"panel/platform/database"
)

// Changes are how many rows a writing touched.
type Changes struct {
	Added   int `json:"added"`
	Changed int `json:"changed"`
	Gone    int `json:"gone"`
}

// Any says whether there are some.
func (c Changes) Any() bool { return c != Changes{} }

// Add sums up.
func (c Changes) Add(more Changes) Changes {
	return Changes{c.Added + more.Added, c.Changed + more.Changed, c.Gone + more.Gone}
}

// incomingObject and incomingUser are rows on their way: they are copied into a temporary table, from where one
// statement takes over those that differ.
type incomingObject struct {
	bun.BaseModel `bun:"table:proxypanel_incoming_objects"`

	ExternalID string          `bun:"external_id,type:uuid"`
	Name       string          `bun:"name"`
	ParentID   *string         `bun:"parent_id,type:uuid"`
	Fields     json.RawMessage `bun:"fields,type:jsonb"`
	Hash       []byte          `bun:"hash"`
}

type incomingUser struct {
	bun.BaseModel `bun:"table:proxypanel_incoming_users"`

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
}

// Tables of one connection to the database; they are empty again after each transaction.
const (
	objectsTable = `create temporary table if not exists proxypanel_incoming_objects (
		external_id uuid, name text, parent_id uuid, fields jsonb, hash bytea) on commit delete rows`
	usersTable = `create temporary table if not exists proxypanel_incoming_users (
		id bigint, username text, status text, tag text, traffic_limit bigint, traffic_used bigint, lifetime_used bigint,
		expires_at timestamptz, online_at timestamptz, last_node_id uuid, made_at timestamptz, squads jsonb, hash bytea)
		on commit delete rows`
)

// A row that has not changed is not even locked: on conflict alone would lock it, which is a write. The subquery looks
// each row up by its key; as a join the planner, which knows nothing of a temporary table, would compare all with all.
const (
	takeObjects = `with taken as (
		insert into proxypanel_objects as o (connection_id, kind, external_id, name, parent_id, fields, hash, seen_at)
		select ?0, ?1, i.external_id, i.name, i.parent_id, i.fields, i.hash, clock_timestamp()
		from proxypanel_incoming_objects i where (select k.hash from proxypanel_objects k where k.connection_id = ?0
			and k.kind = ?1 and k.external_id = i.external_id and k.gone_at is null) is distinct from i.hash
		on conflict (connection_id, kind, external_id) do update set name = excluded.name,
			parent_id = excluded.parent_id, fields = excluded.fields, hash = excluded.hash, seen_at = excluded.seen_at,
			gone_at = null
		returning o.xmax = 0 as added)
	select count(*) filter (where added), count(*) filter (where not added) from taken`

	takeUsers = `with taken as (
		insert into proxypanel_users as u (connection_id, id, username, status, tag, traffic_limit, traffic_used,
			lifetime_used, expires_at, online_at, last_node_id, made_at, squads, hash, seen_at)
		select ?0, i.id, i.username, i.status, i.tag, i.traffic_limit, i.traffic_used, i.lifetime_used, i.expires_at,
			i.online_at, i.last_node_id, i.made_at, i.squads, i.hash, clock_timestamp()
		from proxypanel_incoming_users i where (select k.hash from proxypanel_users k where k.connection_id = ?0
			and k.id = i.id and k.gone_at is null) is distinct from i.hash
		on conflict (connection_id, id) do update set username = excluded.username, status = excluded.status,
			tag = excluded.tag, traffic_limit = excluded.traffic_limit, traffic_used = excluded.traffic_used,
			lifetime_used = excluded.lifetime_used, expires_at = excluded.expires_at, online_at = excluded.online_at,
			last_node_id = excluded.last_node_id, made_at = excluded.made_at, squads = excluded.squads,
			hash = excluded.hash, seen_at = excluded.seen_at, gone_at = null
		returning u.xmax = 0 as added)
	select count(*) filter (where added), count(*) filter (where not added) from taken`

	hashesOf = `select id, hash from proxypanel_users
		where connection_id = $1 and id = any(array(select unnest($2::bigint[]))) and gone_at is null`

	// What another writer has seen since the question was asked may be newer than the answer, and stays.
	lostObjects = `with gone as (update proxypanel_objects o set gone_at = clock_timestamp()
		where o.connection_id = ?0 and o.kind = ?1 and o.gone_at is null and o.seen_at < ?2 and not exists (
			select from proxypanel_incoming_objects i where i.external_id = o.external_id) returning 1)
	select count(*) from gone`
	lostUsers = `with gone as (update proxypanel_users u set gone_at = clock_timestamp()
		where u.connection_id = $1 and u.gone_at is null and u.seen_at < $2 and not exists (
			select from unnest($3::bigint[]) as seen (id) where seen.id = u.id) returning 1)
	select count(*) from gone`
)

// Now is the time of the database, to be read before the panel is asked; PutObjects and Lost want it.
func (s *Shadow) Now(ctx context.Context) (now time.Time, err error) {
	err = s.db.In(ctx).NewRaw("select clock_timestamp()").Scan(ctx, &now)
	return now, database.Fault(err, nil)
}

// PutObjects takes over all objects of a kind, which were asked for at a time; those that are not among them are gone.
func (s *Shadow) PutObjects(
	ctx context.Context, connectionID, kind string, all []remnawave.Listed, asked time.Time,
) (done Changes, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if done, err = s.takeObjects(ctx, connectionID, kind, all); err != nil {
			return err
		}
		err := s.db.In(ctx).NewRaw(lostObjects, connectionID, kind, asked).Scan(ctx, &done.Gone)
		return fail("mark what is gone of a proxy panel", err)
	})
	return done, err
}

// PutObject takes over one object as it was just read.
func (s *Shadow) PutObject(
	ctx context.Context, connectionID, kind string, one remnawave.Listed,
) (done Changes, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		done, err = s.takeObjects(ctx, connectionID, kind, []remnawave.Listed{one})
		return err
	})
	return done, err
}

func (s *Shadow) takeObjects(
	ctx context.Context, connectionID, kind string, all []remnawave.Listed,
) (done Changes, err error) {
	rows := make([]incomingObject, 0, len(all))
	for _, one := range all {
		fields, err := json.Marshal(one.Fields)
		if err != nil {
			return done, fmt.Errorf("write the fields of an object: %w", err)
		}
		rows = append(rows, incomingObject{
			ExternalID: one.ID, Name: one.Name, ParentID: optional(one.ParentID), Fields: fields,
			Hash: sum([]byte(one.Name), []byte(one.ParentID), fields),
		})
	}
	if _, err := s.db.In(ctx).NewRaw(objectsTable).Exec(ctx); err != nil {
		return done, fail("make a table for objects on their way", err)
	}
	if err := database.Copy(ctx, s.db, rows); err != nil {
		return done, fail("copy objects of a proxy panel", err)
	}
	err = s.db.In(ctx).NewRaw(takeObjects, connectionID, kind).Scan(ctx, &done.Added, &done.Changed)
	return done, fail("take over objects of a proxy panel", err)
}

// PutUsers takes over users as they were just read; nobody is gone by that.
func (s *Shadow) PutUsers(ctx context.Context, connectionID string, all []remnawave.User) (done Changes, err error) {
	rows := make([]incomingUser, 0, len(all))
	for i := range all {
		row, err := incoming(&all[i])
		if err != nil {
			return done, err
		}
		rows = append(rows, row)
	}
	if rows, err = s.differing(ctx, connectionID, rows); err != nil || len(rows) == 0 {
		return done, err
	}
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if _, err := s.db.In(ctx).NewRaw(usersTable).Exec(ctx); err != nil {
			return fail("make a table for users on their way", err)
		}
		if err := database.Copy(ctx, s.db, rows); err != nil {
			return fail("copy users of a proxy panel", err)
		}
		err := s.db.In(ctx).NewRaw(takeUsers, connectionID).Scan(ctx, &done.Added, &done.Changed)
		return fail("take over users of a proxy panel", err)
	})
	return done, err
}

// differing leaves out users who stand there as they were just read: of most passes that is everybody, and whoever
// waits for a list meanwhile is not to feel it.
func (s *Shadow) differing(ctx context.Context, connectionID string, rows []incomingUser) ([]incomingUser, error) {
	ids := make([]int64, len(rows))
	for i := range rows {
		ids[i] = rows[i].ID
	}
	var known []struct {
		ID   int64
		Hash []byte
	}
	var args database.Arguments
	args.Add(connectionID)
	args.Add(ids)
	if err := database.Read(ctx, s.db, &known, bun.Safe(hashesOf), &args); err != nil {
		return nil, fail("compare users of a proxy panel", err)
	}
	there := make(map[int64][]byte, len(known))
	for _, one := range known {
		there[one.ID] = one.Hash
	}
	return slices.DeleteFunc(rows, func(r incomingUser) bool {
		hash, known := there[r.ID]
		return known && bytes.Equal(hash, r.Hash)
	}), nil
}

func incoming(u *remnawave.User) (row incomingUser, err error) {
	text, err := json.Marshal(u)
	if err != nil {
		return row, fmt.Errorf("write a user: %w", err)
	}
	return incomingUser{
		ID: u.ID, Username: u.Username, Status: u.Status, Tag: u.Tag, TrafficLimit: u.TrafficLimit,
		TrafficUsed: u.TrafficUsed, LifetimeUsed: u.LifetimeUsed, ExpiresAt: u.ExpiresAt, OnlineAt: u.OnlineAt,
		LastNodeID: optional(u.LastNodeID), MadeAt: u.MadeAt, Squads: u.Squads, Hash: sum(text),
	}, nil
}

// Lost marks users gone whom a whole pass, which began at a time, has not seen.
func (s *Shadow) Lost(ctx context.Context, connectionID string, seen []int64, began time.Time) (gone int, err error) {
	var args database.Arguments
	args.Add(connectionID)
	args.Add(began)
	args.Add(seen)
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		// The planner takes the list for short and would compare each user with all of it.
		if _, err := s.db.In(ctx).NewRaw("set local enable_nestloop = off").Exec(ctx); err != nil {
			return err
		}
		var counts []int
		err := database.Read(ctx, s.db, &counts, bun.Safe(lostUsers), &args)
		if err == nil {
			gone = counts[0]
		}
		return err
	})
	return gone, fail("mark users that are gone of a proxy panel", err)
}

// Forget marks one object or user gone that the panel says it does not have.
func (s *Shadow) Forget(ctx context.Context, connectionID, kind, externalID string) error {
	_, err := s.db.In(ctx).NewRaw(`update proxypanel_objects set gone_at = clock_timestamp()
		where connection_id = ? and kind = ? and external_id = ? and gone_at is null`, connectionID, kind, externalID).Exec(ctx)
	return fail("mark an object gone", err)
}

// ForgetUser marks a user gone that the panel says it does not have.
func (s *Shadow) ForgetUser(ctx context.Context, connectionID string, id int64) error {
	_, err := s.db.In(ctx).NewRaw(`update proxypanel_users set gone_at = clock_timestamp()
		where connection_id = ? and id = ? and gone_at is null`, connectionID, id).Exec(ctx)
	return fail("mark a user gone", err)
}

// sum is a hash over parts, each with its length, so that no two lists of parts are one text.
func sum(parts ...[]byte) []byte {
	hash := sha256.New()
	for _, part := range parts {
		_, _ = fmt.Fprintf(hash, "%d:", len(part))
		_, _ = hash.Write(part)
	}
	return hash.Sum(nil)[:16]
}

func optional(id string) *string {
	if id == "" {
		return nil
	}
	return &id
}

func fail(what string, err error) error {
	if err == nil {
		return nil
	}
	return database.Fault(fmt.Errorf("%s: %w", what, err), nil)
}
