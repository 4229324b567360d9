package tui

import (
	"context"
	"runtime"
	"time"

	tea "charm.land/bubbletea/v2"

	"panel/platform/doctor"
)

func stateEntry() entry {
	return entry{
		name:  "Panel state",
		hint:  func(w *session) string { return w.say("services, database, versions") },
		open:  func(w *session) page { return &statePage{base: base{w: w}} },
		lines: func(q *lines) { q.command("status") },
	}
}

// statePage shows what the panel says of itself, and what this machine shows of its services and its database.
type statePage struct {
	base
	report *doctor.Report
	asking bool
	scroll scroll
}

type servicesMsg struct{ report doctor.Report }

func (p *statePage) start(ctx context.Context) tea.Cmd {
	p.ctx = ctx
	return p.refresh()
}

func (p *statePage) refresh() tea.Cmd {
	p.asking = true
	return tea.Batch(p.w.lookAtPanel(p.ctx, false), askServices(p.ctx, p.w))
}

// askServices runs the checks of Doctor that tell about services and database, and keeps nothing.
func askServices(ctx context.Context, w *session) tea.Cmd {
	env, ask := w.fixed(), w.doctor
	return func() tea.Msg {
		var few []doctor.Check
		machine, all := ask(env)
		for _, check := range all {
			if check.Group == "services" || check.Group == "database" {
				few = append(few, check)
			}
		}
		return servicesMsg{doctor.Run(ctx, machine, few)}
	}
}

func (p *statePage) update(msg tea.Msg) tea.Cmd {
	if answer, is := msg.(servicesMsg); is {
		p.report, p.asking = &answer.report, false
	}
	return nil
}

func (p *statePage) busy() bool { return p.asking }

func (p *statePage) title() (string, string) { return p.w.say("Panel state"), "" }

func (p *statePage) keys() []binding {
	return []binding{{key: "r", does: "Refresh"}, {key: "↑↓", does: "scroll", quiet: true}}
}

func (p *statePage) press(key string, _ tea.KeyPressMsg) tea.Cmd {
	if !p.scroll.press(key) && key == "r" && !p.asking {
		return p.refresh()
	}
	return nil
}

func (p *statePage) view(width, height int) []line {
	w := p.w
	lines := []line{row(w.bar(p.keys())), row("")}
	lines = append(lines, p.panel(width)...)
	lines = append(lines, row(""), ruled(w.say("Services and database on this machine"), ""))
	if p.report == nil {
		return append(lines, row(w.look.spinner(w.step)+" "+w.say("looking")))
	}
	return p.scroll.window(w, append(lines, w.findings(p.report.Results, width)...), height)
}

// findings are checks with what to do about those that are not well; the titles take a third of the width at most.
func (w *session) findings(results []doctor.Result, width int) []line {
	titles := 0
	for _, result := range results {
		titles = max(titles, w.look.width(w.env.T(result.Check.Title)))
	}
	titles = min(titles, width/3)
	var lines []line
	for _, result := range results {
		status := w.look.paint(toneOf(result.Finding.Status), w.look.fit(string(result.Finding.Status), statusWidth))
		lines = append(
			lines,
			row(status+"  "+w.look.fit(w.env.T(result.Check.Title), titles)+"  "+w.found(result.Finding.Found)),
		)
		if do := w.found(result.Finding.Do); do != "" && result.Finding.Status != doctor.OK {
			lines = append(lines, row(w.look.fit("", statusWidth+titles+4)+w.look.paint(quiet, w.look.plain("→ ")+do)))
		}
	}
	return lines
}

func (p *statePage) panel(width int) []line {
	w, s := p.w, p.w.state
	switch {
	case !s.asked:
		return []line{row(w.look.spinner(w.step) + " " + w.say("asking the panel"))}
	case s.silence != nil:
		var lines []line
		for _, text := range w.trouble(s.silence) {
			lines = append(lines, rows(w.look.wrapped(text, width))...)
		}
		return lines
	case s.refused:
		lines := rows(w.look.columns([][]string{{w.env.T("Status"), w.healthWord()}, {w.env.T("Version"), s.version}}))
		rest := w.say("The rest needs an administrator: press i to sign in, or set PANEL_API_TOKEN.")
		return append(append(lines, row("")), rows(w.look.wrapped(rest, width))...)
	case s.status.Status == "":
		return []line{row(w.env.T("Status") + "  " + w.healthWord())}
	}
	setup := w.env.T("no|setup")
	if s.status.SetupDone {
		setup = w.env.T("yes|setup")
	}
	table := [][]string{
		{w.env.T("Status"), w.healthWord()},
		{w.env.T("Version"), s.status.Version},
		{w.env.T("Database"), s.status.Database},
		{w.env.T("Setup done"), setup},
		{w.env.T("Uptime"), w.span(time.Duration(s.status.UptimeSeconds) * time.Second)},
	}
	if s.license != nil {
		table = append(table, []string{w.say("License"), w.licenseWord()})
	}
	return rows(w.look.columns(table))
}

// bar is the line of keys at the head of a page.
func (w *session) bar(keys []binding) string {
	text := ""
	for _, one := range keys {
		if !one.quiet {
			text += one.key + " " + w.say(one.does) + "  "
		}
	}
	return text
}

const statusWidth = 7 // "Skipped"

func versionEntry() entry {
	return entry{
		name: "Version",
		hint: func(w *session) string {
			if w.state.version == "" {
				return w.say("CLI %s", w.env.Version)
			}
			return w.say("CLI %s", w.env.Version) + " · " + w.say("panel %s", w.state.version)
		},
		open:  func(w *session) page { return &versionPage{base{w: w}} },
		lines: func(q *lines) { q.command("version") },
	}
}

// versionPage tells which program answers here and which one runs as the panel.
type versionPage struct{ base }

func (p *versionPage) title() (string, string) { return p.w.say("Version"), "" }

func (p *versionPage) keys() []binding { return []binding{{key: "r", does: "Refresh"}} }

func (p *versionPage) press(key string, _ tea.KeyPressMsg) tea.Cmd {
	if key == "r" {
		return p.w.lookAtPanel(p.ctx, false)
	}
	return nil
}

func (p *versionPage) view(width, _ int) []line {
	w, running := p.w, p.w.state.version
	shown := running
	if shown == "" {
		shown = w.say("not reachable")
	}
	lines := append([]line{row(w.bar(p.keys())), row("")}, rows(w.look.columns([][]string{
		{
			"panelctl",
			w.env.Version,
		}, {w.say("panel"), shown}, {w.say("address"), w.address}, {
			w.say("machine"),
			w.host + ", " + runtime.GOOS + "/" + runtime.GOARCH,
		},
	}))...)
	verdict := ""
	switch running {
	case "":
	case w.env.Version:
		verdict = w.say("The running panel is of the same version as this tool.")
	default:
		verdict = w.say(
			"The running panel is of another version than this tool. After an update restart it: systemctl restart panel",
		)
	}
	return append(append(lines, row("")), rows(w.look.wrapped(verdict, width))...)
}
