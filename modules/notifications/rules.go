package notifications

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/uptrace/bun"

	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/doctor"
	"panel/platform/events"
	"panel/platform/fault"
	"panel/platform/httpapi"
	"panel/platform/keyset"
)

// Rule says which events go to which channels.
type Rule struct {
	ID          string    `json:"id" format:"uuid"`
	Name        string    `json:"name"`
	Event       string    `json:"event" doc:"A kind, a family as node.*, or * for all"`
	Known       bool      `json:"known" doc:"false: no module of this build has such a kind, and the rule sends nothing"`
	Channels    []string  `json:"channels" doc:"messenger and ids of channels"`
	MinSeverity string    `json:"min_severity" enum:"info,warning,critical"`
	CooldownS   int       `json:"cooldown_s" doc:"What comes again sooner is gathered into one message"`
	GroupBy     string    `json:"group_by" enum:"subject,kind" doc:"What counts as the same: the kind and its subject, or the kind alone"`
	Enabled     bool      `json:"enabled"`
	CreatedAt   time.Time `json:"created_at"`
	UpdatedAt   time.Time `json:"updated_at"`
	Revision    int64     `json:"revision"`
}

// NewRule is what a rule begins with.
type NewRule struct {
	Name        string   `json:"name" minLength:"1" maxLength:"64"`
	Event       string   `json:"event" minLength:"1" maxLength:"64" doc:"A kind, a family as node.*, or * for all"`
	Channels    []string `json:"channels" minItems:"1" maxItems:"50" doc:"messenger and ids of channels"`
	MinSeverity string   `json:"min_severity,omitempty" enum:"info,warning,critical" default:"info"`
	CooldownS   *int     `json:"cooldown_s,omitempty" minimum:"0" maximum:"86400" doc:"Absent: 300"`
	GroupBy     string   `json:"group_by,omitempty" enum:"subject,kind" default:"subject"`
	Enabled     *bool    `json:"enabled,omitempty" doc:"Absent: it is"`
}

// RuleChange is what may change. What is absent stays as it is.
type RuleChange struct {
	Revision    *int64    `json:"revision,omitempty" doc:"Revision that the change starts from; or send it as If-Match"`
	Name        *string   `json:"name,omitempty" minLength:"1" maxLength:"64"`
	Event       *string   `json:"event,omitempty" minLength:"1" maxLength:"64"`
	Channels    *[]string `json:"channels,omitempty" maxItems:"50"`
	MinSeverity *string   `json:"min_severity,omitempty" enum:"info,warning,critical"`
	CooldownS   *int      `json:"cooldown_s,omitempty" minimum:"0" maximum:"86400"`
	GroupBy     *string   `json:"group_by,omitempty" enum:"subject,kind"`
	Enabled     *bool     `json:"enabled,omitempty"`
}

// EventKind is a kind of events that rules can name, with its words.
type EventKind struct {
	Kind     string     `json:"kind"`
	Family   string     `json:"family" doc:"What a rule names for all of them, node.*"`
	Severity string     `json:"severity" enum:"info,warning,critical"`
	English  EventWords `json:"en"`
	Russian  EventWords `json:"ru"`
	Resolves []string   `json:"resolves" doc:"Kinds whose messages it answers"`
}

// EventWords say what happened and what it means.
type EventWords struct {
	Summary string `json:"summary"`
	Effect  string `json:"effect"`
}

type ruleRow struct {
	bun.BaseModel `bun:"table:notifications_rules,alias:r"`

	ID          string    `bun:"id,pk,type:uuid"`
	Name        string    `bun:"name"`
	Event       string    `bun:"event"`
	Channels    []string  `bun:"channels,array"`
	MinSeverity string    `bun:"min_severity"`
	CooldownS   int       `bun:"cooldown_s"`
	GroupBy     string    `bun:"group_by"`
	Enabled     bool      `bun:"enabled"`
	CreatedAt   time.Time `bun:"created_at"`
	UpdatedAt   time.Time `bun:"updated_at"`
	Revision    int64     `bun:"revision"`
	SortKey     string    `bun:"sort_key,scanonly"`
}

// rules are the rules of what goes where.
type rules struct {
	store   *store
	journal audit.Journal
	bus     *events.Bus
	clock   clockwork.Clock
}

func newRules(s *store, j audit.Journal, b *events.Bus, c clockwork.Clock) *rules {
	return &rules{s, j, b, c}
}

