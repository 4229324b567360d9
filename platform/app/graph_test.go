package app_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules"
	"panel/platform/access"
	"panel/platform/app"
	"panel/platform/httpapi"
	"panel/platform/module"
	"panel/platform/paneltest"
)

// Each module works with nothing but the core and what it requires.
func TestEveryModuleComposesAlone(t *testing.T) {
	t.Parallel()
	for _, m := range modules.All() {
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			paneltest.Start(t, paneltest.Modules(required(m)...))
		})
	}
}

// required gives the module with all features that it needs, directly or not.
func required(m module.Module) []module.Module {
	list := []module.Module{m}
	for i := 0; i < len(list); i++ {
		for _, name := range list[i].Requires {
			for _, other := range modules.All() {
				if other.Name == name && !named(list, name) {
					list = append(list, other)
				}
			}
		}
	}
	return list
}

func named(list []module.Module, name string) bool {
	for _, m := range list {
		if m.Name == name {
			return true
		}
	}
	return false
}

func TestManifestsThatCannotWorkTogetherAreRefusedInWords(t *testing.T) {
	t.Parallel()
	attach := func() module.Parts { return module.Parts{} }
	for sentence, list := range map[string][]module.Module{
		"requires the module nodes": {{Name: "flows", Requires: []string{"nodes"}, Attach: attach}},
		"empty or taken":            {{Name: "one", Attach: attach}, {Name: "one", Attach: attach}},
		"already declared by one": {
			{Name: "one", Permissions: []access.Permission{{Key: "x.view"}}},
			{Name: "two", Permissions: []access.Permission{{Key: "x.view"}}},
		},
		"must be a function that gives module.Parts": {{Name: "one", Attach: func() int { return 1 }}},
	} {
		require.ErrorContains(t, app.Check(list), sentence)
	}
}

// Domain decision 9: an operation without a declaration, or with a key that nobody declares, stops the start.
func TestAnOperationWithoutAccessStopsTheStart(t *testing.T) {
	t.Parallel()
	type none struct{}
	handler := func(_ context.Context, _ *none) (*none, error) { return nil, nil }
	for sentence, op := range map[string]httpapi.Operation{
		"declares no access":       httpapi.Get("/api/v1/x", "x", access.Rule{}, handler),
		"which no module declares": httpapi.Get("/api/v1/x", "x", access.Needs("x.view"), handler),
		"already taken by another": httpapi.Get("/health", "x", access.Public(), handler),
	} {
		op.Owner = "broken"
		_, err := httpapi.New(httpapi.Options{}, httpapi.Routes{httpapi.Get("/health", "h", access.Public(),
			handler), op})
		require.ErrorContains(t, err, sentence)
		require.ErrorContains(t, err, "module broken")
	}
}
