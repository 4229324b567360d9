package statuspage

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/uptrace/bun"

	"panel/modules/statuspage/internal/site"
	"panel/modules/statuspage/statuspageapi"
	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/httpapi"
	"panel/platform/keyset"
	"panel/platform/operations"
)

// States of a deploy, and of its targets.
const (
	deployQueued    = "queued"
	deployBuilding  = "building"
	deployUploading = "uploading"
	deployVerifying = "verifying"
	deployLive      = "live"
	deployFailed    = "failed"
	targetWaiting   = "waiting"
	targetUnchanged = "unchanged"
)

// deployOperation is the kind of the operations that show how far deploys are.
const deployOperation = "statuspage.deploy"

var errDeployActive = fault.Conflict("deploy_active", "this page is being deployed; wait for the end")

// deploy begins to publish the draft. Faults: not_found (404), deploy_active, revision_conflict (409), invalid_value
// (422).
func (s *service) deploy(ctx context.Context, pageID string, in NewDeploy) (out Deploy, err error) {
	err = s.inPage(ctx, pageID, func(ctx context.Context, page *pageRow) error {
		if err := s.checkNoDeploy(ctx, page.ID); err != nil {
			return err
		}
		if page.Revision != in.Revision {
			return httpapi.ErrRevision
		}
		targets, err := s.chosen(ctx, page, in.TargetIDs)
		if err != nil {
			return err
		}
		row := deployRow{
			ID: database.NewID(), PageID: page.ID, Revision: page.Revision, Content: page.Draft, State: deployQueued,
			StartedBy: access.From(ctx).Name(), StartedAt: s.now(), Targets: []DeployTarget{},
		}
		for i := range targets {
			row.Targets = append(row.Targets, DeployTarget{
				TargetID: targets[i].ID, Label: targets[i].Label, Kind: targets[i].Kind, State: targetWaiting,
				Address: s.readersAt(ctx, &targets[i], page.Slug),
			})
		}
		if access.From(ctx).AccountID != "" {
			row.OperationID = row.ID
		}
		out = row.shown()
		return s.launch(ctx, page, &row)
	})
	return out, err
}

// launch stores a deploy and wakes whoever carries it out. Snapshots rest meanwhile.
func (s *service) launch(ctx context.Context, page *pageRow, row *deployRow) error {
	if err := s.store.insert(ctx, row); err != nil {
		return err
	}
	ids := idsOf(row.Targets, func(t *DeployTarget) string { return t.TargetID })
	_, err := s.store.db.In(ctx).NewRaw("update statuspage_targets set push_at = null where id in ?", bun.Tuple(ids)).Exec(ctx)
	if err != nil {
		return database.Fault(err, nil)
	}
	if row.OperationID != "" {
		about := operations.About{Type: object, ID: page.ID, Name: page.Slug}
		if err := s.operations.Begin(ctx, row.OperationID, deployOperation, about, nil); err != nil {
			return err
		}
	}
	err = s.journal.Record(ctx, s.store.db.In(ctx), audit.Entry{
		Action: actionDeploy, Object: page.object(), Changes: map[string]audit.Change{"revision": {To: row.Revision}},
	})
	if err != nil {
		return err
	}
	if err := s.emit(ctx, statuspageapi.DeployMoved, page, news(row)); err != nil {
		return err
	}
	return s.wakeDeploy(ctx, row.ID)
}

func news(row *deployRow) statuspageapi.News {
	return statuspageapi.News{DeployID: row.ID, State: row.State}
}

// chosen are the places that a deploy goes to: those that are named, else all that are enabled.
func (s *service) chosen(ctx context.Context, page *pageRow, ids []string) ([]targetRow, error) {
	all, err := s.store.targets(ctx, page.ID)
	if err != nil {
		return nil, err
	}
	var out []targetRow
	for i := range all {
		if len(ids) == 0 && all[i].Enabled || slices.Contains(ids, all[i].ID) {
			out = append(out, all[i])
		}
	}
	known := idsOf(out, func(t *targetRow) string { return t.ID })
	for i, id := range ids {
		if !slices.Contains(known, id) {
			return nil, fault.InvalidValue(indexed("target_ids", i), "the page has no such place")
		}
	}
	if len(out) == 0 {
		return nil, fault.InvalidValue("target_ids", "the page has no place to go to: add one")
	}
	return out, nil
}

// checkNoDeploy refuses while a deploy of the page is under way, and says whose. Fault: deploy_active (409).
func (s *service) checkNoDeploy(ctx context.Context, pageID string) error {
	var active []deployRow
	err := s.store.db.In(ctx).NewSelect().Model(&active).Column("id", "started_by", "started_at").
		Where("page_id = ? and finished_at is null", pageID).Scan(ctx)
	if err != nil {
		return database.Fault(err, nil)
	}
	if len(active) > 0 {
		return errDeployActive.With("started_by", active[0].StartedBy).With("started_at", active[0].StartedAt.UTC()).
			With("deploy_id", active[0].ID)
	}
	return nil
}

var deployOrders = map[string]keyset.Order{
	"started_at": {Expression: "d.started_at", Kind: httpapi.CursorMoment},
}

