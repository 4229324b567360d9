package audit

import (
	"context"
	"fmt"
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
	// mostDenials is how many rows a minute strangers get one by one: whoever owns many addresses must not fill the
	// disk.
	mostDenials  = 100
	actionDenied = "access.denied"
)

// Refusals takes what anybody on the network can cause as often as he likes.
type Refusals interface {
	// Refused journals the entry soon; the same from the same network is one row a minute with its count. It never
	// waits.
	Refused(ctx context.Context, entry Entry)
}

// denials gathers refusals in memory. Each actor (or network) and object gets one row a minute with the count of what
// was refused since the row before; memory and rows are bounded, and beyond that strangers share one row.
type denials struct {
	mu      sync.Mutex
	waiting map[denialKey]*denial
	written map[denialKey]time.Time
}

type denialKey struct{ who, action, object, code string }

type denial struct {
	caller access.Caller
	entry  Entry
	count  int
}

func newDenials() *denials {
	return &denials{waiting: map[denialKey]*denial{}, written: map[denialKey]time.Time{}}
}

// Denied notes a refused request; it never waits.
func (s *Store) Denied(ctx context.Context, op httpapi.Operation, code string) {
	s.denials.note(access.From(ctx), Entry{
		Action: actionDenied, Object: Object{Type: "operation", ID: op.Method + " " + op.Path, Name: op.Summary},
		Result:  Denied,
		Changes: map[string]Change{"code": {To: code}},
	}, code)
}

// Refused notes a refusal that has an action of its own.
func (s *Store) Refused(ctx context.Context, entry Entry) {
	entry.Result = Denied
	s.denials.note(access.From(ctx), entry, "")
}

func (d *denials) note(caller access.Caller, entry Entry, code string) {
	key := denialKey{caller.AccountID + caller.NodeID, entry.Action, entry.Object.ID + "\n" + entry.Object.Name, code}
	stranger := key.who == ""
	if stranger {
		key.who = access.Network(caller.IP)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if stranger && !d.has(key) && len(d.waiting)+len(d.written) >= mostDenials {
		key.who, key.object, caller = "", "", access.Caller{Kind: access.Nobody, Username: "many addresses"}
		entry.Object = Object{Type: entry.Object.Type}
	}
	if d.waiting[key] == nil {
		d.waiting[key] = &denial{caller: caller, entry: entry}
	}
	d.waiting[key].count++
}

func (d *denials) has(key denialKey) bool {
	_, recent := d.written[key]
	return recent || d.waiting[key] != nil
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
	for _, refused := range ready {
		rows = append(rows, s.denialRow(refused))
	}
	slices.SortFunc(rows, func(a, b Row) int { return compare(a.ID, b.ID) })
	err := s.insert(ctx, s.db, rows)
	if err != nil {
		s.denials.back(ready)
		err = fmt.Errorf("write the journal's refused requests: %w", err)
	}
	return err
}

func (s *Store) denialRow(refused *denial) Row {
	row, err := s.row(refused.caller, refused.entry)
	if err != nil {
		s.log.Error("a refused request could not be journalled", zap.Error(err))
	}
	row.Count = refused.count
	return row
}
