// Package names holds the rules of usernames: how they are compared, stored and bounded.
package names

import (
	"fmt"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"panel/platform/fault"
)

// longest is the most characters of a username.
const longest = 64

// Key is what usernames of one account have in common: NFKC with full case folding, as in the Unicode standard's
// NFKC_Casefold. It is the same in every locale of the database, and accepts any name that is stored already, which the
// profiles of PRECIS do not.
func Key(username string) string {
	once := cases.Fold().String(norm.NFD.String(username))
	return norm.NFKC.String(cases.Fold().String(norm.NFKC.String(once)))
}

// Composed is the form in which a username is stored: keyboards differ in how they compose a letter with its marks.
func Composed(username string) string { return norm.NFC.String(username) }

// Plausible refuses a name that no account can have, before it is folded, hashed or looked up. Fault: invalid_value
// (422).
func Plausible(username string) error {
	if len(username) > longest*utf8.UTFMax || utf8.RuneCountInString(username) > longest {
		return fault.InvalidValue("username", fmt.Sprintf("a username has at most %d characters", longest))
	}
	return nil
}
