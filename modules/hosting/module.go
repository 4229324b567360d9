// Package hosting knows the accounts at hosting providers and the machines there: what they cost and which nodes they
// are.
//
// An account is the access to one provider (accounts.go); it is looked at when it is added, changed or tested, and its
// machines are read every hour, as jobs (sync.go, servers.go). What they cost is in billing.go, and due payments are
// told of by reminders.go. Machines are made (create.go), switched and deleted (power.go) by orders (orders.go), which
// drive.go carries to their end. A machine that takes the place of another, with the flows and transit pools of its
// node, is a replacement (replace.go, replacements.go), which moving.go and pooling.go bring to its end. Providers of
// the kind custom are not called: their machines are entered by hand (servers.go). How providers are asked is in
// internal/cloud; hostingtest stands in for them in tests.
//
// There is no screen for any of this, by the specification: the API and the command line are all of it.
package hosting

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"panel/modules/hosting/internal/cloud"
	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/doctor"
	"panel/platform/entitlement"
	"panel/platform/events"
	"panel/platform/fault"
	"panel/platform/jobs"
	"panel/platform/module"
	"panel/platform/restored"
	"panel/platform/settings"
	"panel/platform/vault"
)

//go:embed migrations
var files embed.FS

//go:embed russian.txt
var russian string

// The words for what happens here, in the journal and as events.
const (
	objectAccount = "hosting_account"
	objectServer  = "hosting_server"

	accountAdded   = "hosting.account_added"
	accountChanged = "hosting.account_changed"
	accountRemoved = "hosting.account_removed"
	accountFailed  = "hosting.account_failed"
	accountWorks   = "hosting.account_works"
	syncStarted    = "hosting.sync_started"
	entryAdded     = "hosting.entry_added"
	serverChanged  = "hosting.server_changed"
	entryRemoved   = "hosting.entry_removed"

	serverOrdered  = "hosting.server_ordered"
	serverMade     = "hosting.server_made"
	powerOrdered   = "hosting.power_ordered"
	powerChanged   = "hosting.power_changed"
	deleteOrdered  = "hosting.delete_ordered"
	serverDeleted  = "hosting.server_deleted"
	orderWentWrong = "hosting.order_failed"

	replaceStarted   = "hosting.replace_started"
	replaceResumed   = "hosting.replace_continued"
	replaceUnwanted  = "hosting.replace_cancelled"
	replaceUndone    = "hosting.replace_undone"
	replaceSucceeded = "hosting.replaced"
	replaceWentWrong = "hosting.replace_failed"

	settingsChanged = "hosting.settings_changed"
	paymentDue      = "cost.payment_due"
	paymentOverdue  = "cost.payment_overdue"
	costPaid        = "cost.paid"
	costSkipped     = "cost.skipped"
)

// Named is the data of an event about an account or a server.
type Named struct {
	Name string `json:"name"`
}

// Failed is the data of the event that an account cannot be used any more.
type Failed struct {
	Name  string `json:"name"`
	State string `json:"state"`
	Cause string `json:"cause"`
}

// Ordered is the data of the events about what is done with a machine at its provider.
type Ordered struct {
	Name  string `json:"name"`
	Act   string `json:"act"`
	Error string `json:"error"`
}

// Replaced is the data of the events about a machine that takes the place of another.
type Replaced struct {
	Name  string `json:"name"`
	By    string `json:"by"`
	Error string `json:"error"`
}

// Payment is the data of the events that a machine must be paid.
type Payment struct {
	Name    string       `json:"name"`
	Account string       `json:"account"`
	DueAt   time.Time    `json:"due_at"`
	Days    int          `json:"days" doc:"Below zero: overdue"`
	Price   *cloud.Price `json:"price"`
}

// Module is the manifest.
func Module() module.Module {
	return module.Module{
		Name:     "hosting",
		Requires: []string{"flows", "nodes", "pools"},
		Summary:  "Hosting providers: accounts, machines, prices and due payments",
		Russian:  russian,
		Permissions: []access.Permission{{
			Key:     Manage,
			Summary: "See and manage accounts and machines at hosting providers",
		}},
		Features: []entitlement.Feature{{Key: feature, Summary: "Hosting providers"}},
		Faults:   faults(),
		Journal: audit.Kinds{
			Actions: []string{
				accountAdded, accountChanged, accountRemoved, syncStarted, entryAdded, serverChanged, entryRemoved,
				costPaid, costSkipped, settingsChanged, serverOrdered, serverMade, powerOrdered, powerChanged,
				deleteOrdered, serverDeleted, orderWentWrong, replaceStarted, replaceResumed, replaceUnwanted,
				replaceUndone, replaceSucceeded, replaceWentWrong,
			},
			Objects: []string{objectAccount, objectServer, "settings"},
		},
		Events:     eventKinds(),
		Secrets:    []vault.Column{{Table: "hosting_accounts", ID: "id", Column: "sealed"}},
		Tidy:       []jobs.Tidy{tidyServers, tidyOrders, tidyReplacements},
		Migrations: module.SQL(files),
		Commands:   commands,
		Checks:     []doctor.Check{check()},
		Private: []any{
			newStore, newPace, newProviders, newAccounts, newMachines, newOrders, newDriver, newReplacements,
			newMover, newHandlers, openSettings,
		},
		Attach: attach,
	}
}

