// Package fault is the panel's vocabulary of errors: a kind, a stable code word and a sentence for people.
//
// Only platform/httpapi turns a fault into a status and a problem document; nothing here knows HTTP.
package fault

import (
	"errors"
	"maps"
	"time"
)

// Kind groups faults by what the caller can do about them.
type Kind int

// Kinds, in the order of the statuses that platform/httpapi gives them.
const (
	Internal Kind = iota
	KindMalformed
	KindUnauthenticated
	KindForbidden
	KindMissing
	KindMethod
	KindConflict
	KindTooLarge
	KindInvalid
	KindThrottled
	KindUpstream
	KindUnavailable
	KindUpstreamTimeout
	KindSlow            // the request did not arrive in time
	KindHeadersTooLarge // the headers of the request
)

// FieldError points at one wrong field. Field is a dotted path; the rejected value is never part of it.
type FieldError struct {
	Field   string `json:"field"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Fault is an error that the caller may see. Extra becomes further members of the problem document.
type Fault struct {
	Kind       Kind
	Code       string
	Detail     string
	Fields     []FieldError
	Extra      map[string]any
	RetryAfter time.Duration
	cause      error
}

func (f *Fault) Error() string {
	if f.cause == nil {
		return f.Code + ": " + f.Detail
	}
	return f.Code + ": " + f.Detail + ": " + f.cause.Error()
}

// Unwrap gives the cause, which is logged and never shown to the caller.
func (f *Fault) Unwrap() error { return f.cause }

// Is matches two faults by code, so that a copy made by With or Wrap still equals its origin.
func (f *Fault) Is(target error) bool {
	var other *Fault
	return errors.As(target, &other) && other.Code == f.Code && other.Kind == f.Kind
}

func (f *Fault) copied() *Fault {
	twin := *f
	twin.Extra = maps.Clone(f.Extra)
	twin.Fields = append([]FieldError(nil), f.Fields...)
	return &twin
}

// With returns a copy that carries one more member, for example the permission that was missing.
func (f *Fault) With(key string, value any) *Fault {
	twin := f.copied()
	if twin.Extra == nil {
		twin.Extra = map[string]any{}
	}
	twin.Extra[key] = value
	return twin
}

// Field returns a copy that points at one more wrong field.
func (f *Fault) Field(field, code, message string) *Fault {
	twin := f.copied()
	twin.Fields = append(twin.Fields, FieldError{Field: field, Code: code, Message: message})
	return twin
}

// Wrap returns a copy with its cause.
func (f *Fault) Wrap(err error) *Fault {
	twin := f.copied()
	twin.cause = err
	return twin
}

// After returns a copy that tells the caller when to try again.
func (f *Fault) After(d time.Duration) *Fault {
	twin := f.copied()
	twin.RetryAfter = d
	return twin
}

func made(kind Kind, code, detail string) *Fault {
	return &Fault{Kind: kind, Code: code, Detail: detail}
}

// Malformed says that the request could not be read as what the operation takes.
func Malformed(code, detail string) *Fault { return made(KindMalformed, code, detail) }

// Unauthenticated says that the caller did not prove who it is.
func Unauthenticated(code, detail string) *Fault { return made(KindUnauthenticated, code, detail) }

// Forbidden says that this caller may not do this.
func Forbidden(code, detail string) *Fault { return made(KindForbidden, code, detail) }

// NoSuchThing is the detail of every identifier that nothing has, that has another form, or that the caller may not
// know of, so that the three cannot be told apart.
const NoSuchThing = "there is nothing with this identifier"

// Missing says that there is no such thing, or none that this caller may know of.
func Missing(detail string) *Fault { return made(KindMissing, "not_found", detail) }

// Conflict says that the state of things does not allow the request now.
func Conflict(code, detail string) *Fault { return made(KindConflict, code, detail) }

// TooLarge says that the body is over the operation's limit.
func TooLarge(detail string) *Fault { return made(KindTooLarge, "body_too_large", detail) }

// Invalid says that the request is well formed and still refused by a rule.
func Invalid(code, detail string) *Fault { return made(KindInvalid, code, detail) }

// InvalidValue is the generic Invalid for one field.
func InvalidValue(field, message string) *Fault {
	return Invalid("invalid_value", "a field has a value that is not allowed").Field(field, "invalid_value", message)
}

// Throttled says that the caller must wait for the given time.
func Throttled(after time.Duration) *Fault {
	f := made(KindThrottled, "throttled", "too many requests; wait and try again")
	f.RetryAfter = after // it is nobody else's yet; a flood pays for every copy
	return f
}

// Upstream says that another service answered wrongly.
func Upstream(code, detail string) *Fault { return made(KindUpstream, code, detail) }

// UpstreamTimeout says that another service did not answer in time.
func UpstreamTimeout(code, detail string) *Fault { return made(KindUpstreamTimeout, code, detail) }

// Unavailable says that the panel itself cannot answer now; the caller may retry soon.
func Unavailable(detail string) *Fault {
	return made(KindUnavailable, "unavailable", detail).After(2 * time.Second)
}

// As gives the fault inside err, if there is one.
func As(err error) (*Fault, bool) {
	var f *Fault
	ok := errors.As(err, &f)
	return f, ok
}

// Code gives the fault's code word; any other error is "internal", nil is "".
func Code(err error) string {
	if err == nil {
		return ""
	}
	if f, ok := As(err); ok {
		return f.Code
	}
	return "internal"
}

// KindOf gives the fault's kind; any other error is Internal.
func KindOf(err error) Kind {
	if f, ok := As(err); ok {
		return f.Kind
	}
	return Internal
}
