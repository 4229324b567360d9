package cli

import (
	"fmt"
	"strings"

	"panel/platform/doctor"
)

func (env Env) printReport(report doctor.Report, saved string) error {
	switch env.Form() {
	case JSON:
		return env.document(report.Document())
	case PlainText:
		return env.write(plainReport(report))
	case Table:
		return env.write(env.tableReport(report) + env.savedAt(saved) + "\n" + env.changes(report))
	}
	return nil
}

func plainReport(report doctor.Report) string {
	var b strings.Builder
	for _, r := range report.Results {
		fmt.Fprintf(&b, "%s\t%s\t%s\t%s\n", r.Check.ID, r.Finding.Status, oneLine(r.Finding.Found.String()),
			oneLine(r.Finding.Do.String()))
	}
	return b.String()
}

// oneLine keeps the words of another program from making lines or columns of their own.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

func (env Env) tableReport(report doctor.Report) string {
	rows := [][]string{{env.T("GROUP"), env.T("STATUS"), env.T("CHECK"), env.T("FINDING")}}
	group := ""
	for _, r := range report.Results {
		shown := ""
		if r.Check.Group != group {
			group = r.Check.Group
			shown = env.T(groupTitles[group])
		}
		subject := firstOf(r.Finding.Subject, env.T(r.Check.Title))
		rows = append(rows, []string{
			shown, env.statusText(r.Finding.Status), subject,
			oneLine(env.Text(messageOf(r.Finding.Found))),
		})
		if r.Finding.Do.Format != "" && r.Finding.Status != doctor.OK {
			rows = append(rows, []string{"", "", "", env.symbol("→ ", "-> ") +
				oneLine(env.Text(messageOf(r.Finding.Do))) + "  (" + r.Check.ID + ")"})
		}
	}
	return columns(rows) + env.tally(report)
}

func (env Env) statusText(status doctor.Status) string {
	switch status {
	case doctor.OK:
		return env.paint(Good, string(status))
	case doctor.Failed:
		return env.paint(Bad, string(status))
	case doctor.Warning:
		return env.paint(Careful, string(status))
	case doctor.Skipped, doctor.Unknown:
	}
	return string(status)
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
	return checks + " " + strings.Join(counts, ", ") + env.symbol(" · ", " | ") +
		env.Text(Say("%s s", doctor.Decimal(report.Took.Seconds())))
}

var statuses = []doctor.Status{doctor.OK, doctor.Warning, doctor.Failed, doctor.Skipped, doctor.Unknown}

func (env Env) savedAt(path string) string {
	if path == "" {
		return ""
	}
	return env.symbol(" · ", " | ") + env.Text(Say("saved to %s", path))
}

// changes tells what is different from the run before; a first run has nothing to compare with.
func (env Env) changes(report doctor.Report) string {
	if report.Changes == nil {
		return ""
	}
	since := Moment(report.Changes.Since.Local())
	if len(report.Changes.Statuses) == 0 {
		return env.Text(Say("Nothing has changed since %s.", since)) + "\n"
	}
	var b strings.Builder
	b.WriteString(env.Text(Say("Changed since %s:", since)) + "\n")
	for _, change := range report.Changes.Statuses {
		from := firstOf(string(change.From), env.T("new"))
		fmt.Fprintf(&b, "  %s  %s %s %s\n", change.ID, from, env.symbol("→", "->"), change.To)
	}
	return b.String()
}
