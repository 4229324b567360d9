package app

import (
	"panel/migrations"
	"panel/platform/doctor"
	"panel/platform/module"
)

// known is what Doctor compares an installation with.
func known(modules []module.Module) doctor.Known {
	declared := doctor.Known{Keys: Keys(modules), Sealed: SealedColumns(modules), Outlives: map[string]string{}}
	for _, m := range modules {
		if m.Outlives != "" {
			declared.Outlives[m.Name] = m.Outlives
		}
	}
	for _, set := range append([]migrations.Set{migrations.Platform()}, Migrations(modules)...) {
		if names, err := migrations.Names(set); err == nil {
			declared.Steps = append(declared.Steps, names...)
		}
	}
	return declared
}
