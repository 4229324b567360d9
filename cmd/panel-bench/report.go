package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"panel/cmd/panel-bench/internal/measure"
)

// circumstances are what makes figures of two machines different.
type circumstances struct {
	At        time.Time `json:"at"`
	Processor string    `json:"processor"`
	Cores     int       `json:"cores"`
	Load      string    `json:"load"`
	Go        string    `json:"go"`
	Pairs     int       `json:"pairs"`
}

// report prints what each goal came to as soon as it is known and keeps it as JSON; at the end it sums up.
type report struct {
	out      io.Writer
	file     string
	around   circumstances
	began    time.Time
	outcomes []outcome
}

func newReport(out io.Writer, s settings) *report {
	r := &report{out: out, file: s.out, began: time.Now()}
	r.around = circumstances{
		r.began.UTC(), processor(), runtime.NumCPU(), firstLine("/proc/loadavg"), runtime.Version(), s.pairs,
	}
	fmt.Fprintf(out, "%s, %d cores, load %s, %d pairs\n\n", r.around.Processor, r.around.Cores, r.around.Load, s.pairs)
	fmt.Fprintf(
		out,
		"%-9s %-60s %14s %14s %8s %17s %6s %12s  %s\n",
		"goal", "what", "limit", "product", "value", "min .. max", "MAD", "gate", "verdict",
	)
	return r
}

// add takes what came of the next goal.
func (r *report) add(o outcome) error {
	r.outcomes = append(r.outcomes, o)
	for _, result := range o.results {
		row(r.out, result)
	}
	return r.keep()
}

func row(out io.Writer, r measure.Result) {
	fmt.Fprintf(
		out,
		"%-9s %-60s %14s %14s %8.3g %17s %6.2g %12s  %s\n",
		r.Goal,
		r.What,
		amount(r.Limit, r.Unit),
		amount(r.Product, r.Unit),
		r.Value,
		fmt.Sprintf("%.3g .. %.3g", r.Min, r.Max),
		r.MAD,
		r.Gate,
		r.Verdict,
	)
	for _, note := range r.Notes {
		fmt.Fprintf(out, "          %s\n", note)
	}
	if r.Verdict == measure.Noise {
		fmt.Fprintln(out, "          machine too noisy")
	}
}

// summary of one goal in the file.
type summary struct {
	Goal    string          `json:"goal"`
	Verdict measure.Verdict `json:"verdict"`
	Seconds float64         `json:"seconds"`
}

func (r *report) summaries() []summary {
	all := make([]summary, len(r.outcomes))
	for i, o := range r.outcomes {
		all[i] = summary{o.goal, measure.Worst(o.results), o.took.Seconds()}
	}
	return all
}

func (r *report) results() (all []measure.Result) {
	for _, o := range r.outcomes {
		all = append(all, o.results...)
	}
	return all
}

// keep writes the file anew.
func (r *report) keep() error {
	document, err := json.MarshalIndent(struct {
		Circumstances circumstances    `json:"circumstances"`
		Goals         []summary        `json:"goals"`
		Results       []measure.Result `json:"results"`
	}{r.around, r.summaries(), r.results()}, "", "  ")
	if err != nil {
		return fmt.Errorf("encode the results: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(r.file), 0o755); err != nil {
		return fmt.Errorf("keep the results: %w", err)
	}
	return os.WriteFile(r.file, document, 0o644)
}

// close sums up: every goal with its verdict and its time.
func (r *report) close() error {
	counts := map[measure.Verdict]int{}
	fmt.Fprintf(r.out, "\n%-9s %-12s %7s\n", "goal", "verdict", "seconds")
	for _, s := range r.summaries() {
		counts[s.Verdict]++
		fmt.Fprintf(r.out, "%-9s %-12s %7.0f\n", s.Goal, s.Verdict, s.Seconds)
	}
	_, err := fmt.Fprintf(r.out, "%d goals met, %d missed, %d lost in noise, %d not measured; %.0f minutes\n",
		counts[measure.Met], counts[measure.Missed], counts[measure.Noise], counts[measure.NotMeasured],
		time.Since(r.began).Minutes())
	return err
}

func (r *report) exitCode() int {
	switch measure.Worst(r.results()) {
	case measure.Met:
		return 0
	case measure.Noise:
		return exitNoise
	default:
		return exitMissed
	}
}

func amount(s measure.Series, unit string) string {
	if len(s) == 0 {
		return ""
	}
	median := s.Median()
	if median >= 1000 {
		return fmt.Sprintf("%.0f %s", median, unit)
	}
	return fmt.Sprintf("%.3g %s", median, unit)
}

func processor() string {
	content, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "unknown processor"
	}
	for _, line := range strings.Split(string(content), "\n") {
		if name, value, found := strings.Cut(line, ":"); found && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}

func firstLine(path string) string {
	content, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(content), "\n")
	return line
}
