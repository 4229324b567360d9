// Package app composes the panel: it checks the manifests, wires services with fx and runs what the modules contribute.
package app

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"panel/migrations"
	"panel/platform/access"
	journal "panel/platform/audit"
	"panel/platform/automation"
	"panel/platform/config"
	"panel/platform/core/accounts"
	"panel/platform/core/audit"
	automatic "panel/platform/core/automation"
	"panel/platform/core/diagnostics"
	"panel/platform/core/files"
	"panel/platform/core/operations"
	"panel/platform/core/setup"
	"panel/platform/core/system"
	"panel/platform/doctor"
	"panel/platform/doctor/recovery"
	"panel/platform/entitlement"
	"panel/platform/events"
	"panel/platform/fault"
	"panel/platform/module"
	"panel/platform/selfupdate"
)

// Core lists the panel's own features, built with the same contract as every other.
func Core() []module.Module {
	return []module.Module{
		accounts.Module(), audit.Module(), automatic.Module(), diagnostics.Module(), files.Module(),
		operations.Module(),
		setup.Module(), system.Module(), selfupdate.Module(),
	}
}

// With gives the core and the features in one list, sorted by name.
func With(features []module.Module) []module.Module {
	return slices.SortedFunc(slices.Values(append(Core(), features...)), func(a, b module.Module) int {
		return cmp.Compare(a.Name, b.Name)
	})
}

// Check refuses a set of manifests that cannot work together, before anything is built from them.
func Check(modules []module.Module) error {
	var problems []error
	names := map[string]bool{}
	keys := map[access.Key]string{}
	for _, m := range modules {
		if names[m.Name] || m.Name == "" {
			problems = append(problems, fmt.Errorf("module %q: its name is empty or taken", m.Name))
		}
		names[m.Name] = true
		problems = append(problems, checkKeys(m, keys), checkAttach(m), automation.Check(m.Name, m.Acts))
	}
	for _, m := range modules {
		problems = append(problems, checkRequires(m, names))
	}
	return errors.Join(problems...)
}

func checkKeys(m module.Module, taken map[access.Key]string) error {
	for _, p := range m.Permissions {
		if owner, known := taken[p.Key]; known {
			return fmt.Errorf("module %s: the permission %s is already declared by %s", m.Name, p.Key, owner)
		}
		taken[p.Key] = m.Name
	}
	return nil
}

var partsType = reflect.TypeFor[module.Parts]()

func checkAttach(m module.Module) error {
	if m.Attach == nil {
		return nil
	}
	t := reflect.TypeOf(m.Attach)
	if t.Kind() != reflect.Func || t.NumOut() < 1 || t.Out(0) != partsType {
		return fmt.Errorf("module %s: Attach must be a function that gives module.Parts", m.Name)
	}
	return nil
}

func checkRequires(m module.Module, names map[string]bool) error {
	for _, needed := range m.Requires {
		if !names[needed] {
			return fmt.Errorf("module %s: it requires the module %s, which is not in this build", m.Name, needed)
		}
	}
	return nil
}

// Permissions lists every declared key.
func Permissions(modules []module.Module) []access.Permission {
	var all []access.Permission
	for _, m := range modules {
		all = append(all, m.Permissions...)
	}
	slices.SortFunc(all, func(a, b access.Permission) int { return cmp.Compare(a.Key, b.Key) })
	return all
}

// JournalKinds lists what the modules write into the journal.
func JournalKinds(modules []module.Module) (all journal.Kinds) {
	for _, m := range modules {
		all = all.With(m.Journal)
	}
	return all
}

// EventKinds lists what the modules emit.
func EventKinds(modules []module.Module) (all []events.Kind) {
	for _, m := range modules {
		all = append(all, m.Events...)
	}
	slices.SortFunc(all, func(a, b events.Kind) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// Fault is a code of the catalogue with the module that declares it; empty for the platform.
type Fault struct {
	fault.Declared
	Module string
}

// Faults lists every declared code.
func Faults(modules []module.Module) (all []Fault) {
	for _, common := range fault.Common() {
		all = append(all, Fault{Declared: common})
	}
	for _, m := range modules {
		for _, own := range m.Faults {
			all = append(all, Fault{Declared: own, Module: m.Name})
		}
	}
	slices.SortFunc(all, func(a, b Fault) int { return cmp.Compare(a.Code, b.Code) })
	return all
}

// Features lists the keys of the license features that the modules declare.
func Features(modules []module.Module) []string {
	var all []string
	for _, f := range declaredFeatures(modules) {
		all = append(all, f.Key)
	}
	return all
}

func declaredFeatures(modules []module.Module) []entitlement.Feature {
	var all []entitlement.Feature
	for _, m := range modules {
		all = append(all, m.Features...)
	}
	slices.SortFunc(all, func(a, b entitlement.Feature) int { return cmp.Compare(a.Key, b.Key) })
	return all
}

// Acts lists what the modules do by themselves.
func Acts(modules []module.Module) (all []automation.Act) {
	for _, m := range modules {
		all = append(all, m.Acts...)
	}
	slices.SortFunc(all, func(a, b automation.Act) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// Keys lists the settings that the modules declare, each once: two modules may use the same one.
func Keys(modules []module.Module) []config.Key {
	var all []config.Key
	for _, m := range modules {
		for _, key := range m.Config {
			if !slices.Contains(all, key) {
				all = append(all, key)
			}
		}
	}
	return all
}

// Checks lists what Doctor asks.
func Checks(modules []module.Module) []doctor.Check {
	var all []doctor.Check
	for _, m := range modules {
		all = append(all, m.Checks...)
	}
	return all
}

// Repairs lists what safe recovery may do.
func Repairs(modules []module.Module) []recovery.Repair {
	var all []recovery.Repair
	for _, m := range modules {
		all = append(all, m.Repairs...)
	}
	return all
}

// Speak lets the process say what the modules say in Russian, too.
func Speak(modules []module.Module) {
	for _, m := range modules {
		doctor.Translate(m.Russian)
	}
}

// Migrations lists the SQL of every module; the runner adds the platform's.
func Migrations(modules []module.Module) []migrations.Set {
	var sets []migrations.Set
	for _, m := range modules {
		if m.Migrations != nil {
			sets = append(sets, migrations.Set{Name: m.Name, FS: m.Migrations})
		}
	}
	return sets
}
