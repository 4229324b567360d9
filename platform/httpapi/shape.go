package httpapi

import (
	"errors"
	"reflect"
	"strings"
	"sync"
	"unicode"

	"github.com/danielgtaylor/huma/v2"
	"github.com/segmentio/encoding/json"
)

// Bounds of what a body may hold where its declaration names none. A field that needs more says so with maxLength or
// maxItems.
const (
	longestText = 64 << 10 // characters of a text
	mostItems   = 10_000   // items of a list or members of a map
	// unknown fields of one object where they are accepted: a newer agent has some more, never thousands
	mostUnknown  = 100
	deepestValue = 64 // objects and lists inside each other
)

type kind int

const (
	anything kind = iota // raw JSON: whoever reads it judges it
	scalar
	list
	object
	table // an object whose keys are data
)

// shape is what one place of a body may hold, brought from the description into the form that one pass over a body
// needs.
type shape struct {
	kind     kind
	schema   *huma.Schema // judges the values of scalars
	plain    bool         // a scalar with no rules but its type and the length of its text
	nullable bool
	least    int    // items of a list or table
	most     int    // likewise; characters of a text
	item     *shape // of lists and tables

	fields   map[string]*field
	folded   map[string]string // known name by its folded form
	required []string
	open     bool // unknown fields are accepted
}

type field struct {
	*shape
	name string
	at   int
}

// shapes compiles schemas, each once, so that types may hold themselves.
type shapes struct {
	registry huma.Registry
	lenient  bool
	known    map[*huma.Schema]*shape
	failed   error
}

// shaped gives a mounted operation the shape of its body, if it takes one.
func (s *Server) shaped(at *mounted) error {
	if at.described.RequestBody == nil || at.op.upload > 0 {
		return nil
	}
	content := at.described.RequestBody.Content["application/json"]
	if content == nil || content.Schema == nil {
		return errors.New("its body is no JSON; declare it as raw")
	}
	at.registry = s.api.OpenAPI().Components.Schemas
	compiled := shapes{registry: at.registry, lenient: at.op.Lenient, known: map[*huma.Schema]*shape{}}
	whole := *compiled.of(content.Schema)
	whole.nullable = false
	at.body = &whole
	return compiled.failed
}

func (c *shapes) of(schema *huma.Schema) *shape {
	for schema.Ref != "" {
		schema = c.registry.SchemaFromRef(schema.Ref)
	}
	if found := c.known[schema]; found != nil {
		return found
	}
	out := &shape{schema: schema, nullable: schema.Nullable, most: longestText}
	c.known[schema] = out
	if schema.UniqueItems || len(schema.DependentRequired) > 0 {
		c.failed = errors.New("its body uses uniqueItems or dependentRequired, which nothing here judges; let the handler ask that")
	}
	switch schema.Type {
	case huma.TypeObject:
		c.object(out, schema)
	case huma.TypeArray:
		out.kind, out.item = list, c.of(schema.Items)
		out.least, out.most = orInt(schema.MinItems, 0), orInt(schema.MaxItems, mostItems)
		out.nullable = out.nullable || c.lenient
	case huma.TypeString:
		out.kind, out.most = scalar, orInt(schema.MaxLength, longestText)
	case huma.TypeBoolean, huma.TypeInteger, huma.TypeNumber:
		out.kind = scalar
	default:
		out.kind, out.nullable = anything, true
	}
	out.plain = out.kind == scalar && isPlain(schema)
	return out
}

func isPlain(s *huma.Schema) bool {
	limited := s.Minimum != nil || s.Maximum != nil || s.ExclusiveMinimum != nil || s.ExclusiveMaximum != nil ||
		s.MultipleOf != nil || s.MinLength != nil || s.Pattern != "" || s.ContentEncoding != ""
	combined := s.OneOf != nil || s.AnyOf != nil || s.AllOf != nil || s.Not != nil
	return !limited && !combined && len(s.Enum) == 0 && (s.Type != huma.TypeString || s.Format == "")
}

