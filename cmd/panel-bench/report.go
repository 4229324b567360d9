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

func report(out io.Writer, s settings, results []measure.Result) error {
	around := circumstances{
		time.Now().UTC(),
		processor(),
		runtime.NumCPU(),
		firstLine("/proc/loadavg"),
		runtime.Version(),
		s.pairs,
	}
	table(out, around, results)
	document, err := json.MarshalIndent(struct {
		Circumstances circumstances    `json:"circumstances"`
		Results       []measure.Result `json:"results"`
	}{around, results}, "", "  ")
	if err != nil {
		return fmt.Errorf("encode the results: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(s.out), 0o755); err != nil {
		return fmt.Errorf("keep the results: %w", err)
	}
	return os.WriteFile(s.out, document, 0o644)
}

func table(out io.Writer, around circumstances, results []measure.Result) {
	fmt.Fprintf(out, "%s, %d cores, load %s, %d pairs\n\n", around.Processor, around.Cores, around.Load, around.Pairs)
	fmt.Fprintf(
		out,
		"%-5s %-52s %14s %14s %8s %17s %6s %12s  %s\n",
		"goal",
		"what",
		"limit",
		"product",
		"value",
		"min .. max",
		"MAD",
		"gate",
		"verdict",
	)
	for _, r := range results {
		fmt.Fprintf(
			out,
			"%-5s %-52s %14s %14s %8.3g %17s %6.2g %12s  %s\n",
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
			fmt.Fprintf(out, "      %s\n", note)
		}
		if r.Verdict == measure.Noise {
			fmt.Fprintln(out, "      machine too noisy")
		}
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
