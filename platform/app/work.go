package app

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"panel/platform/entitlement"
	"panel/platform/events"
	"panel/platform/events/backlog"
	"panel/platform/idempotency"
	"panel/platform/ingest"
	"panel/platform/jobs"
	"panel/platform/module"
)

// addJobs declares the workers and schedules of the modules, and the tidying of their tables.
func (a *App) addJobs() error {
	var problems []error
	for _, o := range a.parts {
		for _, w := range o.parts.Jobs {
			problems = append(problems, o.names(w.Kind), a.worker.Add(w))
		}
		for _, s := range o.parts.Schedules {
			problems = append(problems, o.names(s.Name), a.timer.Add(s))
		}
	}
	rules := tidying(a.opts.Modules)
	problems = append(problems, a.worker.Add(jobs.TidyWorker(a.opts.DB, a.opts.Clock, rules)),
		a.timer.Add(jobs.TidySchedule()))
	return errors.Join(problems...)
}

// addListeners gives the listeners of the modules their backlogs.
func (a *App) addListeners(queue *jobs.Enqueuer, license entitlement.Source) error {
	kept := backlog.New(queue, license, a.opts.Log.Named("listeners"))
	var problems []error
	for _, o := range a.parts {
		for _, l := range o.parts.Listeners {
			a.listeners = append(a.listeners, l)
			problems = append(problems, o.names(l.Name), a.worker.Add(kept.Worker(l)))
		}
	}
	return errors.Join(append(problems, a.bus.Listen(kept, a.listeners...))...)
}

// addIntakes declares which results of agents the modules store.
func (g *gathered) addIntakes(into *ingest.Intakes) error {
	var problems []error
	for _, o := range g.Parts {
		for _, intake := range o.parts.AgentBatches {
			problems = append(problems, into.Add(intake))
		}
	}
	return errors.Join(problems...)
}

// names refuses work that does not begin with the name of its module.
func (o owned) names(kind string) error {
	if !strings.HasPrefix(kind, o.owner+".") {
		return fmt.Errorf("module %s: the name of its work %q must begin with %q", o.owner, kind, o.owner+".")
	}
	return nil
}

func tidying(modules []module.Module) []jobs.Tidy {
	all := slices.Clone(idempotency.Tidy)
	for _, m := range modules {
		all = append(all, m.Tidy...)
	}
	return all
}

// Listeners lists what handles events on this panel.
func (a *App) Listeners() []events.Listener { return a.listeners }

// Schedules lists what happens by the clock on this panel.
func (a *App) Schedules() []jobs.Schedule { return a.timer.All() }
