package statuspage

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"panel/modules/health/healthapi"
	"panel/modules/statuspage/internal/site"
	"panel/modules/statuspage/statuspageapi"
	"panel/platform/automation"
	"panel/platform/database"
	"panel/platform/entitlement"
	"panel/platform/events"
	"panel/platform/fault"
	"panel/platform/jobs"
)

// actPublish is what the rule of a page does by itself.
const actPublish = "statuspage.publish"

func automatic() automation.Act {
	return automation.Act{
		Name: actPublish, Summary: "Publishes notices that were drafted from incidents of health, where a page says so",
		Budget:  "one notice for each incident and page; names of nodes and flows never go into it",
		Actions: []string{statuspageapi.IncidentPosted}, Feature: feature,
		ReadOnly: entitlement.Stops, Blocked: entitlement.Stops,
	}
}

// listener drafts notices from incidents of health, and lets the notices follow them.
func (s *service) listener() events.Listener {
	return events.Listener{
		Name: "statuspage.draft",
		Kinds: []string{
			healthapi.EventIncidentOpened, healthapi.EventIncidentChanged, healthapi.EventIncidentResolved,
		},
		Feature: feature, ReadOnly: entitlement.Stops, Blocked: entitlement.Stops,
		Handle: events.With(func(ctx context.Context, _ events.Event, news healthapi.IncidentNews) error {
			return s.follow(ctx, news.IncidentID)
		}),
	}
}

// follow brings the notices of all pages to where an incident is.
func (s *service) follow(ctx context.Context, incidentID string) error {
	incident, err := s.health.Incident(ctx, incidentID)
	if errors.Is(err, healthapi.ErrUnknown) {
		return nil
	}
	if err != nil {
		return err
	}
	stopped, err := s.stop.Stopped(ctx, actPublish)
	if err != nil {
		return fmt.Errorf("ask whether a notice may be published: %w", err)
	}
	pages, err := s.store.pages(ctx)
	if err != nil {
		return err
	}
	for i := range pages {
		affected, err := s.affected(ctx, &pages[i].Draft, incident)
		if err != nil {
			return err
		}
		f := &following{service: s, incident: incident, affected: affected, free: stopped == automation.Free}
		if err := s.inPage(ctx, pages[i].ID, f.follow); err != nil && fault.Code(err) != "not_found" {
			return err
		}
	}
	return nil
}

// affected are the visible components that stand for those who suffer from an incident.
func (s *service) affected(ctx context.Context, d *draft, incident healthapi.Incident) ([]string, error) {
	out := []string{}
	if !d.Auto.Draft {
		return out, nil
	}
	w := &readings{members: map[string][]subject{}}
	if err := s.gather(ctx, w, d.Components); err != nil {
		return nil, err
	}
	suffers := func(m subject) bool {
		return m.kind == healthapi.Node && slices.Contains(incident.Nodes, m.id) ||
			m.kind == healthapi.Flow && slices.Contains(incident.Flows, m.id)
	}
	for _, c := range d.Components {
		if c.Visible && slices.ContainsFunc(w.members[c.Source+" "+c.SourceID], suffers) {
			out = append(out, c.ID)
		}
	}
	return out, nil
}

// following is one incident on one page.
type following struct {
	*service

	incident healthapi.Incident
	affected []string
	free     bool // nothing keeps the panel from publishing by itself
}

func (f *following) follow(ctx context.Context, page *pageRow) error {
	var rows []noticeRow
	err := f.store.db.In(ctx).NewSelect().Model(&rows).Where("page_id = ? and health_incident_id = ?", page.ID,
		f.incident.ID).For("update").Scan(ctx)
	if err != nil {
		return database.Fault(fmt.Errorf("read the notice of an incident: %w", err), nil)
	}
	if len(rows) > 0 {
		return f.goOn(ctx, page, &rows[0])
	}
	auto := page.Draft.Auto // as it is now that nobody changes it
	severe := f.incident.Severity == string(events.Critical) || auto.MinSeverity == string(events.Warning)
	if !auto.Draft || len(f.affected) == 0 || !severe || f.state() == stateResolved {
		return nil
	}
	return f.draft(ctx, page)
}

// state is where an incident is, in the words of notices.
func (f *following) state() string {
	switch f.incident.State {
	case healthapi.IncidentMitigated:
		return stateMonitoring
	case healthapi.IncidentResolved:
		return stateResolved
	}
	return stateInvestigating
}

