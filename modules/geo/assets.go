package geo

import (
	"context"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"panel/modules/geo/geoapi"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/httpapi"
	"panel/platform/jobs"
	"panel/platform/keyset"
	"panel/platform/pattern"
)

const (
	usualCron  = "0 4 * * *"
	jitter     = 30 * time.Minute
	extension  = ".dat"
	extensionP = ".mmdb"
)

var fileName = pattern.Of(`^[a-z0-9_-][a-z0-9._-]{0,63}$`)

var orders = map[string]keyset.Order{
	"name":       {Expression: `a.name collate "C"`, Kind: httpapi.CursorText},
	"created_at": {Expression: "a.created_at", Kind: httpapi.CursorMoment},
}

// add makes an asset that nothing was fetched of yet. Faults: name_taken (409), invalid_value (422).
func (s *service) add(ctx context.Context, in NewAsset) (string, error) {
	now := s.now()
	row := assetRow{
		ID: database.NewID(), Name: in.Name, File: in.File, Preset: in.Preset, Pinned: in.Pinned, State: stateIdle,
		OnNodes: in.File != fileMMDB || in.OnNodes != nil && *in.OnNodes, Missing: []MissingToken{},
		Scheduled: true, Cron: usualCron, Revision: 1, CreatedAt: now, UpdatedAt: now,
	}
	to := AssetChange{Preset: &in.Preset, ChecksumURL: in.ChecksumURL, Schedule: in.Schedule}
	if in.SourceURL != "" {
		to.SourceURL = &in.SourceURL
	}
	if err := s.named(&row); err != nil {
		return "", err
	}
	if err := s.changed(&row, to); err != nil {
		return "", err
	}
	return row.ID, s.store.db.InTx(ctx, func(ctx context.Context) error {
		if err := s.store.insert(ctx, &row); err != nil {
			return err
		}
		if err := s.publish(ctx, geoapi.AssetAdded, &row, geoapi.News{}, nil); err != nil || !in.Update {
			return err
		}
		_, err := s.beginUpdate(ctx, row.ID, true)
		return err
	})
}

// named gives an asset its file name. Fault: invalid_value (422).
func (s *service) named(row *assetRow) error {
	fixed := map[string]string{fileGeoIP: nameGeoIP, fileGeosite: nameGeosite}[row.File]
	preset, known := presetOf(row.Preset, row.File)
	switch {
	case fixed != "" && row.Name != "" && row.Name != fixed:
		return fault.InvalidValue("name", "the core looks for "+fixed+"; leave the name out, or choose the kind custom")
	case fixed != "":
		row.Name = fixed
	case row.Name == "" && known:
		row.Name = preset.Name
	}
	switch ends := map[bool]string{true: extensionP, false: extension}[row.File == fileMMDB]; {
	case row.Name == "":
		return fault.InvalidValue("name", "give the file a name")
	case !fileName().MatchString(row.Name) || !strings.HasSuffix(row.Name, ends) || row.Name == ends:
		return fault.InvalidValue("name", "use small letters, digits, dots, dashes and underscores, and "+ends+" at the end")
	case row.File == fileCustom && (row.Name == nameGeoIP || row.Name == nameGeosite):
		return fault.InvalidValue("name", "this name belongs to the kind "+strings.TrimSuffix(row.Name, extension))
	}
	return nil
}

// changed puts a change into a row. Fault: invalid_value (422).
func (s *service) changed(row *assetRow, to AssetChange) error {
	if to.Preset != nil {
		row.Preset = *to.Preset
		preset, known := presetOf(row.Preset, row.File)
		if row.Preset != presetCustom && !known {
			return fault.InvalidValue("preset", "this source has no file of the kind "+row.File)
		}
		if known {
			row.SourceURL, row.ChecksumURL = preset.SourceURL, preset.ChecksumURL
		}
	}
	if to.SourceURL != nil {
		row.SourceURL = strings.TrimSpace(*to.SourceURL)
	}
	if to.ChecksumURL != nil {
		row.ChecksumURL = strings.TrimSpace(*to.ChecksumURL)
	}
	if !address(row.SourceURL) {
		return fault.InvalidValue("source_url", "give the address of the file, with http:// or https://")
	}
	if row.ChecksumURL != "" && !address(row.ChecksumURL) {
		return fault.InvalidValue("checksum_url", "give the address of the checksum, with http:// or https://")
	}
	if to.Pinned != nil {
		row.Pinned = *to.Pinned
	}
	if to.Schedule != nil {
		row.Scheduled, row.Cron = to.Schedule.Enabled, strings.TrimSpace(to.Schedule.Cron)
		if row.Cron == "" {
			row.Cron = usualCron
		}
	}
	return s.timed(row)
}

