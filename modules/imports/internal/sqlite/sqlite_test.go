package sqlite_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ncruces/go-sqlite3"
	"github.com/stretchr/testify/require"

	"panel/modules/imports/internal/sqlite"
)

// database is a file that SQLite itself has made of testdata/<name>.sql.
func database(t *testing.T, name string) []byte {
	t.Helper()
	packed, err := os.Open("testdata/" + name + ".db.gz")
	require.NoError(t, err)
	defer packed.Close()
	unpacked, err := gzip.NewReader(packed)
	require.NoError(t, err)
	raw, err := io.ReadAll(unpacked)
	require.NoError(t, err)
	return raw
}

func open(t *testing.T, raw []byte) *sqlite.File {
	t.Helper()
	file, err := sqlite.Open(t.Context(), bytes.NewReader(raw), int64(len(raw)))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, file.Close()) })
	return file
}

// rows are all rows of a table.
func rows(t *testing.T, file *sqlite.File, table string) (all []sqlite.Row) {
	t.Helper()
	require.NoError(t, file.Each(t.Context(), table, func(row sqlite.Row) error {
		all = append(all, row)
		return nil
	}))
	return all
}

// attempt reads a table of a file that may be broken.
func attempt(t *testing.T, raw []byte, table string) (read int, err error) {
	t.Helper()
	file, err := sqlite.Open(t.Context(), bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		return 0, err
	}
	defer func() { require.NoError(t, file.Close()) }()
	err = file.Each(t.Context(), table, func(sqlite.Row) error {
		read++
		return nil
	})
	return read, err
}

// A value comes back as it was stored, whatever its size: numbers of one to eight bytes, texts, blobs and nothing.
func TestValuesOfEveryKindComeBackAsTheyWereStored(t *testing.T) {
	t.Parallel()
	stored := map[string]any{}
	for _, row := range rows(t, open(t, database(t, "kinds")), "kinds") {
		stored[row.Text("name")] = row["value"]
	}
	require.Equal(t, map[string]any{
		"least row": int64(0), "one": int64(1), "minus one": int64(-1),
		"one byte": int64(math.MaxInt8), "one byte below zero": int64(math.MinInt8),
		"two bytes": int64(math.MaxInt16), "two bytes below zero": int64(math.MinInt16),
		"three bytes": int64(1<<23 - 1), "three bytes below zero": int64(-1 << 23),
		"four bytes": int64(math.MaxInt32),
		"six bytes":  int64(1<<47 - 1), "six bytes below zero": int64(-1 << 47),
		"eight bytes": int64(math.MaxInt64), "eight bytes below zero": int64(math.MinInt64),
		"real": 1.5, "text": "Анна 🇩🇪", "empty text": "", "blob": []byte{0, 255, 16}, "empty blob": []byte{},
		"null": nil, "broken text": "a\uFFFDb", "last row": 2.0,
	}, stored)
}

// The number of a row is a number of up to nine bytes, below zero too. Rows come in its order.
func TestRowsComeInTheOrderOfTheirNumbers(t *testing.T) {
	t.Parallel()
	var numbers []int64
	for _, row := range rows(t, open(t, database(t, "kinds")), "kinds") {
		numbers = append(numbers, row.Int("id"))
	}
	require.IsIncreasing(t, numbers)
	require.EqualValues(t, math.MinInt64, numbers[0])
	require.EqualValues(t, math.MaxInt64, numbers[len(numbers)-1])
}

func TestAValueIsReadAsATextOrANumber(t *testing.T) {
	t.Parallel()
	row := sqlite.Row{"text": "7", "blob": []byte("b"), "int": int64(7), "real": 7.9, "huge": 1e300, "nan": math.NaN()}
	require.Equal(t, "7", row.Text("text"))
	require.Equal(t, "b", row.Text("blob"))
	require.Empty(t, row.Text("int"))
	require.Empty(t, row.Text("absent"))
	require.EqualValues(t, 7, row.Int("int"))
	require.EqualValues(t, 7, row.Int("real"))
	for _, column := range []string{"huge", "nan", "text", "absent"} {
		require.Zero(t, row.Int(column), column)
	}
}

// Rows that were removed, and pages of a table that was dropped, do not come back; a table of several levels is read
// to its end.
func TestATableOfSeveralLevelsIsReadWhole(t *testing.T) {
	t.Parallel()
	file := open(t, database(t, "deep"))
	expected := int64(0)
	for _, row := range rows(t, file, "deep") {
		if expected++; expected%3 == 0 {
			expected++
		}
		require.Equal(t, expected, row.Int("id"))
		if half, isReal := row["half"].(float64); isReal {
			require.InDelta(t, float64(expected)/2, half, 0)
		}
	}
	require.EqualValues(t, 2999, expected)
	require.False(t, file.Has("gone"))
	require.Empty(t, rows(t, file, "gone"), "a table that is not there has no rows")
	require.True(t, file.Has("empty", "id", "name"))
	require.Empty(t, rows(t, file, "empty"))
}

