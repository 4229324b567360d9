package audit

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"panel/platform/database"
)

// Filter chooses entries; empty fields choose all.
type Filter struct {
	Actor  string // id or name
	Action string // exact, or a family such as "flow.*"
	Object string // id or name
	Result string
	From   time.Time // included
	To     time.Time // not included
	Text   string    // anywhere in names, address, request id
}

// Place is where a page begins: after this entry. The zero value is the newest end.
type Place struct {
	At time.Time
	ID string
}

// List gives entries, newest or oldest first, and how many the filter chooses in all.
func (s *Store) List(
	ctx context.Context, f Filter, after Place, oldestFirst bool, limit int,
) (rows []Row, total int, err error) {
	all, err := f.apply(s.db.NewSelect().Model((*Row)(nil))).Count(ctx)
	if err != nil {
		return nil, 0, database.Fault(fmt.Errorf("counting journal entries: %w", err), nil)
	}
	rows, err = s.page(ctx, f, after, oldestFirst, limit)
	return rows, int(all), err
}

func (s *Store) page(ctx context.Context, f Filter, after Place, oldestFirst bool, limit int) ([]Row, error) {
	rows, direction, than := []Row{}, " DESC", "<"
	if oldestFirst {
		direction, than = " ASC", ">"
	}
	query := f.apply(s.db.NewSelect().Model(&rows)).Order("at"+direction, "id"+direction).Limit(int64(limit))
	if after.ID != "" {
		query = query.Where("(at, id) "+than+" (?, ?)", after.At, after.ID)
	}
	if err := query.Scan(ctx); err != nil {
		return nil, database.Fault(fmt.Errorf("reading the journal: %w", err), nil)
	}
	return rows, nil
}

// Each hands over all chosen entries, newest first, without holding them together.
func (s *Store) Each(ctx context.Context, f Filter, use func(Row) error) error {
	const batch = 1000
	var after Place
	for {
		rows, err := s.page(ctx, f, after, false, batch)
		if err != nil {
			return err
		}
		for _, row := range rows {
			if err := use(row); err != nil {
				return err
			}
			after = Place{row.At, row.ID}
		}
		if len(rows) < batch {
			return nil
		}
	}
}

// Get gives one entry. Fault: not_found.
func (s *Store) Get(ctx context.Context, id string) (Row, error) {
	var row Row
	if err := s.db.NewSelect().Model(&row).Where("id = ?", id).Scan(ctx); err != nil {
		return row, database.Fault(fmt.Errorf("reading a journal entry: %w", err), nil)
	}
	return row, nil
}

// Actions gives the words that occur, sorted. It jumps from word to word over the index.
func (s *Store) Actions(ctx context.Context) ([]string, error) {
	words := []string{}
	err := s.db.NewRaw(`with recursive words as (
		(select action from journal order by action limit 1)
		union all
		select (select action from journal where action > words.action order by action limit 1) from words where words.action is not null
	) select action from words where action is not null`).Scan(ctx, &words)
	if err != nil {
		return nil, database.Fault(fmt.Errorf("reading the journal's actions: %w", err), nil)
	}
	return words, nil
}

func (f Filter) apply(q *bun.SelectQuery) *bun.SelectQuery {
	if f.Actor != "" {
		q = q.Where("(actor_id = ? or lower(actor_name) = lower(?))", f.Actor, f.Actor)
	}
	if family, all := strings.CutSuffix(f.Action, "*"); all {
		q = q.Where("starts_with(action, ?)", family)
	} else if f.Action != "" {
		q = q.Where("action = ?", f.Action)
	}
	if f.Object != "" {
		q = q.Where("(object_id = ? or lower(object_name) = lower(?))", f.Object, f.Object)
	}
	if f.Result != "" {
		q = q.Where("result = ?", f.Result)
	}
	return f.applyRange(q)
}

func (f Filter) applyRange(q *bun.SelectQuery) *bun.SelectQuery {
	if !f.From.IsZero() {
		q = q.Where("at >= ?", f.From)
	}
	if !f.To.IsZero() {
		q = q.Where("at < ?", f.To)
	}
	if f.Text != "" {
		like := "%" + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(f.Text) + "%"
		q = q.Where("(object_name ilike ? or object_id ilike ? or actor_name ilike ? or ip ilike ? or request_id ilike ? or action ilike ?)",
			like, like, like, like, like, like)
	}
	return q
}
