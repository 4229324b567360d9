package setup

import (
	"context"
	"fmt"
	"sync/atomic"

	"panel/platform/core/accounts"
	"panel/platform/database"
	"panel/platform/httpapi"
)

// Progress tells how far the first installation is. Both facts only ever turn true, so that once seen they are kept.
type Progress struct {
	db            *database.DB
	first         accounts.FirstAdministrator
	administrator atomic.Bool
	finished      atomic.Bool
}

func newProgress(db *database.DB, first accounts.FirstAdministrator) *Progress {
	return &Progress{db: db, first: first}
}

func exportInstallation(p *Progress) httpapi.Installation { return p }

// Progress says whether an administrator exists and whether the installation is finished.
func (p *Progress) Progress(ctx context.Context) (administrator, finished bool, err error) {
	if !p.administrator.Load() {
		exists, err := p.first.Exists(ctx)
		if err != nil {
			return false, false, err
		}
		p.administrator.Store(exists)
	}
	if !p.finished.Load() {
		done, err := p.readFinished(ctx)
		if err != nil {
			return false, false, err
		}
		p.finished.Store(done)
	}
	return p.administrator.Load(), p.finished.Load(), nil
}

func (p *Progress) readFinished(ctx context.Context) (bool, error) {
	var done bool
	if err := p.db.In(ctx).NewRaw("select finished_at is not null from installation").Scan(ctx, &done); err != nil {
		return false, database.Fault(fmt.Errorf("read the state of the installation: %w", err), nil)
	}
	return done, nil
}

// lock makes concurrent first administrators wait for each other.
func (p *Progress) lock(ctx context.Context) error {
	_, err := p.db.In(ctx).ExecContext(ctx, "select 1 from installation for update")
	return database.Fault(err, nil)
}

func (p *Progress) finish(ctx context.Context) error {
	_, err := p.db.In(ctx).ExecContext(ctx, "update installation set finished_at = coalesce(finished_at, now())")
	return database.Fault(err, nil)
}
