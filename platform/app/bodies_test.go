package app_test

import (
	"testing"

	"panel/platform/paneltest/bodies"
)

// described is the part of the API's description that says what an operation takes.
type described struct{ bodies.API }

func (d *described) of(line policy) bodies.Operation { return d.Of(line.method, line.path) }

// body is the schema of what the operation takes as JSON, or nil.
func (d *described) body(line policy) *bodies.Schema { return d.of(line).Body() }

// request is a body that the description allows.
func (d *described) request(t testing.TB, line policy) string {
	t.Helper()
	of := d.body(line)
	if of == nil {
		return "{}"
	}
	return d.Document(t, of, bodies.Change{Path: "nowhere"})
}

const someID = bodies.ID