func (r *rules) shown(row *ruleRow) Rule {
	channels := row.Channels
	if channels == nil {
		channels = []string{}
	}
	return Rule{
		ID: row.ID, Name: row.Name, Event: row.Event, Known: r.known(row.Event), Channels: channels,
		MinSeverity: row.MinSeverity, CooldownS: row.CooldownS, GroupBy: row.GroupBy, Enabled: row.Enabled,
		CreatedAt: row.CreatedAt.UTC(), UpdatedAt: row.UpdatedAt.UTC(), Revision: row.Revision,
	}
}

// kinds are those of all modules that say Notify.
func (r *rules) kinds() []EventKind {
	all := []EventKind{}
	for _, kind := range r.bus.Kinds(events.Notices) {
		resolves := kind.Resolves
		if resolves == nil {
			resolves = []string{}
		}
		all = append(all, EventKind{
			Kind: kind.Name, Family: family(kind.Name), Severity: string(kind.Level()), Resolves: resolves,
			English: EventWords{kind.Summary, kind.Effect},
			Russian: EventWords{russianOf(kind.Summary), russianOf(kind.Effect)},
		})
	}
	return all
}

func russianOf(text string) string {
	if text == "" {
		return ""
	}
	return doctor.Say(text).In(doctor.Russian)
}

func family(kind string) string {
	noun, _, _ := strings.Cut(kind, ".")
	return noun + ".*"
}

func names(pattern, kind string) bool {
	return pattern == "*" || pattern == kind || pattern == family(kind)
}

func (r *rules) known(pattern string) bool {
	return slices.ContainsFunc(r.bus.Kinds(events.Notices), func(k events.Kind) bool { return names(pattern, k.Name) })
}

var ruleOrders = map[string]keyset.Order{
	"name":       {Expression: "r.name", Kind: httpapi.CursorText},
	"created_at": {Expression: "r.created_at", Kind: httpapi.CursorMoment},
}

func (r *rules) page(ctx context.Context, query httpapi.PageQuery) (page httpapi.Page[Rule], err error) {
	k, err := keyset.New(query, "r.id", "name", ruleOrders)
	if err != nil {
		return page, err
	}
	db := r.store.db.In(ctx)
	var rows []ruleRow
	if err := k.Apply(db.NewSelect().Model(&rows).ColumnExpr("r.*"), nil).Scan(ctx); err != nil {
		return page, database.Fault(fmt.Errorf("list rules: %w", err), nil)
	}
	total, err := db.NewSelect().Model((*ruleRow)(nil)).Count(ctx)
	if err != nil {
		return page, database.Fault(fmt.Errorf("count rules: %w", err), nil)
	}
	last := func(row *ruleRow) (sortKey, id string) { return row.SortKey, row.ID }
	return keyset.Page(k, rows, int(total), r.shown, last), nil
}

// get gives one rule. Fault: not_found (404).
func (r *rules) get(ctx context.Context, id string) (Rule, error) {
	var row ruleRow
	err := r.store.db.In(ctx).NewSelect().Model(&row).Where("r.id = ?", id).Scan(ctx)
	return r.shown(&row), database.Fault(err, nil)
}

// check refuses kinds that nobody declares and channels that are not there. Fault: invalid_value (422).
func (r *rules) check(ctx context.Context, row *ruleRow, event, channels bool) error {
	if event && !r.known(row.Event) {
		return fault.InvalidValue("body.event", "no module has a notice of this kind or family")
	}
	if !channels {
		return nil
	}
	var there []string
	err := r.store.db.In(ctx).NewRaw("select channel from notifications_lanes order by channel for key share").
		Scan(ctx, &there)
	if err != nil {
		return database.Fault(fmt.Errorf("read which channels there are: %w", err), nil)
	}
	for i, one := range row.Channels {
		if !slices.Contains(there, one) {
			return fault.InvalidValue(fmt.Sprintf("body.channels[%d]", i), "is neither messenger nor the id of a channel")
		}
	}
	slices.Sort(row.Channels)
	row.Channels = slices.Compact(row.Channels)
	return nil
}

