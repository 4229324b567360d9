package statuspage

import (
	"context"
	"reflect"
	"slices"
	"time"

	"panel/modules/statuspage/internal/site"
	"panel/modules/statuspage/statuspageapi"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/httpapi"
	"panel/platform/pattern"
)

const (
	mostPages   = 20
	usualAccent = "#2563eb"
)

var (
	slugs   = pattern.Of(`^[a-z0-9][a-z0-9-]{0,62}$`)
	accents = pattern.Of(`^#[0-9a-fA-F]{6}$`)
)

var errMany = fault.Invalid("invalid_value", "there are as many pages as there may be; remove one first")

// add makes a page. Faults: name_taken (409), invalid_value (422).
func (s *service) add(ctx context.Context, in NewPage) (string, error) {
	now := s.now()
	row := pageRow{ID: database.NewID(), Revision: 1, CreatedAt: now, UpdatedAt: now, Draft: draft{
		Slug: in.Slug, Titles: in.Titles, Descriptions: Localised{}, Footers: Localised{},
		Locales: slices.Clone(allLocales), DefaultLocale: "en", Theme: Theme{Mode: site.Auto, Accent: usualAccent},
		Groups: []Group{}, Components: []Component{}, Announcements: []Announcement{},
		Auto: Auto{Draft: true, Publish: publishNever, MinSeverity: "critical"},
	}}
	if in.DefaultLocale != "" {
		row.Draft.DefaultLocale = in.DefaultLocale
	}
	if err := row.Draft.check(); err != nil {
		return "", err
	}
	row.Slug = row.Draft.Slug
	return row.ID, s.store.db.InTx(ctx, func(ctx context.Context) error {
		count, err := s.store.db.In(ctx).NewSelect().Model((*pageRow)(nil)).Count(ctx)
		switch {
		case err != nil:
			return database.Fault(err, nil)
		case count >= mostPages:
			return errMany
		}
		if err := s.store.insert(ctx, &row); err != nil {
			return err
		}
		return s.publish(ctx, statuspageapi.PageCreated, &row, statuspageapi.News{}, nil)
	})
}

// check refuses what a page may not be. Components are checked by themselves. Fault: invalid_value (422).
func (d *draft) check() error {
	if !slugs().MatchString(d.Slug) {
		return fault.InvalidValue("slug", "use small letters, digits and dashes, at most 63, no dash first")
	}
	if len(d.Locales) == 0 || !slices.Contains(d.Locales, d.DefaultLocale) {
		return fault.InvalidValue("locales", "the default language is one of the page's languages")
	}
	for i, locale := range d.Locales {
		if !slices.Contains(allLocales, locale) || slices.Contains(d.Locales[:i], locale) {
			return fault.InvalidValue("locales", "a page has the languages en and ru, each once")
		}
	}
	if !accents().MatchString(d.Theme.Accent) {
		return fault.InvalidValue("theme.accent", "a colour looks like #2563eb")
	}
	return together(
		titled("titles", d.Titles, d.DefaultLocale), checked("descriptions", d.Descriptions, "", longestBody),
		checked("footers", d.Footers, "", longestBody),
	)
}

// editPage changes what is given. Faults: not_found (404), revision_conflict, name_taken (409), invalid_value (422).
func (s *service) editPage(ctx context.Context, id string, revision int64, to PageFields) error {
	return s.redraft(ctx, id, revision, func(_ context.Context, d *draft) error { return d.edit(to) })
}

// edit changes what is given. Fault: invalid_value (422).
func (d *draft) edit(to PageFields) error {
	set(&d.Slug, to.Slug)
	set(&d.DefaultLocale, to.DefaultLocale)
	set(&d.Auto, to.Auto)
	for _, one := range []struct{ at, to *Localised }{
		{&d.Titles, &to.Titles}, {&d.Descriptions, &to.Descriptions}, {&d.Footers, &to.Footers},
	} {
		if *one.to != nil {
			*one.at = *one.to
		}
	}
	if to.Locales != nil {
		d.Locales = to.Locales
	}
	if to.Theme != nil {
		set(&d.Theme.Mode, to.Theme.Mode)
		set(&d.Theme.Accent, to.Theme.Accent)
	}
	return d.check()
}

