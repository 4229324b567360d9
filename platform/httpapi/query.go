package httpapi

import (
	"net/url"
	"reflect"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gofiber/fiber/v2"

	"panel/platform/fault"
)

// parameters are what an operation takes in its query; the value says whether it is a moment.
type parameters map[string]bool

func parametersOf(described *huma.Operation) parameters {
	known := parameters{}
	for _, p := range described.Parameters {
		if p.In == "query" {
			known[p.Name] = p.Schema != nil && p.Schema.Format == "date-time"
		}
	}
	return known
}

var errParameter = fault.Malformed("bad_parameter", "a parameter is not what this operation takes")

// queried refuses a query that is not what the operation takes: what no text may hold, names that it does not know, and
// one name twice. A filter that is misspelled must not answer as if it had chosen everything.
func (at *mounted) queried(c *fiber.Ctx) error {
	raw := c.Request().URI().QueryString()
	if len(raw) == 0 {
		return nil
	}
	if err := cleanURL(string(raw)); err != nil {
		return err
	}
	seen := map[string]bool{}
	for key, value := range c.Request().URI().QueryArgs().All() {
		name := string(key)
		moment, known := at.query[name]
		switch {
		case !known && at.op.Lenient:
		case !known:
			return parameterFault(name, "this operation has no such parameter")
		case seen[name]:
			return parameterFault(name, "this parameter stands twice")
		case moment && len(value) > 0 && !isMoment(string(value)):
			return parameterFault(name, "must look like 2027-03-01T00:00:00Z")
		}
		seen[name] = true
	}
	return nil
}

func parameterFault(name, message string) error {
	return errParameter.Field("query."+shortened(name, longestKey), errParameter.Code, message)
}

// isMoment takes what every store and every answer can hold: a year from 1 to 9999, also in UTC.
func isMoment(text string) bool {
	at, err := time.Parse(time.RFC3339, text)
	return err == nil && holdable(at)
}

func holdable(at time.Time) bool {
	year := at.UTC().Year()
	return year >= 1 && year <= 9999
}

// cleanURL refuses what no parameter of ours may hold: control characters and bytes that are not UTF-8.
func cleanURL(raw string) error {
	text, err := url.QueryUnescape(raw)
	if err != nil || !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool {
		return r < ' ' ||
			r == 0x7f
	}) {
		return fault.Malformed("bad_parameter", "the address holds characters that are not allowed")
	}
	return nil
}

// hasControl finds characters that no store, log or screen of ours takes.
func hasControl(text string) bool { return strings.ContainsFunc(text, isControl) }

func isControl(r rune) bool { return r < ' ' && r != '\n' && r != '\r' && r != '\t' || r == 0x7f }

// Optional is a parameter of a query of which the zero value says something else than leaving it out. The usual default
// of a parameter takes the place of both.
type Optional[T any] struct {
	Value T
	Given bool
}

// Or gives the value, or another one when the parameter was left out.
func (o Optional[T]) Or(usual T) T {
	if o.Given {
		return o.Value
	}
	return usual
}

// Schema is that of the value.
func (o Optional[T]) Schema(r huma.Registry) *huma.Schema {
	return huma.SchemaFromType(r, reflect.TypeFor[T]())
}

// Receiver is where the value of the query goes.
func (o *Optional[T]) Receiver() reflect.Value { return reflect.ValueOf(o).Elem().Field(0) }

// OnParamSet notes whether the query has the parameter.
func (o *Optional[T]) OnParamSet(given bool, _ any) { o.Given = given }
