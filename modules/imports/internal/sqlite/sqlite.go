// Package sqlite reads tables of a database file that may come from anybody.
//
// SQLite itself reads the file: read only, without views, triggers and functions of the file, and with limits for the
// length of a row and for memory. It belongs into a process of its own all the same: see package confined.
package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/util/ioutil"
	"github.com/ncruces/go-sqlite3/vfs/readervfs"
)

// ErrBroken means that the file is not a whole database of SQLite 3.
var ErrBroken = errors.New("the file is not a whole database of SQLite 3")

// Magic is how a database begins.
const Magic = "SQLite format 3\x00"

// Limits of what is read.
const (
	mostRow    = 32 << 20
	mostMemory = 256 << 20
	mostNames  = 10_000
	rowCost    = 16 // of a row, beside its bytes
	slack      = 4 << 20
)

// File is a database.
type File struct {
	conn   *sqlite3.Conn
	source *source
	tables map[string][]string // names of their columns
	budget int64               // bytes of rows that may still be read

	// Journaled says that changes may lie in a file beside this one.
	Journaled bool
}

// Row is one row by the names of its columns: nil, int64, float64, string or []byte.
type Row map[string]any

// Text gives a column as a text; other types are none.
func (r Row) Text(column string) string {
	switch v := r[column].(type) {
	case string:
		return v
	case []byte:
		return string(v)
	}
	return ""
}

// Int gives a column as a number; other types are 0.
func (r Row) Int(column string) int64 {
	switch v := r[column].(type) {
	case int64:
		return v
	case float64:
		if math.Abs(v) < 1<<53 {
			return int64(v)
		}
	}
	return 0
}

// source is what the file is read from. It keeps the error that SQLite has no words for.
type source struct {
	io.ReaderAt
	size   int64
	failed error
}

var _ ioutil.SizeReaderAt = (*source)(nil)

func (s *source) Size() (int64, error) { return s.size, nil }

// ReadAt gives no error together with all the bytes that were asked for.
func (s *source) ReadAt(into []byte, at int64) (int, error) {
	n, err := s.ReaderAt.ReadAt(into, at)
	if n == len(into) {
		return n, nil
	}
	if err != nil && !errors.Is(err, io.EOF) {
		s.failed = err
	}
	return n, err
}

// Open reads the header and the list of tables. All reading ends with the context. The caller closes the file.
func Open(ctx context.Context, in io.ReaderAt, size int64) (*File, error) {
	const writes, reads, wal = 18, 19, 2
	head := make([]byte, reads+1)
	if n, _ := in.ReadAt(head, 0); n < len(head) || !strings.HasPrefix(string(head), Magic) {
		return nil, ErrBroken
	}
	f := &File{
		source: &source{ReaderAt: in, size: size}, tables: map[string][]string{}, budget: 2*size + slack,
		Journaled: head[writes] == wal || head[reads] == wal,
	}
	name := fmt.Sprintf("%p.db", f)
	readervfs.Create(name, f.source)
	defer readervfs.Delete(name)
	conn, err := sqlite3.OpenFlags("file:"+name+"?vfs=reader", sqlite3.OPEN_READONLY|sqlite3.OPEN_URI)
	if err != nil {
		return nil, f.failure(ctx, err)
	}
	f.conn = conn
	f.conn.SetInterrupt(ctx)
	err = f.limit()
	if err == nil {
		err = f.learn()
	}
	if err == nil {
		err = f.conn.SetAuthorizer(onlyRead)
	}
	if err != nil {
		return nil, errors.Join(f.failure(ctx, err), f.Close())
	}
	return f, nil
}

// Close frees what the file has taken.
func (f *File) Close() error { return f.conn.Close() }

// limit bounds what SQLite takes for the file, and shuts out what the file says should be done.
func (f *File) limit() error {
	f.conn.HardHeapLimit(mostMemory)
	for what, most := range map[sqlite3.LimitCategory]int{
		sqlite3.LIMIT_LENGTH: mostRow, sqlite3.LIMIT_SQL_LENGTH: 1 << 20, sqlite3.LIMIT_EXPR_DEPTH: 100,
		sqlite3.LIMIT_VDBE_OP: 25_000, sqlite3.LIMIT_ATTACHED: 0, sqlite3.LIMIT_TRIGGER_DEPTH: 1,
	} {
		f.conn.Limit(what, most)
	}
	for option, on := range map[sqlite3.DBConfig]bool{
		sqlite3.DBCONFIG_DEFENSIVE: true, sqlite3.DBCONFIG_TRUSTED_SCHEMA: false,
		sqlite3.DBCONFIG_ENABLE_TRIGGER: false, sqlite3.DBCONFIG_ENABLE_VIEW: false,
	} {
		if _, err := f.conn.Config(option, on); err != nil {
			return fmt.Errorf("shut out what a database does by itself: %w", err)
		}
	}
	return f.conn.Exec("pragma cell_size_check = on")
}

