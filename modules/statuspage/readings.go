package statuspage

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/health/healthapi"
	"panel/modules/statuspage/internal/site"
	"panel/platform/database"
)

// subject is a node or flow as health knows it.
type subject struct{ kind, id string }

// readings is how everything is that components stand for, read once for all of them.
type readings struct {
	members  map[string][]subject // of sources
	verdicts map[subject]healthapi.Verdict
	days     map[subject][]healthapi.Day
	dates    []string
	pastDays []pastDay // of the component that is being looked at
}

// readings reads how the sources of components are, and how they were on the last days.
func (s *service) readings(ctx context.Context, components []Component, days int) (*readings, error) {
	w := &readings{
		members: map[string][]subject{}, verdicts: map[subject]healthapi.Verdict{},
		days: map[subject][]healthapi.Day{},
	}
	today := s.now().Truncate(24 * time.Hour)
	for i := range days {
		w.dates = append(w.dates, today.AddDate(0, 0, i+1-days).Format(time.DateOnly))
	}
	if err := s.gather(ctx, w, components); err != nil {
		return nil, err
	}
	for _, kind := range []string{healthapi.Node, healthapi.Flow} {
		if err := s.look(ctx, w, kind, days); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// gather finds who stands behind each source.
func (s *service) gather(ctx context.Context, w *readings, components []Component) error {
	var poolIDs []string
	regional := false
	for _, c := range components {
		switch c.Source {
		case fromNode:
			w.members[c.Source+" "+c.SourceID] = []subject{{healthapi.Node, c.SourceID}}
		case fromFlow:
			w.members[c.Source+" "+c.SourceID] = []subject{{healthapi.Flow, c.SourceID}}
		case fromPool:
			poolIDs = append(poolIDs, c.SourceID)
		case fromRegion:
			regional = true
		}
	}
	if len(poolIDs) > 0 {
		pools, err := s.pools.Pools(ctx, poolIDs...)
		if err != nil {
			return fmt.Errorf("read the pools of a status page: %w", err)
		}
		for _, pool := range pools {
			for _, id := range pool.NodeIDs {
				w.members[fromPool+" "+pool.ID] = append(w.members[fromPool+" "+pool.ID], subject{healthapi.Node, id})
			}
			for _, id := range pool.FlowIDs {
				w.members[fromPool+" "+pool.ID] = append(w.members[fromPool+" "+pool.ID], subject{healthapi.Flow, id})
			}
		}
	}
	if !regional {
		return nil
	}
	nodes, err := s.statuses.Statuses(ctx, "")
	if err != nil {
		return fmt.Errorf("read the regions of a status page: %w", err)
	}
	for i := range nodes {
		if region := nodes[i].Region; region != "" {
			w.members[fromRegion+" "+region] = append(w.members[fromRegion+" "+region], subject{healthapi.Node, nodes[i].ID})
		}
	}
	return nil
}

// look asks health about all subjects of a kind.
func (s *service) look(ctx context.Context, w *readings, kind string, days int) error {
	var ids []string
	for _, members := range w.members {
		for _, m := range members {
			if m.kind == kind {
				ids = append(ids, m.id)
			}
		}
	}
	if len(ids) == 0 {
		return nil
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	verdicts, err := s.health.Verdicts(ctx, kind, ids...)
	if err != nil {
		return err
	}
	for id, one := range verdicts {
		w.verdicts[subject{kind, id}] = one
	}
	if days == 0 {
		return nil
	}
	past, err := s.health.Days(ctx, kind, days, ids...)
	for id, list := range past {
		w.days[subject{kind, id}] = list
	}
	return err
}

// status is how a source is. Members in maintenance do not count, unless all are.
func (w *readings) status(c *Component) string {
	if c.Source == byHand {
		return c.ManualStatus
	}
	var said tally
	rest := 0
	members := w.members[c.Source+" "+c.SourceID]
	for _, m := range members {
		verdict, known := w.verdicts[m]
		switch {
		case !known:
		case verdict.Maintenance:
			rest++
		default:
			said.add(verdict.State)
		}
	}
	if len(members) > 0 && rest == len(members) {
		return site.Maintained
	}
	return said.judged()
}

// tally is how many members are in which state; of the others nothing is known.
type tally struct{ up, degraded, down int }

func (t *tally) add(state string) {
	switch state {
	case healthapi.Up:
		t.up++
	case healthapi.Degraded:
		t.degraded++
	case healthapi.Down:
		t.down++
	}
}

// judged is what many say together.
func (t tally) judged() string {
	switch known := t.up + t.degraded + t.down; {
	case known == 0:
		return site.Unknown
	case t.down == known:
		return site.MajorOutage
	case t.down > 0:
		return site.PartialOutage
	case t.degraded > 0:
		return site.Degraded
	}
	return site.Operational
}

// shown are components as people edit them, with the names of what they stand for.
func (w *readings) shown(components []Component, names map[string]string, said announced) []Component {
	out := make([]Component, len(components))
	for i, c := range components {
		c.SourceName, c.Status = names[c.Source+" "+c.SourceID], said.over(c.ID, w.status(&components[i]))
		out[i] = c
	}
	return out
}

// bar are the last days of a component, as people who edit the page see them.
func (w *readings) bar(c *Component, said announced) Bar {
	days, uptime := w.lastDays(c, said)
	out := Bar{ComponentID: c.ID, UptimePercent: uptime, Days: make([]BarDay, len(days))}
	for i, day := range days {
		out.Days[i] = BarDay{Date: day.Date, Worst: day.Worst, UptimePercent: day.Uptime}
	}
	return out
}

// lastDays are those of a component, and its uptime on all of them. Days of which nothing is known are unknown, never
// green; a day with announced work is a day of maintenance unless something worse happened.
func (w *readings) lastDays(c *Component, said announced) (out []site.Day, uptime *float64) {
	past, worked := w.past(w.members[c.Source+" "+c.SourceID]), said.worked[c.ID]
	out = make([]site.Day, len(past))
	shares := make([]float64, len(past)+1)
	var whole mean
	for i, date := range w.dates {
		day := &past[i]
		out[i] = site.Day{Date: date, Worst: day.judged(), Uptime: day.up.in(&shares[i])}
		if worked[date] && (out[i].Worst == site.Operational || out[i].Worst == site.Unknown) {
			out[i].Worst = site.Maintained
		}
		whole.add(out[i].Uptime)
	}
	return out, whole.in(&shares[len(past)])
}

// pastDay is what several members say of one day.
type pastDay struct {
	tally

	up mean
}

// mean of shares that are known.
type mean struct {
	sum   float64
	known int
}

func (m *mean) add(share *float64) {
	if share != nil {
		m.sum, m.known = m.sum+*share, m.known+1
	}
}

// in puts the mean into a place; nil: nothing is known.
func (m *mean) in(place *float64) *float64 {
	if m.known == 0 {
		return nil
	}
	*place = m.sum / float64(m.known)
	return place
}

// past are the days as members know them, by the place of the day among the dates; good until the next call.
func (w *readings) past(members []subject) []pastDay {
	if w.pastDays == nil {
		w.pastDays = make([]pastDay, len(w.dates))
	}
	out := w.pastDays
	clear(out)
	for _, m := range members {
		at := 0
		for _, day := range w.days[m] { // oldest first, as the dates are
			for at < len(out) && w.dates[at] < day.Date {
				at++
			}
			if at < len(out) && w.dates[at] == day.Date {
				out[at].add(day.State)
				out[at].up.add(day.UpPercent)
			}
		}
	}
	return out
}

// announced is what readers are told of the components of one page.
type announced struct {
	impacts map[string]string          // by component, of open notices
	working map[string]bool            // components that are being worked on
	worked  map[string]map[string]bool // by component, the days on which it was worked on
}

// over is the status of a component when readers are told something of it.
func (a announced) over(id, status string) string {
	if a.working[id] {
		status = site.Maintained
	}
	if impact := a.impacts[id]; impact != "" {
		status = site.Worse(status, impact)
	}
	return status
}

var statusOfImpact = map[string]string{
	"minor": site.Degraded, "major": site.PartialOutage, "critical": site.MajorOutage,
}

// announcedOn reads what readers of pages are told now, and of which work they were told on the last days.
func (s *service) announcedOn(ctx context.Context, pageIDs ...string) (map[string]announced, error) {
	var notices []noticeRow
	err := s.store.db.In(ctx).NewSelect().Model(&notices).Column("page_id", "impact", "component_ids").
		Where("page_id = any(?::uuid[]) and published and resolved_at is null", pgdialect.Array(pageIDs)).Scan(ctx)
	if err != nil {
		return nil, database.Fault(fmt.Errorf("read the open notices of a status page: %w", err), nil)
	}
	var works []maintenanceRow
	now := s.now()
	err = s.store.db.In(ctx).NewSelect().Model(&works).
		Where("page_id = any(?::uuid[]) and not cancelled and starts_at <= ?", pgdialect.Array(pageIDs), now).
		Where("ends_at > ?", now.AddDate(0, 0, -mostDays)).Scan(ctx)
	if err != nil {
		return nil, database.Fault(fmt.Errorf("read the maintenance of a status page: %w", err), nil)
	}
	out := map[string]announced{}
	for _, id := range pageIDs {
		out[id] = announcedBy(id, notices, works, now)
	}
	return out, nil
}

func announcedBy(pageID string, notices []noticeRow, works []maintenanceRow, now time.Time) announced {
	out := announced{impacts: map[string]string{}, working: map[string]bool{}, worked: map[string]map[string]bool{}}
	for i := range notices {
		for _, id := range notices[i].ComponentIDs {
			if impact := statusOfImpact[notices[i].Impact]; notices[i].PageID == pageID && impact != "" {
				out.impacts[id] = site.Worse(out.impacts[id], impact)
			}
		}
	}
	for i := range works {
		m := &works[i]
		if m.PageID != pageID {
			continue
		}
		for _, id := range m.ComponentIDs {
			if m.state(now) == "active" {
				out.working[id] = true
			}
			days := out.worked[id]
			if days == nil {
				days = map[string]bool{}
				out.worked[id] = days
			}
			for at := m.StartsAt.UTC().Truncate(24 * time.Hour); at.Before(m.EndsAt); at = at.AddDate(0, 0, 1) {
				days[at.Format(time.DateOnly)] = true
			}
		}
	}
	return out
}

const mostDays = 90

// bars gives the days of a component, or of all.
func (s *service) bars(ctx context.Context, pageID, componentID string, days int) (Bars, error) {
	out := Bars{Items: []Bar{}}
	row, err := s.store.page(ctx, pageID, false)
	if err != nil {
		return out, err
	}
	chosen := row.Draft.Components
	if componentID != "" {
		chosen = slices.DeleteFunc(slices.Clone(chosen), func(c Component) bool { return c.ID != componentID })
	}
	readings, err := s.readings(ctx, chosen, days)
	if err != nil {
		return out, err
	}
	announced, err := s.announcedOn(ctx, pageID)
	if err != nil {
		return out, err
	}
	for i := range chosen {
		out.Items = append(out.Items, readings.bar(&chosen[i], announced[pageID]))
	}
	return out, nil
}
