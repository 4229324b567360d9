package system

import (
	"context"
	"fmt"
	"time"

	"go.uber.org/zap"

	"panel/platform/config"
	"panel/platform/database"
	"panel/platform/jobs"
	"panel/platform/vault"
)

const resealWithin = 30 * time.Minute

// resealer seals what an earlier master key sealed with the current one. It is a job, because a fleet has thousands of
// secrets: a panel that is killed in the middle leaves the rest to the next one, and every part that is done stays
// done.
type resealer struct {
	log      *zap.Logger
	cfg      *config.Config
	db       *database.DB
	rotation *vault.Rotation
	queue    *jobs.Enqueuer
}

func newResealer(log *zap.Logger, cfg *config.Config, db *database.DB, rotation *vault.Rotation,
	queue *jobs.Enqueuer,
) *resealer {
	return &resealer{log: log, cfg: cfg, db: db, rotation: rotation, queue: queue}
}

type resealArgs struct{}

func (resealArgs) Kind() string { return "system.reseal" }

// begin asks for the job at every start with an earlier key.
func (r *resealer) begin(ctx context.Context) error {
	if !r.cfg.Given(config.SecretKeyPrevious) {
		return nil
	}
	if err := r.queue.Insert(ctx, resealArgs{}, jobs.Opts{Unique: "all"}); err != nil {
		return fmt.Errorf("ask for secrets to be sealed with the current master key: %w", err)
	}
	return nil
}

func (r *resealer) worker() jobs.Worker {
	return jobs.Worker{Kind: resealArgs{}.Kind(), Timeout: resealWithin, Work: jobs.Do(r.work)}
}

func (r *resealer) work(ctx context.Context, _ jobs.Job, _ resealArgs) error {
	done, err := r.rotation.Reseal(ctx, r.db)
	if err != nil {
		return err
	}
	if done.Resealed > 0 {
		r.log.Info("secrets were sealed with the current master key", zap.Int("secrets", done.Resealed))
	}
	for place, n := range done.Unreadable {
		r.log.Warn("secrets that no master key of this panel opens stay as they are", zap.String("place", place),
			zap.Int("secrets", n))
	}
	return nil
}