// The format keeps more or less of a long row in its own page, by its length: each length around the limits is read.
func TestRowsGoOnInOtherPages(t *testing.T) {
	t.Parallel()
	all := rows(t, open(t, database(t, "overflow")), "overflow")
	require.Len(t, all, 188)
	for _, row := range all {
		letter := "x"
		if row.Int("id") == 50000 {
			letter = "y"
		}
		require.Equal(t, strings.Repeat(letter, int(row.Int("id"))), row.Text("value"))
	}
}

// Pages have 512 to 65536 bytes, some of which another program may reserve.
func TestPagesOfEverySizeAreRead(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"page1024", "page65536", "reserved", "wal"} {
		file := open(t, database(t, name))
		all := rows(t, file, "pages")
		require.Len(t, all, 3, name)
		require.Equal(t, "a", all[0].Text("name"), name)
		require.Equal(t, strings.Repeat("b", 70000), all[1].Text("name"), name)
		require.Equal(t, "c", all[2].Text("name"), name)
	}
}

// A database that keeps its newest changes in a file beside it says so.
func TestAJournalBesideTheFileIsTold(t *testing.T) {
	t.Parallel()
	require.True(t, open(t, database(t, "wal")).Journaled)
	require.False(t, open(t, database(t, "page1024")).Journaled)
}

func TestTextsInUTF16AreRead(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"utf16le", "utf16be"} {
		file := open(t, database(t, name))
		require.True(t, file.Has("texts", "name", "столбец"), name)
		all := rows(t, file, "texts")
		require.Len(t, all, 3, name)
		require.Equal(t, "Анна", all[0].Text("name"), name)
		require.Equal(t, "🇩🇪 Germany", all[0].Text("столбец"), name)
		require.Empty(t, all[1].Text("name"), name)
		require.Equal(t, "b", all[1].Text("столбец"), name)
		require.Nil(t, all[2]["name"], name)
	}
}

// A row that is older than a column has the column's default.
func TestAnOlderRowHasTheDefaultOfAColumnThatWasAddedLater(t *testing.T) {
	t.Parallel()
	file := open(t, database(t, "tables"))
	require.True(t, file.Has("added", "state"))
	require.Equal(t, []sqlite.Row{
		{"id": int64(1), "name": "old", "state": "on"},
		{"id": int64(2), "name": "new", "state": "off"},
	}, rows(t, file, "added"))
}

// The number of a row is not stored in its column: neither when the column is a primary key itself, nor when the key
// stands behind the columns, as older versions of 3x-ui have made their tables.
func TestAPrimaryKeyBehindTheColumnsIsTheNumberOfTheRow(t *testing.T) {
	t.Parallel()
	require.Equal(t, []sqlite.Row{
		{"id": int64(1), "name": "a"},
		{"id": int64(2), "name": "b"},
	}, rows(t, open(t, database(t, "tables")), "separate"))
}

// Names of columns are found in whatever way the statement is written.
func TestColumnsAreFoundInEveryStatement(t *testing.T) {
	t.Parallel()
	file := open(t, database(t, "tables"))
	require.Equal(t, []sqlite.Row{
		{"a,b": "1", "c d": int64(2), "e": "3", "f)": "4", "g": 5.5, "h": "x"},
	}, rows(t, file, "odd (name), here"))
	require.Equal(t, []sqlite.Row{
		{"id": int64(7), "name": "seven", "total": int64(77)},
	}, rows(t, file, "spaced"), "tabs, lines and comments")
	require.Equal(t, []sqlite.Row{{"one": int64(1), "two": "two"}}, rows(t, file, "copied"), "made of a query")
	require.Equal(t, []sqlite.Row{{"id": "k", "value": "v"}}, rows(t, file, "texts_as_keys"))
	require.False(t, file.Has("seen"), "a view stores nothing")
	require.False(t, file.Has("names"), "an index is no table")
	require.False(t, file.Has("added", "id", "other"))
}

// A column that is worked out is not read: its expression comes from the file.
func TestAComputedColumnIsNotRead(t *testing.T) {
	t.Parallel()
	file := open(t, database(t, "tables"))
	require.False(t, file.Has("generated", "b"))
	require.False(t, file.Has("generated", "c"))
	require.Equal(t, []sqlite.Row{{"a": int64(2), "d": "d"}}, rows(t, file, "generated"))
}

