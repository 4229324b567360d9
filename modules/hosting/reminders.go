package hosting

import (
	"context"
	"fmt"
	"time"

	"panel/modules/hosting/internal/cloud"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/entitlement"
	"panel/platform/events"
	"panel/platform/fault"
	"panel/platform/jobs"
	"panel/platform/settings"
)

// Reminders are told 7, 3, 1 and 0 days before a payment is due and each day after it, once a day per machine, from an
// hour of the day on that the settings name.
const remindKind = "hosting.remind"

// overdue is the stage of a payment whose day has passed.
const overdue = -1

// stages are the days before a payment at which it is told of, nearest first.
var stages = []int{0, 1, 3, 7}

// Settings say when reminders are told.
type Settings struct {
	Zone string `json:"zone" minLength:"1" maxLength:"64" doc:"Time zone of the IANA list in which days begin"`
	Hour int    `json:"hour" minimum:"0" maximum:"23" doc:"Hour of the day from which reminders are told"`
}

const usualHour = 9

func openSettings(s *settings.Store) *settings.Doc[Settings] {
	usual := Settings{Zone: "UTC", Hour: usualHour}
	return settings.Open(s, "hosting", settingsChanged, usual, func(s *Settings) error {
		if _, err := time.LoadLocation(s.Zone); err != nil || s.Zone == "Local" {
			return fault.InvalidValue("settings.zone", "not a known time zone, like Europe/Moscow")
		}
		return nil
	})
}

// awake tells whether people may be told of something at a moment.
func (s Settings) awake(at time.Time, place *time.Location) bool {
	return at.In(place).Hour() >= s.Hour
}

func shownSettings(s Settings) Settings { return s }

// today is the day in the zone of the settings, as its midnight in UTC.
func (m *machines) today(ctx context.Context) (day time.Time, place *time.Location, err error) {
	says, _, err := m.settings.Get(ctx)
	if err != nil {
		return day, nil, err
	}
	place, err = time.LoadLocation(says.Zone)
	if err != nil {
		return day, nil, fmt.Errorf("read the time zone of reminders: %w", err)
	}
	return dayOf(m.now(), place), place, nil
}

