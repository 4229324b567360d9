// Package inflection stands in for the library of that name, which bun would guess the names of tables with. Every
// table of the panel is named by its model, and the library compiles some eighty expressions at each start of every
// command.
package inflection

// Plural answers the word itself: a model that names no table finds none.
func Plural(word string) string { return word }
