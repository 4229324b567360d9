// Package proxypanelapi is what other modules may ask of proxy panels.
package proxypanelapi

import (
	"strconv"
	"strings"
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
