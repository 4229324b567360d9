package httpapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"panel/platform/fault"
	"panel/platform/httpapi/internal/tokens"
)

// judge reads a body once against its shape, before anything decodes it. What it lets pass means the same to every
// reader: the decoder takes a key in any case and the last of two equal ones, so that only keys in their exact
// spelling, each once, can be held to their rules. It stops as soon as the answer is full of errors.
type judge struct {
	tokens   tokens.Reader
	registry huma.Registry
	path     *huma.PathBuffer
	result   huma.ValidateResult
	worst    *fault.Fault
	fields   []fault.FieldError
	depth    int
	over     bool
}

var (
	errSyntax   = fault.Malformed("bad_json", "the body is not valid JSON for this operation")
	errType     = fault.Malformed("bad_json", "a field has the wrong JSON type")
	errTwice    = fault.Malformed("bad_json", "a field stands twice in one object")
	errUnknown  = fault.Malformed("unknown_field", "the body has a field that this operation does not know")
	errRequired = fault.Malformed("missing_field", "a required field is missing")
	errValue    = fault.Invalid("invalid_value", "a field has a value that is not allowed")
	errControl  = fault.Invalid("invalid_value", "a text holds a control character")
)

// judged gives the fault of a body, or nil.
func judged(registry huma.Registry, body []byte, wanted *shape) error {
	if !utf8.Valid(body) || !json.Valid(body) {
		return errSyntax.Field("", errSyntax.Code, "not valid JSON")
	}
	j := &judge{tokens: tokens.Of(body), registry: registry, path: huma.NewPathBuffer(nil, 0)}
	j.value(wanted)
	if j.worst == nil {
		return nil
	}
	found := *j.worst
	found.Fields = j.fields
	return &found
}

// wrong notes one error at the place that is being read; the gravest gives the answer its status.
func (j *judge) wrong(f *fault.Fault, message string) {
	if j.worst == nil || f.Kind < j.worst.Kind {
		j.worst = f
	}
	j.fields = append(j.fields, fault.FieldError{Field: j.path.String(), Code: f.Code, Message: message})
	j.over = j.over || len(j.fields) >= mostListed
}

// at does something one step deeper.
func (j *judge) at(key string, do func()) {
	j.path.Push(shortened(key, longestKey))
	do()
	j.path.Pop()
}

func (j *judge) more() bool { return !j.over && j.tokens.More() }

// close takes the end of what was opened, and says whether it was read to its end.
func (j *judge) close() bool {
	if !j.over {
		j.tokens.Next()
	}
	return !j.over
}

func (j *judge) value(wanted *shape) {
	if wanted.plain && j.plainly(wanted) {
		return
	}
	token := j.tokens.Next()
	delim, opens := token.(json.Delim)
	text, _ := token.(string)
	switch {
	case opens:
		j.opened(delim, wanted)
	case hasControl(text):
		j.wrong(errControl, errControl.Detail)
	case wanted.kind == anything, token == nil && wanted.nullable:
	case token == nil:
		j.wrong(errType, "null is not allowed here; leave the field out")
	case wanted.kind == scalar:
		j.scalar(token, wanted)
	default:
		j.wrong(errType, "expected "+wanted.schema.Type)
	}
}

// plainly takes the next value if a look at it tells that it holds all rules of a plain scalar. It leaves every other
// value to those who know what is wrong with it.
func (j *judge) plainly(wanted *shape) bool {
	before := j.tokens
	if token, ok := j.tokens.Plain(); ok && wanted.takes(token) {
		return true
	}
	j.tokens = before
	return false
}

func (j *judge) opened(delim json.Delim, wanted *shape) {
	j.depth++
	switch {
	case j.depth > deepestValue:
		j.over = true
		j.wrong(errSyntax, "nested too deeply")
	case wanted.kind == anything:
		j.unjudged()
	case delim == '{' && wanted.kind == object:
		j.object(wanted)
	case delim == '{' && wanted.kind == table:
		j.table(wanted)
	case delim == '[' && wanted.kind == list:
		j.list(wanted)
	default:
		j.wrong(errType, "expected "+wanted.schema.Type)
		j.unjudged()
	}
	j.depth--
}

// free has no rules but those of every text.
var free = &shape{kind: anything, nullable: true}

// unjudged reads to the end of what was opened.
func (j *judge) unjudged() {
	for j.more() {
		j.value(free)
	}
	j.close()
}

