// Package module is the contract between a feature and the panel: one manifest that says all that the feature adds.
//
// The manifest has a static half, plain data that is readable when the panel cannot start (names, keys, SQL, commands,
// checks), and a live half, Parts, that Attach builds from services once the panel starts.
package module

import (
	"context"
	"io/fs"

	"github.com/spf13/cobra"

	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/automation"
	"panel/platform/cli"
	"panel/platform/config"
	"panel/platform/doctor"
	"panel/platform/doctor/recovery"
	"panel/platform/entitlement"
	"panel/platform/events"
	"panel/platform/fault"
	"panel/platform/httpapi"
	"panel/platform/ingest"
	"panel/platform/jobs"
	"panel/platform/metrics"
	"panel/platform/restored"
	"panel/platform/vault"
)

// Module is the manifest. An empty field means "none".
type Module struct {
	// Name is the one word for the feature everywhere: folder, package, screen folder, feature key.
	Name string
	// Summary is one sentence for people who list the modules.
	Summary string
	// Requires names modules that must be in the same build.
	Requires []string
	// Unpublished keeps the module out of the documents for operators; its operations are hidden.
	Unpublished bool

	Permissions []access.Permission
	Features    []entitlement.Feature
	// Events are the kinds of what this module emits; the bus refuses anything that no module declares.
	Events []events.Kind
	// Faults are the codes that this module alone answers with; fault.Common has those that several share.
	Faults []fault.Declared
	// Journal names what this module writes into the journal; the journal refuses anything that no module declares.
	Journal audit.Kinds
	Config  []config.Key
	// Acts are what this module does to nodes and other systems without being asked; each asks automation.Switch first.
	Acts []automation.Act

	// Secrets are the columns of this module's tables that hold sealed texts; they are sealed anew after the master key
	// was changed.
	Secrets []vault.Column
	// Migrations holds *.tx.up.sql files with rising stamps; every table in them belongs to this module alone.
	Migrations fs.FS
	// Commands adds commands to panelctl; they must work while the panel is down.
	Commands func(cli.Env) []*cobra.Command
	// Outlives is a query that gives one JSON document: what of this module must outlive a full restore of an older
	// backup. It is asked of the database that is about to be replaced, and Parts.Restored gets what it gave.
	Outlives string
	// Tidy removes old rows of this module's tables, once an hour.
	Tidy []jobs.Tidy
	// Checks are asked by Doctor, also with the database down.
	Checks []doctor.Check

	// Reference are pages of docs/reference that follow from tables of this module; "make generate" writes them.
	Reference []Page

	// Repairs are what safe recovery may do about findings of Doctor.
	Repairs []recovery.Repair
	// Russian translates what this module's commands, checks and repairs say: an English text, below it the Russian
	// one, then an empty line.
	Russian string

	// Private are constructors whose results only this module sees.
	Private []any
	// Exports are constructors whose results every module sees: interfaces of the module's api package.
	Exports []any
	// Attach is func(services...) Parts.
	Attach any
}

// Page is one page for operators.
type Page struct {
	Name string        // of the file, without its ending
	Text func() string // Markdown; the first line is the heading
}

// Parts is what a module does once it lives.
type Parts struct {
	Routes httpapi.Routes
	// Listeners handle events, those of other modules too; their names begin with the module's name.
	Listeners []events.Listener
	// Jobs run what was postponed, "backups.run"; the first word of a kind is the module's name.
	Jobs []jobs.Worker
	// Schedules insert jobs by the clock, once for all panels.
	Schedules []jobs.Schedule
	// Loops run from the start of the panel until the context ends; one that returns an error earlier is started again
	// after a pause, and the error is logged.
	Loops []func(context.Context) error
	// Restored puts right what this module owns in a database that was restored from a backup, once for all panels: in
	// one transaction with all modules, before Ready and before any request.
	Restored restored.Rule
	// Ready runs once before the panel answers its first request, for example to load a memory image.
	Ready []func(context.Context) error
	// AgentBatches are the kinds of results that agents send by themselves and this module stores.
	AgentBatches []ingest.Intake
	// Metrics are shown to whoever watches the panel; their names begin with panel_ and end with their unit.
	Metrics []metrics.Collector
}
