// Package pattern holds regular expressions that are compiled when they are first used, so that a command of a second's
// fraction does not compile those of the whole panel.
package pattern

import (
	"regexp"
	"sync"
)

// Pattern answers its expression, compiled once; an expression that cannot be compiled panics.
type Pattern func() *regexp.Regexp

// Of is the pattern of expression, in the syntax of package regexp.
func Of(expression string) Pattern {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
