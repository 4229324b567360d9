package sqlite

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The columns are read from statements as SQLite, gorm and people write them.
func TestColumnsOfAStatement(t *testing.T) {
	t.Parallel()
	for statement, expected := range map[string]struct {
		columns []string
		rowid   int
	}{
		"":                    {nil, -1},
		"CREATE TABLE t":      {nil, -1},
		"CREATE TABLE t (":    {nil, -1},
		"CREATE TABLE t(a,b)": {[]string{"a", "b"}, -1},
		"CREATE TABLE `inbounds` (`id` integer PRIMARY KEY AUTOINCREMENT,`tag` text,CONSTRAINT `u` UNIQUE (`tag`))": {
			[]string{"id", "tag"}, 0,
		},
		"CREATE TABLE `inbounds` (`tag` text UNIQUE,`id` integer,PRIMARY KEY (`id`))":          {[]string{"tag", "id"}, 1},
		"CREATE TABLE t (a integer, b integer, PRIMARY KEY (a, b))":                            {[]string{"a", "b"}, -1},
		"CREATE TABLE t (a int, PRIMARY KEY (a))":                                              {[]string{"a"}, -1},
		"CREATE TABLE t (a int PRIMARY KEY)":                                                   {[]string{"a"}, -1},
		"CREATE TABLE t (a text, constraint k primary  key([b]), [b] INTEGER)":                 {[]string{"a", "b"}, -1},
		"CREATE TABLE t (unique_id text, checked int, \"unique\" int, primary_key int)":        {[]string{"unique_id", "checked", "unique", "primary_key"}, -1},
		"CREATE TABLE t (a text default '-- no comment', b text default '/*', c text)":         {[]string{"a", "b", "c"}, -1},
		"CREATE TABLE t (a text -- one, two\n, b text /* three, four */, c text) -- end, five": {[]string{"a", "b", "c"}, -1},
		"CREATE TABLE t (a text, unique(a), check(a), foreign key (a) references b(c))":        {[]string{"a"}, -1},
		"CREATE TABLE t (a numeric(10,2), b varchar(3))":                                       {[]string{"a", "b"}, -1},
		"CREATE TABLE t (a text default 'not closed, b text)":                                  {[]string{"a"}, -1},
		"CREATE TABLE t (a text, /* not closed, b text)":                                       {[]string{"a"}, -1},
		"CREATE TABLE t (\"not closed, b text)":                                                {[]string{"not closed, b text"}, -1},
		"CREATE TABLE t (a, \")":                                                               {[]string{"a"}, -1},
	} {
		columns, rowid := columnsOf(statement)
		require.Equal(t, expected.columns, columns, statement)
		require.Equal(t, expected.rowid, rowid, statement)
	}
}

// Numbers take one to nine bytes; what does not end is none.
func TestNumbersOfOneToNineBytes(t *testing.T) {
	t.Parallel()
	for _, one := range []struct {
		bytes []byte
		value uint64
		taken int
	}{
		{[]byte{0}, 0, 1},
		{[]byte{0x7f, 0xff}, 127, 1},
		{[]byte{0x81, 0x00}, 128, 2},
		{[]byte{0xff, 0x7f}, 1<<14 - 1, 2},
		{[]byte{0x80, 0x80, 0x01}, 1, 3},
		{[]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}, 1<<56 - 1, 8},
		{[]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}, 1<<64 - 1, 9},
		{[]byte{0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80}, 0x80, 9},
		{nil, 0, 0},
		{[]byte{0x80}, 0, 0},
		{[]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, 0, 0},
	} {
		value, taken := varint(one.bytes)
		require.Equal(t, one.value, value, "%x", one.bytes)
		require.Equal(t, one.taken, taken, "%x", one.bytes)
	}
}

// Kinds of values that the format keeps for later, and values that are shorter than they say, are none.
func TestAValueThatDoesNotFitItsKindIsNone(t *testing.T) {
	t.Parallel()
	for _, one := range []struct {
		kind uint64
		body []byte
	}{
		{10, []byte("x")},
		{11, []byte("x")},
		{1, nil},
		{6, make([]byte, 7)},
		{7, make([]byte, 7)},
		{14, nil},
		{15, nil},
		{1<<64 - 1, []byte("x")},
	} {
		_, _, ok := new(File).decode(one.kind, one.body)
		require.False(t, ok, "kind %d", one.kind)
	}
}

func TestHalfALetterOfUTF16IsNoLetter(t *testing.T) {
	t.Parallel()
	little := &File{encoding: utf16Little}
	require.Equal(t, "a", little.text([]byte{'a', 0, 'b'}))
	require.Equal(t, "\uFFFDa", little.text([]byte{0x3d, 0xd8, 'a', 0}))
	require.Empty(t, little.text(nil))
}
