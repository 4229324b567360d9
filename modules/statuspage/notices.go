package statuspage

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"panel/modules/statuspage/statuspageapi"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/httpapi"
	"panel/platform/keyset"
)

// States of a notice.
const (
	stateInvestigating = "investigating"
	stateMonitoring    = "monitoring"
	stateResolved      = "resolved"
)

// When drafts become visible by themselves.
const (
	publishNever  = "never"
	publishAtOnce = "at_once"
	publishLater  = "after_10_min"
	laterMeans    = 10 * time.Minute
)

var errPublished = fault.Conflict("notice_published", "readers have seen this notice; resolve it with an update")

var noticeOrders = map[string]keyset.Order{
	"started_at": {Expression: "n.started_at", Kind: httpapi.CursorMoment},
}

// noticePage lists notices, newest first.
func (s *service) noticePage(ctx context.Context, in *noticesInput) (page httpapi.Page[Notice], err error) {
	where := func(q *bun.SelectQuery) *bun.SelectQuery {
		if in.PageID != "" {
			q = q.Where("n.page_id::text = ?", in.PageID)
		}
		switch in.State {
		case "open":
			q = q.Where("n.resolved_at is null")
		case "resolved":
			q = q.Where("n.resolved_at is not null")
		}
		if in.Published.Given {
			q = q.Where("n.published = ?", in.Published.Value)
		}
		return q
	}
	k, rows, total, err := listed[noticeRow](ctx, s.store, in.PageQuery, "n", "-started_at", noticeOrders, where)
	if err != nil {
		return page, err
	}
	said, err := s.store.updates(ctx, idsOf(rows, func(r *noticeRow) string { return r.ID })...)
	if err != nil {
		return page, err
	}
	at := func(r *noticeRow) Notice { return r.shown(said[r.ID]) }
	return keyset.Page(k, rows, total, at, func(r *noticeRow) (string, string) { return r.SortKey, r.ID }), nil
}

func idsOf[R any](rows []R, id func(*R) string) []string {
	out := make([]string, len(rows))
	for i := range rows {
		out[i] = id(&rows[i])
	}
	return out
}

func (r *noticeRow) shown(said []updateRow) Notice {
	out := Notice{
		ID: r.ID, PageID: r.PageID, Titles: filled(r.Titles), Impact: r.Impact, State: r.State, Published: r.Published,
		PublishAt: utc(r.PublishAt), ComponentIDs: append([]string{}, r.ComponentIDs...), Updates: []Update{},
		StartedAt: r.StartedAt.UTC(), ResolvedAt: utc(r.ResolvedAt), Revision: r.Revision,
	}
	if r.HealthIncidentID != nil {
		out.DraftedFrom = *r.HealthIncidentID
	}
	for _, u := range said {
		out.Updates = append(out.Updates, Update{u.ID, u.At.UTC(), u.State, filled(u.Bodies), u.By})
	}
	return out
}

// noticeOf gives one notice. Fault: not_found (404).
func (s *service) noticeOf(ctx context.Context, id string) (Notice, error) {
	row, err := s.store.notice(ctx, id, false)
	if err != nil {
		return Notice{}, err
	}
	said, err := s.store.updates(ctx, row.ID)
	return row.shown(said[row.ID]), err
}

// addNotice makes a notice. Faults: name_taken (409), invalid_value (422).
func (s *service) addNotice(ctx context.Context, in NewNotice) (id string, err error) {
	now := s.now()
	row := noticeRow{
		ID: database.NewID(), PageID: in.PageID, Titles: in.Titles, Impact: in.Impact, State: in.State,
		Published: in.Published, StartedAt: now, Revision: 1, UpdatedAt: now,
	}
	if in.HealthIncidentID != "" {
		if !database.IsID(in.HealthIncidentID) {
			return "", fault.InvalidValue("health_incident_id", "there is no such incident")
		}
		row.HealthIncidentID = &in.HealthIncidentID
	}
	return row.ID, s.store.db.InTx(ctx, func(ctx context.Context) error {
		page, err := s.pageOf(ctx, in.PageID)
		if err != nil {
			return err
		}
		if row.ComponentIDs, err = page.Draft.named(in.ComponentIDs); err != nil {
			return err
		}
		return s.begin(ctx, page, &row, in.Bodies)
	})
}

// pageOf reads and locks the page that a body names. Fault: invalid_value (422).
func (s *service) pageOf(ctx context.Context, id string) (*pageRow, error) {
	row, err := s.store.page(ctx, id, true)
	if fault.Code(err) == "not_found" {
		return nil, fault.InvalidValue("page_id", "there is no such page")
	}
	return &row, err
}

