// Package policies keeps what rules over flows: policies that limit them, the catalogue of sets and presets, and custom
// plans, which are ways out that operators have written.
//
// Flows ask at each compilation (source.go). Nothing here changes what runs: flows keep the snapshot of the catalogue
// that they were compiled with, and a policy counts from the next compilation on.
package policies

import (
	"embed"

	"panel/modules/flows/flowsapi"
	"panel/modules/policies/policiesapi"
	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/events"
	"panel/platform/fault"
	"panel/platform/metrics"
	"panel/platform/module"
	"panel/platform/vault"
)

//go:embed migrations
var files embed.FS

//go:embed russian.txt
var russian string

// Module is the manifest.
func Module() module.Module {
	return module.Module{
		Name:     "policies",
		Summary:  "Flow policies, the policy catalogue and custom plans",
		Requires: []string{"flows"},
		Russian:  russian,
		Permissions: []access.Permission{
			{Key: manage, Summary: "Change flow policies, the policy catalogue and custom plans"},
		},
		Faults: []fault.Declared{
			{Kind: fault.KindConflict, Code: "custom_plan_in_use", Summary: "A flow uses the custom plan"},
			{Kind: fault.KindConflict, Code: "flow_has_policy", Summary: "A flow obeys another policy of the kind"},
			{Kind: fault.KindConflict, Code: "policy_in_use", Summary: "Flows obey the policy"},
		},
		Journal:    audit.Kinds{Actions: actions(), Objects: []string{planObject, policyObject, catalogueObject}},
		Events:     eventKinds(),
		Migrations: module.SQL(files),
		Secrets:    []vault.Column{{Table: "custom_plan_versions", ID: "id", Column: "password"}},
		Commands:   commands,
		Private:    []any{newPolicies, newHandlers},
		Attach:     attach,
	}
}

func actions() (names []string) {
	for _, kind := range eventKinds() {
		names = append(names, kind.Name)
	}
	return names
}

func eventKinds() []events.Kind {
	news, plan := policiesapi.News{}, policiesapi.PlanNews{}
	kinds := []events.Kind{
		{Name: policiesapi.EventPlanCreated, Summary: "A custom plan was made", Data: plan},
		{Name: policiesapi.EventPlanDeleted, Summary: "A custom plan was removed", Data: plan},
		{
			Name: policiesapi.EventPlanDisabled, Summary: "The flows of a policy may no longer use a version of a custom plan",
			Data: plan,
		},
		{
			Name: policiesapi.EventPlanEnabled, Summary: "The flows of a policy may use a version of a custom plan",
			Data: plan,
		},
		{Name: policiesapi.EventPlanVersionAdded, Summary: "A custom plan got a new version", Data: plan},
		{Name: policiesapi.EventAssigned, Summary: "Other flows obey a policy", Data: news},
		{
			Name: policiesapi.EventCatalogueSaved, Summary: "The policy catalogue got a new version",
			Data: policiesapi.CatalogueNews{},
		},
		{Name: policiesapi.EventCreated, Summary: "A policy was made", Data: news},
		{Name: policiesapi.EventDeleted, Summary: "A policy was removed", Data: news},
		{Name: policiesapi.EventUpdated, Summary: "A policy was changed", Data: news},
	}
	for i := range kinds {
		kinds[i].Needs, kinds[i].Live, kinds[i].Subject = view, true, policyObject
	}
	return kinds
}

func attach(h *handlers, p *policies, over flowsapi.Policies) module.Parts {
	over.Add("policies", source{p})
	return module.Parts{Routes: h.routes(), Metrics: []metrics.Collector{p.count()}}
}
