package view

import (
	"context"
	"sync"
	"time"

	"panel/modules/health/healthapi"
	"panel/platform/database"
)

const (
	pastLength = int(KeptLong/dayLength) - 1 // days before today that changes are kept of
	mostPast   = 2000                        // subjects that are remembered, 4 kB each
)

// past remembers the days that are over: nothing that happens now changes them. Status pages ask for the same ones
// every minute.
type past struct {
	mu    sync.Mutex
	today string
	days  map[string][]healthapi.Day // by kind and id, oldest first
}

// of gives what is remembered of subjects before a day, and who is not.
func (p *past) of(today, kind string, ids []string) (known map[string][]healthapi.Day, unknown []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.today != today {
		p.today, p.days = today, map[string][]healthapi.Day{}
	}
	known = make(map[string][]healthapi.Day, len(ids))
	for _, id := range ids {
		if days, there := p.days[kind+" "+id]; there {
			known[id] = days
		} else {
			unknown = append(unknown, id)
		}
	}
	return known, unknown
}

// keep remembers the days of subjects before a day, unless another one has begun.
func (p *past) keep(today, kind string, all map[string][]healthapi.Day) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, days := range all {
		if p.today == today && len(p.days) < mostPast {
			p.days[kind+" "+id] = days
		}
	}
}

// Days gives the last days, at most 90, of subjects that are known. Callers do not change them.
func (r *Reports) Days(
	ctx context.Context, kind string, count int, ids ...string,
) (map[string][]healthapi.Day, error) {
	out := make(map[string][]healthapi.Day, len(ids))
	if ids = database.OnlyIDs(ids); len(ids) == 0 || count == 0 {
		return out, nil
	}
	today := r.views.clock.Now().UTC().Format(time.DateOnly)
	before, unknown := r.past.of(today, kind, ids)
	fresh, err := r.daysOf(ctx, kind, pastLength+1, unknown)
	if err != nil {
		return out, err
	}
	now, err := r.daysOf(ctx, kind, 1, ids)
	if err != nil {
		return out, err
	}
	for id, days := range fresh {
		fresh[id] = days[:pastLength]
		before[id] = fresh[id]
	}
	r.past.keep(today, kind, fresh)
	for id, day := range now {
		if days := before[id]; count > 1 && len(days) == pastLength {
			days = days[max(0, pastLength+1-count):]
			out[id] = append(append(make([]healthapi.Day, 0, len(days)+1), days...), day...)
		} else {
			out[id] = day
		}
	}
	return out, nil
}

// daysOf reads the last days of subjects.
func (r *Reports) daysOf(
	ctx context.Context, kind string, count int, ids []string,
) (map[string][]healthapi.Day, error) {
	out := make(map[string][]healthapi.Day, len(ids))
	return out, r.views.held(ctx, kind, ids, count, func(id string, dates []string, held []heldFor) {
		days, shares := make([]healthapi.Day, len(dates)), make([]float64, len(dates))
		for i := range days {
			days[i] = healthapi.Day{Date: dates[i], State: held[i].judged(), UpPercent: held[i].share(&shares[i])}
		}
		out[id] = days
	})
}
