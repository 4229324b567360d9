// Package names says when two names are the same to a reader: whatever the case, the script, the composition of the
// letters and the locale of the database.
package names

import (
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Key is what usernames of one account have in common: NFKC with full case folding, as in the Unicode standard's
// NFKC_Casefold. It is the same in every locale of the database, and accepts any name that is stored already, which the
// profiles of PRECIS do not.
func Key(name string) string {
	once := cases.Fold().String(norm.NFD.String(name))
	return norm.NFKC.String(cases.Fold().String(norm.NFKC.String(once)))
}

// undotted makes one letter of the Turkish i with and without its dot, whose capitals depend on the language.
var undotted = strings.NewReplacer("ı", "i", "i\u0307", "i")

// SearchKey is what lists are searched and sorted by: a key in which a Turkish i is found with and without its dot. Two
// different names may share it.
func SearchKey(name string) string { return norm.NFKC.String(undotted.Replace(Key(name))) }

// Composed is the form in which a username is stored: keyboards differ in how they compose a letter with its marks.
func Composed(name string) string { return norm.NFC.String(name) }