func set[T any](at, to *T) {
	if to != nil {
		*at = *to
	}
}

// redraft changes the draft of a page; what changes nothing makes no revision.
// Faults: not_found (404), revision_conflict, name_taken (409), those of the change.
func (s *service) redraft(
	ctx context.Context, id string, revision int64, change func(ctx context.Context, d *draft) error,
) error {
	return s.inPage(ctx, id, func(ctx context.Context, row *pageRow) error {
		if row.Revision != revision {
			return httpapi.ErrRevision
		}
		was := row.Draft
		if err := change(ctx, &row.Draft); err != nil {
			return err
		}
		changes := differences(&was, &row.Draft)
		if len(changes) == 0 {
			return nil
		}
		row.Slug, row.Revision, row.UpdatedAt = row.Draft.Slug, row.Revision+1, s.now()
		if err := s.store.save(ctx, row, "slug", "draft", "revision", "updated_at"); err != nil {
			return err
		}
		return s.publish(ctx, statuspageapi.PageUpdated, row, statuspageapi.News{}, changes)
	})
}

// differences names the parts of a draft that a change alters; long ones are told by their number.
func differences(was, now *draft) map[string]audit.Change {
	changes := map[string]audit.Change{}
	note := func(name string, from, to, fromSaid, toSaid any) {
		if !reflect.DeepEqual(from, to) {
			changes[name] = audit.Change{From: fromSaid, To: toSaid}
		}
	}
	plain := func(name string, from, to any) { note(name, from, to, from, to) }
	plain("slug", was.Slug, now.Slug)
	plain("titles", was.Titles, now.Titles)
	plain("descriptions", was.Descriptions, now.Descriptions)
	plain("footers", was.Footers, now.Footers)
	plain("locales", was.Locales, now.Locales)
	plain("default_locale", was.DefaultLocale, now.DefaultLocale)
	plain("theme", was.Theme, now.Theme)
	plain("auto", was.Auto, now.Auto)
	note("groups", was.Groups, now.Groups, len(was.Groups), len(now.Groups))
	note("components", was.Components, now.Components, len(was.Components), len(now.Components))
	note("announcements", was.Announcements, now.Announcements, len(was.Announcements), len(now.Announcements))
	return changes
}

// removePage removes a page. What places show stays there until somebody takes it away. Faults: not_found (404),
// deploy_active (409).
func (s *service) removePage(ctx context.Context, id string) error {
	return s.inPage(ctx, id, func(ctx context.Context, row *pageRow) error {
		if err := s.checkNoDeploy(ctx, row.ID); err != nil {
			return err
		}
		targets, err := s.store.targets(ctx, row.ID)
		if err != nil {
			return err
		}
		for i := range targets {
			if err := s.withdraw(ctx, &targets[i]); err != nil {
				return err
			}
		}
		if err := s.store.remove(ctx, row); err != nil {
			return err
		}
		return s.publish(ctx, statuspageapi.PageDeleted, row, statuspageapi.News{}, nil)
	})
}

// announce replaces the announcements. Faults: not_found (404), revision_conflict (409), invalid_value (422).
func (s *service) announce(ctx context.Context, id string, revision int64, wanted []Announcement) error {
	return s.redraft(ctx, id, revision, func(_ context.Context, d *draft) error { return d.announce(wanted) })
}

// announce checks announcements and gives new ones their ids. Fault: invalid_value (422).
func (d *draft) announce(wanted []Announcement) error {
	known := map[string]bool{}
	for _, one := range d.Announcements {
		known[one.ID] = true
	}
	out := make([]Announcement, len(wanted))
	for i, one := range wanted {
		field := indexed("announcements", i)
		if err := together(titled(field+".titles", one.Titles, d.DefaultLocale),
			checked(field+".bodies", one.Bodies, "", longestBody)); err != nil {
			return err
		}
		if one.EndsAt != nil && !one.EndsAt.After(one.StartsAt) {
			return fault.InvalidValue(field+".ends_at", "it ends after it starts")
		}
		if !known[one.ID] {
			one.ID = database.NewID()
		}
		one.StartsAt, one.EndsAt = one.StartsAt.UTC(), utc(one.EndsAt)
		out[i] = one
	}
	d.Announcements = out
	return nil
}

