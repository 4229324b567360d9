// Package recovery repairs what can be repaired without losing anything: a short list of actions, each tied to a
// finding of Doctor. What no list names is never done.
package recovery

import (
	"context"
	"errors"
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

// Repair declares one repair, of this package or in the manifest of a module. It must be safe: it loses nothing, may be
// done twice, and does nothing where the world has changed since the report.
type Repair struct {
	// Checks are those whose findings it answers.
	Checks []string
	// Make looks at the machine and gives the action, or none where it would not help.
	Make func(doctor.Env) *Action
}

// ErrNoDatabase says that a repair needs the database, which cannot be reached.
var ErrNoDatabase = errors.New("the database cannot be reached")

func files() []Repair {
	return []Repair{
		{[]string{"disk.data"}, makeFolders},
		{[]string{"configuration.file"}, restoreMode},
		{[]string{"database.connect"}, removeStalePID},
	}
}

func services() []Repair {
	return []Repair{
		{[]string{"services.panel", "services.port"}, restartService},
		{[]string{"tls.public", "services.nginx"}, reloadNginx},
	}
}

// Actions lists the repairs for the findings of a report, in the order in which they should be done; nothing is done
// yet. A finding without a safe repair has none. Those of modules stand between those of files and those of services.
func Actions(env doctor.Env, report doctor.Report, modules ...Repair) []Action {
	var found []Action
	for _, repair := range slices.Concat(files(), modules, services()) {
		if check := firstBad(report, repair.Checks); check != "" {
			if action := repair.Make(env); action != nil {
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
