package domains

import (
	"testing"

	"panel/modules/domains/domainsapi"
	"panel/modules/nodes"
	"panel/platform/module"
	"panel/platform/paneltest"
)

// ports are the interfaces that other modules get, caught for the tests.
type ports struct {
	domains domainsapi.Domains
	states  domainsapi.States
}

// asking is a module that only wants to know the bindings.
func asking(into *ports) module.Module {
	return module.Module{
		Name: "asking", Summary: "A test that asks", Requires: []string{"domains"},
		Attach: func(d domainsapi.Domains, s domainsapi.States) module.Parts {
			*into = ports{d, s}
			return module.Parts{}
		},
	}
}

func asked(t *testing.T, settings ...paneltest.Setting) (*paneltest.Panel, *ports) {
	t.Helper()
	into := new(ports)
	modules := paneltest.Modules(nodes.Module(), Module(), asking(into))
	return paneltest.Start(t, append(settings, modules)...), into
}
