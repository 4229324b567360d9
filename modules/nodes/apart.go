package nodes

import (
	"errors"
	"strings"

	"panel/platform/database"
	"panel/platform/fault"
)

var errUnstorable = fault.Invalid("invalid_value", "the database does not take this")

// unstorable reports whether the database refuses what it was given, so that giving it again is useless: wrong data (22), or
// more than it can take in (54).
func unstorable(err error) bool {
	state := database.State(err)
	return strings.HasPrefix(state, "22") || strings.HasPrefix(state, "54")
}

// apart writes items together. When the database does not take some of them it parts them, until the bad ones stand alone and
// are dropped: what one agent says never keeps out what others say.
func apart[T any](items []T, write func(items []T) error, drop func(item T, err error)) error {
	err := write(items)
	switch {
	case !unstorable(err):
		return err
	case len(items) == 1:
		drop(items[0], err)
		return nil
	}
	half := len(items) / 2
	return errors.Join(apart(items[:half], write, drop), apart(items[half:], write, drop))
}
