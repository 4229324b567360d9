package app

import (
	"errors"
	"fmt"
	"strings"

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
	problems = append(problems, a.worker.Add(jobs.TidyWorker(a.opts.DB, a.opts.Clock, rules)), a.timer.Add(jobs.TidySchedule()))
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
	var all []jobs.Tidy
	for _, m := range modules {
		all = append(all, m.Tidy...)
	}
	return all
}

// Schedules lists what happens by the clock on this panel.
func (a *App) Schedules() []jobs.Schedule { return a.timer.All() }
