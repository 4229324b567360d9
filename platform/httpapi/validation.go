package httpapi

import (
	"errors"
	"net/http"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"panel/platform/access"
	"panel/platform/fault"
	"panel/platform/pattern"
)

// The library keeps its error hooks in package variables; they are set once, before the first API is made.
var hooks sync.Once

func installHooks() {
	hooks.Do(func() {
		huma.DefaultArrayNullable = false
		huma.NewError = func(status int, msg string, errs ...error) huma.StatusError {
			return &Problem{Status: status, Title: http.StatusText(status)}
		}
		huma.NewErrorWithContext = func(ctx huma.Context, status int, _ string, errs ...error) huma.StatusError {
			p := document(access.From(ctx.Context()).RequestID, refusal(status, errs))
			for name, values := range p.GetHeaders() {
				ctx.SetHeader(name, values[0])
			}
			return p
		}
	})
}

// refusal sorts what the library refuses by the rule of the conventions: syntax, type, missing or unknown field and
// query parameter are 400; length, range, format and enum in a body are 422; size is 413.
func refusal(status int, errs []error) *fault.Fault {
	switch {
	case status == http.StatusRequestEntityTooLarge:
		return fault.TooLarge("the body is larger than this operation takes")
	case status >= http.StatusInternalServerError && status != http.StatusUnprocessableEntity:
		return internal
	case len(errs) == 0:
		return fault.Malformed("bad_json", "the body must be a JSON document")
	}
	return sorted(errs)
}

func sorted(errs []error) *fault.Fault {
	var worst *fault.Fault
	fields := make([]fault.FieldError, 0, len(errs))
	for _, err := range errs {
		found, field := classify(err)
		fields = append(fields, field)
		if worst == nil || found.Kind < worst.Kind {
			worst = found
		}
	}
	f := *worst
	f.Fields = fields
	return &f
}

// classify names one refusal; the rejected value never leaves this function.
func classify(err error) (*fault.Fault, fault.FieldError) {
	location, message := "", "the value is not allowed"
	var detail huma.ErrorDetailer
	if errors.As(err, &detail) {
		location, message = detail.ErrorDetail().Location, detail.ErrorDetail().Message
	}
	place, field := split(location)
	f := word(place, field, message)
	if missing := required().FindStringSubmatch(message); missing != nil {
		field = strings.TrimPrefix(field+"."+missing[1], ".")
		message = "this field is required"
	}
	return f, fault.FieldError{Field: field, Code: f.Code, Message: plain(message, f)}
}

func split(location string) (place, field string) {
	place, field, _ = strings.Cut(location, ".")
	return place, field
}

var required = pattern.Of(`^expected required property (\S+) to be present`)

func word(place, field, message string) *fault.Fault {
	switch {
	case place == "path":
		return errUnknownID
	case place == "query" || place == "header":
		return errParameter
	case field == "" && !required().MatchString(message) && !isType(message):
		return fault.Malformed("bad_json", "the body is not valid JSON for this operation")
	case required().MatchString(message):
		return fault.Malformed("missing_field", "a required field is missing")
	case message == "unexpected property":
		return fault.Malformed("unknown_field", "the body has a field that this operation does not know")
	case isType(message):
		return fault.Malformed("bad_json", "a field has the wrong JSON type")
	default:
		return fault.Invalid("invalid_value", "a field has a value that is not allowed")
	}
}

var typeMessages = map[string]bool{
	"expected boolean": true, "expected number": true, "expected integer": true, "expected string": true,
	"expected array": true, "expected object": true,
}

func isType(message string) bool { return typeMessages[message] }

// plain keeps the library's sentence where it speaks of the rule, and ours where it could quote the value.
func plain(message string, f *fault.Fault) string {
	if f.Code == "bad_json" && !isType(message) || strings.HasPrefix(message, "invalid character") {
		return "not valid JSON"
	}
	if i := strings.Index(message, ": "); i > 0 {
		return message[:i]
	}
	return message
}