// named refuses components that the page has not. Fault: invalid_value (422).
func (d *draft) named(ids []string) ([]string, error) {
	out := []string{}
	for i, id := range ids {
		if !slices.ContainsFunc(d.Components, func(c Component) bool { return c.ID == id }) {
			return nil, fault.InvalidValue(indexed("component_ids", i), "the page has no such component")
		}
		if !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out, nil
}

// begin stores a notice with what is said first. Faults: name_taken (409), invalid_value (422).
func (s *service) begin(ctx context.Context, page *pageRow, row *noticeRow, bodies Localised) error {
	if err := titled("titles", row.Titles, page.Draft.DefaultLocale); err != nil {
		return err
	}
	row.resolve(s.now())
	if err := s.store.insert(ctx, row); err != nil {
		return err
	}
	return s.addUpdate(ctx, page, row, bodies)
}

// resolve follows the state.
func (r *noticeRow) resolve(now time.Time) {
	switch {
	case r.State != stateResolved:
		r.ResolvedAt = nil
	case r.ResolvedAt == nil:
		r.ResolvedAt = &now
	}
}

// addUpdate stores an update in the state of its notice, and lets readers know. Fault: invalid_value (422).
func (s *service) addUpdate(ctx context.Context, page *pageRow, row *noticeRow, bodies Localised) error {
	if err := checked("bodies", bodies, page.Draft.DefaultLocale, longestBody); err != nil {
		return err
	}
	update := updateRow{
		ID: database.NewID(), NoticeID: row.ID, At: s.now(), State: row.State, Bodies: bodies, By: by(ctx),
	}
	if err := s.store.insert(ctx, &update); err != nil {
		return err
	}
	return s.seen(ctx, page, row, map[string]audit.Change{"state": {To: row.State}, "impact": {To: row.Impact}})
}

// seen records what became of a notice, and renews what readers see.
func (s *service) seen(
	ctx context.Context, page *pageRow, row *noticeRow, changes map[string]audit.Change,
) error {
	news := statuspageapi.News{NoticeID: row.ID, State: row.State}
	if !row.Published {
		return s.publish(ctx, statuspageapi.NoticeChanged, page, news, changes)
	}
	if err := s.publish(ctx, statuspageapi.IncidentPosted, page, news, changes); err != nil {
		return err
	}
	return s.refresh(ctx, page.ID)
}

// inNotice runs a change of a notice with its page locked. Fault: not_found (404).
func (s *service) inNotice(
	ctx context.Context, id string, change func(ctx context.Context, page *pageRow, row *noticeRow) error,
) error {
	return inPageOf(ctx, s, id, s.store.notice, func(r *noticeRow) string { return r.PageID }, change)
}

var noticeColumns = []string{
	"titles", "impact", "state", "published", "publish_at", "component_ids", "resolved_at", "revision", "updated_at",
}

func (s *service) saveNotice(ctx context.Context, row *noticeRow) error {
	row.Revision, row.UpdatedAt = row.Revision+1, s.now()
	return s.store.save(ctx, row, noticeColumns...)
}

// editNotice changes what a notice is called and whom it is about. Faults: not_found (404), revision_conflict (409),
// invalid_value (422).
func (s *service) editNotice(ctx context.Context, id string, revision int64, to NoticeChange) error {
	return s.inNotice(ctx, id, func(ctx context.Context, page *pageRow, row *noticeRow) (err error) {
		if row.Revision != revision {
			return httpapi.ErrRevision
		}
		was := *row
		if to.Titles != nil {
			row.Titles = to.Titles
		}
		if err := titled("titles", row.Titles, page.Draft.DefaultLocale); err != nil {
			return err
		}
		set(&row.Impact, to.Impact)
		if to.ComponentIDs != nil {
			if row.ComponentIDs, err = page.Draft.named(*to.ComponentIDs); err != nil {
				return err
			}
		}
		if maps.Equal(was.Titles, row.Titles) && was.Impact == row.Impact &&
			slices.Equal(was.ComponentIDs, row.ComponentIDs) {
			return nil
		}
		if err := s.saveNotice(ctx, row); err != nil {
			return err
		}
		return s.seen(ctx, page, row, map[string]audit.Change{
			"titles": {From: was.Titles, To: row.Titles}, "impact": {From: was.Impact, To: row.Impact},
			"component_ids": {From: was.ComponentIDs, To: row.ComponentIDs},
		})
	})
}

// update says what is known now. Faults: not_found (404), invalid_value (422).
func (s *service) update(ctx context.Context, id string, in NewUpdate) error {
	return s.inNotice(ctx, id, func(ctx context.Context, page *pageRow, row *noticeRow) error {
		row.State, row.Published = in.State, row.Published || in.Publish
		row.PublishAt = nil
		row.resolve(s.now())
		if err := s.saveNotice(ctx, row); err != nil {
			return err
		}
		return s.addUpdate(ctx, page, row, in.Bodies)
	})
}

// show makes a draft visible; again it changes nothing. Fault: not_found (404).
func (s *service) show(ctx context.Context, id string) error {
	return s.inNotice(ctx, id, func(ctx context.Context, page *pageRow, row *noticeRow) error {
		if row.Published {
			return nil
		}
		row.Published, row.PublishAt = true, nil
		if err := s.saveNotice(ctx, row); err != nil {
			return err
		}
		return s.seen(ctx, page, row, map[string]audit.Change{"published": {From: false, To: true}})
	})
}

// discard removes a draft. Faults: not_found (404), notice_published (409).
func (s *service) discard(ctx context.Context, id string) error {
	return s.inNotice(ctx, id, func(ctx context.Context, page *pageRow, row *noticeRow) error {
		if row.Published {
			return errPublished
		}
		if err := s.store.remove(ctx, row); err != nil {
			return err
		}
		return s.seen(ctx, page, row, map[string]audit.Change{"removed": {To: true}})
	})
}
