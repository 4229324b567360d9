// Package diagnostics shows in the browser what somebody looks for when the panel misbehaves: the last diagnosis of
// Doctor, the end of the log, and a support bundle without secrets.
package diagnostics

import (
	"context"

	"panel/platform/audit"
	"panel/platform/config"
	"panel/platform/core/system"
	"panel/platform/database"
	"panel/platform/doctor"
	"panel/platform/doctor/checks"
	"panel/platform/events"
	"panel/platform/logs"
	"panel/platform/module"
	"panel/platform/support"
	"panel/platform/version"

	"github.com/jonboulle/clockwork"
)

// Module is the manifest.
func Module() module.Module {
	return module.Module{
		Name:     "diagnostics",
		Summary:  "The last diagnosis, the end of the log and support bundles",
		Faults:   faults(),
		Requires: []string{"system"},
		Journal: audit.Kinds{
			Actions: []string{
				"support.bundle_downloaded", "support.bundle_sent", "system.doctor_failed",
			},
			Objects: []string{"support_bundle", "installation"},
		},
		Events: []events.Kind{{
			Name: doctorFailed, Summary: "A diagnosis found something broken", Subject: "installation",
			Needs:    system.Manage,
			Severity: events.Warning, Notify: true, Live: true, Data: DoctorFailed{}, Screen: "/diagnostics",
		}},
		Private: []any{newHandlers, newWatcher},
		Attach:  attach,
	}
}

func attach(h *handlers, w *watcher) module.Parts {
	return module.Parts{Routes: h.routes(), Loops: []func(context.Context) error{w.watch}}
}

type handlers struct {
	config  *config.Config
	clock   clockwork.Clock
	db      *database.DB
	journal audit.Journal
	places  logs.Places
	busy    chan struct{} // one bundle at a time
}

func newHandlers(cfg *config.Config, clock clockwork.Clock, db *database.DB, journal audit.Journal) *handlers {
	h := &handlers{config: cfg, clock: clock, db: db, journal: journal, busy: make(chan struct{}, 1)}
	h.places = logs.Standard(h.doctorEnv())
	return h
}

// doctorEnv is what the checks look at: the settings that this panel was started with.
func (h *handlers) doctorEnv() doctor.Env {
	given := map[string]string{"HOME": config.Foreign("HOME"), "KUBECONFIG": config.Foreign("KUBECONFIG")}
	for _, value := range h.config.Values() {
		given[value.Key.Name] = h.value(value.Key)
	}
	given["PANEL_DATA_DIR"] = h.config.DataDir()
	return doctor.Env{Getenv: func(name string) string { return given[name] }, Now: h.clock.Now}
}

func (h *handlers) value(key config.Key) string {
	if !h.config.Given(key) {
		return ""
	}
	if key.Secret {
		return h.config.Secret(key).Reveal()
	}
	return h.config.String(key)
}

func (h *handlers) options(period string) (support.Options, error) {
	since, err := sinceOf(period, h.clock.Now())
	return support.Options{
		Env: h.doctorEnv(), Checks: checks.All(), Places: h.places, Since: since,
		Version: version.Version,
	}, err
}

// recorded writes into the journal who took what out of the panel.
func (h *handlers) recorded(ctx context.Context, action string, m support.Manifest) error {
	return h.journal.Record(ctx, h.db, audit.Entry{
		Action: action, Object: audit.Object{
			Type: "support_bundle", ID: support.Name(m.CreatedAt),
			Name: support.Name(m.CreatedAt),
		},
	})
}
