package statuspage

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"panel/modules/statuspage/internal/site"
	"panel/platform/database"
)

// What a page tells of the past: so many notices, and maintenance of so many days.
const (
	mostNotices = 200
	mostWorks   = 100
)

// publication is the notices and the maintenance of a page that readers may see.
type publication struct {
	notices []noticeRow
	updates map[string][]updateRow
	works   []maintenanceRow
}

// published reads what readers are told.
func (s *service) published(ctx context.Context, pageID string) (out publication, err error) {
	since := s.now().AddDate(0, 0, -mostDays)
	err = s.store.db.In(ctx).NewSelect().Model(&out.notices).
		Where("page_id = ? and published and (resolved_at is null or resolved_at > ?)", pageID, since).
		OrderExpr("started_at desc, id desc").Limit(mostNotices).Scan(ctx)
	if err != nil {
		return out, database.Fault(fmt.Errorf("read the notices of a status page: %w", err), nil)
	}
	out.updates, err = s.store.updates(ctx, idsOf(out.notices, func(r *noticeRow) string { return r.ID })...)
	if err != nil {
		return out, err
	}
	err = s.store.db.In(ctx).NewSelect().Model(&out.works).Where("page_id = ? and ends_at > ?", pageID, since).
		OrderExpr("starts_at desc, id desc").Limit(mostWorks).Scan(ctx)
	if err != nil {
		return out, database.Fault(fmt.Errorf("read the maintenance of a status page: %w", err), nil)
	}
	slices.Reverse(out.works)
	return out, nil
}

// siteOf gathers what readers see of a content: names that people chose for readers, and how things are. Nothing of a
// node, a flow or an address goes in.
func (s *service) siteOf(ctx context.Context, pageID string, d *draft, address string) (*site.Site, error) {
	visible := slices.DeleteFunc(slices.Clone(d.Components), func(c Component) bool { return !c.Visible })
	readings, err := s.readings(ctx, visible, mostDays)
	if err != nil {
		return nil, err
	}
	announced, err := s.announcedOn(ctx, pageID)
	if err != nil {
		return nil, err
	}
	news, err := s.published(ctx, pageID)
	if err != nil {
		return nil, err
	}
	now := s.now()
	out := &site.Site{
		Key: pageID, Address: directory(address), Titles: site.Text(d.Titles), Descriptions: site.Text(d.Descriptions),
		Footers: site.Text(d.Footers), Locales: d.Locales, Default: d.DefaultLocale, Mode: d.Theme.Mode,
		Accent: d.Theme.Accent, DataAt: now, Groups: grouped(d, visible, readings, announced[pageID]),
		Notices: noticesOf(news, visible), Maintenance: worksOf(news.works, visible, now),
		Announcements: announcementsOf(d.Announcements, now),
	}
	if d.Theme.LogoSHA256 == "" {
		return out, nil
	}
	logo, err := s.store.logo(ctx, pageID, d.Theme.LogoSHA256)
	out.Logo = &site.Logo{MediaType: logo.MediaType, Content: logo.Content}
	return out, err
}

func grouped(d *draft, visible []Component, w *readings, said announced) []site.Group {
	out, at := make([]site.Group, 1, len(d.Groups)+1), map[string]int{"": 0}
	for i, g := range d.Groups {
		out, at[g.ID] = append(out, site.Group{Names: site.Text(g.Names)}), i+1
	}
	for i := range visible {
		c := &visible[i]
		shown := site.Component{ID: c.ID, Names: site.Text(c.Names), Status: said.over(c.ID, w.status(c))}
		if c.ShowBars && c.Source != byHand {
			shown.Days, shown.Uptime = w.lastDays(c, said)
		}
		g := &out[at[c.GroupID]]
		g.Components = append(g.Components, shown)
	}
	return out
}

// namesOf are the names of visible components.
func namesOf(ids []string, visible []Component) (out []site.Text) {
	for i := range visible {
		if slices.Contains(ids, visible[i].ID) {
			out = append(out, site.Text(visible[i].Names))
		}
	}
	return out
}

