package view

import (
	"context"
	"errors"

	"panel/platform/httpapi"
)

var errNotYet = errors.New("not yet")

// Filter chooses subjects of a page.
type Filter struct {
	httpapi.PageQuery
	Part  string
	State string
	Days  int
}

// Views answers.
type Views struct{}

// New makes views.
func New() *Views { return &Views{} }

func (*Views) Summary(context.Context) (s Summary, err error) { return s, errNotYet }
func (*Views) Page(context.Context, string, Filter) (p httpapi.Page[Subject], err error) {
	return p, errNotYet
}
func (*Views) Subject(context.Context, string, string, int) (s SubjectDetail, err error) {
	return s, errNotYet
}
func (*Views) History(context.Context, string, string, string, string) (h History, err error) {
	return h, errNotYet
}
