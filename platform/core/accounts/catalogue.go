package accounts

import (
	"cmp"
	"context"
	"slices"

	"panel/platform/access"
)

// catalogue is every permission that the modules of this build declare, sorted by key.
type catalogue struct {
	declared []access.Permission
	shown    []permission
}

func newCatalogue(declared []access.Permission) *catalogue {
	k := &catalogue{declared: slices.SortedFunc(slices.Values(declared),
		func(a, b access.Permission) int { return cmp.Compare(a.Key, b.Key) })}
	k.shown = make([]permission, 0, len(k.declared))
	for _, p := range k.declared {
		k.shown = append(k.shown, permission{Key: string(p.Key), Family: string(p.Key.Family()), Summary: p.Summary})
	}
	return k
}

// knows also accepts "*" and the family of any declared key.
func (c *catalogue) knows(key access.Key) bool {
	return key == access.All || slices.ContainsFunc(c.declared, func(p access.Permission) bool {
		return p.Key == key || p.Key.Family() == key
	})
}

// permission is one key as the permission matrix shows it.
type permission struct {
	Key     string `json:"key"`
	Family  string `json:"family" doc:"Opens every key with the same noun"`
	Summary string `json:"summary"`
}

type permissionsOutput struct {
	Body struct {
		Items []permission `json:"items"`
	}
}

func (h *handlers) permissions(context.Context, *none) (*permissionsOutput, error) {
	out := &permissionsOutput{}
	out.Body.Items = h.service.catalogue.shown
	return out, nil
}