func noticesOf(news publication, visible []Component) (out []site.Notice) {
	for i := range news.notices {
		n := &news.notices[i]
		shown := site.Notice{
			ID: n.ID, Titles: site.Text(n.Titles), Impact: n.Impact, State: n.State, StartedAt: n.StartedAt.UTC(),
			ResolvedAt: utc(n.ResolvedAt), Components: namesOf(n.ComponentIDs, visible),
		}
		for _, u := range news.updates[n.ID] {
			said := site.Update{At: u.At.UTC(), State: u.State, Bodies: site.Text(u.Bodies)}
			shown.Updates = append(shown.Updates, said)
		}
		out = append(out, shown)
	}
	return out
}

func worksOf(works []maintenanceRow, visible []Component, now time.Time) (out []site.Maintenance) {
	for i := range works {
		m := &works[i]
		out = append(out, site.Maintenance{
			ID: m.ID, Titles: site.Text(m.Titles), Bodies: site.Text(m.Bodies), StartsAt: m.StartsAt.UTC(),
			EndsAt: m.EndsAt.UTC(), State: m.state(now), Revision: m.Revision, UpdatedAt: m.UpdatedAt.UTC(),
			Components: namesOf(m.ComponentIDs, visible),
		})
	}
	return out
}

func announcementsOf(all []Announcement, now time.Time) (out []site.Announcement) {
	for _, one := range all {
		if !now.Before(one.StartsAt) && (one.EndsAt == nil || now.Before(*one.EndsAt)) {
			out = append(out, site.Announcement{Titles: site.Text(one.Titles), Bodies: site.Text(one.Bodies)})
		}
	}
	return out
}

// preview is the page as it would be published now from the draft. Fault: not_found (404).
func (s *service) preview(ctx context.Context, id, locale, mode string) ([]byte, error) {
	row, err := s.store.page(ctx, id, false)
	if err != nil {
		return nil, err
	}
	return s.drawn(ctx, &row, locale, mode)
}

// previewUnsaved is the same from a draft that is not stored. Faults: not_found (404), invalid_value (422).
func (s *service) previewUnsaved(ctx context.Context, id string, in Unsaved) (Preview, error) {
	row, err := s.store.page(ctx, id, false)
	if err != nil {
		return Preview{}, err
	}
	if err := s.overlay(ctx, &row.Draft, in); err != nil {
		return Preview{}, err
	}
	page, err := s.drawn(ctx, &row, in.Locale, in.Mode)
	return Preview{HTML: string(page)}, err
}

// overlay puts what is typed over a draft, within the bounds of what can be saved. Fault: invalid_value (422).
func (s *service) overlay(ctx context.Context, d *draft, in Unsaved) error {
	if err := d.edit(in.PageFields); err != nil {
		return err
	}
	if in.Announcements != nil {
		if err := d.announce(in.Announcements); err != nil {
			return err
		}
	}
	if in.Groups == nil && in.Components == nil {
		return nil
	}
	if in.Groups == nil {
		in.Groups = d.Groups
	}
	if in.Components == nil {
		in.Components = d.Components
	}
	known, err := s.sourcesOf(ctx, in.Components)
	if err != nil {
		return err
	}
	return d.compose(in.Groups, in.Components, known)
}

func (s *service) drawn(ctx context.Context, row *pageRow, locale, mode string) ([]byte, error) {
	shown, err := s.siteOf(ctx, row.ID, &row.Draft, "")
	if err != nil {
		return nil, err
	}
	if !slices.Contains(row.Draft.Locales, locale) {
		locale = row.Draft.DefaultLocale
	}
	return site.Preview(shown, locale, mode)
}

// directory is an address with a slash at its end, so that names of files can follow.
func directory(address string) string {
	if address == "" || strings.HasSuffix(address, "/") {
		return address
	}
	return address + "/"
}
