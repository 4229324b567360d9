package app

import (
	"fmt"
	"strings"
)

// addJobs declares the workers of the modules.
func (a *App) addJobs() error {
	for _, o := range a.parts {
		for _, w := range o.parts.Jobs {
			if !strings.HasPrefix(w.Kind, o.owner+".") {
				return fmt.Errorf("module %s: the kind of its worker %q must begin with %q", o.owner, w.Kind, o.owner+".")
			}
			if err := a.worker.Add(w); err != nil {
				return fmt.Errorf("module %s: %w", o.owner, err)
			}
		}
	}
	return nil
}
