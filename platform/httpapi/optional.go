package httpapi

import (
	"reflect"

	"github.com/danielgtaylor/huma/v2"
)

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
