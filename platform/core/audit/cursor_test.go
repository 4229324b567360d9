package audit

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/audit"
	"panel/platform/fault"
)

// A cursor is either one that the list gave or a named fault; it never reaches the database otherwise.
func FuzzCursor(f *testing.F) {
	f.Add(*cursorAfter(audit.Row{ID: "0197f3a0-0000-7000-8000-000000000001", At: time.Date(2026, 3, 1, 12, 0, 0, 1000,
		time.UTC)}, newestFirst))
	f.Add("YWJj")
	f.Add("")
	f.Fuzz(func(t *testing.T, cursor string) {
		place, err := placeOf(cursor, newestFirst)
		if err != nil {
			require.Equal(t, "bad_parameter", fault.Code(err))
			return
		}
		if cursor == "" {
			require.Empty(t, place.ID)
			return
		}
		again, err := placeOf(*cursorAfter(audit.Row{ID: place.ID, At: place.At}, newestFirst), newestFirst)
		require.NoError(t, err)
		require.Equal(t, place.ID, again.ID)
		require.True(t, place.At.Equal(again.At))
	})
}