func TestATableWithoutNumbersOfRowsIsRead(t *testing.T) {
	t.Parallel()
	require.Equal(t, []sqlite.Row{{"k": "k", "v": "v"}}, rows(t, open(t, database(t, "tables")), "without"))
}

// An error of whoever visits the rows ends the reading and comes back as it is.
func TestAVisitorEndsTheReading(t *testing.T) {
	t.Parallel()
	enough, visits := errors.New("enough"), 0
	err := open(t, database(t, "deep")).Each(t.Context(), "deep", func(sqlite.Row) error {
		visits++
		return enough
	})
	require.ErrorIs(t, err, enough)
	require.Equal(t, 1, visits)
}

// A source may say that it is at its end with the last bytes that it gives.
func TestTheLastPageMayComeWithTheEnd(t *testing.T) {
	t.Parallel()
	raw := database(t, "page1024")
	file, err := sqlite.Open(t.Context(), ending{bytes.NewReader(raw)}, int64(len(raw)))
	require.NoError(t, err)
	require.Len(t, rows(t, file, "pages"), 3)
}

// ending gives io.EOF with the last byte.
type ending struct{ *bytes.Reader }

func (e ending) ReadAt(into []byte, at int64) (int, error) {
	n, err := e.Reader.ReadAt(into, at)
	if at+int64(n) == e.Size() {
		err = io.EOF
	}
	return n, err
}

// A source that fails in the middle is told of, with its own error.
func TestAFailureOfTheSourceIsTold(t *testing.T) {
	t.Parallel()
	raw, failure := database(t, "deep"), errors.New("the disk has failed")
	file, err := sqlite.Open(t.Context(), failing{bytes.NewReader(raw), failure}, int64(len(raw)))
	require.NoError(t, err)
	err = file.Each(t.Context(), "deep", func(sqlite.Row) error { return nil })
	require.ErrorIs(t, err, failure)
}

// failing fails behind the first page.
type failing struct {
	*bytes.Reader
	err error
}

func (f failing) ReadAt(into []byte, at int64) (int, error) {
	if at > 0 {
		return 0, f.err
	}
	return f.Reader.ReadAt(into, at)
}

// A file that ends early, at any place, is refused: nothing of it counts as a table that ends there.
func TestATruncatedFileIsRefused(t *testing.T) {
	t.Parallel()
	for name, table := range map[string]string{"deep": "deep", "overflow": "overflow", "page1024": "pages"} {
		raw := database(t, name)
		whole, err := attempt(t, raw, table)
		require.NoError(t, err)
		for _, length := range []int{0, 1, 15, 16, 99, 100, 511, 512, 1000, len(raw) / 2, len(raw) * 3 / 4} {
			read, err := attempt(t, raw[:length], table)
			require.ErrorIs(t, err, sqlite.ErrBroken, "%s of %d bytes", name, length)
			require.Less(t, read, whole)
		}
	}
}

// A header that no SQLite writes is refused before anything is read by it.
func TestAHeaderThatMakesNoSenseIsRefused(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(raw []byte){
		"another program":        func(raw []byte) { raw[0] = 's' },
		"no page size":           func(raw []byte) { raw[16], raw[17] = 0, 0 },
		"a page size of 256":     func(raw []byte) { raw[16], raw[17] = 1, 0 },
		"a page size of 1025":    func(raw []byte) { raw[17] = 1 },
		"pages beyond the file":  func(raw []byte) { raw[16], raw[17] = 0, 1; raw[20] = 255 },
		"too much reserved":      func(raw []byte) { raw[16], raw[17] = 2, 0; raw[20] = 33 },
		"an unknown encoding":    func(raw []byte) { binary.BigEndian.PutUint32(raw[56:], 4) },
		"no page of the schema":  func(raw []byte) { raw[100] = 0 },
		"an index as the schema": func(raw []byte) { raw[100] = 10 },
		"more cells than fit":    func(raw []byte) { raw[103], raw[104] = 255, 255 },
		"a cell beyond the page": func(raw []byte) { raw[108], raw[109] = 255, 255 },
	} {
		raw := database(t, "page1024")[:8192]
		change(raw)
		_, err := sqlite.Open(t.Context(), bytes.NewReader(raw), int64(len(raw)))
		require.ErrorIs(t, err, sqlite.ErrBroken, name)
	}
}

// page is one of 512 bytes.
func page(raw []byte, number uint32) []byte { return raw[512*(number-1):][:512] }