// overview is what the tile shows.
func (s *service) overview(ctx context.Context) (out Overview, err error) {
	err = s.store.db.In(ctx).NewRaw(`select (select count(*) from statuspage_pages),
		(select count(*) from statuspage_notices where published and resolved_at is null),
		(select count(*) from statuspage_notices where not published and resolved_at is null),
		(select count(*) from statuspage_targets where enabled and (failed or stale)),
		(select min(data_at) from statuspage_targets where enabled and live_deploy_id is not null)`).
		Scan(ctx, &out.Pages, &out.OpenNotices, &out.DraftNotices, &out.TargetsFailed, &out.OldestDataAt)
	out.OldestDataAt = utc(out.OldestDataAt)
	return out, database.Fault(err, nil)
}

// all lists the pages.
func (s *service) all(ctx context.Context) (out Pages, err error) {
	rows, err := s.store.pages(ctx)
	if err != nil {
		return out, err
	}
	out.Items, err = s.shapePages(ctx, rows)
	return out, err
}

// get gives one page. Fault: not_found (404).
func (s *service) get(ctx context.Context, id string) (Page, error) {
	row, err := s.store.page(ctx, id, false)
	if err != nil {
		return Page{}, err
	}
	shown, err := s.shapePages(ctx, []pageRow{row})
	if err != nil {
		return Page{}, err
	}
	return shown[0], nil
}

// shapePages shapes pages, with what others are asked once for all.
func (s *service) shapePages(ctx context.Context, rows []pageRow) ([]Page, error) {
	ids, all := make([]string, len(rows)), []Component{}
	for i := range rows {
		ids[i] = rows[i].ID
		all = append(all, rows[i].Draft.Components...)
	}
	targets, err := s.store.targets(ctx, ids...)
	if err != nil {
		return nil, err
	}
	names, err := s.sourcesOf(ctx, all)
	if err != nil {
		return nil, err
	}
	readings, err := s.readings(ctx, all, 0)
	if err != nil {
		return nil, err
	}
	announced, err := s.announcedOn(ctx, ids...)
	if err != nil {
		return nil, err
	}
	out := make([]Page, len(rows))
	for i := range rows {
		r := &rows[i]
		d := &r.Draft
		out[i] = Page{
			ID: r.ID, Slug: r.Slug, Titles: filled(d.Titles), Descriptions: filled(d.Descriptions), Locales: d.Locales,
			DefaultLocale: d.DefaultLocale, Theme: d.Theme, Footers: filled(d.Footers),
			Groups: append([]Group{}, d.Groups...), Components: readings.shown(d.Components, names, announced[r.ID]),
			Announcements: append([]Announcement{}, d.Announcements...), Auto: d.Auto,
			Revision: r.Revision, PublishedRevision: r.PublishedRevision, PublishedAt: utc(r.PublishedAt),
			CreatedAt: r.CreatedAt.UTC(), UpdatedAt: r.UpdatedAt.UTC(),
		}
		out[i].Address, out[i].DataAt = s.reached(r, targets)
	}
	return out, nil
}

// reached is where readers find a page, and how old the oldest news of its places is.
func (s *service) reached(page *pageRow, targets []targetRow) (address string, oldest *time.Time) {
	for i := range targets {
		t := &targets[i]
		if t.PageID != page.ID || !t.Enabled || t.LiveDeployID == nil {
			continue
		}
		if address == "" {
			address = s.addressOf(t, page.Slug)
		}
		if t.DataAt != nil && (oldest == nil || t.DataAt.Before(*oldest)) {
			oldest = utc(t.DataAt)
		}
	}
	return address, oldest
}
