package tui

import (
	"context"
	"strings"
	"time"

	"panel/platform/doctor"
	"panel/platform/doctor/checks"
	"panel/platform/doctor/recovery"
	"panel/platform/support"
)

func doctorLines(q *lines) {
	names := []string{q.w.say("Run the diagnosis"), q.w.say("Safe recovery"), q.w.say("Support bundle"), q.w.say("View last diagnosis")}
	switch q.choose(q.w.say("Doctor"), names, q.w.say("back")) {
	case 0:
		q.command("doctor")
	case 1:
		q.recover()
	case 2:
		q.bundle()
	case 3:
		q.last()
	}
}

// recover asks the checks anew, since a repair answers a finding.
func (q *lines) recover() {
	q.print(q.w.say("looking"))
	world, all := q.w.doctor(q.w.fixed())
	actions := recovery.Actions(world, doctor.Run(q.ctx, world, all))
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

// bundle asks for the period, says what would be packed, packs it, and sends it only when asked once more.
func (q *lines) bundle() {
	long, err := parsePeriod(q.ask(q.w.say("Period of the logs (1h, 24h, 7d):")))
	if err != nil {
		q.print(q.w.say("Write a period such as 30m, 2h or 7d."))
		return
	}
	q.print(q.w.say("gathering: the checks are asked and the logs are read"))
	options := q.w.bundle(long)()
	ctx, cancel := context.WithTimeout(q.ctx, gatherWithin)
	defer cancel()
	path, manifest, err := support.Save(ctx, options)
	if err != nil {
		q.fail(err)
		return
	}
	about := bundlePage{base: base{w: q.w}, manifest: &manifest}
	q.print(q.w.say("Masked") + ": " + about.maskedText())
	q.print(q.w.say("saved to %s", path))
	if address := options.Env.Getenv("PANEL_SUPPORT_URL"); address != "" {
		q.send(path, address)
	}
}

func (q *lines) send(path, address string) {
	if q.choose(q.w.say("Send to the support"), []string{q.w.say("send to %s", address)}, q.w.say("no")) < 0 || !q.agreed(sendWord) {
		return
	}
	ctx, cancel := context.WithTimeout(q.ctx, sendWithin)
	defer cancel()
	if err := support.Send(ctx, path, address); err != nil {
		q.fail(err)
		return
	}
	q.print(q.w.say("sent to %s", address))
}

func (q *lines) last() {
	world, _ := q.w.doctor(q.w.fixed())
	document, err := doctor.Last(checks.DataDir(world))
	if err != nil {
		q.print(q.w.say("There is no diagnosis yet."))
		return
	}
	q.print(q.w.moment(document.StartedAt) + ", " + q.w.tally(document.Summary) + ", " + q.w.seconds(time.Duration(document.DurationMS)*time.Millisecond))
	for _, check := range document.Checks {
		text := []string{string(check.Status), check.ID, check.Finding}
		if check.Action != "" && check.Status != doctor.OK {
			text = append(text, check.Action)
		}
		q.print(strings.Join(text, ". "))
	}
}
