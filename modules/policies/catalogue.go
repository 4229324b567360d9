package policies

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"panel/modules/flows/flowsapi"
	"panel/modules/policies/internal/rules"
	"panel/modules/policies/policiesapi"
	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/httpapi"
	"panel/platform/keyset"
)

// catalogue shows a version of the catalogue, or the newest one for 0. Fault: not_found (404).
func (p *policies) catalogue(ctx context.Context, version int) (Catalogue, error) {
	row, found, err := p.store.catalogue(ctx, version)
	if err != nil {
		return Catalogue{}, err
	}
	if !found && version > 0 {
		return Catalogue{}, fault.Missing(fault.NoSuchThing)
	}
	outdated, err := p.outdated(ctx)
	out := Catalogue{
		Version: row.Version, Newest: outdated.Newest, Outdated: len(outdated.Items), Note: row.Note,
		SavedBy: row.SavedBy, Content: row.Content.whole(),
	}
	if found {
		at := row.SavedAt.UTC()
		out.SavedAt = &at
	}
	return out, err
}

// whole is the content with all its lists.
func (c Content) whole() Content {
	return Content{
		Sets: copied(c.Sets), Presets: copied(c.Presets),
		GeoTokens: copied(c.GeoTokens),
	}
}

// saveCatalogue makes the next version. No flow changes: each keeps the snapshot that it was compiled with until its
// next plan is applied. Saving what is the newest version already changes nothing.
// Faults: revision_conflict (409), invalid_value (422).
func (p *policies) saveCatalogue(ctx context.Context, revision int64, in NewCatalogue) error {
	if err := p.checkContent(in.Content); err != nil {
		return err
	}
	return p.store.db.InTx(ctx, func(ctx context.Context) error {
		if err := p.store.lockCatalogue(ctx); err != nil {
			return err
		}
		before, _, err := p.store.catalogue(ctx, 0)
		if err != nil {
			return err
		}
		if int64(before.Version) != revision {
			return httpapi.ErrRevision
		}
		if reflect.DeepEqual(before.Content.whole(), in.Content.whole()) {
			return nil
		}
		row := catalogueRow{
			ID: database.NewID(), Version: before.Version + 1, Content: in.Content.whole(),
			Note: strings.TrimSpace(in.Note), SavedAt: p.now(), SavedBy: access.From(ctx).Username,
		}
		if err := p.store.insert(ctx, &row); err != nil {
			return err
		}
		about := audit.Object{Type: catalogueObject, ID: strconv.Itoa(row.Version), Name: "v" + strconv.Itoa(row.Version)}
		return p.publish(ctx, policiesapi.EventCatalogueSaved, about, before.Content.against(row.Content),
			policiesapi.CatalogueNews{Version: row.Version})
	})
}

// against tells what another content has instead.
func (c Content) against(o Content) map[string]audit.Change {
	changes := map[string]audit.Change{}
	put := func(kind, name string, from, to any, was, is bool) {
		change := audit.Change{}
		if was {
			change.From = from
		}
		if is {
			change.To = to
		}
		if was != is || !reflect.DeepEqual(from, to) {
			changes[kind+" "+name] = change
		}
	}
	for _, name := range named(c.Sets, o.Sets, func(s Set) string { return s.Name }) {
		from, was := find(c.Sets, func(s Set) bool { return s.Name == name })
		to, is := find(o.Sets, func(s Set) bool { return s.Name == name })
		put("set", name, from, to, was, is)
	}
	for _, name := range named(c.Presets, o.Presets, func(s Preset) string { return s.Name }) {
		from, was := find(c.Presets, func(s Preset) bool { return s.Name == name })
		to, is := find(o.Presets, func(s Preset) bool { return s.Name == name })
		put("preset", name, from, to, was, is)
	}
	if !slices.Equal(c.GeoTokens, o.GeoTokens) {
		changes["geo_tokens"] = audit.Change{From: len(c.GeoTokens), To: len(o.GeoTokens)}
	}
	return changes
}

func named[T any](a, b []T, name func(T) string) (names []string) {
	for _, one := range slices.Concat(a, b) {
		if !slices.Contains(names, name(one)) {
			names = append(names, name(one))
		}
	}
	return names
}

func find[T any](list []T, is func(T) bool) (one T, found bool) {
	if at := slices.IndexFunc(list, is); at >= 0 {
		return list[at], true
	}
	return one, false
}

// checkContent refuses what no drawing could use. Fault: invalid_value (422).
func (p *policies) checkContent(c Content) error {
	seen := map[string]bool{}
	for i, s := range c.Sets {
		field := fmt.Sprintf("sets[%d]", i)
		if err := checkName(field, "set "+s.Name, s.Name, seen); err != nil {
			return err
		}
		if len(s.Geosite)+len(s.GeoIP)+len(s.Domain)+len(s.IP) == 0 {
			return fault.InvalidValue(field, "name at least one category, domain or address")
		}
	}
	for i, s := range c.Presets {
		if err := checkName(fmt.Sprintf("presets[%d]", i), "preset "+s.Name, s.Name, seen); err != nil {
			return err
		}
	}
	for i, token := range c.GeoTokens {
		kind, rest, found := strings.Cut(token, ":")
		field := fmt.Sprintf("geo_tokens[%d]", i)
		if !found || kind != "geosite" && kind != "geoip" || !category(rest) {
			return fault.InvalidValue(field, "write geosite: or geoip: and a category")
		}
		if seen[token] {
			return fault.InvalidValue(field, "the category is there already")
		}
		seen[token] = true
	}
	return p.checkSets(c.Sets)
}