// timed gives an asset its next update. Fault: invalid_value (422).
func (s *service) timed(row *assetRow) error {
	rule, err := jobs.ParseRule(row.Cron, "")
	if err != nil {
		return fault.InvalidValue("schedule.cron", err.Error())
	}
	row.NextUpdateAt = nil
	if next := rule.Next(s.now()); row.Scheduled && !row.Pinned && !next.IsZero() {
		next = next.Add(rand.N(jitter)) //nolint:gosec // spreads load, guards nothing
		row.NextUpdateAt = &next
	}
	return nil
}

func address(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil
}

// alter changes what is given. Faults: not_found (404), revision_conflict (409), invalid_value (422).
func (s *service) alter(ctx context.Context, id string, revision int64, to AssetChange) error {
	return s.store.db.InTx(ctx, func(ctx context.Context) error {
		row, err := s.store.one(ctx, id, true)
		if err != nil {
			return err
		}
		if row.Revision != revision {
			return httpapi.ErrRevision
		}
		was := row
		if err := s.changed(&row, to); err != nil {
			return err
		}
		changes := differences(&was, &row)
		if len(changes) == 0 {
			return nil
		}
		row.Revision, row.UpdatedAt = row.Revision+1, s.now()
		if err := s.store.save(ctx, &row); err != nil {
			return err
		}
		return s.publish(ctx, geoapi.AssetChanged, &row, geoapi.News{}, changes)
	})
}

func differences(was, now *assetRow) map[string]audit.Change {
	changes := map[string]audit.Change{}
	note := func(name string, from, to any) {
		if from != to {
			changes[name] = audit.Change{From: from, To: to}
		}
	}
	note("preset", was.Preset, now.Preset)
	note("source_url", was.SourceURL, now.SourceURL)
	note("checksum_url", was.ChecksumURL, now.ChecksumURL)
	note("scheduled", was.Scheduled, now.Scheduled)
	note("cron", was.Cron, now.Cron)
	note("pinned", was.Pinned, now.Pinned)
	return changes
}

// drop removes an asset, from its nodes too. Faults: not_found (404), geo_asset_in_use (409).
func (s *service) drop(ctx context.Context, id string) error {
	return s.store.db.InTx(ctx, func(ctx context.Context) error {
		row, err := s.store.one(ctx, id, true)
		if err != nil {
			return err
		}
		used, err := s.usedOf(ctx, row.Name)
		if err != nil {
			return err
		}
		if len(used) > 0 {
			missing := missingOf(used)
			return fault.Conflict("geo_asset_in_use", "flows are installed with categories of this file").
				With("missing", missing[:min(len(missing), mostMissing)])
		}
		held, err := s.store.nodesOf(ctx, row.ID)
		if err != nil {
			return err
		}
		if _, err := s.store.db.In(ctx).NewDelete().Model(&row).WherePK().Exec(ctx); err != nil {
			return database.Fault(err, nil)
		}
		if err := s.files.Use(ctx, owner(row.ID), audience); err != nil {
			return err
		}
		var nodes []string
		for _, one := range held {
			if one.Wanted != "" {
				nodes = append(nodes, one.NodeID)
			}
		}
		if err := s.write(ctx, nodes); err != nil {
			return err
		}
		return s.publish(ctx, geoapi.AssetRemoved, &row, geoapi.News{}, nil)
	})
}

