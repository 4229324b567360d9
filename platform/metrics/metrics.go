// Package metrics counts what the panel does and shows the counts to Prometheus on an address of its own.
//
// Every name begins with panel_ and every label has few values, all known from the code: a route is its template, never
// the path that was asked for. The text format of Prometheus is written here and not by its client library: that would
// be initialised before every command, and takes an eighth of the time of a short one.
package metrics

import (
	"fmt"
	"maps"
	"slices"
	"sync"
)

// Collector is what a module contributes: one family of numbers. It is read at every scrape, so it answers from memory.
type Collector struct {
	name, help, kind string
	label            string // what tells the numbers apart, where the collector says so
	read             func(show func(labels string, value float64))
}

// Kinds of families.
const (
	gauge     = "gauge"
	counter   = "counter"
	histogram = "histogram"
	summary   = "summary"
)

// Registry holds everything that a scrape shows.
type Registry struct {
	Requests *Requests

	mu  sync.Mutex
	all map[string]Collector
}

// New makes a registry that already tells of the process, its runtime and its version.
func New(version string) *Registry {
	r := &Registry{all: map[string]Collector{}, Requests: &Requests{}}
	own := append(r.Requests.collectors(), runtimeCollectors()...)
	own = append(own, processCollectors()...)
	build := Gauges("panel_build_info", "Always 1; the version is in the label.", "version",
		func() map[string]float64 { return map[string]float64{version: 1} })
	for _, c := range append(own, build) {
		r.all[c.name] = c
	}
	return r
}

// Add contributes collectors; one that shows a name twice is an error.
func (r *Registry) Add(list ...Collector) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range list {
		if _, taken := r.all[c.name]; taken {
			return fmt.Errorf("add the metric %s: another collector shows it already", c.name)
		}
		r.all[c.name] = c
	}
	return nil
}

// collectors are sorted by name, so that two scrapes compare.
func (r *Registry) collectors() []Collector {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := make([]Collector, 0, len(r.all))
	for _, name := range slices.Sorted(maps.Keys(r.all)) {
		list = append(list, r.all[name])
	}
	return list
}

// Family is what a scrape tells of one family of numbers.
type Family struct {
	Name, Help string
	Rises      bool   // a counter
	Label      string // what tells its numbers apart; empty for one number, and where there are several labels
}

// Families lists the families by their names.
func (r *Registry) Families() []Family {
	var all []Family
	for _, c := range r.collectors() {
		all = append(all, Family{Name: c.name, Help: c.help, Rises: c.kind == counter, Label: c.label})
	}
	return all
}

// Gauge shows one number that may rise and fall.
func Gauge(name, help string, read func() float64) Collector { return single(name, help, gauge, read) }

// Counter shows one number that only rises.
func Counter(name, help string, read func() float64) Collector {
	return single(name, help, counter, read)
}

func single(name, help, kind string, read func() float64) Collector {
	return Collector{name: name, help: help, kind: kind, read: func(show func(string, float64)) { show("", read()) }}
}

// Gauges shows several numbers that may rise and fall, told apart by a label. Its values must be few.
func Gauges(name, help, label string, read func() map[string]float64) Collector {
	return several(name, help, gauge, label, read)
}

// Counters shows several numbers that only rise, told apart by a label. Its values must be few.
func Counters(name, help, label string, read func() map[string]float64) Collector {
	return several(name, help, counter, label, read)
}

func several(name, help, kind, label string, read func() map[string]float64) Collector {
	return Collector{name: name, help: help, kind: kind, label: label, read: func(show func(string, float64)) {
		values := read()
		for _, value := range slices.Sorted(maps.Keys(values)) {
			show(labels(label, value), values[value])
		}
	}}
}
