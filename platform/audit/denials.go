package audit

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"panel/platform/access"
	"panel/platform/httpapi"
)

const (
	denialWindow = time.Minute
	mostDenials  = 2000
	actionDenied = "access.denied"
)

// denials gathers refused requests in memory. Each actor (or address) and route gets one
// row a minute with the count of what was refused since the row before; memory is
// bounded, and beyond it strangers share one row.
type denials struct {
	mu      sync.Mutex
	waiting map[denialKey]*denial
	written map[denialKey]time.Time
}

type denialKey struct{ who, operation, code string }

type denial struct {
	caller  access.Caller
	summary string
	count   int
}

func newDenials() *denials {
	return &denials{waiting: map[denialKey]*denial{}, written: map[denialKey]time.Time{}}
}

// Denied notes a refused request; it never waits.
func (s *Store) Denied(ctx context.Context, op httpapi.Operation, code string) {
	caller := access.From(ctx)
	s.log.Info("refused", zap.String("operation", op.ID()), zap.String("code", code), access.Logged(ctx))
	s.denials.note(caller, op.Method+" "+op.Path, op.Summary, code)
}

func (d *denials) note(caller access.Caller, operation, summary, code string) {
	key := denialKey{caller.AccountID + caller.NodeID, operation, code}
	if key.who == "" {
		key.who = caller.IP
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.waiting[key] == nil && len(d.waiting) >= mostDenials {
		key.who, caller = "", access.Caller{Kind: access.Nobody, Username: "many addresses"}
	}
	if d.waiting[key] == nil {
		d.waiting[key] = &denial{caller: caller, summary: summary}
	}
	d.waiting[key].count++
}

// due takes what may be written now: no key more often than once in a window.
func (d *denials) due(now time.Time, all bool) map[denialKey]*denial {
	d.mu.Lock()
	defer d.mu.Unlock()
	maps.DeleteFunc(d.written, func(_ denialKey, at time.Time) bool { return now.Sub(at) >= denialWindow })
	ready := map[denialKey]*denial{}
	for key, refused := range d.waiting {
		if _, recent := d.written[key]; recent && !all {
			continue
		}
		ready[key], d.written[key] = refused, now
		delete(d.waiting, key)
	}
	return ready
}

// back returns what could not be written.
func (d *denials) back(unwritten map[denialKey]*denial) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for key, refused := range unwritten {
		delete(d.written, key)
		if later := d.waiting[key]; later != nil {
			refused.count += later.count
		}
		d.waiting[key] = refused
	}
}

// writeDenials writes the due rows in one statement.
func (s *Store) writeDenials(ctx context.Context, all bool) error {
	ready := s.denials.due(s.clock.Now(), all)
	if len(ready) == 0 {
		return nil
	}
	rows := make([]Row, 0, len(ready))
	for key, refused := range ready {
		rows = append(rows, s.denialRow(ctx, key, refused))
	}
	slices.SortFunc(rows, func(a, b Row) int { return compare(a.ID, b.ID) })
	_, err := s.db.NewInsert().Model(&rows).ExcludeColumn("seq", "hash_prev", "hash").Exec(ctx)
	if err != nil {
		s.denials.back(ready)
	}
	return err
}

func (s *Store) denialRow(ctx context.Context, key denialKey, refused *denial) Row {
	row, err := s.row(refused.caller, Entry{
		Action: actionDenied, Object: Object{Type: "operation", ID: key.operation, Name: refused.summary}, Result: Denied,
		Changes: map[string]Change{"code": {To: key.code}},
	})
	if err != nil {
		s.log.Error("a refused request could not be journalled", zap.Error(err))
	}
	row.Count = refused.count
	row.Mark = s.mark(ctx, row)
	return row
}
