// Package recovery repairs what can be repaired without losing anything: a short list of actions, each tied to a finding
// of Doctor. What is not in the list is never done.
package recovery

import (
	"context"
	"slices"

	"panel/platform/doctor"
)

// Action is one repair that the report calls for.
type Action struct {
	ID      string      // stable, for example restart_service
	CheckID string      // the check whose finding it answers
	Title   doctor.Text // a few words for a menu
	What    doctor.Text // what Do will run or change, word for word
	Do      func(context.Context) error
}

// offer looks at one bad finding and gives the action that answers it, or none.
type offer struct {
	checks []string // whose findings it answers
	make   func(doctor.Env) *Action
}

// offers is the whole list of what may be done, in the order in which it should be.
func offers() []offer {
	return []offer{
		{[]string{"disk.data"}, makeFolders},
		{[]string{"configuration.file"}, restoreMode},
		{[]string{"database.connect"}, removeStalePID},
		{[]string{"components.applies"}, releaseRuns},
		{[]string{"services.panel", "services.port"}, restartService},
		{[]string{"tls.public", "services.nginx"}, reloadNginx},
	}
}

// Actions lists the repairs for the findings of a report, in the order in which they should be done; nothing is done yet.
// A finding without a safe repair has none. An action looks again when it is done, and does nothing where the world has
// changed since the report.
func Actions(env doctor.Env, report doctor.Report) []Action {
	var found []Action
	for _, offer := range offers() {
		if check := firstBad(report, offer.checks); check != "" {
			if action := offer.make(env); action != nil {
				action.CheckID = check
				found = append(found, *action)
			}
		}
	}
	return found
}

func firstBad(report doctor.Report, checks []string) string {
	for _, result := range report.Results {
		bad := result.Finding.Status == doctor.Failed || result.Finding.Status == doctor.Warning
		if bad && slices.Contains(checks, result.Check.ID) {
			return result.Check.ID
		}
	}
	return ""
}
