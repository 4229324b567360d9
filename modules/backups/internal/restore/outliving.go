package restore

import (
	"context"

	"panel/platform/restored"
)

// Outliving is the hook that takes over what must outlive a restore, with the note of who restores what.
func Outliving(queries map[string]string, note *restored.Note) func(context.Context, Querier) (string, error) {
	return func(ctx context.Context, old Querier) (string, error) {
		var from restored.Reader
		if old != nil {
			from = old
		}
		kept, err := restored.Keep(ctx, from, queries)
		if err != nil {
			return "", err
		}
		note.Kept = kept
		return note.SQL()
	}
}
