package database

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/uptrace/bun"
	"go.uber.org/zap"
	"golang.org/x/sys/unix"
)

// wire is the one PostgreSQL channel that carries all of the panel's notifications.
const wire = "panel"

// MaxNotice is the longest channel and payload together that PostgreSQL carries; send ids, not contents.
const MaxNotice = 7900

// Notify tells every panel and tool on this database, after the transaction of db has committed.
func Notify(ctx context.Context, db bun.IDB, channel, payload string) error {
	if len(channel)+len(payload) > MaxNotice {
		return fmt.Errorf("telling %s: %d bytes do not fit into a notification; send an id instead", channel,
			len(payload))
	}
	if _, err := db.ExecContext(ctx, "select pg_notify(?, ?)", wire, channel+" "+payload); err != nil {
		return fmt.Errorf("telling %s: %w", channel, err)
	}
	return nil
}

// NotifyAll tells many things in one statement; each message is a channel, a space and a payload.
func NotifyAll(ctx context.Context, pool *pgxpool.Pool, messages []string) error {
	if _, err := pool.Exec(ctx, "select pg_notify($1, m) from unnest($2::text[]) m", wire, messages); err != nil {
		return fmt.Errorf("telling %d things: %w", len(messages), err)
	}
	return nil
}

// Listener hears notifications on a connection of its own and reconnects by itself.
// While Healthy is false something may be missed: who keeps a copy in memory must read the database instead.
type Listener struct {
	pool    *pgxpool.Pool
	log     *zap.Logger
	healthy atomic.Bool
	// confirmed is a moment up to which everything that was told has been handled, in nanoseconds since the machine
	// began.
	confirmed atomic.Int64
	catchUps  catchUps

	mu       sync.RWMutex
	handlers map[string][]func(payload string)
	onReady  []func()
	shared   map[any]any
}

// NewListener prepares a listener; Run starts it.
func NewListener(pool *pgxpool.Pool, log *zap.Logger) *Listener {
	return &Listener{pool: pool, log: log, handlers: map[string][]func(string){}}
}

// On calls the handler for each notification of the channel, one after another; it must not block.
func (l *Listener) On(channel string, handler func(payload string)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.handlers[channel] = append(l.handlers[channel], handler)
}

// OnReady calls the function each time listening begins, before Healthy turns true: the moment to drop every copy.
func (l *Listener) OnReady(refresh func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.onReady = append(l.onReady, refresh)
}

// Shared gives what all users of the listener that name the same key have in common; the first one makes it.
func (l *Listener) Shared(key any, made func() any) any {
	l.mu.Lock()
	defer l.mu.Unlock()
	one, there := l.shared[key]
	if !there {
		if l.shared == nil {
			l.shared = map[any]any{}
		}
		one = made()
		l.shared[key] = one
	}
	return one
}

const (
	// confirmEvery is how often the database is asked whether anything is on its way.
	confirmEvery = time.Second
	// confirmedWithin is below the time that a writer waits for every listener, so that a panel that was frozen, or
	// whose machine slept, does not answer from memory what changed meanwhile.
	confirmedWithin = barrierTimeout - time.Second
)

// Healthy reports whether notifications arrive at this moment. It is false after a gap in the life of the process,
// until the database has confirmed that nothing was missed.
func (l *Listener) Healthy() bool {
	return l.healthy.Load() && sinceBoot()-l.confirmed.Load() < int64(confirmedWithin)
}

// sinceBoot counts on while the process is stopped and while the machine sleeps.
func sinceBoot() int64 {
	// The call never waits, so that the scheduler need not know of it: that is half of its cost for each request.
	var now unix.Timespec
	_, _, failed := syscall.RawSyscall(unix.SYS_CLOCK_GETTIME, unix.CLOCK_BOOTTIME, uintptr(unsafe.Pointer(&now)), 0)
	if failed != 0 {
		return math.MaxInt64 // nothing is confirmed
	}
	return now.Nano()
}

