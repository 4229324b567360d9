// Package lease drives processes that keep their state in a row: each open row is stepped by one panel at a time until
// it has reached its end, and when that panel dies, stalls or stops, another one goes on within seconds.
//
// Take a lease for "bring this row to its end": a process of many steps, such as the apply of a flow or a rollout,
// whose row says where it stands and is written again and again. Take a job (platform/jobs) for "do this later,
// surely": one call of a function that is repeated from its beginning when it fails.
//
// A claim has a fencing token, which is in the row; every write of a step demands it, by Claim.InTx, Claim.Check
// or CheckFence. So a driver that comes back after a pause, when somebody else has taken its row, is refused, in the
// same process as well as from another panel. A step that fails or panics is repeated, with growing pauses and with the
// error on the row, until the process gives the row up. Leases are measured by the clock of the database.
package lease

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"

	"panel/platform/database"
)

// TTL is how long a lease lasts without being renewed.
const TTL = 6 * time.Second

// ErrLost means that another driver has the row now; nothing may be written any more.
var ErrLost = errors.New("another driver continues this work")

// Table is where the rows of a process are. Beside those of the process it has the columns
//
//	lease_token    text        not null default '',     -- fencing token; empty while nobody drives the row
//	lease_until    timestamptz not null default now(),  -- end of the lease; of an unclaimed row, when it is due
//	lease_failures integer     not null default 0,      -- failures in a row
//	lease_error    text        not null default ''      -- the last of them
//
// and a partial index on lease_until for the rows that Open selects.
type Table struct {
	Name string
	// Key is the primary key, a uuid; "id" when empty.
	Key string
	// Open is the SQL condition of the rows that have not reached their end, "finished_at is null".
	Open string
	// Order is the column by which rows wait for a driver; lease_until when empty.
	Order string
	// Due is a column with the time by the panel's clock from which a row has something to do; null is never. It is
	// empty when every open row has something to do at once.
	Due string
}

// Process says how the rows of a table are brought to their end. Zero limits are replaced by usual ones.
type Process struct {
	// Name is what a row is called in the log, "rollout".
	Name  string
	Table Table
	// Step makes the next step that is due. It must be safe to repeat from what the row says.
	Step func(ctx context.Context, c *Claim) (Next, error)
	// GiveUp ends a row whose steps fail again and again: it writes the reason on the row, which must not be open
	// afterwards, and frees what the row holds. A row with a Due may stay open: GiveUp sets its next time, at which its
	// steps begin with no failures behind them. It runs in a transaction that holds the fence. A process without it
	// repeats its steps for ever.
	GiveUp func(ctx context.Context, c *Claim, cause error) error
	// Parallel is how many rows one panel drives at the same time.
	Parallel int
	// StepLimit ends the context of a step. A step that goes on in spite of that loses its row.
	StepLimit time.Duration
	// Attempts is after how many failures in a row the row is given up. The death of a panel that drove it is one.
	Attempts int
	// FirstPause follows the first failure; each further one doubles it, up to LongestPause.
	FirstPause, LongestPause time.Duration
	// Now is the clock that Table.Due is compared with; that of the driver when nil.
	Now func() time.Time
}

func (p Process) withDefaults() Process {
	if p.Table.Key == "" {
		p.Table.Key = "id"
	}
	if p.Table.Order == "" {
		p.Table.Order = "lease_until"
	}
	defaults(&p.Parallel, 8)
	defaults(&p.StepLimit, time.Minute)
	defaults(&p.Attempts, 10)
	defaults(&p.FirstPause, 500*time.Millisecond)
	defaults(&p.LongestPause, time.Minute)
	return p
}

func defaults[T int | time.Duration](value *T, usual T) {
	if *value == 0 {
		*value = usual
	}
}

// Next is what a driver does after a step.
type Next struct {
	done bool
	wait time.Duration
}

// Done ends the driving: the row is not open any more, or its Due says when it goes on.
func Done() Next { return Next{done: true} }

// Again makes the next step at once.
func Again() Next { return Next{} }

// After makes the next step after a pause, or as soon as the row is woken. Whoever is free goes on after a long pause.
func After(pause time.Duration) Next { return Next{wait: pause} }

// CheckFence takes the result of a write that demanded "lease_token = Claim.Token". Error: ErrLost when it met no row.
func CheckFence(result sql.Result, err error) error {
	if err != nil {
		return database.Fault(err, nil)
	}
	if n, err := result.RowsAffected(); err != nil || n == 0 {
		return errors.Join(ErrLost, err)
	}
	return nil
}

// notifier brings notifications of the database; *database.Listener is one.
type notifier interface {
	On(channel string, handler func(payload string))
	OnReady(refresh func())
}

// New makes a driver, which works once Run is called.
func New(db *database.DB, notifications notifier, clock clockwork.Clock, log *zap.Logger, p Process) *Driver {
	p = p.withDefaults()
	if p.Now == nil {
		p.Now = clock.Now
	}
	d := &Driver{
		Process: p, db: db, clock: clock, log: log, id: database.NewID(), sql: p.Table.statements(),
		claims: map[string]*Claim{}, wake: make(chan struct{}, 1), lookout: lookoutOf(notifications, db),
	}
	notifications.On(channel, d.notified)
	notifications.OnReady(d.wakeUp)
	return d
}