// dayOf is the day of a moment in a place, as its midnight in UTC.
func dayOf(at time.Time, place *time.Location) time.Time {
	year, month, day := at.In(place).Date()
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// daysTo counts whole days of the calendar.
func daysTo(due, today time.Time, place *time.Location) int {
	const hours = 24
	return int(dayOf(due, place).Sub(today).Hours() / hours)
}

// stageOf is the nearest threshold that the days have reached; told is false where none has.
func stageOf(days int) (stage int, reached bool) {
	if days < 0 {
		return overdue, true
	}
	for _, one := range stages {
		if days <= one {
			return one, true
		}
	}
	return 0, false
}

type remindArgs struct{}

// Kind names the worker.
func (remindArgs) Kind() string { return remindKind }

// remindSchedule goes on in read-only mode and without the feature: whoever hosts the machines wants to be paid anyway.
func remindSchedule() jobs.Schedule {
	return jobs.Schedule{
		Name: remindKind, Cron: "2 * * * *", Feature: feature, ReadOnly: entitlement.GoesOn,
		Blocked: entitlement.GoesOn,
		Args:    func() jobs.Args { return remindArgs{} },
	}
}

func (m *machines) reminder() jobs.Worker {
	const tries = 3
	return jobs.Worker{Kind: remindKind, Attempts: tries, Timeout: time.Minute, Work: jobs.Do(m.remind)}
}

// remind tells of every payment that has reached another threshold today. Each is told in a transaction of its own.
func (m *machines) remind(ctx context.Context, _ jobs.Job, _ remindArgs) error {
	says, _, err := m.settings.Get(ctx)
	if err != nil {
		return err
	}
	today, place, err := m.today(ctx)
	if err != nil || !says.awake(m.now(), place) {
		return err
	}
	soon, err := m.store.dueBefore(ctx, today.AddDate(0, 0, stages[len(stages)-1]+2))
	if err != nil {
		return err
	}
	for _, id := range soon {
		err := m.store.db.InTx(ctx, func(ctx context.Context) error { return m.remindOf(ctx, id, today, place) })
		if err != nil {
			return err
		}
	}
	return nil
}

// remindOf tells of one payment, unless it was told today or at this threshold already.
func (m *machines) remindOf(ctx context.Context, id string, today time.Time, place *time.Location) error {
	row, err := m.store.dueRow(ctx, id)
	if err != nil || row == nil {
		return err
	}
	days := daysTo(*row.NextDueAt, today, place)
	stage, reached := stageOf(days)
	same := row.ToldDue != nil && row.ToldDue.Equal(*row.NextDueAt)
	if !reached || row.ToldDay != nil && !row.ToldDay.Before(today) || same && stage != overdue &&
		stage >= row.ToldStage {
		return nil
	}
	if err := m.store.told(ctx, id, *row.NextDueAt, stage, today); err != nil {
		return err
	}
	kind := paymentDue
	if stage == overdue {
		kind = paymentOverdue
	}
	return m.bus.Emit(ctx, events.Event{Kind: kind, SubjectID: id, At: m.now(), Data: Payment{
		Name: row.Name, Account: row.Account, DueAt: row.NextDueAt.UTC(), Days: days, Price: row.price(),
	}})
}

// dueRow is a machine as its reminders see it.
type dueRow struct {
	costRow

	ToldDue   *time.Time `bun:"told_due"`
	ToldStage int        `bun:"told_stage"`
	ToldDay   *time.Time `bun:"told_day"`
}

const unsettled = "gone_at is null and next_due_at is not null and next_due_at is distinct from skipped_due"

// dueBefore gives the machines that must be paid before a moment.
func (s *store) dueBefore(ctx context.Context, before time.Time) (ids []string, err error) {
	err = s.db.In(ctx).NewRaw("select id from hosting_servers where "+unsettled+" and next_due_at < ? order by id",
		before).
		Scan(ctx, &ids)
	return ids, database.Fault(err, nil)
}

// dueRow gives a machine that must be paid, locked; nil where it is gone, paid or skipped meanwhile.
func (s *store) dueRow(ctx context.Context, id string) (*dueRow, error) {
	var rows []dueRow
	err := s.db.In(ctx).NewRaw(`select s.id, s.account_id, a.label as account, s.name, s.price_amount, s.price_currency,
			s.price_period, s.next_due_at, r.told_due, coalesce(r.told_stage, 0) as told_stage, r.told_day
		from hosting_servers s join hosting_accounts a on a.id = s.account_id
		left join hosting_reminders r on r.server_id = s.id
		where s.id = ? and `+unsettled+` for update of s`, id).Scan(ctx, &rows)
	if err != nil || len(rows) == 0 {
		return nil, database.Fault(err, nil)
	}
	return &rows[0], nil
}

func (s *store) told(ctx context.Context, id string, due time.Time, stage int, today time.Time) error {
	_, err := s.db.In(ctx).NewRaw(`insert into hosting_reminders (server_id, told_due, told_stage, told_day)
		values (?, ?, ?, ?::date) on conflict (server_id) do update
		set told_due = excluded.told_due, told_stage = excluded.told_stage, told_day = excluded.told_day`,
		id, due, stage, today.Format(time.DateOnly)).Exec(ctx)
	return database.Fault(err, nil)
}

// Settled says which payment is meant, so that two people who settle it at once settle it once.
type Settled struct {
	DueAt     time.Time  `json:"due_at" doc:"The due day as it was shown"`
	NextDueAt *time.Time `json:"next_due_at,omitempty" doc:"When it must be paid next; without it a period of the price later"`
}

// Skipped says of which payment nobody wants to be reminded any more.
type Skipped struct {
	DueAt time.Time `json:"due_at" doc:"The due day as it was shown"`
}

var errDueChanged = fault.Conflict("due_changed", "the machine is due on another day, or on none; look at it again")

// paid notes that a payment was made: the machine is due a period later. Faults: not_found (404), due_changed (409).
func (m *machines) paid(ctx context.Context, accountID, id string, in Settled) (Server, error) {
	return m.settleDue(ctx, accountID, id, in.DueAt, costPaid, func(row *serverRow) {
		next := nextDue(*row.NextDueAt, row.price())
		if in.NextDueAt != nil {
			next = in.NextDueAt.UTC()
		}
		row.NextDueAt = &next
	})
}

// skip ends the reminders of one payment. Faults: not_found (404), due_changed (409).
func (m *machines) skip(ctx context.Context, accountID, id string, in Skipped) (Server, error) {
	return m.settleDue(ctx, accountID, id, in.DueAt, costSkipped,
		func(row *serverRow) { row.SkippedDue = row.NextDueAt })
}

func (m *machines) settleDue(
	ctx context.Context, accountID, id string, due time.Time, kind string, settle func(*serverRow),
) (Server, error) {
	var row serverRow
	err := m.store.db.InTx(ctx, func(ctx context.Context) (err error) {
		if row, err = m.store.heldServer(ctx, accountID, id); err != nil {
			return err
		}
		if row.NextDueAt == nil || !row.NextDueAt.Equal(due) || row.SkippedDue != nil && row.SkippedDue.Equal(due) {
			return errDueChanged
		}
		before := row
		settle(&row)
		row.UpdatedAt, row.Revision = m.now(), row.Revision+1
		if err := m.store.updateServer(ctx, &row); err != nil {
			return err
		}
		changes := map[string]audit.Change{"next_due_at": {From: day(before.NextDueAt), To: day(row.NextDueAt)}}
		return m.publishServer(ctx, kind, &row, changes)
	})
	return row.shown(), err
}

// nextDue is a period of the price later: a month, or a year. The last day of a month stays one.
func nextDue(due time.Time, price *cloud.Price) time.Time {
	months := 1
	if price != nil && price.Period == cloud.Year {
		months = 12
	}
	due = due.UTC()
	next := due.AddDate(0, months, 0)
	if next.Day() != due.Day() { // the month is too short
		next = next.AddDate(0, 0, -next.Day())
	}
	return next
}