func checkName(field, as, name string, seen map[string]bool) error {
	if !rules.Name(name) {
		return fault.InvalidValue(field+".name", "use 1 to 40 of a-z, 0-9, dash and underscore")
	}
	if seen[as] {
		return fault.InvalidValue(field+".name", "the name is there already")
	}
	seen[as] = true
	return nil
}

func category(name string) bool {
	return name != "" && len(name) <= 64 && !strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("@._-", r)
	})
}

// checkSets has flows judge what sets hold, as if the ways of a drawing named it all themselves.
func (p *policies) checkSets(sets []Set) error {
	type object = map[string]any
	edges := make([]object, len(sets))
	for i, s := range sets {
		edges[i] = object{"from": "in", "to": "out", "match": s.MatchSet}
	}
	raw, err := json.Marshal(object{
		"nodes": []object{
			{"key": "in", "kind": "entry", "node_id": "-", "params": object{"listener": object{
				"protocol": "vless", "port": 443, "reality": object{"target": "www.example.org:443"},
			}}},
			{"key": "out", "kind": "block"},
		},
		"edges": edges,
	})
	if err != nil {
		return fmt.Errorf("draw the sets of the catalogue: %w", err)
	}
	problems, err := p.drafts.Check(raw)
	if err != nil {
		return fmt.Errorf("check the sets of the catalogue: %w", err)
	}
	if len(problems) == 0 {
		return nil
	}
	first := problems[0]
	if field, about := strings.CutPrefix(first.Path, "edges["); about {
		return fault.InvalidValue("sets["+strings.Replace(field, "].match", "]", 1), first.Message)
	}
	return fault.InvalidValue("sets", first.Message)
}

// versions lists the versions of the catalogue, the newest first.
func (p *policies) versions(
	ctx context.Context, query httpapi.PageQuery,
) (page httpapi.Page[CatalogueVersion], err error) {
	k, err := keyset.New(query, "c.id", "-version", map[string]keyset.Order{
		"version": {Expression: "c.version", Kind: httpapi.CursorNumber},
	})
	if err != nil {
		return page, err
	}
	rows, total, err := p.store.history(ctx, k)
	show := func(r *catalogueRow) CatalogueVersion {
		return CatalogueVersion{
			Version: r.Version, Note: r.Note, SavedAt: r.SavedAt.UTC(), SavedBy: r.SavedBy, Sets: len(r.Content.Sets),
			Presets: len(r.Content.Presets), GeoTokens: len(r.Content.GeoTokens),
		}
	}
	last := func(r *catalogueRow) (sortKey, id string) { return r.SortKey, r.ID }
	return keyset.Page(k, rows, total, show, last), err
}

// outdated lists the flows whose snapshot of the catalogue says something else than the newest version does. A flow
// whose sets have not changed runs what it would get today.
func (p *policies) outdated(ctx context.Context) (Outdated, error) {
	out := Outdated{Items: []OutdatedFlow{}}
	newest, found, err := p.store.catalogue(ctx, 0)
	if err != nil || !found {
		return out, err
	}
	out.Newest = newest.Version
	uses, err := p.uses.CatalogueUses(ctx)
	if err != nil {
		return out, fmt.Errorf("ask which flows use the catalogue: %w", err)
	}
	var wanted []int
	for _, use := range uses {
		if use.Version < newest.Version && !slices.Contains(wanted, use.Version) {
			wanted = append(wanted, use.Version)
		}
	}
	old, err := p.store.catalogues(ctx, wanted)
	if err != nil {
		return out, err
	}
	now := newest.Content.sets()
	for _, use := range uses {
		before, known := old[use.Version]
		if !known {
			continue
		}
		if changed := differing(use.Sets, before.Content.sets(), now); len(changed) > 0 {
			out.Items = append(out.Items, OutdatedFlow{use.FlowID, use.FlowName, use.Version, changed})
		}
	}
	return out, nil
}

func differing(names []string, before, now map[string]flowsapi.MatchSet) (changed []string) {
	for _, name := range names {
		was, is := before[name], now[name]
		if !slices.Equal(was.Geosite, is.Geosite) || !slices.Equal(was.GeoIP, is.GeoIP) ||
			!slices.Equal(was.Domain, is.Domain) || !slices.Equal(was.IP, is.IP) {
			changed = append(changed, name)
		}
	}
	return changed
}

func (c Content) sets() map[string]flowsapi.MatchSet {
	out := make(map[string]flowsapi.MatchSet, len(c.Sets))
	for _, s := range c.Sets {
		out[s.Name] = s.MatchSet
	}
	return out
}
