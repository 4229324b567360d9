package cli

import (
	"fmt"
	"strings"

	"panel/platform/doctor"
)

// reportDocument is what `panelctl doctor --json` prints and what is saved as the last diagnosis.
type reportDocument struct {
	Schema     string                `json:"schema"`
	StartedAt  string                `json:"started_at"`
	DurationMS int64                 `json:"duration_ms"`
	Summary    map[doctor.Status]int `json:"summary"`
	Checks     []checkDocument       `json:"checks"`
}

type checkDocument struct {
	ID         string         `json:"id"`
	Group      string         `json:"group"`
	Status     doctor.Status  `json:"status"`
	Finding    string         `json:"finding"`
	Action     string         `json:"action,omitempty"`
	Doc        string         `json:"doc"`
	DurationMS int64          `json:"duration_ms"`
	Data       map[string]any `json:"data,omitempty"`
}

func (env Env) printReport(report doctor.Report, saved string) error {
	switch env.Form() {
	case JSON:
		return env.document(documentOf(report))
	case PlainText:
		return env.write(plainReport(report))
	case Table:
		return env.write(env.tableReport(report) + env.savedAt(saved) + "\n")
	}
	return nil
}

func documentOf(report doctor.Report) reportDocument {
	document := reportDocument{
		Schema:     "panelctl.doctor/v1",
		StartedAt:  report.Started.UTC().Format("2006-01-02T15:04:05Z"),
		DurationMS: report.Took.Milliseconds(),
		Summary:    report.Summary(),
		Checks:     make([]checkDocument, len(report.Results)),
	}
	for i, r := range report.Results {
		document.Checks[i] = checkDocument{
			ID: r.Check.ID, Group: r.Check.Group, Status: r.Finding.Status, Finding: said(r.Finding.Found), Action: said(r.Finding.Do),
			Doc: "doctor#" + strings.ReplaceAll(r.Check.ID, ".", "-"), DurationMS: r.Took.Milliseconds(), Data: r.Finding.Data,
		}
	}
	return document
}

func said(text doctor.Text) string { return english(Message{Text: text.Format, Args: text.Args}) }

func plainReport(report doctor.Report) string {
	var b strings.Builder
	for _, r := range report.Results {
		fmt.Fprintf(&b, "%s\t%s\t%s\t%s\n", r.Check.ID, r.Finding.Status, said(r.Finding.Found), said(r.Finding.Do))
	}
	return b.String()
}

func (env Env) tableReport(report doctor.Report) string {
	rows := [][]string{{env.T("GROUP"), env.T("STATUS"), env.T("CHECK"), env.T("FINDING")}}
	group := ""
	for _, r := range report.Results {
		shown := ""
		if r.Check.Group != group {
			group = r.Check.Group
			shown = env.T(groupTitles[group])
		}
		rows = append(rows, []string{shown, string(r.Finding.Status), env.T(r.Check.Title), env.Text(messageOf(r.Finding.Found))})
		if r.Finding.Do.Format != "" && r.Finding.Status != doctor.OK {
			rows = append(rows, []string{"", "", "", env.symbol("→ ", "-> ") + env.Text(messageOf(r.Finding.Do)) + "  (" + r.Check.ID + ")"})
		}
	}
	return columns(rows) + env.tally(report)
}

func messageOf(text doctor.Text) Message { return Message{Text: text.Format, Args: text.Args} }

var groupTitles = map[string]string{
	"configuration": "Configuration", "services": "Services", "database": "Database", "disk": "Disk",
	"network": "Network", "dns": "DNS", "tls": "TLS", "components": "Components",
}

func (env Env) tally(report doctor.Report) string {
	counts := make([]string, len(statuses))
	for i, status := range statuses {
		counts[i] = fmt.Sprintf("%d %s", report.Summary()[status], status)
	}
	checks := env.Text(Say("%d checks:", len(report.Results)))
	return checks + " " + strings.Join(counts, ", ") + env.symbol(" · ", " | ") + env.Text(Say("%.1f s", report.Took.Seconds()))
}

var statuses = []doctor.Status{doctor.OK, doctor.Warning, doctor.Failed, doctor.Skipped, doctor.Unknown}

func (env Env) savedAt(path string) string {
	if path == "" {
		return ""
	}
	return env.symbol(" · ", " | ") + env.Text(Say("saved to %s", path))
}
