package proxypanel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"panel/modules/proxypanel/internal/remnawave"
	"panel/platform/entitlement"
	"panel/platform/jobs"
)

// A connection is looked at once a minute. Its scopes, which take twenty questions, are asked about four times a day,
// and whenever one turns out to be missing.
const (
	lookKind    = "proxypanel.look"
	scopesEvery = 6 * time.Hour
	// warnBefore is how long before its end a token is warned of.
	warnBefore = 14 * 24 * time.Hour
	// failuresTold is the failure in a row that is told of, where it may pass by itself.
	failuresTold = 3
)

// lookArgs say which connection to look at; without one it is all of them.
type lookArgs struct {
	ConnectionID string `json:"connection_id,omitempty"`
}

// Kind names the worker.
func (lookArgs) Kind() string { return lookKind }

// lookSchedule goes on in read-only mode and without the feature: it only looks.
func lookSchedule() jobs.Schedule {
	return jobs.Schedule{
		Name: lookKind, Cron: "* * * * *", Feature: feature, ReadOnly: entitlement.GoesOn, Blocked: entitlement.GoesOn,
		Args: func() jobs.Args { return lookArgs{} },
	}
}

func (c *connections) worker() jobs.Worker {
	const together, tries = 4, 3
	return jobs.Worker{
		Kind: lookKind, Limit: together, Attempts: tries, Timeout: lookWithin + answerWithin, Work: jobs.Do(c.work),
	}
}

// work looks at one connection, or has each looked at by a job of its own, so that a slow one delays no other.
func (c *connections) work(ctx context.Context, job jobs.Job, args lookArgs) error {
	if args.ConnectionID != "" {
		return c.lookAgain(ctx, args.ConnectionID, job.Finish)
	}
	ids, err := c.store.ids(ctx)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if err := c.queue.Insert(ctx, lookArgs{ConnectionID: id}, jobs.Opts{Unique: id}); err != nil {
			return fmt.Errorf("have a proxy panel looked at: %w", err)
		}
	}
	return nil
}

// lookAgain looks at a connection that may have been removed meanwhile. What it found commits with the end of the job.
func (c *connections) lookAgain(ctx context.Context, id string, finish func(context.Context) error) error {
	var rows []connectionRow
	err := c.store.db.In(ctx).NewSelect().Model(&rows).Where("c.id = ?", id).Scan(ctx)
	if err != nil || len(rows) == 0 {
		return err
	}
	row := &rows[0]
	due := row.ScopesCheckedAt == nil || !c.now().Before(row.ScopesCheckedAt.Add(scopesEvery))
	_, err = c.examine(ctx, row, due, finish)
	return err
}

// test looks at a connection now, its scopes too. What was found is the answer, also where nothing can be reached.
// Fault: not_found (404).
func (c *connections) test(ctx context.Context, id string) (Connection, error) {
	row, err := c.store.get(ctx, id)
	if err != nil {
		return Connection{}, err
	}
	kept, err := c.examine(ctx, &row, true, func(context.Context) error { return nil })
	if err != nil {
		return Connection{}, err
	}
	return kept.shown(), nil
}

// examine looks at the panel of a row and writes down what it found, unless somebody has changed the connection
// meanwhile; then commits with it.
func (c *connections) examine(
	ctx context.Context, row *connectionRow, scopes bool, then func(context.Context) error,
) (*connectionRow, error) {
	access, err := c.access(row)
	if err != nil {
		return nil, err
	}
	client, err := c.door.open(access)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	if err := c.look(ctx, client, row, scopes); err != nil {
		return nil, err
	}
	err = c.store.db.InTx(ctx, func(ctx context.Context) error {
		before, err := c.store.unchanged(ctx, row.ID, row.Revision)
		if err != nil {
			return err
		}
		if before != nil {
			row.Failures, row.ToldFailure, row.ToldExpiry = before.Failures, before.ToldFailure, before.ToldExpiry
			if err := errors.Join(c.tell(ctx, row), c.store.update(ctx, row)); err != nil {
				return err
			}
		}
		return then(ctx)
	})
	return row, err
}

