// Package metrics counts what the panel does and shows the counts to Prometheus on an address of its own.
//
// Every name begins with panel_ and every label has few values, all known from the code: a route is its template, never
// the path that was asked for.
package metrics

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// Collector is what a module contributes. It is asked at every scrape, so it answers from memory.
type Collector = prometheus.Collector

// Registry holds everything that a scrape shows.
type Registry struct {
	all      *prometheus.Registry
	Requests *Requests
}

// New makes a registry that already tells of the process, its runtime and its version.
func New(version string) *Registry {
	r := &Registry{all: prometheus.NewRegistry(), Requests: newRequests()}
	build := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "panel_build_info", Help: "Always 1; the version is in the label.", ConstLabels: prometheus.Labels{"version": version},
	}, func() float64 { return 1 })
	r.all.MustRegister(build, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	r.all.MustRegister(r.Requests.collectors()...)
	return r
}

// Add contributes collectors; one that shows a name twice is an error.
func (r *Registry) Add(list ...Collector) error {
	for _, c := range list {
		if err := r.all.Register(c); err != nil {
			return err
		}
	}
	return nil
}

// Gauge shows one number that may rise and fall.
func Gauge(name, help string, read func() float64) Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, read)
}

// Counter shows one number that only rises.
func Counter(name, help string, read func() float64) Collector {
	return prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, read)
}

// Gauges shows several numbers that may rise and fall, told apart by a label. Its values must be few.
func Gauges(name, help, label string, read func() map[string]float64) Collector {
	return &family{desc: prometheus.NewDesc(name, help, []string{label}, nil), kind: prometheus.GaugeValue, read: read}
}

// Counters shows several numbers that only rise, told apart by a label. Its values must be few.
func Counters(name, help, label string, read func() map[string]float64) Collector {
	return &family{desc: prometheus.NewDesc(name, help, []string{label}, nil), kind: prometheus.CounterValue, read: read}
}

// family reads all its numbers at once, when it is asked.
type family struct {
	desc   *prometheus.Desc
	kind   prometheus.ValueType
	single bool // has no label
	read   func() map[string]float64
}

// Describe names the family.
func (f *family) Describe(into chan<- *prometheus.Desc) { into <- f.desc }

// Collect reads it.
func (f *family) Collect(into chan<- prometheus.Metric) {
	for label, value := range f.read() {
		labels := []string{label}
		if f.single {
			labels = nil
		}
		into <- prometheus.MustNewConstMetric(f.desc, f.kind, value, labels...)
	}
}