// draft makes the notice of an incident.
func (f *following) draft(ctx context.Context, page *pageRow) error {
	now := f.now()
	row := noticeRow{
		ID: database.NewID(), PageID: page.ID, Titles: titleOf(page.Draft.called(f.affected)), Impact: "major",
		State: f.state(), HealthIncidentID: &f.incident.ID, ComponentIDs: f.affected, StartedAt: f.incident.OpenedAt,
		Revision: 1, UpdatedAt: now,
	}
	if f.incident.Severity != string(events.Critical) {
		row.Impact = "minor"
	}
	switch page.Draft.Auto.Publish {
	case publishAtOnce:
		row.Published = f.free
	case publishLater:
		later := now.Add(laterMeans)
		row.PublishAt = &later
	}
	if err := f.begin(ctx, page, &row, sentences[row.State]); err != nil {
		return err
	}
	return f.emit(ctx, statuspageapi.NoticeDrafted, page, statuspageapi.News{NoticeID: row.ID, State: row.State})
}

// goOn adds an update where the incident got into another state. Components that suffer as well join; nobody leaves,
// because readers were told.
func (f *following) goOn(ctx context.Context, page *pageRow, row *noticeRow) error {
	joined := row.ComponentIDs
	for _, id := range f.affected {
		if !slices.Contains(joined, id) {
			joined = append(slices.Clone(joined), id)
		}
	}
	state := f.state()
	same := state == row.State || state == stateInvestigating && row.State == "identified"
	if same && len(joined) == len(row.ComponentIDs) {
		return nil
	}
	row.ComponentIDs = joined
	if same {
		if err := f.saveNotice(ctx, row); err != nil {
			return err
		}
		return f.seen(ctx, page, row, nil)
	}
	said := sentences[state]
	if row.State == stateResolved {
		said = againBegun
	}
	row.State = state
	if row.resolve(f.now()); state == stateResolved {
		row.PublishAt = nil // nobody wants to read of what was over before it was told
	}
	if err := f.saveNotice(ctx, row); err != nil {
		return err
	}
	return f.addUpdate(ctx, page, row, said)
}

// sentences are what a notice says by itself, by its state. They name nothing.
var sentences = map[string]Localised{
	stateInvestigating: {
		"en": "We see a problem and are looking into it.", "ru": "Мы видим проблему и выясняем причину.",
	},
	stateMonitoring: {
		"en": "It works again. We keep watching.", "ru": "Снова работает. Мы продолжаем наблюдать.",
	},
	stateResolved: {"en": "The problem is solved.", "ru": "Проблема решена."},
}

var againBegun = Localised{"en": "The problem has come back.", "ru": "Проблема вернулась."}

// titleOf names the first components, by the names that readers know them by.
func titleOf(names []Localised) Localised {
	const most = 2
	out := Localised{}
	for _, locale := range allLocales {
		phrase := map[string]string{"en": "Problems with ", "ru": "Проблемы: "}[locale]
		for i, name := range names[:min(len(names), most)] {
			if i > 0 {
				phrase += ", "
			}
			phrase += site.Text(name).In(locale, otherOf(locale))
		}
		if len(names) > most {
			phrase += map[string]string{"en": " and others", "ru": " и другие"}[locale]
		}
		out[locale] = shortened(phrase)
	}
	return out
}

func otherOf(locale string) string { return map[string]string{"en": "ru", "ru": "en"}[locale] }

func shortened(text string) string {
	letters := []rune(text)
	return string(letters[:min(len(letters), longestName)])
}

// called are the names of components.
func (d *draft) called(ids []string) (out []Localised) {
	for _, c := range d.Components {
		if slices.Contains(ids, c.ID) {
			out = append(out, c.Names)
		}
	}
	return out
}

// dueArgs have those drafts published whose time has come.
type dueArgs struct{}

// Kind names the worker.
func (dueArgs) Kind() string { return "statuspage.publish" }

func (s *service) workers() []jobs.Worker {
	return []jobs.Worker{{
		Kind: dueArgs{}.Kind(),
		Work: jobs.Do(func(ctx context.Context, _ jobs.Job, _ dueArgs) error { return s.publishDue(ctx) }),
	}}
}

func schedules() []jobs.Schedule {
	return []jobs.Schedule{{
		Name: "statuspage.publish", Cron: "* * * * *", Feature: feature, ReadOnly: entitlement.Stops,
		Blocked: entitlement.Stops, Args: func() jobs.Args { return dueArgs{} },
	}}
}

// publishDue lets readers see the drafts that waited ten minutes and that nobody has dealt with.
func (s *service) publishDue(ctx context.Context) error {
	stopped, err := s.stop.Stopped(ctx, actPublish)
	if err != nil || stopped != automation.Free {
		return err
	}
	var ids []string
	err = s.store.db.In(ctx).NewRaw(`select id from statuspage_notices
		where publish_at <= ? and not published and resolved_at is null order by publish_at`, s.now()).Scan(ctx, &ids)
	if err != nil {
		return database.Fault(err, nil)
	}
	for _, id := range ids {
		if err := s.show(ctx, id); err != nil && fault.Code(err) != "not_found" {
			return err
		}
	}
	return nil
}
