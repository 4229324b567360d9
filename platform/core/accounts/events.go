package accounts

import (
	"context"

	"panel/platform/audit"
	"panel/platform/events"
)

// Changed is the data of the events about accounts.
type Changed struct {
	Username string `json:"username"`
}

// accountScreen is where the web interface shows an account.
const accountScreen = "/accounts/{id}"

// eventKinds are what happens to accounts.
func eventKinds() []events.Kind {
	kinds := []events.Kind{{
		Name: factorsLocked, Summary: "Somebody who knows the password guesses second factors",
		Severity: events.Warning, Notify: true, Data: FactorsLocked{}, Screen: accountScreen,
		Effect: "The password is known to somebody; replace it if that is not its owner.",
	}, {
		Name: "account.password_reset", Summary: "The password of an account was replaced",
		Severity: events.Warning, Notify: true, Data: Changed{}, Screen: accountScreen,
		Effect: "Its earlier sessions have ended.",
	}}
	for name, summary := range map[string]string{
		"account.created": "An account was made", "account.updated": "An account was changed",
		"account.permissions_changed": "The permissions of an account were changed",
		"account.deleted":             "An account was deleted",
		"account.factor_changed":      "The second factors of an account were changed",
		"account.login_ok":            "Somebody signed in",
	} {
		kinds = append(kinds, events.Kind{Name: name, Summary: summary, Data: Changed{}})
	}
	for i := range kinds {
		kinds[i].Needs, kinds[i].Live = View, true
	}
	return kinds
}

// note writes a change of an account into the journal and emits the event of the same name, in the transaction of the
// change. A command that works with the database alone has no bus.
func (s *service) note(ctx context.Context, action string, row *accountRow, changes map[string]audit.Change) error {
	err := s.journal.Record(ctx, s.db.In(ctx), audit.Entry{Action: action, Object: object(row), Changes: changes})
	if err != nil || s.bus == nil {
		return err
	}
	return s.bus.Emit(ctx, events.Event{
		Kind: action, SubjectID: row.ID, At: s.clock.Now().UTC(), Data: Changed{Username: row.Username},
	})
}