// deployPage lists the deploys of a page, newest first. Fault: not_found (404).
func (s *service) deployPage(ctx context.Context, in *pagedInput) (page httpapi.Page[Deploy], err error) {
	if _, err := s.store.page(ctx, in.ID, false); err != nil {
		return page, err
	}
	where := func(q *bun.SelectQuery) *bun.SelectQuery { return q.Where("d.page_id = ?", in.ID) }
	k, rows, total, err := listed[deployRow](ctx, s.store, in.PageQuery, "d", "-started_at", deployOrders, where)
	if err != nil {
		return page, err
	}
	last := func(r *deployRow) (string, string) { return r.SortKey, r.ID }
	return keyset.Page(k, rows, total, (*deployRow).shown, last), nil
}

// lastDeploy is the newest deploy that went to a place; nil: none did.
func (s *service) lastDeploy(ctx context.Context, t *targetRow) (*Deploy, error) {
	var rows []deployRow
	err := s.store.db.In(ctx).NewSelect().Model(&rows).ExcludeColumn("content").Where("page_id = ?", t.PageID).
		Where("targets @> jsonb_build_array(jsonb_build_object('target_id', ?::text))", t.ID).
		OrderExpr("started_at desc, id desc").Limit(1).Scan(ctx)
	if err != nil || len(rows) == 0 {
		return nil, database.Fault(err, nil)
	}
	shown := rows[0].shown()
	return &shown, nil
}

// previewDeploy is what a deploy of the draft would change. Fault: not_found (404).
func (s *service) previewDeploy(ctx context.Context, pageID string) (DeployPreview, error) {
	out := DeployPreview{Files: []FileChange{}, Texts: []TextChange{}, Targets: []PreviewTarget{}}
	page, err := s.store.page(ctx, pageID, false)
	if err != nil {
		return out, err
	}
	out.Revision, out.PublishedRevision = page.Revision, page.PublishedRevision
	targets, err := s.store.targets(ctx, page.ID)
	if err != nil {
		return out, err
	}
	before, address := map[string]held{}, ""
	for i := range targets {
		t := &targets[i]
		if !t.Enabled {
			continue
		}
		shown := PreviewTarget{ID: t.ID, Label: t.Label, Kind: t.Kind, Address: s.readersAt(ctx, t, page.Slug)}
		if len(before) == 0 && len(t.Files) > 0 {
			before, address = t.Files, shown.Address
		}
		out.Targets = append(out.Targets, shown)
	}
	if address == "" && len(out.Targets) > 0 {
		address = out.Targets[0].Address
	}
	shown, err := s.siteOf(ctx, page.ID, &page.Draft, address)
	if err != nil {
		return out, err
	}
	files, err := site.Build(shown)
	if err != nil {
		return out, err
	}
	out.Files, out.Unchanged = fileChanges(before, files)
	out.Texts, err = s.textChanges(ctx, &page)
	return out, err
}

func fileChanges(before map[string]held, files []site.File) (out []FileChange, unchanged bool) {
	out, unchanged = []FileChange{}, true
	for i := range files {
		f := &files[i]
		was, there := before[f.Path]
		change := FileChange{Path: f.Path, Change: "same", Bytes: len(f.Content)}
		switch {
		case !there:
			change.Change = "added"
		case was.Stable != f.Stable:
			change.Change = "changed"
		}
		unchanged = unchanged && change.Change == "same"
		out = append(out, change)
	}
	for _, path := range slices.Sorted(maps.Keys(before)) {
		if !slices.ContainsFunc(files, func(f site.File) bool { return f.Path == path }) {
			out, unchanged = append(out, FileChange{Path: path, Change: "removed"}), false
		}
	}
	return out, unchanged
}

// textChanges are the texts that readers see differently after a deploy.
func (s *service) textChanges(ctx context.Context, page *pageRow) ([]TextChange, error) {
	before := draft{}
	if page.PublishedDeployID != nil {
		row, err := s.store.deploy(ctx, *page.PublishedDeployID)
		if err != nil && fault.Code(err) != "not_found" {
			return nil, err
		}
		before = row.Content
	}
	was, now := before.texts(), page.Draft.texts()
	out := []TextChange{}
	for _, field := range slices.Sorted(maps.Keys(merged(was, now))) {
		if was[field] != now[field] {
			out = append(out, TextChange{Field: field, From: was[field], To: now[field]})
		}
	}
	return out, nil
}

func merged(a, b map[string]string) map[string]string {
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}

// texts are all texts of a draft by their field.
func (d *draft) texts() map[string]string {
	out := map[string]string{}
	add := func(field string, t Localised) {
		for locale, text := range t {
			if text != "" {
				out[field+"."+locale] = text
			}
		}
	}
	add("titles", d.Titles)
	add("descriptions", d.Descriptions)
	add("footers", d.Footers)
	for _, g := range d.Groups {
		add("groups."+g.ID, g.Names)
	}
	for _, c := range d.Components {
		if c.Visible {
			add("components."+c.ID, c.Names)
		}
	}
	for _, a := range d.Announcements {
		add("announcements."+a.ID+".titles", a.Titles)
		add("announcements."+a.ID+".bodies", a.Bodies)
	}
	return out
}

// codeOf is the stable word for why a place cannot be used.
func codeOf(err error) string {
	for _, known := range []struct {
		is   error
		code string
	}{
		{errNodeEntry, "node_has_entry"},
		{errAgentLacks, "agent_lacks"},
		{errAgentAway, "agent_away"},
		{errHostKey, "host_key_changed"},
		{errFull, "disk_full"},
		{errOther, "content_differs"},
		{errMissing, "missing"},
	} {
		if errors.Is(err, known.is) {
			return known.code
		}
	}
	if code := fault.Code(err); code != "" && code != "internal" {
		return code
	}
	return "failed"
}
