package tui

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"panel/platform/doctor"
	"panel/platform/doctor/checks"
	"panel/platform/doctor/recovery"
)

func doctorEntry() entry {
	return entry{
		name:  "Doctor",
		hint:  (*session).lastHint,
		open:  func(w *session) page { return &doctorPage{base: base{w: w}, checks: newChecklist(w)} },
		lines: doctorLines,
	}
}

// doctorPage runs the diagnosis and shows each answer as it comes.
type doctorPage struct {
	base
	checks  checklist
	env     doctor.Env
	all     []doctor.Check
	round   int // of the run that is shown; answers of an earlier one are dropped
	running bool
	report  *doctor.Report
	repairs []recovery.Action
	began   time.Time
	ticks   chan doctor.Result
	ended   chan struct{}
}

// Messages of a run.
type (
	preparedMsg struct {
		page *doctorPage
		env  doctor.Env
		all  []doctor.Check
	}
	tickMsg struct {
		round  int
		result doctor.Result
	}
	reportMsg struct {
		round  int
		report doctor.Report
		// repairs are what the report calls for; finding them looks at files.
		repairs []recovery.Action
		path    string
		err     error
	}
	// rerunMsg asks for a new diagnosis after something was repaired.
	rerunMsg struct{}
)

func (p *doctorPage) start(ctx context.Context) tea.Cmd {
	p.ctx = ctx
	env, ask := p.w.fixed(), p.w.doctor
	return func() tea.Msg {
		machine, all := ask(env)
		return preparedMsg{page: p, env: machine, all: all}
	}
}

func (p *doctorPage) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case preparedMsg:
		if msg.page == p {
			p.env, p.all = msg.env, msg.all
			p.draw()
		}
	case tickMsg:
		if msg.round == p.round && p.running {
			p.answered(msg.result)
			return p.next()
		}
	case reportMsg:
		if msg.round == p.round {
			return p.finish(msg)
		}
	case rerunMsg:
		return p.run()
	case languageMsg:
		p.draw()
	}
	if p.checks.filter.typing() {
		return p.checks.filter.field.update(msg)
	}
	return nil
}

// draw makes the rows anew from the report, or empty ones before there is any.
func (p *doctorPage) draw() {
	if p.report != nil {
		p.checks.rows = p.w.rowsOf(*p.report, p.repairs)
		return
	}
	p.checks.rows = make([]checkRow, len(p.all))
	for i, check := range p.all {
		p.checks.rows[i] = checkRow{id: check.ID, group: check.Group, title: check.Title, asking: p.running}
	}
}

// rowsOf shows a report, with the repairs that it calls for.
func (w *session) rowsOf(report doctor.Report, actions []recovery.Action) []checkRow {
	repairs := map[string]string{}
	for _, action := range actions {
		repairs[action.CheckID] = w.found(action.Title)
	}
	rows := make([]checkRow, len(report.Results))
	for i, result := range report.Results {
		rows[i] = w.rowOf(result)
		rows[i].repair = repairs[result.Check.ID]
	}
	return rows
}

func (w *session) rowOf(result doctor.Result) checkRow {
	return checkRow{
		id: result.Check.ID, group: result.Check.Group, title: result.Check.Title, status: result.Finding.Status,
		found: w.found(result.Finding.Found), do: w.found(result.Finding.Do), took: result.Took,
		data: result.Finding.Data,
	}
}

func (p *doctorPage) run() tea.Cmd {
	if p.running || len(p.all) == 0 {
		return nil
	}
	p.round++
	p.running, p.report, p.began = true, nil, p.w.clock.Now()
	p.ticks, p.ended = make(chan doctor.Result, len(p.all)), make(chan struct{})
	p.draw()
	return tea.Batch(p.diagnose(), p.next())
}

// diagnosis runs all checks beside each other, compares with the run before and keeps the result, as the command does.
func diagnosis(ctx context.Context, env doctor.Env, all []doctor.Check) (report doctor.Report, path string, err error) {
	report = doctor.Run(ctx, env, all)
	if ctx.Err() != nil {
		return report, "", ctx.Err()
	}
	dir := checks.DataDir(env)
	if before, err := doctor.Last(dir); err == nil {
		report.Compare(before)
	}
	path, err = doctor.Keep(report.Document(), dir)
	return report, path, err
}

// diagnose starts a diagnosis whose checks tell their answers at once.
func (p *doctorPage) diagnose() tea.Cmd {
	ctx, env, round, ended := p.ctx, p.env, p.round, p.ended
	watched := make([]doctor.Check, len(p.all))
	for i, check := range p.all {
		watched[i] = reporting(check, env, p.ticks)
	}
	return func() tea.Msg {
		defer close(ended)
		report, path, err := diagnosis(ctx, env, watched)
		if ctx.Err() != nil {
			return nil
		}
		return reportMsg{
			round: round, report: report, repairs: recovery.Actions(env, report, p.w.env.Repairs...),
			path: path, err: err,
		}
	}
}

// reporting is a check that says its answer at once; nobody listens to one that answers after its time.
func reporting(check doctor.Check, env doctor.Env, ticks chan<- doctor.Result) doctor.Check {
	ask := check.Run
	check.Run = func(ctx context.Context, machine doctor.Env) doctor.Finding {
		began := env.Now()
		finding := ask(ctx, machine)
		// there is room for every check
		ticks <- doctor.Result{Check: check, Finding: finding, Took: env.Now().Sub(began)}
		return finding
	}
	return check
}

