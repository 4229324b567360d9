// Package sqlite reads tables of a database file of SQLite 3, without the SQL: each table whole, row by row.
//
// The file may come from anybody. Memory is bounded by the longest row that is taken, time by the number of pages: each
// page of a table is read once, rows take no more in sum than a sound file of the size has, and whatever does not fit
// the format ends the reading with ErrBroken. Nothing is written, and no code of the file is run.
package sqlite

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// ErrBroken means that the file is not a whole database of SQLite 3.
var ErrBroken = errors.New("the file is not a whole database of SQLite 3")

// Magic is how a database begins.
const Magic = "SQLite format 3\x00"

// Limits of what is read.
const (
	mostRow   = 32 << 20
	mostDepth = 20
	rowCost   = 16 // of a row, beside its bytes
)

const headerSize = 100

// File is a database.
type File struct {
	in       io.ReaderAt
	size     int64
	pageSize int
	usable   int
	encoding uint32
	left     int64 // pages that may still be read
	budget   int64 // bytes of rows that may still be read
	tables   map[string]table

	// Journaled says that changes may lie in a file beside this one.
	Journaled bool
}

type table struct {
	root    uint32
	columns []string
	rowid   int // column that is the row's number, or -1
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

// Open reads the header and the list of tables.
func Open(in io.ReaderAt, size int64) (*File, error) {
	head := make([]byte, headerSize)
	if err := fill(in, head, 0); err != nil || !bytes.HasPrefix(head, []byte(Magic)) {
		return nil, ErrBroken
	}
	f := &File{
		in: in, size: size, budget: 2*size + mostRow, tables: map[string]table{},
		Journaled: head[18] == 2 || head[19] == 2,
	}
	f.pageSize = int(binary.BigEndian.Uint16(head[16:]))
	if f.pageSize == 1 {
		f.pageSize = 65536
	}
	f.usable = f.pageSize - int(head[20])
	f.left = 2*size/int64(max(f.pageSize, 1)) + mostDepth
	const smallest, leastUsable = 512, 480
	f.encoding = binary.BigEndian.Uint32(head[56:])
	if f.pageSize < smallest || f.pageSize&(f.pageSize-1) != 0 || f.usable < leastUsable || f.encoding > utf16Big {
		return nil, ErrBroken
	}
	err := f.walk(1, schemaColumns, -1, func(row Row) error {
		if row.Text("type") == "table" && row.Int("rootpage") > 0 {
			columns, rowid := columnsOf(row.Text("sql"))
			f.tables[row.Text("name")] = table{uint32(row.Int("rootpage")), columns, rowid} //nolint:gosec // checked when it is read
		}
		return nil
	})
	return f, err
}

var schemaColumns = []string{"type", "name", "tbl_name", "rootpage", "sql"}

// Has says whether there is a table of this name with these columns.
func (f *File) Has(name string, columns ...string) bool {
	t, there := f.tables[name]
	known := map[string]bool{}
	for _, c := range t.columns {
		known[c] = true
	}
	for _, c := range columns {
		there = there && known[c]
	}
	return there
}

// Each visits the rows of a table in the order of their numbers. A table that is not there has none.
func (f *File) Each(name string, visit func(Row) error) error {
	t, there := f.tables[name]
	if !there {
		return nil
	}
	return f.walk(t.root, t.columns, t.rowid, visit)
}

func (f *File) walk(root uint32, columns []string, rowid int, visit func(Row) error) error {
	w := &walker{file: f, columns: columns, rowid: rowid, visit: visit, seen: map[uint32]bool{}}
	return w.page(root, 0)
}

// read gives a page. Each costs one of those that may be read.
func (f *File) read(number uint32) ([]byte, error) {
	f.left--
	at := (int64(number) - 1) * int64(f.pageSize)
	if number == 0 || f.left < 0 || at+int64(f.pageSize) > f.size {
		return nil, ErrBroken
	}
	page := make([]byte, f.pageSize)
	if err := fill(f.in, page, at); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBroken, err)
	}
	return page, nil
}

