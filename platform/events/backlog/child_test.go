package backlog_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"panel/platform/database"
	"panel/platform/database/dbtest"
	"panel/platform/entitlement"
	"panel/platform/events"
	"panel/platform/events/backlog"
	"panel/platform/jobs"
	"panel/platform/operations"
)

func TestMain(m *testing.M) { dbtest.MainOrChild(m, child) }

const tables = `create table asked (name text primary key);
	create table handled (listener text not null, name text not null)`

type note struct {
	Name string `json:"name"`
}

// panel is the bus and the queue of one panel.
type panel struct {
	bus    *events.Bus
	runner *jobs.Runner
}

func newPanel(db *database.DB, license entitlement.State, listeners ...events.Listener) (panel, error) {
	bus := events.New(db, nil, zap.NewNop())
	err := bus.Declare(
		events.Kind{Name: "note.written", Summary: "A note was written", Live: true, Data: note{}},
		events.Kind{Name: operations.Changed, Summary: "An operation changed", Live: true},
	)
	queue, runner := jobs.New(db, operations.NewStore(db, bus), zap.NewNop())
	kept := backlog.New(queue, entitlement.Fixed(license), zap.NewNop())
	for _, l := range listeners {
		err = errors.Join(err, runner.Add(kept.Worker(l)))
	}
	return panel{bus: bus, runner: runner}, errors.Join(err, bus.Listen(kept, listeners...))
}

// counting writes down each event that it handles, and now and then fails first.
func counting(db *database.DB, name string) events.Listener {
	return listener(name, events.With(func(ctx context.Context, _ events.Event, n note) error {
		_, err := db.In(ctx).ExecContext(ctx, "insert into handled values (?, ?)", name, n.Name)
		return err
	}))
}

func listener(name string, handle func(context.Context, events.Event) error) events.Listener {
	return events.Listener{
		Name: name, Kinds: []string{"note.*"}, ReadOnly: entitlement.GoesOn, Blocked: entitlement.GoesOn,
		Handle: handle,
	}
}

// child is a panel with two listeners. One whose name begins with "busy" also emits as fast as it can.
func child(ctx context.Context, dsn, name string) error {
	db, err := database.Open(ctx, dsn, database.Options{MaxConns: 6, Wait: 10 * time.Second})
	if err != nil {
		return err
	}
	p, err := newPanel(db, entitlement.State{}, counting(db, "first.count"), counting(db, "second.count"))
	if err != nil {
		return err
	}
	if strings.HasPrefix(name, "busy") {
		go func() { _ = emitAll(ctx, db, p.bus, name) }()
	}
	return p.runner.Run(ctx)
}

var errUndone = errors.New("undone")

// emitAll emits in transactions that commit, and in as many that do not.
func emitAll(ctx context.Context, db *database.DB, bus *events.Bus, name string) error {
	for n := 0; ctx.Err() == nil; n++ {
		asked := note{Name: name + "/" + strconv.Itoa(n)}
		err := db.InTx(ctx, func(ctx context.Context) error {
			if err := bus.Emit(ctx, events.Event{Kind: "note.written", Data: asked}); err != nil {
				return err
			}
			if n%2 == 1 {
				return errUndone
			}
			_, err := db.In(ctx).ExecContext(ctx, "insert into asked values (?)", asked.Name)
			return err
		})
		if err != nil && !errors.Is(err, errUndone) {
			return err
		}
	}
	return ctx.Err()
}
