package names_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/database"
	"panel/platform/database/dbtest"
	"panel/platform/names"
)

// Every row gets its key, however many there are; a second run changes none.
func TestRowsOfAnEarlierVersionAreKeyed(t *testing.T) {
	t.Parallel()
	db, err := database.Open(t.Context(), dbtest.Empty(t), database.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	const rows = 10_001
	for _, statement := range []string{
		"create table notes (id uuid primary key, title text not null, title_key text)",
		`insert into notes select gen_random_uuid(), 'Заметка ' || n, case n % 3 when 0 then null when 1 then 'x'
			else 'заметка ' || n end from generate_series(1, 10001) n`,
	} {
		_, err := db.ExecContext(t.Context(), statement)
		require.NoError(t, err)
	}
	changed := func() (keyed, versions int) {
		require.NoError(t, names.Rekey(t.Context(), db, "notes", "title", "title_key"))
		err := db.NewRaw(`select count(*) filter (where title_key = 'заметка ' || substr(title, 9)),
			count(distinct xmin::text) from notes`).Scan(t.Context(), &keyed, &versions)
		require.NoError(t, err)
		return keyed, versions
	}
	keyed, versions := changed()
	require.Equal(t, rows, keyed)
	again, same := changed()
	require.Equal(t, []int{keyed, versions}, []int{again, same})
}
