package targets

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"time"

	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/entitlement"
	"panel/platform/fault"
	"panel/platform/jobs"
)

const (
	// followKind is the job that brings a search to its end when the agent has ended its order.
	followKind = "targets.follow"
	// sweepKind is the job that ends what nobody follows any more.
	sweepKind = "targets.sweep"
	// mostFollowed is how many searches one panel follows at once.
	mostFollowed = 32
	// longestSearch is more than any search takes; a job ends then and another one goes on.
	longestSearch = 30 * time.Minute
	// lookEvery is how often a search that waits for its last results is looked at.
	lookEvery = time.Second
	// patience is how long results may be on their way after an order was to end.
	patience = 5 * time.Minute
)

type followArgs struct {
	SearchID string `json:"search_id"`
}

// Kind names the worker.
func (followArgs) Kind() string { return followKind }

type sweepArgs struct{}

// Kind names the worker.
func (sweepArgs) Kind() string { return sweepKind }

func (s *searches) workers() []jobs.Worker {
	return []jobs.Worker{
		{Kind: followKind, Limit: mostFollowed, Timeout: longestSearch, Work: jobs.Do(s.follow)},
		{Kind: sweepKind, Work: jobs.Do(s.sweep)},
	}
}

// schedule ends what is late, in every mode: ending a search changes nothing outside.
func schedule() jobs.Schedule {
	return jobs.Schedule{
		Name: sweepKind, Cron: "*/5 * * * *", Feature: feature, ReadOnly: entitlement.GoesOn,
		Blocked: entitlement.GoesOn, Args: func() jobs.Args { return sweepArgs{} },
	}
}

// follow waits for the agent and then for the results that it has announced. A panel that is killed here hands the
// search on to the next run.
func (s *searches) follow(ctx context.Context, _ jobs.Job, args followArgs) error {
	for {
		row, err := s.store.get(ctx, args.SearchID)
		if gone(err) || err == nil && row.State != stateRunning {
			return nil
		}
		if err != nil {
			return err
		}
		if err := s.step(ctx, &row); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.clock.After(lookEvery):
		}
	}
}

// gone says that a search was deleted with its node.
func gone(err error) bool {
	var missing *fault.Fault
	return errors.As(err, &missing) && missing.Kind == fault.KindMissing
}

func (s *searches) step(ctx context.Context, row *searchRow) error {
	results, err := s.commands.Results(ctx, row.CommandID)
	if err != nil {
		return err
	}
	_, ended := results[row.CommandID]
	if ended || s.overdue(row) {
		return s.look(ctx, row.ID)
	}
	return nil
}

// overdue says that a search should have ended long ago.
func (s *searches) overdue(row *searchRow) bool { return !s.now().Before(row.EndsBy.Add(patience)) }

// look settles a search whose agent has ended its order and ends one whose order is gone or was never answered. The
// result is read under the lock of the search: an answer that came a moment ago is not called silence.
func (s *searches) look(ctx context.Context, id string) error {
	return s.locked(ctx, id, func(ctx context.Context, row *searchRow) error {
		results, err := s.commands.Results(ctx, row.CommandID)
		if err != nil {
			return err
		}
		if result, ended := results[row.CommandID]; ended {
			return s.heard(ctx, row, result)
		}
		if s.overdue(row) {
			return s.end(ctx, row, stateFailed, reasonSilent)
		}
		return nil
	})
}

// heard takes what the agent has said at the end of its order.
func (s *searches) heard(ctx context.Context, row *searchRow, result nodesapi.Result) error {
	var data agentapi.ScanTargetsData
	if !result.OK || json.Unmarshal(result.Data, &data) != nil {
		return s.end(ctx, row, stateFailed, reasonOf(result.Code))
	}
	announced := max(0, min(data.Scanned, row.Total))
	row.Announced = &announced
	return s.settle(ctx, row)
}

var reasons = map[agentapi.ResultCode]string{
	agentapi.CodeExpired: reasonSilent, agentapi.CodeInterrupted: reasonInterrupted,
}

func reasonOf(code string) string { return cmp.Or(reasons[agentapi.ResultCode(code)], reasonAgent) }

// settle ends a search when all results are there that its agent has announced, or when they are too late.
func (s *searches) settle(ctx context.Context, row *searchRow) error {
	switch {
	case row.Announced != nil && row.Scanned >= *row.Announced:
		return s.end(ctx, row, stateDone, "")
	case s.overdue(row):
		return s.end(ctx, row, stateFailed, reasonLost)
	}
	return s.store.update(ctx, row)
}

// locked does something with a search that runs; it does nothing to any other.
func (s *searches) locked(ctx context.Context, id string, do func(context.Context, *searchRow) error) error {
	err := s.store.db.InTx(ctx, func(ctx context.Context) error {
		row, err := s.store.lock(ctx, id)
		if err != nil || row.State != stateRunning {
			return err
		}
		return do(ctx, &row)
	})
	if gone(err) {
		return nil
	}
	return err
}

// sweep ends every search that should have ended long ago.
func (s *searches) sweep(ctx context.Context, _ jobs.Job, _ sweepArgs) error {
	ids, err := s.store.overdue(ctx, s.now().Add(-patience))
	if err != nil {
		return err
	}
	for _, id := range ids {
		err = errors.Join(err, s.look(ctx, id))
	}
	return err
}