// fill reads as many bytes as fit. A source may give its end together with the last of them.
func fill(in io.ReaderAt, into []byte, at int64) error {
	if n, err := in.ReadAt(into, at); n < len(into) {
		return err
	}
	return nil
}

// walker goes through the pages of one table.
type walker struct {
	file    *File
	columns []string
	rowid   int
	visit   func(Row) error
	seen    map[uint32]bool
}

const (
	interiorPage = 5
	leafPage     = 13
)

// read gives a page that belongs to this table and was not read for it yet.
func (w *walker) read(number uint32) ([]byte, error) {
	if w.seen[number] {
		return nil, ErrBroken
	}
	w.seen[number] = true
	return w.file.read(number)
}

func (w *walker) page(number uint32, depth int) error {
	if depth > mostDepth {
		return ErrBroken
	}
	page, err := w.read(number)
	if err != nil {
		return err
	}
	head := page
	if number == 1 {
		head = page[headerSize:]
	}
	start := 8
	if head[0] == interiorPage {
		start = 12
	}
	cells := int(binary.BigEndian.Uint16(head[3:]))
	if start+2*cells > len(head) || head[0] != interiorPage && head[0] != leafPage {
		return ErrBroken
	}
	for i := range cells {
		at := int(binary.BigEndian.Uint16(head[start+2*i:]))
		if at >= w.file.usable {
			return ErrBroken
		}
		if err := w.cell(page[at:w.file.usable], head[0], depth); err != nil {
			return err
		}
	}
	if head[0] == interiorPage {
		return w.page(binary.BigEndian.Uint32(head[8:]), depth+1)
	}
	return nil
}

func (w *walker) cell(cell []byte, kind byte, depth int) error {
	if kind == interiorPage {
		if len(cell) < 4 {
			return ErrBroken
		}
		return w.page(binary.BigEndian.Uint32(cell), depth+1)
	}
	length, n := varint(cell)
	id, m := varint(cell[n:])
	if n == 0 || m == 0 || length > mostRow {
		return ErrBroken
	}
	if w.file.budget -= int64(length) + rowCost; w.file.budget < 0 {
		return ErrBroken
	}
	payload, err := w.payload(cell[n+m:], int(length))
	if err != nil {
		return err
	}
	row, err := w.row(payload, int64(id)) //nolint:gosec // numbers of rows are signed
	if err != nil {
		return err
	}
	return w.visit(row)
}

// payload gathers a row that goes on in other pages.
func (w *walker) payload(cell []byte, length int) ([]byte, error) {
	f := w.file
	local, most := length, f.usable-35
	if length > most {
		least := (f.usable-12)*32/255 - 23
		local = least + (length-least)%(f.usable-4)
		if local > most {
			local = least
		}
	}
	if local > len(cell) || length > local && local+4 > len(cell) {
		return nil, ErrBroken
	}
	out := append(make([]byte, 0, min(length, 2*f.pageSize)), cell[:local]...)
	if length == local {
		return out, nil
	}
	for next := binary.BigEndian.Uint32(cell[local:]); len(out) < length; {
		page, err := w.read(next)
		if err != nil {
			return nil, err
		}
		next = binary.BigEndian.Uint32(page)
		out = append(out, page[4:min(f.usable, 4+length-len(out))]...)
	}
	return out, nil
}

// row decodes the columns of a row. Columns that the table got later are absent.
func (w *walker) row(payload []byte, id int64) (Row, error) {
	size, n := varint(payload)
	if n == 0 || size > uint64(len(payload)) || size < uint64(n) {
		return nil, ErrBroken
	}
	types, body := payload[n:size], payload[size:]
	row := Row{}
	for column := 0; len(types) > 0; column++ {
		kind, n := varint(types)
		if n == 0 {
			return nil, ErrBroken
		}
		types = types[n:]
		value, used, ok := w.file.decode(kind, body)
		if !ok {
			return nil, ErrBroken
		}
		body = body[used:]
		if column >= len(w.columns) {
			continue
		}
		if column == w.rowid && value == nil {
			value = id
		}
		row[w.columns[column]] = value
	}
	return row, nil
}
