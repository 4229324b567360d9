// Package assistant answers questions about the panel from what the caller may read, and proposes changes that they
// confirm. It reads through the panel's own operations with the caller's rights and depends on no other module; it
// never changes anything but its own history.
package assistant

import (
	"embed"

	"panel/modules/assistant/internal/masking"
	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/doctor"
	"panel/platform/entitlement"
	"panel/platform/events"
	"panel/platform/fault"
	"panel/platform/jobs"
	"panel/platform/module"
	"panel/platform/settings"
)

//go:embed migrations
var files embed.FS

//go:embed russian.txt
var russian string

// Module is the manifest.
func Module() module.Module {
	return module.Module{
		Name:        "assistant",
		Summary:     "Answers to questions about the panel, and proposals that a person confirms",
		Unpublished: true,
		Russian:     russian,
		Permissions: []access.Permission{{Key: Use, Summary: "Ask the assistant"}},
		Features:    []entitlement.Feature{{Key: feature, Summary: "Assistant"}},
		Faults: []fault.Declared{
			{Kind: fault.KindConflict, Code: "assistant_busy", Summary: "Somebody else is being helped just now"},
			{Kind: fault.KindConflict, Code: errNoHelper.Code, Summary: "There is no such helper session"},
			{Kind: fault.KindConflict, Code: errModelOff.Code, Summary: "No language model is connected"},
			{Kind: fault.KindConflict, Code: errAnswering.Code, Summary: "The model answers other questions of the caller"},
			{Kind: fault.KindConflict, Code: errSettled.Code, Summary: "The proposal cannot be confirmed any more"},
		},
		Journal: audit.Kinds{
			Actions: []string{kindProposed, kindConfirmed, kindRejected, actionSettings},
			Objects: []string{objectProposal, "settings"},
		},
		Events: []events.Kind{
			proposalKind(kindProposed, "The assistant proposed a change"),
			proposalKind(kindConfirmed, "A proposal of the assistant was confirmed"),
			proposalKind(kindRejected, "A proposal of the assistant was rejected"),
			{
				Name: kindHelper, Summary: "The helper session began, got on or ended", Subject: objectHelper, Needs: Use,
				Live: true, Data: HelperNews{},
			},
			settings.Kind(actionSettings, "Settings of the assistant were changed", Use),
		},
		Tidy: []jobs.Tidy{
			{Table: "assistant_questions", Column: "asked_at", Age: keptFor},
			{Table: "assistant_spending", Column: "day", Age: keptFor},
		},
		Checks:     []doctor.Check{check()},
		Migrations: module.SQL(files),
		Private: []any{
			newMeter, newProposals, newQuestions, newHelper, newSpending, newAnswering, newHandlers, openSettings,
		},
		Attach: attach,
	}
}

func proposalKind(name, summary string) events.Kind {
	return events.Kind{
		Name: name, Summary: summary, Subject: objectProposal, Needs: Use, Live: true, Data: Settled{},
	}
}

func attach(h *handlers, m *meter) module.Parts {
	return module.Parts{Routes: h.routes(), Metrics: m.collectors()}
}

// masked is a question as it is kept.
func masked(text string) string { return masking.Secrets(text) }