// Run listens until the context ends and then returns nil.
func (l *Listener) Run(ctx context.Context) error {
	const shortest, longest = 50 * time.Millisecond, 2 * time.Second
	pause := shortest
	for ctx.Err() == nil {
		began, err := l.listen(ctx)
		if began {
			pause = shortest
		}
		if ctx.Err() == nil {
			l.log.Warn("live notifications are interrupted; reading the database instead", zap.Error(err))
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
		pause = min(2*pause, longest)
	}
	return nil
}

func (l *Listener) listen(ctx context.Context) (began bool, err error) {
	conn, err := l.connect(ctx)
	if err != nil {
		return false, err
	}
	defer l.hangUp(conn)
	var passed passedBarriers
	at := sinceBoot()
	l.refresh()
	l.confirmed.Store(at)
	l.catchUps.open()
	defer l.catchUps.close()
	l.healthy.Store(true)
	defer l.healthy.Store(false)
	for {
		if err := l.next(ctx, conn, &passed); err != nil {
			return true, err
		}
	}
}

func (l *Listener) connect(ctx context.Context) (*pgx.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	conn, err := pgx.ConnectConfig(ctx, l.pool.Config().ConnConfig)
	if err != nil {
		return nil, fmt.Errorf("connecting to listen: %w", err)
	}
	if _, err := conn.Exec(ctx, "listen "+wire+"; "+showListening); err != nil {
		l.hangUp(conn)
		return nil, fmt.Errorf("beginning to listen: %w", err)
	}
	return conn, nil
}

func (l *Listener) hangUp(conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = conn.Close(ctx)
}

func (l *Listener) refresh() {
	l.mu.RLock()
	ready := slices.Clone(l.onReady)
	l.mu.RUnlock()
	for _, refresh := range ready {
		refresh()
	}
}

// next waits for one notification, or asks the database whether any is on its way: when somebody wants to know it, and
// when it has not done so for a while.
func (l *Listener) next(ctx context.Context, conn *pgx.Conn, passed *passedBarriers) error {
	left := int64(confirmEvery) - (sinceBoot() - l.confirmed.Load())
	if left <= 0 {
		return l.confirm(ctx, conn, passed)
	}
	waiting, stop, asked := l.catchUps.wait(ctx, time.Duration(left))
	defer stop()
	if asked {
		return l.confirm(ctx, conn, passed)
	}
	notice, err := conn.WaitForNotification(waiting)
	switch {
	case err == nil:
		return l.take(ctx, conn, passed, notice.Payload)
	case ctx.Err() != nil:
		return ctx.Err()
	case waiting.Err() == nil:
		return fmt.Errorf("listening: %w", err)
	}
	return nil
}

// confirm asks the database for a sign of life. Notifications sent before it arrive with the answer, and is handled
// here.
func (l *Listener) confirm(ctx context.Context, conn *pgx.Conn, passed *passedBarriers) (err error) {
	const answer = 2 * time.Second
	begun := l.catchUps.begin()
	defer func() { begun.end(err == nil) }()
	asking, stop := context.WithTimeout(ctx, answer)
	defer stop()
	at := sinceBoot()
	if err := conn.Ping(asking); err != nil {
		return fmt.Errorf("listening: %w", err)
	}
	over, stop := context.WithCancel(ctx)
	stop() // what has arrived is given also to who cannot wait
	for {
		notice, err := conn.WaitForNotification(over)
		if err != nil {
			l.confirmed.Store(at)
			return ctx.Err()
		}
		if err := l.take(ctx, conn, passed, notice.Payload); err != nil {
			return err
		}
	}
}

func (l *Listener) take(ctx context.Context, conn *pgx.Conn, passed *passedBarriers, message string) error {
	if number, is := strings.CutPrefix(message, barrierChannel+" "); is {
		return passed.pass(ctx, conn, number)
	}
	l.deliver(message)
	return nil
}

func (l *Listener) deliver(message string) {
	channel, payload, _ := strings.Cut(message, " ")
	l.mu.RLock()
	handlers := slices.Clone(l.handlers[channel])
	l.mu.RUnlock()
	for _, handle := range handlers {
		l.guarded(channel, payload, handle)
	}
}

func (l *Listener) guarded(channel, payload string, handle func(string)) {
	defer func() {
		if broken := recover(); broken != nil {
			l.log.Error("a handler of notifications broke down", zap.String("channel", channel),
				zap.Any("panic", broken))
		}
	}()
	handle(payload)
}
