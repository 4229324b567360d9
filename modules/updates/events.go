package updates

import (
	"panel/modules/updates/updatesapi"
	"panel/platform/events"
)

// eventKinds are what happens while agents are updated.
func eventKinds() []events.Kind {
	kinds := []events.Kind{
		{Name: updatesapi.NodeUpdateStarted, Summary: "The update of an agent began", Data: updatesapi.NodeUpdate{}},
		{
			Name: updatesapi.NodeUpdateDone, Summary: "An agent runs its new build", Data: updatesapi.NodeUpdate{},
			Notify: true, Resolves: []string{updatesapi.NodeUpdateFailed}, Screen: "/nodes/{id}",
		},
		{
			Name: updatesapi.NodeUpdateFailed, Summary: "An agent did not take its new build", Severity: events.Warning,
			Notify: true, Data: updatesapi.NodeUpdate{}, Screen: "/nodes/{id}",
			Effect: "It goes on with its former build.",
		},
	}
	for name, summary := range map[string]string{
		updatesapi.RolloutStarted: "A rollout of a build began",
		updatesapi.RolloutStopped: "Somebody stopped a rollout",
		updatesapi.RolloutEnded:   "A rollout ended",
	} {
		kinds = append(kinds, events.Kind{Name: name, Summary: summary, Subject: "rollout", Data: updatesapi.Rollout{}})
	}
	kinds = append(kinds, events.Kind{
		Name: updatesapi.RolloutProgress, Summary: "A rollout goes on", Subject: "rollout", Transient: true,
		Data: updatesapi.Rollout{},
	})
	for i := range kinds {
		kinds[i].Needs, kinds[i].Live = view, true
	}
	return kinds
}
