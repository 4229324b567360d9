package judge

import (
	"context"
	"fmt"

	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/health/healthapi"
	"panel/modules/health/internal/verdict"
	"panel/platform/database"
)

// blockedFlows are the flows of which a transit pool blocks traffic, asked once in a round.
func (r *round) blockedFlows(ctx context.Context) ([]string, error) {
	if r.blocked != nil {
		return *r.blocked, nil
	}
	ids, err := r.pools.Blocked(ctx)
	if err != nil {
		return nil, fmt.Errorf("ask which flows pools block: %w", err)
	}
	r.blocked = &ids
	return ids, nil
}

// noticeBlocked makes the flows due that pools block now, or do not any more.
func (r *round) noticeBlocked(ctx context.Context) error {
	ids, err := r.blockedFlows(ctx)
	if err != nil {
		return err
	}
	some := append([]string{}, ids...) // none is an empty list for the query, and not null
	_, err = r.db.In(ctx).NewRaw(`update health_states set due_at = ? where kind = ?
		and (subject_id = any(?::uuid[])) <> (reason = ?)`,
		r.now, healthapi.Flow, pgdialect.Array(some), verdict.PoolBlocked).Exec(ctx)
	return database.Fault(err, nil)
}