// look asks the panel and notes in the row what it answered.
func (c *connections) look(ctx context.Context, client *remnawave.Client, row *connectionRow, scopes bool) error {
	ctx, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	seen, err := client.Look(ctx, scopes)
	if err != nil {
		return asFault(err)
	}
	return row.note(seen, c.now())
}

// note takes over what a look found. What it did not ask about stays.
func (r *connectionRow) note(seen remnawave.Seen, now time.Time) error {
	r.State, r.Cause, r.Detail, r.CheckedAt = seen.State, seen.Cause, seen.Detail, &now
	if seen.Version != "" {
		r.Version = seen.Version
	}
	if latency := seen.Latency.Milliseconds(); seen.Latency > 0 {
		r.LatencyMS = &latency
	}
	if seen.Missing != nil {
		text, err := json.Marshal(seen.Missing)
		if err != nil {
			return fmt.Errorf("write the scopes that are missing: %w", err)
		}
		r.MissingScopes, r.ScopesCheckedAt = text, &now
	}
	if seen.Figures != nil {
		text, err := json.Marshal(seen.Figures)
		if err != nil {
			return fmt.Errorf("write the figures of a proxy panel: %w", err)
		}
		r.Panel = text
	}
	r.judge(now)
	if r.works() && seen.Version != "" {
		r.LastOKAt = &now
	}
	return nil
}

// judge adds what the token says of itself, and scopes that were missing when they were asked about last.
func (r *connectionRow) judge(now time.Time) {
	ended := r.TokenExpiresAt != nil && !now.Before(*r.TokenExpiresAt)
	missing := r.missing()
	switch {
	case r.Cause == remnawave.TokenRefused && ended:
		r.Cause = remnawave.TokenExpired
	case r.State != remnawave.StateOK:
	case slices.ContainsFunc(missing, remnawave.IsRead):
		r.State, r.Cause = remnawave.StateAuth, remnawave.ScopeMissing
	case len(missing) > 0:
		r.State, r.Cause = remnawave.StateDegraded, remnawave.ScopeMissing
	case r.expiring(now):
		r.State, r.Cause = remnawave.StateDegraded, remnawave.TokenExpiring
	}
}

func (r *connectionRow) expiring(now time.Time) bool {
	return r.TokenExpiresAt != nil && now.Add(warnBefore).After(*r.TokenExpiresAt)
}

// works says whether the panel can be used, fully or not.
func (r *connectionRow) works() bool {
	return r.State == remnawave.StateOK || r.State == remnawave.StateDegraded
}

// lasting says whether the state ends only when somebody does something.
func (r *connectionRow) lasting() bool {
	return r.State == remnawave.StateAuth || r.State == remnawave.StateUnsupported
}

// tell emits, once each, that the connection works no more, that it works again, and that its token ends soon.
func (c *connections) tell(ctx context.Context, row *connectionRow) error {
	if row.works() {
		again := row.ToldFailure
		row.Failures, row.ToldFailure = 0, false
		if again {
			if err := c.emit(ctx, connectionWorks, row, Named{row.Label}); err != nil {
				return err
			}
		}
	} else if row.Failures++; !row.ToldFailure && (row.lasting() || row.Failures >= failuresTold) {
		row.ToldFailure = true
		failed := Failed{Label: row.Label, State: row.State, Cause: row.Cause}
		if err := c.emit(ctx, connectionFailed, row, failed); err != nil {
			return err
		}
	}
	if !row.expiring(c.now()) || row.ToldExpiry != nil && row.ToldExpiry.Equal(*row.TokenExpiresAt) {
		return nil
	}
	row.ToldExpiry = row.TokenExpiresAt
	return c.emit(ctx, tokenExpiring, row, Expiring{Label: row.Label, ExpiresAt: row.TokenExpiresAt.UTC()})
}