// next waits for the next answer of the run, or for its end.
func (p *doctorPage) next() tea.Cmd {
	ticks, ended, round := p.ticks, p.ended, p.round
	return func() tea.Msg {
		select {
		case result := <-ticks:
			return tickMsg{round, result}
		case <-ended:
			return nil
		}
	}
}

func (p *doctorPage) answered(result doctor.Result) {
	for i := range p.checks.rows {
		if p.checks.rows[i].id == result.Check.ID {
			p.checks.rows[i] = p.w.rowOf(result)
		}
	}
}

func (p *doctorPage) finish(msg reportMsg) tea.Cmd {
	p.running, p.report, p.repairs = false, &msg.report, msg.repairs
	p.draw()
	p.checks.worstFirst()
	document := msg.report.Document()
	p.w.last = &document
	if msg.err != nil {
		return warn(p.w.say("done, but not saved: %s", innermost(msg.err)))
	}
	return note(p.w.say("saved to %s", msg.path))
}

func innermost(err error) string {
	for next := errors.Unwrap(err); next != nil; next = errors.Unwrap(err) {
		err = next
	}
	return err.Error()
}

func (p *doctorPage) busy() bool { return p.running }

func (p *doctorPage) typing() bool { return p.checks.filter.typing() }

func (p *doctorPage) closes() bool { return p.checks.filter.closes() }

func (p *doctorPage) title() (string, string) {
	if p.running {
		answered := 0
		for _, one := range p.checks.rows {
			if !one.asking {
				answered++
			}
		}
		return p.w.say(
				"Doctor",
			), p.w.say(
				"%d/%d checks",
				answered,
				len(p.all),
			) + " · " + p.w.seconds(
				p.w.clock.Since(p.began),
			)
	}
	if p.report == nil {
		return p.w.say("Doctor"), ""
	}
	return p.w.say("Doctor"), p.w.tally(p.report.Summary()) + " · " + p.w.seconds(p.report.Took)
}

func (w *session) seconds(d time.Duration) string { return w.decimal(w.say("%.1f s", d.Seconds())) }

// decimal gives a number the sign of the language.
func (w *session) decimal(text string) string {
	if w.russian {
		return strings.Replace(text, ".", ",", 1)
	}
	return text
}

// tally names what is not well, else that all is.
func (w *session) tally(summary map[doctor.Status]int) string {
	text := ""
	for _, status := range []doctor.Status{doctor.Failed, doctor.Warning, doctor.Unknown} {
		if n := summary[status]; n > 0 {
			text += fmt.Sprintf(", %d %s", n, status)
		}
	}
	if text == "" {
		return fmt.Sprintf("%d %s", summary[doctor.OK], doctor.OK)
	}
	return text[2:]
}

func (p *doctorPage) keys() []binding {
	return []binding{
		{key: "r", does: "Run"},
		{key: "s", does: "Safe recovery"},
		{key: "b", does: "Support bundle"},
		{key: "v", does: "View last diagnosis"},
		{key: "e", does: "Export"},
		{key: "↑↓", does: "choose a check", quiet: true},
		{key: "enter", does: "everything about the check", quiet: true},
		{key: "/", does: "filter", quiet: true},
	}
}

func (p *doctorPage) press(key string, msg tea.KeyPressMsg) tea.Cmd {
	if cmd, used := p.checks.press(key, msg); used || p.typing() {
		return cmd
	}
	switch key {
	case "r":
		return p.run()
	case "s":
		return p.recover()
	case "b":
		return push(newBundlePage(p.w))
	case "v":
		return push(newLastPage(p.w))
	case "e":
		return p.export()
	}
	return nil
}

func (p *doctorPage) recover() tea.Cmd {
	if p.report == nil {
		return warn(p.w.say("run the diagnosis first: r"))
	}
	if len(p.repairs) == 0 {
		return note(p.w.say("nothing here can be repaired safely by itself"))
	}
	page := newRecoveryPage(p.w, p.repairs)
	page.finding = func(check string) string { return p.checks.rowOf(check)().found }
	return push(page)
}

func (p *doctorPage) export() tea.Cmd {
	if p.report == nil {
		return warn(p.w.say("run the diagnosis first: r"))
	}
	return p.w.exportDiagnosis(p.report.Document())
}

// exportDiagnosis asks for a file and writes the document of "panelctl doctor --json" to it.
func (w *session) exportDiagnosis(document doctor.Document) tea.Cmd {
	return push(newSavePage(w, "Export the diagnosis", w.fileName("panel-doctor", "json"), func() ([]byte, error) {
		return json.MarshalIndent(document, "", "  ")
	}))
}

func (p *doctorPage) view(width, height int) []line {
	head := p.w.bar(p.keys())
	if narrowed := p.checks.filter.line(width); narrowed != "" {
		head = narrowed
	}
	if len(p.checks.rows) == 0 {
		return []line{row(head), row(p.w.say("looking"))}
	}
	return append([]line{row(head)}, p.checks.view(width, height-1)...)
}
