package app_test

import "panel/platform/paneltest/bodies"

// described is the part of the API's description that says what an operation takes.
type described struct{ bodies.API }

func (d *described) of(line policy) bodies.Operation { return d.Of(line.method, line.path) }

// body is the schema of what the operation takes as JSON, or nil.
func (d *described) body(line policy) *bodies.Schema { return d.of(line).Body() }

const someID = bodies.ID
