package audit

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"panel/platform/database"
	"panel/platform/names"
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

// listed is an entry beside how many the filter chooses in all.
type listed struct {
	Row
	Total int `bun:"total,scanonly"`
}

// List gives entries, newest or oldest first, and how many the filter chooses in all.
func (s *Store) List(
	ctx context.Context, f Filter, after Place, oldestFirst bool, limit int,
) (rows []Row, total int, err error) {
	args := new(database.Arguments)
	all := f.apply(s.db.NewSelect().TableExpr("journal").ColumnExpr("count(*)"), args)
	var found []listed
	q := s.page(f, after, oldestFirst, limit, args).ColumnExpr("(?) AS total", all)
	if err := database.Read(ctx, s.db, &found, q, args); err != nil {
		return nil, 0, database.Fault(fmt.Errorf("reading the journal: %w", err), nil)
	}
	rows = make([]Row, len(found))
	for i := range found {
		rows[i], total = found[i].Row, found[i].Total
	}
	if len(rows) == 0 && after.ID != "" {
		total, err = s.count(ctx, f)
	}
	return rows, total, err
}

// count is for a page beyond the last entry, which has no row that could tell.
func (s *Store) count(ctx context.Context, f Filter) (int, error) {
	n, err := f.apply(s.db.NewSelect().TableExpr("journal"), nil).Count(ctx)
	if err != nil {
		return 0, database.Fault(fmt.Errorf("counting journal entries: %w", err), nil)
	}
	return int(n), nil
}

func (s *Store) page(f Filter, after Place, oldestFirst bool, limit int, args *database.Arguments) *bun.SelectQuery {
	direction, than := " DESC", "<"
	if oldestFirst {
		direction, than = " ASC", ">"
	}
	query := s.db.NewSelect().TableExpr("journal").ColumnExpr(database.Columns[Row](s.db, "journal"))
	query = f.apply(query, args).Order("at"+direction, "id"+direction).Limit(int64(limit))
	if after.ID != "" {
		query = query.Where("(at, id) "+than+" (?, ?)", args.Add(after.At), args.Add(after.ID))
	}
	return query
}

// Each hands over all chosen entries, newest first, without holding them together.
func (s *Store) Each(ctx context.Context, f Filter, use func(Row) error) error {
	const batch = 1000
	var after Place
	for {
		var rows []Row
		args := new(database.Arguments)
		if err := database.Read(ctx, s.db, &rows, s.page(f, after, false, batch, args), args); err != nil {
			return database.Fault(fmt.Errorf("reading the journal: %w", err), nil)
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

// apply keeps the entries that the filter chooses. Names are found in the sealed columns, by a pattern over all cases
// of a letter: a key beside them would not be sealed, so that an entry could be hidden from searches unnoticed.
func (f Filter) apply(q *bun.SelectQuery, args *database.Arguments) *bun.SelectQuery {
	if f.Actor != "" {
		q = q.Where("(actor_id = ? or actor_name ~ ?)", args.Add(f.Actor), args.Add(names.WholePattern(f.Actor)))
	}
	if family, all := strings.CutSuffix(f.Action, "*"); all {
		q = q.Where("starts_with(action, ?)", args.Add(family))
	} else if f.Action != "" {
		q = q.Where("action = ?", args.Add(f.Action))
	}
	if f.Object != "" {
		q = q.Where("(object_id = ? or object_name ~ ?)", args.Add(f.Object), args.Add(names.WholePattern(f.Object)))
	}
	if f.Result != "" {
		q = q.Where("result = ?", args.Add(f.Result))
	}
	return f.applyRange(q, args)
}

func (f Filter) applyRange(q *bun.SelectQuery, args *database.Arguments) *bun.SelectQuery {
	if !f.From.IsZero() {
		q = q.Where("at >= ?", args.Add(f.From))
	}
	if !f.To.IsZero() {
		q = q.Where("at < ?", args.Add(f.To))
	}
	if f.Text != "" {
		like := args.Add("%" + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(f.Text) + "%")
		name := args.Add(names.Pattern(f.Text))
		q = q.Where("(object_name ~ ? or object_id ilike ? or actor_name ~ ? or ip ilike ? or request_id ilike ? or action ilike ?)",
			name, like, name, like, like, like)
	}
	return q
}
