// Package proxypanelapi is what other modules may ask of proxy panels.
package proxypanelapi

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"
)

// prefix begins the references of users who live in a proxy panel.
const prefix = "p:"

// RefOf is the user_ref of a user of a proxy panel: "p:<connection>:<id there>".
func RefOf(connectionID string, id int64) string {
	return prefix + connectionID + ":" + strconv.FormatInt(id, 10)
}

// ReadRef takes a user_ref apart; known is false for what is no reference of such a user.
func ReadRef(ref string) (connectionID string, id int64, known bool) {
	rest, is := strings.CutPrefix(ref, prefix)
	connectionID, number, parted := strings.Cut(rest, ":")
	id, err := strconv.ParseInt(number, 10, 64)
	if !is || !parted || err != nil || id <= 0 || !isID(connectionID) || ref != RefOf(connectionID, id) {
		return "", 0, false
	}
	return connectionID, id, true
}

// isID says whether a text has the form of an id.
func isID(text string) bool {
	const form = "00000000-0000-0000-0000-000000000000"
	return len(text) == len(form) && strings.Map(func(r rune) rune {
		if strings.ContainsRune("0123456789abcdef", r) {
			return '0'
		}
		return r
	}, text) == form
}

// Person is a user of a proxy panel as the panel says it now.
type Person struct {
	Ref      string
	Name     string // as users sign in there
	Disabled bool
	// MadeAt tells a user from a later one of the same id; nil where the panel does not say it.
	MadeAt *time.Time
}

// Same says whether it is the one of the same reference that was seen before.
func (p Person) Same(madeAt *time.Time) bool {
	return p.MadeAt == nil && madeAt == nil || p.MadeAt != nil && madeAt != nil && p.MadeAt.Equal(*madeAt)
}

// ErrUnknown answers a reference whose connection or user is not there.
var ErrUnknown = errors.New("this user of a proxy panel is not there")

// People are users of proxy panels, by their references. All but Labels ask the proxy panel and must not be called in a
// transaction. Errors: ErrUnknown; faults: proxypanel_error (502), proxypanel_timeout (504).
type People interface {
	// Labels gives the names that were last read, of those that are known; it asks nobody.
	Labels(ctx context.Context, refs ...string) (map[string]string, error)
	// Read gives a user.
	Read(ctx context.Context, ref string) (Person, error)
	// Disable takes a user off all nodes there and ends its connections. One that is disabled already stays so.
	Disable(ctx context.Context, ref string) error
	// Enable lets a user in again. One that is enabled already stays so.
	Enable(ctx context.Context, ref string) error
	// Drop ends the connections of a user, who may connect again: by their addresses, so that others behind the same
	// address are cut off as well. dropped is false where no node there is connected.
	Drop(ctx context.Context, ref string) (dropped bool, err error)
}
