package webhooks

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/uptrace/bun"

	"panel/modules/proxypanel/internal/remnawave"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/jobs"
)

// Kind is that of the jobs that read again what webhooks have named.
const Kind = "proxypanel.reread"

const (
	// together is how many hints one round reads.
	together = 50
	// mostHints is how many are read one by one; where more wait, all users are read soon instead.
	mostHints  = 200
	readWithin = 30 * time.Second
)

// hintArgs say for which connection.
type hintArgs struct {
	ConnectionID string `json:"connection_id"`
}

// Kind names the worker.
func (hintArgs) Kind() string { return Kind }

// hint is a row of what is to be read again.
type hint struct {
	bun.BaseModel `bun:"table:proxypanel_hints,alias:n"`

	ConnectionID string    `bun:"connection_id,type:uuid"`
	Kind         string    `bun:"kind"`
	ExternalID   string    `bun:"external_id"`
	At           time.Time `bun:"at"`
}

// Worker runs the jobs.
func (w *Webhooks) Worker() jobs.Worker {
	const limit, attempts, within = 4, 5, 10 * time.Minute
	return jobs.Worker{Kind: Kind, Limit: limit, Attempts: attempts, Timeout: within, Work: jobs.Do(w.reread)}
}

// reread reads what hints name until there are none. Its end commits with the sight that there are none, so that a hint
// that came meanwhile finds a job.
func (w *Webhooks) reread(ctx context.Context, job jobs.Job, args hintArgs) error {
	client, err := w.Open(ctx, args.ConnectionID)
	if fault.Code(err) == "not_found" {
		return nil
	}
	if err != nil {
		return err
	}
	defer client.Close()
	for over := false; !over; {
		hints, err := w.waiting(ctx, args.ConnectionID)
		if err != nil {
			return err
		}
		for i := range hints {
			if err := w.follow(ctx, client, &hints[i]); err != nil {
				return later(ctx, err)
			}
		}
		if over, err = w.finish(ctx, job, args.ConnectionID); err != nil {
			return err
		}
	}
	return nil
}

// later leaves hints to the next webhook or the schedule where the proxy panel cannot be asked now; other errors are
// tried again.
func later(ctx context.Context, err error) error {
	var problem *remnawave.Problem
	if errors.As(err, &problem) && context.Cause(ctx) == nil {
		return nil
	}
	return err
}

// waiting gives the next hints. Where too many wait, those about users are dropped, and all users become due.
func (w *Webhooks) waiting(ctx context.Context, connectionID string) (hints []hint, err error) {
	err = w.DB.InTx(ctx, func(ctx context.Context) error {
		db := w.DB.In(ctx)
		var many int
		err := db.NewRaw("select count(*) from proxypanel_hints where connection_id = ?", connectionID).Scan(ctx, &many)
		if err == nil && many > mostHints {
			_, err = db.NewRaw(`with dropped as (delete from proxypanel_hints where connection_id = ?0 and kind = ?1)
				update proxypanel_sync_states set users_begun = null where connection_id = ?0`, connectionID, kindUser).Exec(ctx)
		}
		if err == nil {
			err = db.NewSelect().Model(&hints).Where("n.connection_id = ?", connectionID).OrderExpr("n.at").Limit(together).Scan(ctx)
		}
		return err
	})
	if err != nil {
		return nil, database.Fault(fmt.Errorf("read what webhooks have named: %w", err), nil)
	}
	return hints, nil
}

// follow reads what a hint names. The hint goes with what was found, unless another one has come meanwhile.
func (w *Webhooks) follow(ctx context.Context, client *remnawave.Client, h *hint) error {
	asking, cancel := context.WithTimeout(ctx, readWithin)
	defer cancel()
	write, err := w.ask(asking, client, h)
	if err != nil {
		return err
	}
	return w.DB.InTx(ctx, func(ctx context.Context) error {
		if err := write(ctx); err != nil {
			return err
		}
		_, err := w.DB.In(ctx).NewRaw(`delete from proxypanel_hints where connection_id = ? and kind = ? and external_id = ?
			and at = ?`, h.ConnectionID, h.Kind, h.ExternalID, h.At).Exec(ctx)
		return database.Fault(err, nil)
	})
}

// ask reads an object, and gives how to write down what was found.
func (w *Webhooks) ask(
	ctx context.Context, client *remnawave.Client, h *hint,
) (write func(ctx context.Context) error, err error) {
	if h.Kind == remnawave.KindNode {
		node, err := client.ListedNode(ctx, h.ExternalID)
		if gone(err) {
			return func(ctx context.Context) error {
				return w.Shadow.Forget(ctx, h.ConnectionID, h.Kind, h.ExternalID)
			}, nil
		}
		return func(ctx context.Context) error {
			_, err := w.Shadow.PutObject(ctx, h.ConnectionID, h.Kind, node)
			return err
		}, err
	}
	id, err := strconv.ParseInt(h.ExternalID, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("read the id of a hint: %w", err)
	}
	user, err := client.User(ctx, id)
	if gone(err) {
		return func(ctx context.Context) error { return w.Shadow.ForgetUser(ctx, h.ConnectionID, id) }, nil
	}
	return func(ctx context.Context) error {
		_, err := w.Shadow.PutUsers(ctx, h.ConnectionID, []remnawave.User{user})
		return err
	}, err
}

// gone says whether the panel says that it does not have it.
func gone(err error) bool {
	var problem *remnawave.Problem
	return errors.As(err, &problem) && problem.Status == http.StatusNotFound && problem.Code != ""
}

// finish ends the job where no hint waits.
func (w *Webhooks) finish(ctx context.Context, job jobs.Job, connectionID string) (over bool, err error) {
	err = w.DB.InTx(ctx, func(ctx context.Context) error {
		db := w.DB.In(ctx)
		var held []string
		err := db.NewRaw("select connection_id from proxypanel_hooks where connection_id = ? for update", connectionID).
			Scan(ctx, &held)
		if err != nil {
			return database.Fault(fmt.Errorf("hold a hook: %w", err), nil)
		}
		var waiting []string
		err = db.NewRaw("select external_id from proxypanel_hints where connection_id = ? limit 1", connectionID).Scan(ctx, &waiting)
		if err != nil || len(waiting) > 0 {
			return database.Fault(err, nil)
		}
		over = true
		return job.Finish(ctx)
	})
	return over && err == nil, err
}
