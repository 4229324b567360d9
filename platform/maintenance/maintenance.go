// Package maintenance is the time in which no panel works on the database, because one of them replaces it.
//
// The panel that replaces it holds a connection whose name says so. Every panel on the database sees the name, stops
// what it does and answers nothing but how far it is. A panel that is killed loses its connection, and with it the
// maintenance ends by itself. No table is asked: while the database is replaced, none can be read.
package maintenance

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"panel/platform/database"
)

// Name begins the names of connections that replace the database, as they stand in pg_stat_activity.
const Name = "panel-restore"

// Notice tells of a maintenance that is under way.
type Notice struct {
	ID   string // of the restore; empty when a command line does it
	Step string
}

// Querier reads one row without a transaction.
type Querier interface {
	QueryRow(ctx context.Context, query string, args ...any) pgx.Row
}

// Read tells whether the database is being replaced; nil when it is not.
func Read(ctx context.Context, at Querier) (*Notice, error) {
	var name string
	err := at.QueryRow(ctx, `select application_name from pg_stat_activity where datname = current_database()
		and application_name like $1 order by application_name limit 1`, Name+"%").Scan(&name)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read whether the database is being restored: %w", err)
	}
	notice := &Notice{Step: "restoring"}
	if words := strings.Fields(name); words[0] == Name && len(words) == 3 {
		notice.ID, notice.Step = words[1], words[2]
	}
	return notice, nil
}

// ErrAlone means that nobody here can stop the panel: it was not started as a service is.
var ErrAlone = errors.New("this process cannot stop the panel for a restore; use panelctl backup restore")

// Switch is where a module asks its own panel to stop while it replaces the database. Each start of a panel has one.
type Switch struct {
	dsn     string
	entered chan struct{}
	stopped chan struct{}

	mu   sync.Mutex
	conn *pgx.Conn
	id   string
}

// NewSwitch makes a switch that a panel obeys; without an address nobody does.
func NewSwitch(dsn string) *Switch {
	return &Switch{dsn: dsn, entered: make(chan struct{}), stopped: make(chan struct{})}
}

// stopWithin is how long panels may take to end what they do.
const stopWithin = time.Minute

// Enter begins the maintenance: it returns when this panel has stopped. What comes after it must not use the panel's
// own connections. Errors: ErrAlone.
func (s *Switch) Enter(ctx context.Context, id, step string) error {
	if s.dsn == "" {
		return ErrAlone
	}
	conn, err := database.Connect(ctx, s.dsn)
	if err != nil {
		return errors.New("the database cannot be reached")
	}
	s.mu.Lock()
	s.conn, s.id = conn, id
	s.mu.Unlock()
	if err := s.name(ctx, step); err != nil {
		s.Leave()
		return err
	}
	close(s.entered)
	ctx, cancel := context.WithTimeout(ctx, stopWithin)
	defer cancel()
	select {
	case <-s.stopped:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait until the panel has stopped: %w", ctx.Err())
	}
}

// Step shows what is done now, a word.
func (s *Switch) Step(ctx context.Context, step string) { _ = s.name(ctx, step) } // the next one says more

func (s *Switch) name(ctx context.Context, step string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn == nil {
		return nil
	}
	_, err := s.conn.Exec(ctx, "select set_config('application_name', $1, false)", Name+" "+s.id+" "+step)
	if err != nil {
		return fmt.Errorf("show the maintenance to all panels: %w", err)
	}
	return nil
}

// Leave ends the maintenance: panels go on with the database as it is.
func (s *Switch) Leave() {
	const closing = 5 * time.Second
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), closing)
	defer cancel()
	_ = s.conn.Close(ctx)
	s.conn = nil
}

// Entered is closed when the panel shall stop.
func (s *Switch) Entered() <-chan struct{} { return s.entered }

// Stopped says that the panel has stopped and given up its connections.
func (s *Switch) Stopped() { close(s.stopped) }
