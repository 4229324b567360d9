// Package recovery repairs what can be repaired without losing anything: a short list of actions, each tied to a finding
// of Doctor. What is not in the list is never done.
package recovery

import (
	"context"

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

// Actions lists the repairs for the findings of a report, in the order in which they should be done; nothing is done yet.
// A finding without a safe repair has none.
func Actions(env doctor.Env, report doctor.Report) []Action {
	return nil
}