// add stores a rule. Faults: name_taken (409), invalid_value (422).
func (r *rules) add(ctx context.Context, in NewRule) (Rule, error) {
	const usualCooldown = 300
	now := r.clock.Now().UTC()
	row := ruleRow{
		ID: database.NewID(), Name: in.Name, Event: in.Event, Channels: in.Channels, MinSeverity: in.MinSeverity,
		CooldownS: usualCooldown, GroupBy: in.GroupBy, Enabled: in.Enabled == nil || *in.Enabled, CreatedAt: now,
		UpdatedAt: now, Revision: 1,
	}
	set(&row.CooldownS, in.CooldownS)
	err := r.store.db.InTx(ctx, func(ctx context.Context) error {
		if err := r.check(ctx, &row, true, true); err != nil {
			return err
		}
		if _, err := r.store.db.In(ctx).NewInsert().Model(&row).Exec(ctx); err != nil {
			return database.Fault(err, constraints)
		}
		return r.publish(ctx, ruleAdded, &row, map[string]audit.Change{"event": {To: row.Event}})
	})
	return r.shown(&row), err
}

// change alters what is given. Faults: not_found (404), revision_conflict, name_taken (409), invalid_value (422).
func (r *rules) change(ctx context.Context, id string, revision int64, to RuleChange) (Rule, error) {
	var row ruleRow
	err := r.store.db.InTx(ctx, func(ctx context.Context) error {
		err := r.store.db.In(ctx).NewSelect().Model(&row).Where("r.id = ?", id).For("UPDATE").Scan(ctx)
		if err != nil {
			return database.Fault(err, nil)
		}
		if row.Revision != revision {
			return httpapi.ErrRevision
		}
		before := row
		row.take(to)
		row.Revision, row.UpdatedAt = row.Revision+1, r.clock.Now().UTC()
		if err := r.check(ctx, &row, to.Event != nil, to.Channels != nil); err != nil {
			return err
		}
		_, err = r.store.db.In(ctx).NewUpdate().Model(&row).ExcludeColumn("id", "created_at").WherePK().Exec(ctx)
		if err != nil {
			return database.Fault(err, constraints)
		}
		return r.publish(ctx, ruleChanged, &row, row.since(&before))
	})
	return r.shown(&row), err
}

func (row *ruleRow) take(to RuleChange) {
	set(&row.Name, to.Name)
	set(&row.Event, to.Event)
	set(&row.Channels, to.Channels)
	set(&row.MinSeverity, to.MinSeverity)
	set(&row.CooldownS, to.CooldownS)
	set(&row.GroupBy, to.GroupBy)
	set(&row.Enabled, to.Enabled)
}

func (row *ruleRow) since(before *ruleRow) map[string]audit.Change {
	all := map[string]audit.Change{}
	for field, change := range map[string]audit.Change{
		"name": {From: before.Name, To: row.Name}, "event": {From: before.Event, To: row.Event},
		"channels":     {From: strings.Join(before.Channels, ", "), To: strings.Join(row.Channels, ", ")},
		"min_severity": {From: before.MinSeverity, To: row.MinSeverity},
		"cooldown_s":   {From: before.CooldownS, To: row.CooldownS},
		"group_by":     {From: before.GroupBy, To: row.GroupBy}, "enabled": {From: before.Enabled, To: row.Enabled},
	} {
		if change.From != change.To {
			all[field] = change
		}
	}
	return all
}

// remove deletes a rule. Fault: not_found (404).
func (r *rules) remove(ctx context.Context, id string) error {
	return r.store.db.InTx(ctx, func(ctx context.Context) error {
		var row ruleRow
		err := r.store.db.In(ctx).NewDelete().Model(&row).Where("r.id = ?", id).Returning("*").Scan(ctx)
		if err != nil {
			return database.Fault(err, nil)
		}
		return r.publish(ctx, ruleRemoved, &row, nil)
	})
}

func (r *rules) publish(ctx context.Context, kind string, row *ruleRow, changes map[string]audit.Change) error {
	recorded := r.journal.Record(ctx, r.store.db.In(ctx), audit.Entry{
		Action: kind, Object: audit.Object{Type: objectRule, ID: row.ID, Name: row.Name}, Changes: changes,
	})
	emitted := r.bus.Emit(ctx, events.Event{
		Kind: kind, SubjectID: row.ID, At: r.clock.Now().UTC(), Data: Named{Name: row.Name},
	})
	if err := errors.Join(recorded, emitted); err != nil {
		return fmt.Errorf("publish what happened to a rule: %w", err)
	}
	return nil
}