func attach(h *handlers, a *accounts, m *machines, d *driver, r *mover) module.Parts {
	return module.Parts{
		Routes:    h.routes(),
		Jobs:      []jobs.Worker{m.worker(), m.reminder()},
		Schedules: []jobs.Schedule{syncSchedule(), remindSchedule()},
		Loops:     []func(context.Context) error{d.Run, r.Run},
		Restored: func(ctx context.Context, kept json.RawMessage, to *restored.Restoration) error {
			return errors.Join(d.restored(ctx, kept, to), r.restored(ctx, kept, to))
		},
		Metrics: a.metrics(),
	}
}

func faults() []fault.Declared {
	return append([]fault.Declared{
		{Kind: fault.KindConflict, Code: "due_changed", Summary: "The machine is due on another day, or on none"},
		{
			Kind: fault.KindConflict, Code: "hosting_account_in_use",
			Summary: "The account has machines that were entered by hand; remove them first",
		},
		{
			Kind: fault.KindConflict, Code: "hosting_sync_active",
			Summary: "The machines of this account are being read already",
		},
		{Kind: fault.KindConflict, Code: errOrderActive.Code, Summary: "Something is being done with the machine"},
		{Kind: fault.KindConflict, Code: errPriceChanged.Code, Summary: "The machine costs something else now"},
		{
			Kind: fault.KindConflict, Code: errReplacing.Code,
			Summary: "The machine is being replaced, or takes the place of another",
		},
		{Kind: fault.KindConflict, Code: errTooLate.Code, Summary: "A replacement is too far to be undone"},
		{Kind: fault.KindConflict, Code: errNoWayOn.Code, Summary: "A replacement cannot be continued"},
		{Kind: fault.KindConflict, Code: errNoNode.Code, Summary: "The machine is no node of the panel"},
	}, cloud.Faults()...)
}

func eventKinds() []events.Kind {
	kinds := []events.Kind{
		{Name: accountAdded, Summary: "An account at a hosting provider was added", Data: Named{}},
		{Name: accountChanged, Summary: "An account at a hosting provider was changed", Data: Named{}},
		{Name: accountRemoved, Summary: "An account at a hosting provider was removed", Data: Named{}},
		{
			Name: accountFailed, Summary: "A hosting provider cannot be asked any more", Severity: events.Warning,
			Notify: true,
			Effect: "Machines and prices stay as they were read last.", Data: Failed{},
		},
		{
			Name: accountWorks, Summary: "A hosting provider can be asked again", Notify: true,
			Resolves: []string{accountFailed}, Data: Named{},
		},
		{Name: entryAdded, Summary: "A machine was entered by hand", Data: Named{}},
		{Name: serverChanged, Summary: "What is known of a machine was changed by hand", Data: Named{}},
		{Name: entryRemoved, Summary: "A machine that was entered by hand was removed", Data: Named{}},
	}
	kinds = slices.Concat(kinds, costKinds(), orderKinds(), replacementKinds())
	for i := range kinds {
		kinds[i].Needs, kinds[i].Live = Manage, true
	}
	return append(kinds, settings.Kind(settingsChanged, "Settings of hosting providers were changed", Manage))
}

func orderKinds() []events.Kind {
	return []events.Kind{
		{Name: serverOrdered, Summary: "A machine was ordered at a hosting provider", Data: Ordered{}},
		{Name: serverMade, Summary: "A machine was made and its agent has come", Notify: true, Data: Ordered{}},
		{Name: powerOrdered, Summary: "A machine is to be switched at its provider", Data: Ordered{}},
		{Name: powerChanged, Summary: "A machine was switched at its provider", Data: Ordered{}},
		{Name: deleteOrdered, Summary: "A machine is to be deleted at its provider", Data: Ordered{}},
		{Name: serverDeleted, Summary: "A machine was deleted at its provider", Notify: true, Data: Ordered{}},
		{
			Name: orderWentWrong, Summary: "What was wanted of a machine at its provider was not done",
			Severity: events.Warning, Notify: true,
			Effect: "A machine that was made all the same costs money until it is deleted.", Data: Ordered{},
		},
	}
}

func replacementKinds() []events.Kind {
	return []events.Kind{
		{Name: replaceStarted, Summary: "A machine is to take the place of another", Data: Replaced{}},
		{Name: replaceResumed, Summary: "The replacement of a machine goes on", Data: Replaced{}},
		{Name: replaceUnwanted, Summary: "The replacement of a machine is to be undone", Data: Replaced{}},
		{Name: replaceUndone, Summary: "The replacement of a machine was undone", Data: Replaced{}},
		{
			Name: replaceSucceeded, Summary: "A machine has taken the place of another", Notify: true,
			Resolves: []string{replaceWentWrong}, Data: Replaced{},
		},
		{
			Name: replaceWentWrong, Summary: "A machine could not take the place of another", Severity: events.Warning,
			Notify: true,
			Effect: "Flows serve on: those that have moved on the new node, the others on the old one.",
			Data:   Replaced{},
		},
	}
}

func costKinds() []events.Kind {
	return []events.Kind{
		{
			Name: paymentDue, Summary: "A machine must be paid soon", Notify: true,
			Effect: "A machine that is not paid is switched off by whoever hosts it.", Data: Payment{},
		},
		{
			Name: paymentOverdue, Summary: "The payment of a machine is overdue", Severity: events.Warning,
			Notify: true,
			Effect: "A machine that is not paid is switched off by whoever hosts it.", Data: Payment{},
		},
		{
			Name: costPaid, Summary: "A machine was paid", Resolves: []string{paymentDue, paymentOverdue}, Notify: true,
			Data: Named{},
		},
		{Name: costSkipped, Summary: "A payment is not told of any more", Data: Named{}},
	}
}
