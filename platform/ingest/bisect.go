package ingest

import (
	"errors"
	"strings"

	"panel/platform/database"
)

// Unstorable reports whether the database refuses what it was given, so that giving it again is useless: wrong data
// (22), or more than it can take in (54).
func Unstorable(err error) bool {
	state := database.State(err)
	return strings.HasPrefix(state, "22") || strings.HasPrefix(state, "54")
}

// Bisect writes items together. When the database does not take some of them it halves the batch until the bad ones
// stand alone, and drops those: what one agent says never keeps out what others say.
func Bisect[T any](items []T, write func(items []T) error, drop func(item T, err error)) error {
	err := write(items)
	switch {
	case !Unstorable(err):
		return err
	case len(items) == 1:
		drop(items[0], err)
		return nil
	}
	half := len(items) / 2
	return errors.Join(Bisect(items[:half], write, drop), Bisect(items[half:], write, drop))
}
