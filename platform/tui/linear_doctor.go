package tui

import (
	"context"
	"strings"
	"time"

	"panel/platform/doctor"
	"panel/platform/doctor/checks"
	"panel/platform/doctor/recovery"
)

func doctorLines(q *lines) {
	names := []string{
		q.w.say("Run the diagnosis"),
		q.w.say("Safe recovery"),
		q.w.say("Support bundle"),
		q.w.say("View last diagnosis"),
	}
	switch q.choose(q.w.say("Doctor"), names, q.w.say("back")) {
	case 0:
		q.diagnose()
	case 1:
		q.recover()
	case 2:
		q.bundle()
	case 3:
		q.last()
	}
}

// diagnose tells one check per line, which is easier to listen to than a table.
func (q *lines) diagnose() {
	q.print(q.w.say("looking"))
	machine, all := q.w.doctor(q.w.fixed())
	report, path, err := diagnosis(q.ctx, machine, all)
	if q.ctx.Err() != nil {
		return
	}
	q.print(q.w.tally(report.Summary()) + ", " + q.w.seconds(report.Took))
	for _, one := range q.w.rowsOf(report, nil) {
		q.result(string(one.status), q.w.env.T(one.title), one.found, one.do)
	}
	if err != nil {
		q.print(q.w.say("done, but not saved: %s", innermost(err)))
		return
	}
	q.print(q.w.say("saved to %s", path))
}

// result prints sentences of which some may be empty; what is good needs no action.
func (q *lines) result(status, name, found, do string) {
	sentences := []string{status, name, found}
	if do != "" && status != string(doctor.OK) {
		sentences = append(sentences, do)
	}
	q.print(strings.Join(sentences, ". "))
}

// recover asks the checks anew, since a repair answers a finding.
func (q *lines) recover() {
	q.print(q.w.say("looking"))
	machine, all := q.w.doctor(q.w.fixed())
	actions := recovery.Actions(machine, doctor.Run(q.ctx, machine, all), q.w.env.Repairs...)
	if len(actions) == 0 {
		q.print(q.w.say("nothing here can be repaired safely by itself"))
		return
	}
	names := make([]string, len(actions))
	for i, action := range actions {
		names[i] = q.w.found(action.Title) + " (" + action.CheckID + ")"
	}
	at := q.choose(q.w.say("Safe recovery"), names, q.w.say("back"))
	if at < 0 {
		return
	}
	q.print(q.w.say("This will be done, and nothing else:") + " " + q.w.found(actions[at].What))
	if q.agreed(repairWord) {
		q.repair(actions[at])
	}
}

func (q *lines) repair(action recovery.Action) {
	ctx, cancel := context.WithTimeout(q.ctx, repairWithin)
	defer cancel()
	if err := action.Do(ctx); err != nil {
		q.fail(err)
		return
	}
	q.print(q.w.say("done: %s", q.w.found(action.Title)))
}

// bundle shows what would be packed before it packs; the command asks by itself before it sends.
func (q *lines) bundle() {
	period := q.ask(q.w.say("Period of the logs (1h, 24h, 7d):"))
	if _, err := parsePeriod(period); err != nil {
		q.print(q.w.say("Write a period such as 30m, 2h or 7d."))
		return
	}
	q.command("support", "--since", period, "--preview")
	names := []string{q.w.say("save")}
	machine, _ := q.w.doctor(q.w.fixed())
	if address := machine.Getenv("PANEL_SUPPORT_URL"); address != "" {
		names = append(names, q.w.say("send to %s", address))
	}
	switch q.choose(q.w.say("Support bundle"), names, q.w.say("back")) {
	case 0:
		q.command("support", "--since", period)
	case 1:
		q.command("support", "--since", period, "--send")
	}
}

func (q *lines) last() {
	machine, _ := q.w.doctor(q.w.fixed())
	document, err := doctor.Last(checks.DataDir(machine))
	if err != nil {
		q.print(q.w.say("There is no diagnosis yet."))
		return
	}
	q.print(
		q.w.moment(
			document.StartedAt,
		) + ", " + q.w.tally(
			document.Summary,
		) + ", " + q.w.seconds(
			time.Duration(document.DurationMS)*time.Millisecond,
		),
	)
	for _, check := range document.Checks {
		words := check.In(q.w.language())
		q.result(string(check.Status), words.Title, words.Finding, words.Action)
	}
}