// Numbers of so few characters are no larger than a float64, and integers exact in it.
const (
	shortNumber  = 300
	shortInteger = 15
)

// takes says whether a token as it is written is a value of a plain scalar beyond doubt.
func (s *shape) takes(token []byte) bool {
	switch first := token[0]; s.schema.Type {
	case huma.TypeString:
		return first == '"' && len(token)-2 <= s.most && onlyOf(token, isPrintable)
	case huma.TypeBoolean:
		return first == 't' || first == 'f'
	case huma.TypeInteger:
		return len(token) <= shortInteger && onlyOf(token, isOfInteger)
	default:
		return len(token) <= shortNumber && onlyOf(token, isOfDecimal)
	}
}

func isPrintable(b byte) bool { return ' ' <= b && b < 0x7f }
func isOfInteger(b byte) bool { return b == '-' || '0' <= b && b <= '9' }
func isOfDecimal(b byte) bool { return '-' <= b && b <= '9' }

func onlyOf(token []byte, allowed func(byte) bool) bool {
	for _, b := range token {
		if !allowed(b) {
			return false
		}
	}
	return true
}

// object knows its fields. Programs in Go write a list, map or object that they do not have as null, so that a lenient
// body takes null there as if it were not sent.
func (c *shapes) object(out *shape, schema *huma.Schema) {
	out.nullable = out.nullable || c.lenient
	if values, isSchema := schema.AdditionalProperties.(*huma.Schema); isSchema {
		out.kind, out.item = table, c.of(values)
		out.least, out.most = orInt(schema.MinProperties, 0), orInt(schema.MaxProperties, mostItems)
		return
	}
	out.kind, out.open = object, c.lenient || schema.AdditionalProperties != false
	if !c.lenient {
		out.required = schema.Required
	}
	out.fields, out.folded = make(map[string]*field, len(schema.Properties)), make(map[string]string,
		len(schema.Properties))
	for name, property := range schema.Properties {
		out.fields[name] = &field{c.of(property), name, len(out.fields)}
		out.folded[folded(name)] = name
	}
}

func orInt(given *int, otherwise int) int {
	if given == nil {
		return otherwise
	}
	return *given
}

// folded brings a key into the form in which the JSON decoder compares keys: two keys of one form are the same to it.
func folded(key string) string {
	return strings.Map(func(r rune) rune {
		for {
			next := unicode.SimpleFold(r)
			if next <= r {
				return next
			}
			r = next
		}
	}, key)
}

// Document reads documents of one type that no typed operation takes: bodies that are read by hand, frames of a stream.
// They are judged like the bodies of typed operations.
type Document[T any] struct{ shape func() *documentShape }

type documentShape struct {
	registry huma.Registry
	whole    *shape
}

// Strictly knows every field of its documents; what a document of another program has besides is refused.
func Strictly[T any]() *Document[T] { return documents[T](false) }

// Leniently accepts unknown and missing fields, but never a known one in another case or twice.
func Leniently[T any]() *Document[T] { return documents[T](true) }

// documents compiles the shape when the first document comes: commands start without it.
func documents[T any](lenient bool) *Document[T] {
	return &Document[T]{sync.OnceValue(func() *documentShape {
		registry := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
		schema := registry.Schema(reflect.TypeFor[T](), true, "")
		compiled := shapes{registry: registry, lenient: lenient, known: map[*huma.Schema]*shape{}}
		whole := *compiled.of(schema)
		whole.nullable = false
		return &documentShape{registry, &whole}
	})}
}

// Read judges and decodes. Faults: bad_json, unknown_field, missing_field (400), invalid_value (422).
func (d *Document[T]) Read(text []byte) (*T, error) {
	wanted := d.shape()
	if err := judged(wanted.registry, text, wanted.whole); err != nil {
		return nil, err
	}
	out := new(T)
	if err := json.Unmarshal(text, out); err != nil {
		return nil, errType
	}
	return out, nil
}