// learn reads which tables there are. Columns that are worked out are none of theirs.
func (f *File) learn() error {
	names := 0
	return f.query(`select t.name, c.name from sqlite_schema t join pragma_table_info(t.name) c
		where t.type = 'table' and t.rootpage > 0 order by t.rowid, c.cid`, func(s *sqlite3.Stmt) error {
		if names++; names > mostNames {
			return ErrBroken
		}
		table := s.ColumnText(0)
		f.tables[table] = append(f.tables[table], s.ColumnText(1))
		return nil
	})
}

// onlyRead lets a statement read columns of tables, and nothing else: not even functions that a column names.
func onlyRead(action sqlite3.AuthorizerActionCode, _, _, _, _ string) sqlite3.AuthorizerReturnCode {
	if action == sqlite3.AUTH_SELECT || action == sqlite3.AUTH_READ {
		return sqlite3.AUTH_OK
	}
	return sqlite3.AUTH_DENY
}

// Has says whether there is a table of this name with these columns.
func (f *File) Has(name string, columns ...string) bool {
	known, there := f.tables[name]
	for _, c := range columns {
		there = there && slices.Contains(known, c)
	}
	return there
}

// Each visits the rows of a table in the order of their numbers. A table that is not there has none.
func (f *File) Each(ctx context.Context, name string, visit func(Row) error) error {
	columns := f.tables[name]
	if len(columns) == 0 {
		return nil
	}
	quoted := make([]string, len(columns))
	for i, c := range columns {
		quoted[i] = sqlite3.QuoteIdentifier(c)
	}
	var stopped error
	text := "select " + strings.Join(quoted, ", ") + " from " + sqlite3.QuoteIdentifier(name)
	err := f.query(text, func(s *sqlite3.Stmt) error {
		row, err := f.row(s, columns)
		if err != nil {
			return err
		}
		stopped = visit(row)
		return stopped
	})
	if stopped != nil {
		return stopped
	}
	return f.failure(ctx, err)
}

// row takes a row out of the budget: no file makes more of them than it has room for.
func (f *File) row(s *sqlite3.Stmt, columns []string) (Row, error) {
	row := make(Row, len(columns))
	f.budget -= rowCost
	for i, name := range columns {
		switch s.ColumnType(i) {
		case sqlite3.INTEGER:
			row[name] = s.ColumnInt64(i)
		case sqlite3.FLOAT:
			row[name] = s.ColumnFloat(i)
		case sqlite3.TEXT:
			text := strings.ToValidUTF8(s.ColumnText(i), "\uFFFD")
			row[name], f.budget = text, f.budget-int64(len(text))
		case sqlite3.BLOB:
			blob := append([]byte{}, s.ColumnRawBlob(i)...)
			row[name], f.budget = blob, f.budget-int64(len(blob))
		default:
			row[name] = nil
		}
	}
	if f.budget < 0 {
		return nil, ErrBroken
	}
	return row, nil
}

// query visits what a statement gives.
func (f *File) query(text string, visit func(*sqlite3.Stmt) error) error {
	statement, _, err := f.conn.Prepare(text)
	if err != nil {
		return err
	}
	for statement.Step() {
		if err := visit(statement); err != nil {
			return errors.Join(err, statement.Close())
		}
	}
	return errors.Join(statement.Err(), statement.Close())
}

// failure says in the words of this package why a database could not be read.
func (f *File) failure(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case f.source.failed != nil:
		return fmt.Errorf("read a database: %w", f.source.failed)
	case ctx.Err() != nil:
		return fmt.Errorf("read a database: %w", context.Cause(ctx))
	case errors.Is(err, ErrBroken):
		return ErrBroken
	}
	return fmt.Errorf("%w: %w", ErrBroken, err)
}