func (j *judge) object(wanted *shape) {
	seen, unknown := make([]bool, len(wanted.fields)), 0
	for j.more() {
		key, known := j.field(wanted)
		switch {
		case known == nil:
			unknown++
			j.at(key, func() { j.unknown(key, wanted, unknown) })
		case seen[known.at]:
			j.at(key, func() { j.twice() })
		default:
			seen[known.at] = true
			j.at(key, func() { j.value(known.shape) })
		}
	}
	if !j.close() {
		return
	}
	for _, name := range wanted.required {
		if !seen[wanted.fields[name].at] {
			j.at(name, func() { j.wrong(errRequired, "this field is required") })
		}
	}
}

// field gives the next key and what the object knows of it. Known ones cost no copy.
func (j *judge) field(wanted *shape) (string, *field) {
	before := j.tokens
	if token, ok := j.tokens.Plain(); ok {
		if known := wanted.fields[string(token[1:len(token)-1])]; known != nil {
			return known.name, known
		}
	}
	j.tokens = before
	key := j.key()
	return key, wanted.fields[key]
}

func (j *judge) key() string {
	key, _ := j.tokens.Next().(string)
	if hasControl(key) {
		j.wrong(errControl, errControl.Detail)
	}
	return key
}

// unknown judges a field that the object does not know. One that the decoder would take for a known one is refused
// everywhere.
func (j *judge) unknown(key string, wanted *shape, count int) {
	_, twin := wanted.folded[folded(key)]
	switch {
	case twin:
		j.wrong(errUnknown, "this field is written in another case")
	case !wanted.open:
		j.wrong(errUnknown, "unexpected property")
	case count > mostUnknown:
		j.over = true
		j.wrong(errUnknown, "too many fields that this operation does not know")
	}
	j.skip()
}

func (j *judge) twice() {
	j.wrong(errTwice, "this field stands twice")
	j.skip()
}

func (j *judge) skip() {
	if !j.over {
		j.value(free)
	}
}

func (j *judge) table(wanted *shape) {
	seen := map[string]bool{}
	for j.more() {
		key := j.key()
		if seen[key] {
			j.at(key, func() { j.twice() })
			continue
		}
		seen[key] = true
		if j.counted(len(seen), wanted, "expected object with at most %d properties") {
			j.at(key, func() { j.value(wanted.item) })
		}
	}
	if j.close() && len(seen) < wanted.least {
		j.wrong(errValue, fmt.Sprintf("expected object with at least %d properties", wanted.least))
	}
}

func (j *judge) list(wanted *shape) {
	items := 0
	for j.more() {
		items++
		if j.counted(items, wanted, "expected array length <= %d") {
			j.path.PushIndex(items - 1)
			j.value(wanted.item)
			j.path.Pop()
		}
	}
	if j.close() && items < wanted.least {
		j.wrong(errValue, fmt.Sprintf("expected array length >= %d", wanted.least))
	}
}

// counted ends the reading at the first item too many.
func (j *judge) counted(count int, wanted *shape, message string) bool {
	if count <= wanted.most {
		return true
	}
	j.over = true
	j.wrong(errValue, fmt.Sprintf(message, wanted.most))
	return false
}

func (j *judge) scalar(token json.Token, wanted *shape) {
	value := any(token)
	if number, isNumber := token.(json.Number); isNumber {
		float, err := number.Float64()
		if err != nil {
			j.wrong(errType, "the number is too large")
			return
		}
		value = float
	}
	if text, isText := token.(string); isText && utf8.RuneCountInString(text) > wanted.most {
		j.wrong(errValue, fmt.Sprintf("expected length <= %d", wanted.most))
		return
	}
	if text, isText := token.(string); isText && wanted.schema.Format == "date-time" && !isMoment(text) {
		j.wrong(errValue, "must look like 2027-03-01T00:00:00Z")
		return
	}
	j.result.Reset()
	huma.Validate(j.registry, wanted.schema, j.path, huma.ModeWriteToServer, value, &j.result)
	for _, err := range j.result.Errors {
		j.library(err)
	}
}

// library notes what the library says about a value; the value itself goes no further.
func (j *judge) library(err error) {
	message := errValue.Detail
	var detail *huma.ErrorDetail
	if errors.As(err, &detail) {
		message, _, _ = strings.Cut(detail.Message, ": ")
	}
	if isType(message) {
		j.wrong(errType, message)
		return
	}
	j.wrong(errValue, message)
}
