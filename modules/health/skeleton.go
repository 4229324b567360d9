package health

import (
	"context"
	"errors"

	"panel/platform/httpapi"
)

var errNotYet = errors.New("not yet")

type policies struct{}

func newPolicies() *policies { return &policies{} }

func (*policies) page(context.Context, httpapi.PageQuery, string) (p httpapi.Page[Policy], err error) {
	return p, errNotYet
}
func (*policies) get(context.Context, string) (p Policy, err error)         { return p, errNotYet }
func (*policies) create(context.Context, NewPolicy) (string, error)         { return "", errNotYet }
func (*policies) change(context.Context, string, int64, PolicyChange) error { return errNotYet }
func (*policies) remove(context.Context, string) error                      { return errNotYet }

type runs struct{}

func newRuns() *runs { return &runs{} }

func (*runs) start(context.Context, Run) (s Started, err error) { return s, errNotYet }