// Pages that lead to one another in a circle end the reading, whichever of them do.
func TestPagesInACircleAreRefused(t *testing.T) {
	t.Parallel()
	const interior = 5
	sound, refused := database(t, "deep"), 0
	for number := uint32(2); int(number) <= len(sound)/512; number++ {
		raw := bytes.Clone(sound)
		if page(raw, number)[0] != interior {
			continue
		}
		binary.BigEndian.PutUint32(page(raw, number)[8:], number)
		if read, err := attempt(t, raw, "deep"); err != nil {
			require.ErrorIs(t, err, sqlite.ErrBroken)
			require.Less(t, read, 300_000, "no more than the file has room for")
			refused++
		}
	}
	require.Greater(t, refused, 2, "pages of every level")
}

// A row whose pages lead nowhere is refused; one whose pages go on in a circle ends with its length.
func TestARowThatGoesOnNowhereIsRefused(t *testing.T) {
	t.Parallel()
	const itself = 1
	for _, next := range []uint32{0, 1 << 31, itself} {
		raw := database(t, "overflow")
		for at := uint32(2); int(at) <= len(raw)/512; at++ {
			if body := page(raw, at); binary.BigEndian.Uint32(body) == at+1 && body[4] == 'y' {
				to := next
				if next == itself {
					to = at
				}
				binary.BigEndian.PutUint32(body, to)
			}
		}
		read, err := attempt(t, raw, "overflow")
		if next == itself {
			require.NoError(t, err)
			require.Equal(t, 188, read)
			continue
		}
		require.ErrorIs(t, err, sqlite.ErrBroken, "page %d", next)
	}
}

// A page that claims that one row stands in it again and again takes no more than the file could hold.
func TestOneRowThatIsNamedAgainAndAgainIsBounded(t *testing.T) {
	t.Parallel()
	raw := database(t, "page65536")
	leaf := raw[65536:131072]
	cell := binary.BigEndian.Uint16(leaf[10:])
	const times = 20_000
	binary.BigEndian.PutUint16(leaf[3:], times)
	for i := range times {
		binary.BigEndian.PutUint16(leaf[8+2*i:], cell)
	}
	read, err := attempt(t, raw, "pages")
	require.ErrorIs(t, err, sqlite.ErrBroken)
	require.Less(t, read, 1000)
}

// hostile is a database that SQLite makes of statements which only somebody with bad intentions writes.
func hostile(t *testing.T, statements string) []byte {
	t.Helper()
	name := filepath.Join(t.TempDir(), "hostile.db")
	made, err := sqlite3.Open(name)
	require.NoError(t, err)
	require.NoError(t, made.Exec(statements))
	require.NoError(t, made.Close())
	raw, err := os.ReadFile(name)
	require.NoError(t, err)
	return raw
}

// Code of the file is not run: a view is no table, a function in a column ends the reading, and a table that a
// module makes up is not asked.
func TestCodeOfTheFileIsNotRun(t *testing.T) {
	t.Parallel()
	raw := hostile(t, `
		create view inbounds as with recursive n(i) as (select 1 union all select i+1 from n) select i from n;
		create table computed (a int, b text generated always as (hex(zeroblob(a))) virtual);
		insert into computed (a) values (7);
		create table plain (a text);
		pragma writable_schema = on;
		insert into sqlite_schema values ('table', 'found', 'found', 0, 'create virtual table found using files(words)')`)
	file := open(t, raw)
	for _, name := range []string{"inbounds", "found"} {
		require.False(t, file.Has(name), name)
		require.Empty(t, rows(t, file, name), name)
	}
	require.Equal(t, []sqlite.Row{{"a": int64(7)}}, rows(t, file, "computed"))
	require.True(t, file.Has("plain", "a"))
}

// A value that is longer than any that 3x-ui writes is not read.
func TestAValueHasALongestLength(t *testing.T) {
	t.Parallel()
	raw := hostile(t, "create table long (a blob); insert into long values (zeroblob(40000000))")
	_, err := attempt(t, raw, "long")
	require.ErrorIs(t, err, sqlite.ErrBroken)
}

// Reading ends when nobody waits for it any more.
func TestReadingEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	raw := database(t, "deep")
	file, err := sqlite.Open(ctx, bytes.NewReader(raw), int64(len(raw)))
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	read := 0
	err = file.Each(ctx, "deep", func(sqlite.Row) error {
		read++
		cancel()
		return nil
	})
	require.ErrorIs(t, err, context.Canceled)
	require.Less(t, read, 2000)
}