// page lists assets.
func (s *service) page(ctx context.Context, in *listInput) (page httpapi.Page[Asset], err error) {
	k, err := keyset.New(in.PageQuery, "a.id", "name", orders)
	if err != nil {
		return page, err
	}
	where := func(q *bun.SelectQuery) *bun.SelectQuery {
		if in.File != "" {
			q = q.Where("a.file = ?", in.File)
		}
		if in.State != "" {
			q = q.Where("a.state = ?", in.State)
		}
		if in.Query != "" {
			q = q.Where("position(lower(?) in lower(a.name)) > 0", in.Query)
		}
		return q
	}
	var rows []assetRow
	q := s.store.db.In(ctx).NewSelect().Model(&rows).ColumnExpr("a.*").Apply(where)
	if err := k.Apply(q, nil).Scan(ctx); err != nil {
		return page, database.Fault(err, nil)
	}
	total, err := s.store.db.In(ctx).NewSelect().Model((*assetRow)(nil)).Apply(where).Count(ctx)
	if err != nil {
		return page, database.Fault(err, nil)
	}
	shown, err := s.outside(ctx, rows)
	if err != nil {
		return page, err
	}
	at := func(r *assetRow) Asset {
		return shown[slices.IndexFunc(shown, func(a Asset) bool { return a.ID == r.ID })]
	}
	last := func(r *assetRow) (sortKey, id string) { return r.SortKey, r.ID }
	return keyset.Page(k, rows, int(total), at, last), nil
}

// asset gives one. Fault: not_found (404).
func (s *service) asset(ctx context.Context, id string) (Asset, error) {
	row, err := s.store.one(ctx, id, false)
	if err != nil {
		return Asset{}, err
	}
	shown, err := s.outside(ctx, []assetRow{row})
	if err != nil {
		return Asset{}, err
	}
	return shown[0], nil
}

// outside shapes assets, with what nodes and versions are asked once for all.
func (s *service) outside(ctx context.Context, rows []assetRow) ([]Asset, error) {
	ids := make([]string, len(rows))
	for i := range rows {
		ids[i] = rows[i].ID
	}
	versions, err := s.store.versions(ctx, ids...)
	if err != nil {
		return nil, err
	}
	states, err := s.nodeStates(ctx, rows...)
	if err != nil {
		return nil, err
	}
	out := make([]Asset, len(rows))
	for i := range rows {
		r := &rows[i]
		named := func(sha256 *string) *Version {
			at := slices.IndexFunc(versions, func(v versionRow) bool {
				return sha256 != nil && v.AssetID == r.ID && v.SHA256 == *sha256
			})
			if at < 0 {
				return nil
			}
			version := versions[at].shown()
			return &version
		}
		out[i] = Asset{
			ID: r.ID, Name: r.Name, File: r.File, Preset: r.Preset, SourceURL: r.SourceURL, ChecksumURL: r.ChecksumURL,
			Schedule: Schedule{Enabled: r.Scheduled, Cron: r.Cron}, Pinned: r.Pinned, OnNodes: r.OnNodes,
			State:        r.State,
			RejectReason: r.RejectReason, RejectDetail: r.RejectDetail, Missing: append([]MissingToken{}, r.Missing...),
			Version: named(r.Version), Previous: named(r.Previous), Candidate: named(r.Candidate),
			Nodes: counted(states[r.ID]), FetchedAt: r.FetchedAt, NextUpdateAt: r.NextUpdateAt, Revision: r.Revision,
			CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt,
		}
	}
	return out, nil
}

// keptVersions lists the versions that the panel still has. Fault: not_found (404).
func (s *service) keptVersions(ctx context.Context, id string) (KeptVersions, error) {
	out := KeptVersions{Items: []KeptVersion{}}
	row, err := s.store.one(ctx, id, false)
	if err != nil {
		return out, err
	}
	rows, err := s.store.versions(ctx, row.ID)
	for i := range rows {
		kept := KeptVersion{Version: rows[i].shown(), State: "kept"}
		for state, sha256 := range map[string]*string{
			"candidate": row.Candidate, "previous": row.Previous, "current": row.Version,
		} {
			if sha256 != nil && *sha256 == kept.SHA256 && kept.State != "current" {
				kept.State = state
			}
		}
		out.Items = append(out.Items, kept)
	}
	return out, err
}
