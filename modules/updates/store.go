package updates

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/httpapi"
)

// store reads and writes the tables of this module.
type store struct {
	db    *database.DB
	clock clockwork.Clock
}

func newStore(db *database.DB, clock clockwork.Clock) *store { return &store{db, clock} }

func (s *store) now() time.Time { return s.clock.Now().UTC() }

var constraints = map[string]*fault.Fault{
	"agent_rollouts_active":      fault.Conflict("rollout_active", "a rollout goes on; stop it or wait for its end"),
	"agent_rollout_nodes_active": fault.Conflict("rollout_active", "an update of this node goes on; wait for its end"),
}

// usual is how a rollout goes until somebody decides otherwise: one node, a tenth of the fleet, all.
func usual() *ringsRow {
	return &ringsRow{
		ID:           true,
		Sizes:        []int{1, 10, 100},
		FirstNodes:   []string{},
		PauseSeconds: 60,
		Parallel:     10,
		Revision:     1,
	}
}

func (s *store) rings(ctx context.Context, db bun.IDB) (*ringsRow, error) {
	row := new(ringsRow)
	err := db.NewSelect().Model(row).Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return usual(), nil
	}
	return row, database.Fault(err, nil)
}

// putRings replaces the settings if they are still those of the revision.
func (s *store) putRings(ctx context.Context, tx bun.Tx, row *ringsRow, revision int64) error {
	before, err := s.rings(ctx, tx)
	if err != nil {
		return err
	}
	if before.Revision != revision {
		return fault.Conflict(
			"revision_conflict",
			"somebody else changed this in the meantime; read it again and repeat the change",
		)
	}
	row.ID, row.Revision, row.UpdatedAt = true, revision+1, s.now()
	result, err := tx.NewInsert().Model(row).On("conflict (id) do update").
		Set("sizes = excluded.sizes, first_nodes = excluded.first_nodes, pause_seconds = excluded.pause_seconds").
		Set("parallel = excluded.parallel, revision = excluded.revision, updated_at = excluded.updated_at").
		Where("g.revision = ?", revision).Exec(ctx)
	if err != nil {
		return database.Fault(err, nil)
	}
	if n, err := result.RowsAffected(); err != nil || n == 0 {
		return fault.Conflict(
			"revision_conflict",
			"somebody else changed this in the meantime; read it again and repeat the change",
		)
	}
	return nil
}

func (s *store) add(ctx context.Context, tx bun.Tx, o *rolloutRow, targets []targetRow) error {
	if _, err := tx.NewInsert().Model(o).Exec(ctx); err != nil {
		return database.Fault(err, constraints)
	}
	if len(targets) == 0 {
		return nil
	}
	_, err := tx.NewInsert().Model(&targets).Exec(ctx)
	return database.Fault(err, constraints)
}

func (s *store) rollout(ctx context.Context, id string) (*rolloutRow, error) {
	row := new(rolloutRow)
	err := s.db.In(ctx).NewSelect().Model(row).Where("id = ?", id).Scan(ctx)
	return row, database.Fault(err, nil)
}

// active gives the rollout through the rings that goes on; nil when none does.
func (s *store) active(ctx context.Context) (*rolloutRow, error) {
	var rows []rolloutRow
	err := s.db.NewSelect().Model(&rows).Where("kind = ? and finished_at is null", kindRings).Scan(ctx)
	if err != nil || len(rows) == 0 {
		return nil, database.Fault(err, nil)
	}
	return &rows[0], nil
}

// The two orders of rollouts.
const (
	newestFirst = "-started_at"
	oldestFirst = "started_at"
)

// page gives one row more than it holds, which tells whether there is a next one, and how many there are.
func (s *store) page(ctx context.Context, q httpapi.PageQuery) (rows []rolloutRow, total int, err error) {
	direction, than := " DESC", "<"
	if q.Sort == oldestFirst {
		direction, than = " ASC", ">"
	}
	after, err := httpapi.ReadCursor(q.Cursor, q.Sort, httpapi.CursorMoment)
	if err != nil {
		return nil, 0, err
	}
	all, err := s.db.NewSelect().Model((*rolloutRow)(nil)).Count(ctx)
	if err != nil {
		return nil, 0, database.Fault(err, nil)
	}
	query := s.db.NewSelect().Model(&rows).Order("started_at"+direction, "id"+direction).Limit(int64(q.Limit) + 1)
	if after != nil {
		query = query.Where("(started_at, id) "+than+" (?::timestamptz, ?::uuid)", after.Value, after.ID)
	}
	return rows, int(all), database.Fault(query.Scan(ctx), nil)
}

// tally counts nodes of rollouts by ring and state.
type tally struct {
	RolloutID string
	Ring      int
	State     string
	Nodes     int
}

func (s *store) tallies(ctx context.Context, ids []string) ([]tally, error) {
	var found []tally
	err := s.db.NewRaw(`select rollout_id, ring, state, count(*) as nodes from agent_rollout_nodes
		where rollout_id = any(?::uuid[]) group by rollout_id, ring, state order by rollout_id, ring`,
		pgdialect.Array(ids)).Scan(ctx, &found)
	return found, database.Fault(err, nil)
}

// moving gives the nodes that are at work, those that come next and one that failed. How many that are depends on what
// may be at work together, not on the fleet.
func (s *store) moving(ctx context.Context, o *rolloutRow) ([]targetRow, error) {
	var rows []targetRow
	err := s.db.NewRaw(`select * from agent_rollout_nodes where rollout_id = ?0 and state = any(?2)
		union all (select * from agent_rollout_nodes where rollout_id = ?0 and state = ?3 limit 1)
		union all (select * from agent_rollout_nodes where rollout_id = ?0 and state = ?4 and ring <= ?1
			order by ring, place limit ?5)`,
		o.ID, o.Ring, pgdialect.Array([]string{updating, ordering}), failed, waiting, o.Parallel).Scan(ctx, &rows)
	return rows, database.Fault(err, nil)
}

// updated gives the nodes of the rollout's ring that have taken the build.
func (s *store) updated(ctx context.Context, o *rolloutRow) (ids []string, err error) {
	err = s.db.NewSelect().Model((*targetRow)(nil)).Column("node_id").
		Where("rollout_id = ? and state = ? and ring = ?", o.ID, done, o.Ring).Scan(ctx, &ids)
	return ids, database.Fault(err, nil)
}

// shownTargets puts what needs a look first.
func (s *store) shownTargets(ctx context.Context, id string, limit int64) ([]targetRow, error) {
	var rows []targetRow
	err := s.db.NewSelect().
		Model(&rows).
		Where("rollout_id = ?", id).
		OrderExpr("state <> ?, ring, place", failed).
		Limit(limit).
		Scan(ctx)
	return rows, database.Fault(err, nil)
}
