// Package audit shows the journal: who did what, from where, and the proof that nobody changed the record since.
//
// Writing, sealing and proving live in platform/audit; this package is its face.
package audit

import (
	"context"
	_ "embed" // for the texts
	"errors"
	"time"

	"github.com/spf13/cobra"

	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/cli"
	"panel/platform/doctor"
	"panel/platform/entitlement"
	"panel/platform/jobs"
	"panel/platform/module"
	"panel/platform/vault"
)

// View is the key for everything here: the journal is only ever read.
const View access.Key = "audit.view"

//go:embed russian.txt
var russian string

// Module is the manifest.
func Module() module.Module {
	return module.Module{
		Name:        "audit",
		Summary:     "The journal and its proof",
		Russian:     russian,
		Permissions: []access.Permission{{Key: View, Summary: "Read, export and verify the journal"}},
		Secrets: []vault.Column{
			{Table: "journal_keys", ID: "id", Column: "sealed"},
		},
		Journal: audit.Kinds{
			Actions: []string{
				"access.denied", "audit.tampered", "audit.trimmed", "audit.unproven", "backup.restored",
			},
			Objects: []string{"journal", "operation"},
		},
		Commands: func(env cli.Env) []*cobra.Command { return commands(env) },
		Checks:   []doctor.Check{{ID: "database.journal", Group: "database", Title: "journal", Run: proven}},
		Private:  []any{stored, newHandlers},
		Attach:   attach,
	}
}

// stored is the journal with its reading side.
func stored(journal audit.Journal) (*audit.Store, error) {
	store, ok := journal.(*audit.Store)
	if !ok {
		return nil, errors.New("the journal of this build cannot be read")
	}
	return store, nil
}

func attach(h *handlers, store *audit.Store) module.Parts {
	return module.Parts{
		Routes: h.routes(), Ready: []func(context.Context) error{store.Load},
		Loops:   []func(context.Context) error{store.Run},
		Metrics: store.Metrics(), Jobs: []jobs.Worker{trimmer(store)}, Schedules: []jobs.Schedule{trimming()},
	}
}

type trimArgs struct{}

// Kind is that of the job that removes what is older than the journal is kept.
func (trimArgs) Kind() string { return "audit.trim" }

const trimWithin = 30 * time.Minute

func trimmer(store *audit.Store) jobs.Worker {
	return jobs.Worker{
		Kind: trimArgs{}.Kind(), Timeout: trimWithin, Attempts: 3,
		Work: func(ctx context.Context, _ jobs.Job) error { return store.Trim(ctx) },
	}
}

// trimming is done once a day for all panels, whatever the license says: how long the journal is kept is a promise.
func trimming() jobs.Schedule {
	return jobs.Schedule{
		Name: trimArgs{}.Kind(), Cron: "7 3 * * *", Jitter: time.Hour, ReadOnly: entitlement.GoesOn,
		Blocked: entitlement.GoesOn, Args: func() jobs.Args { return trimArgs{} },
	}
}
