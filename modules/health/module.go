// Package health watches nodes and flows from several places, judges what is really broken, and tells of it.
//
// Agents and the panel look by themselves at what is installed (internal/place decides who looks at what); results
// come in numbered batches (internal/evidence); one panel at a time folds them into verdicts and commits each change of
// state with its event (internal/judge, internal/verdict).
package health

import (
	"embed"

	"panel/modules/health/healthapi"
	"panel/modules/health/internal/view"
	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/entitlement"
	"panel/platform/events"
	"panel/platform/fault"
	"panel/platform/module"
)

//go:embed migrations
var files embed.FS

//go:embed russian.txt
var russian string

const (
	object        = "health_policy"
	actionChecked = "health.checks_run"
)

// Module is the manifest.
func Module() module.Module {
	return module.Module{
		Name:     "health",
		Summary:  "Health of nodes and flows, seen from several places",
		Requires: []string{"flows", "nodes"},
		Russian:  russian,
		Permissions: []access.Permission{
			{Key: View, Summary: "See the health of nodes and flows"},
			{Key: Manage, Summary: "Change health policies and look again"},
		},
		Features: []entitlement.Feature{{Key: feature, Summary: "Health policies"}},
		Faults: []fault.Declared{
			{Kind: fault.KindConflict, Code: "standing_policy", Summary: "The policy of everything else stays, and speaks of all"},
		},
		Journal: audit.Kinds{
			Actions: []string{
				healthapi.EventPolicyCreated, healthapi.EventPolicyUpdated, healthapi.EventPolicyDeleted, actionChecked,
			},
			Objects: []string{object},
		},
		Events:     eventKinds(),
		Migrations: module.SQL(files),
		Private:    []any{view.New, newPolicies, newRuns, newHandlers},
		Attach:     attach,
	}
}

func eventKinds() []events.Kind {
	return []events.Kind{
		{
			Name: healthapi.EventStateChanged, Summary: "The verdict about a node or flow has changed", Needs: View,
			Live: true, Data: healthapi.StateNews{},
		},
		{Name: healthapi.EventPolicyCreated, Summary: "A health policy was made", Needs: View, Live: true, Data: healthapi.PolicyNews{}},
		{Name: healthapi.EventPolicyUpdated, Summary: "A health policy was changed", Needs: View, Live: true, Data: healthapi.PolicyNews{}},
		{Name: healthapi.EventPolicyDeleted, Summary: "A health policy was removed", Needs: View, Live: true, Data: healthapi.PolicyNews{}},
	}
}

func attach(h *handlers) module.Parts {
	return module.Parts{Routes: h.routes()}
}
