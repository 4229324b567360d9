package graph

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"

	lru "github.com/hashicorp/golang-lru/v2"
)

// An expression is bounded by its text and by what it grows to: "x{1000}" is seven characters and a thousand steps.
const (
	maxExpressionText  = 200
	maxExpressionSteps = 1000
)

const expressionPrefix = "regexp:"

// expressions reads the regular expressions of all edges. Their number is bounded first, so that reading a drawing
// costs no more than its limits say, whoever wrote it.
func (c *checker) expressions() {
	if count := countExpressions(c.g); count > MaxExpressions {
		c.add("too_many_expressions", "edges",
			fmt.Sprintf("a flow has at most %d regular expressions; write names as domain: or full:", MaxExpressions))
		return
	}
	for i, e := range c.g.Edges {
		if e.Match == nil {
			continue
		}
		for j, v := range e.Match.Domain {
			if text, is := strings.CutPrefix(v, expressionPrefix); is && !validExpression(text) {
				c.add("invalid_value", fmt.Sprintf("edges[%d].match.domain[%d]", i, j),
					fmt.Sprintf("write a regular expression of at most %d characters without large repetitions",
						maxExpressionText))
			}
		}
	}
}

func countExpressions(g Graph) int {
	count := 0
	for _, e := range g.Edges {
		if e.Match == nil {
			continue
		}
		for _, v := range e.Match.Domain {
			if strings.HasPrefix(v, expressionPrefix) {
				count++
			}
		}
	}
	return count
}

// validExpression parses an expression and never compiles it: what is too large is refused before it grows.
func validExpression(text string) bool {
	if text == "" || len(text) > maxExpressionText {
		return false
	}
	parsed, err := syntax.Parse(text, syntax.Perl)
	return err == nil && steps(parsed) <= maxExpressionSteps
}

// steps counts what a compiled expression would consist of, with every repetition written out.
func steps(e *syntax.Regexp) int {
	sum := 1
	if e.Op == syntax.OpLiteral {
		sum = len(e.Rune)
	}
	for _, sub := range e.Sub {
		if sum += steps(sub); sum > maxExpressionSteps {
			return sum
		}
	}
	if e.Op == syntax.OpRepeat {
		sum *= max(e.Min, e.Max, 1)
	}
	return sum
}

// compiled keeps expressions that were asked for, by their text.
var compiled, _ = lru.New[string, *regexp.Regexp](4 * MaxExpressions)

// MatchesExpression reports whether a name matches a regular expression of a drawing; one that a drawing may not hold
// matches nothing.
func MatchesExpression(text, name string) bool {
	expression, known := compiled.Get(text)
	if !known {
		if !validExpression(text) {
			return false
		}
		var err error
		if expression, err = regexp.Compile(text); err != nil {
			return false
		}
		compiled.Add(text, expression)
	}
	return expression.MatchString(name)
}
