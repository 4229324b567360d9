package cdndns

import (
	"context"
	"fmt"
	"time"

	"panel/platform/entitlement"
	"panel/platform/jobs"
)

// checkArgs are the arguments of the job that looks at all integrations.
type checkArgs struct{}

// Kind is the name of the job.
func (checkArgs) Kind() string { return "cdndns.check" }

// checkSchedule looks at integrations four times a day: a token that was revoked is known before it is needed.
func checkSchedule() jobs.Schedule {
	return jobs.Schedule{
		Name: checkArgs{}.Kind(), Cron: "23 */6 * * *", Jitter: 30 * time.Minute, Feature: feature,
		ReadOnly: entitlement.GoesOn, Blocked: entitlement.GoesOn, Args: func() jobs.Args { return checkArgs{} },
	}
}

func (i *integrations) worker() jobs.Worker {
	const limit = 10 * time.Minute
	return jobs.Worker{Kind: checkArgs{}.Kind(), Timeout: limit, Work: jobs.Do(i.checkAll)}
}

func (i *integrations) checkAll(ctx context.Context, _ jobs.Job, _ checkArgs) error {
	rows, err := i.store.all(ctx)
	if err != nil {
		return err
	}
	for n := range rows {
		if err := i.check(ctx, &rows[n]); err != nil && ctx.Err() != nil {
			return fmt.Errorf("check integrations: %w", context.Cause(ctx))
		}
	}
	return nil
}

// check asks the service and notes what it answered. That an integration works no more, or again, is told once.
// Faults: those of the service.
func (i *integrations) check(ctx context.Context, row *integrationRow) error {
	client, met := i.open(row)
	if met == nil {
		met = i.look(ctx, client, row)
	}
	if ctx.Err() != nil {
		return met
	}
	if met != nil {
		row.LastError = reason(met)
	}
	err := i.store.db.InTx(ctx, func(ctx context.Context) error {
		before, written, err := i.store.checked(ctx, row)
		switch {
		case err != nil || !written:
			return err
		case before == "" && row.LastError != "":
			return i.emit(ctx, integrationFailed, row, Failed{row.Label, row.LastError})
		case before != "" && row.LastError == "":
			return i.emit(ctx, integrationWorks, row, Named{row.Label})
		}
		return nil
	})
	if err != nil {
		return err
	}
	return met
}
