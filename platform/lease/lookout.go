package lease

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"panel/platform/database"
)

// lookout looks on behalf of all idle drivers of a panel for what no notification has told of, such as the row of
// another panel that died: one statement for all of their tables, by whichever driver's time has come first. A driver
// whose table has something to do, or will have before the next look, is woken and claims it as ever.
type lookout struct {
	db *database.DB

	mu      sync.Mutex
	drivers []*Driver
	next    time.Time
}

// sharing is a source of notifications that keeps one thing for all who hear them.
type sharing interface {
	Shared(key any, made func() any) any
}

// lookoutOf gives the lookout of all drivers with the same source of notifications.
func lookoutOf(notifications notifier, db *database.DB) *lookout {
	made := func() any { return &lookout{db: db} }
	if shared, is := notifications.(sharing); is {
		if one, is := shared.Shared(channel, made).(*lookout); is && one.db == db {
			return one
		}
	}
	return &lookout{db: db}
}

func (l *lookout) join(d *Driver) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.drivers = append(l.drivers, d)
}

func (l *lookout) leave(d *Driver) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.drivers = slices.DeleteFunc(l.drivers, func(one *Driver) bool { return one == d })
}

// wait is until the next look, which is at most so far away.
func (l *lookout) wait(most time.Duration) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if until := l.next.Sub(now()); until > 0 && until < most {
		return until
	}
	return most
}

// begin gives the drivers to look for; none while another one has done so, or is about to.
func (l *lookout) begin() []*Driver {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now().Before(l.next) {
		return nil
	}
	l.next = now().Add(idlePoll)
	return slices.Clone(l.drivers)
}

// look wakes the drivers that have something to do. When it cannot tell, all of them look for themselves.
func (l *lookout) look(ctx context.Context) {
	drivers := l.begin()
	if len(drivers) == 0 {
		return
	}
	asking, cancel := context.WithTimeout(ctx, queryWithin)
	defer cancel()
	due, err := l.due(asking, drivers)
	for i, d := range drivers {
		if err != nil || due[i] {
			d.wakeUp()
		}
	}
}

// due tells of each driver whether its table has a row that is due before the next look, or one that was woken.
func (l *lookout) due(ctx context.Context, drivers []*Driver) (due []bool, err error) {
	parts := make([]string, len(drivers))
	args := []any{(idlePoll + time.Second).Seconds()}
	for i, d := range drivers {
		args = append(args, d.Now())
		parts[i] = fmt.Sprintf("(%d, %s)", i, strings.ReplaceAll(d.sql.idle, "{now}", fmt.Sprintf("?%d", i+1)))
	}
	var found []struct {
		N   int
		Due bool
	}
	err = l.db.NewRaw("select n, due from (values "+strings.Join(parts, ", ")+") as looks(n, due)", args...).
		Scan(ctx, &found)
	if err != nil {
		return nil, database.Fault(fmt.Errorf("look for work: %w", err), nil)
	}
	due = make([]bool, len(drivers))
	for _, one := range found {
		due[one.N] = one.Due
	}
	return due, nil
}
