package logs

import (
	"context"
	"encoding/json"
	"iter"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"panel/platform/doctor"
)

// journal reads with journalctl, which knows the form of journal files, their rotation and who may read them.
type journal struct {
	command   []string
	match     []string // what chooses the lines of the component
	component string
}

// matches choose lines by service. What the service manager says about the panel belongs to its log; nginx's is only
// what nginx itself says, because its own files say more than "started".
var matches = map[string][]string{
	Backend: {"--unit=panel.service"}, Worker: {"--unit=panel.service"}, Scheduler: {"--unit=panel.service"},
	Nginx: {"_SYSTEMD_UNIT=nginx.service"},
}

func unitOf(component string) string {
	if component == Nginx {
		return "nginx.service"
	}
	return "panel.service"
}

func (p Places) journal(ctx context.Context, q Query) (feed, Source, []doctor.Text) {
	if len(p.Journal) == 0 {
		return nil, Source{}, nil
	}
	unit := unitOf(q.Component)
	if _, err := exec.LookPath(p.Journal[0]); err != nil {
		return nil, Source{}, []doctor.Text{doctor.Say("no system journal")}
	}
	j := &journal{command: p.Journal, match: matches[q.Component], component: q.Component}
	out, problem, err := answerOf(ctx, j.command[0], j.args("--lines=1")...)
	switch {
	case strings.Contains(problem, "not seeing messages") || strings.Contains(problem, "insufficient permissions"):
		return nil, Source{}, []doctor.Text{doctor.Say("this user may not read the system journal")}
	case err != nil:
		return nil, Source{}, []doctor.Text{doctor.Say("the system journal cannot be read: %s",
			orElse(problem, err.Error()))}
	case strings.TrimSpace(out) == "":
		return nil, Source{}, []doctor.Text{doctor.Say("no line of %s in the system journal", unit)}
	}
	return j, Source{Kind: "journal", Name: unit, Text: doctor.Say("system journal, %s", unit)}, nil
}

func (j *journal) args(more ...string) []string {
	args := append(slices.Clone(j.command[1:]), "--no-pager", "--output=json", "--all",
		"--output-fields=MESSAGE,PRIORITY,SYSLOG_IDENTIFIER")
	return append(append(args, more...), j.match...)
}

// lines asks for the newest first, so that the tail of a large journal costs as much as it is long.
func (j *journal) lines(ctx context.Context, q Query) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		kept, cursor, err := j.last(ctx, q)
		if err != nil {
			yield(Line{}, err)
			return
		}
		for _, line := range q.past(kept) {
			if !yield(line, nil) {
				return
			}
		}
		if q.Follow {
			j.follow(ctx, q, cursor, yield)
		}
	}
}

func (j *journal) last(ctx context.Context, q Query) (kept []Line, cursor string, err error) {
	more := []string{"--reverse"}
	if !q.Since.IsZero() {
		more = append(more, "--since=@"+strconv.FormatInt(q.Since.Unix(), 10))
	}
	if q.Tail > 0 && !q.narrow() {
		more = append(more, "--lines="+strconv.Itoa(q.Tail))
	}
	for raw, err := range linesOf(ctx, false, j.command[0], j.args(more...)...) {
		if err != nil {
			return nil, "", err
		}
		line, at := j.entry(raw)
		cursor = orElse(cursor, at)
		if q.wanted(line) {
			kept = append(kept, line)
		}
		if q.Tail > 0 && len(kept) >= q.Tail {
			break
		}
	}
	slices.Reverse(kept)
	return kept, cursor, nil
}

// follow begins behind the newest line that was seen; nothing between the two readings is lost.
func (j *journal) follow(ctx context.Context, q Query, cursor string, yield func(Line, error) bool) {
	more := []string{"--follow", "--no-tail", "--after-cursor=" + cursor}
	if cursor == "" {
		more = []string{"--follow", "--lines=0"}
	}
	for raw, err := range linesOf(ctx, false, j.command[0], j.args(more...)...) {
		line, _ := j.entry(raw)
		if err == nil && !q.wanted(line) {
			continue
		}
		if !yield(line, err) {
			return
		}
	}
}

// entry is the part of a journal entry that is read. A message that is no text comes as numbers.
type entry struct {
	Message    json.RawMessage `json:"MESSAGE"`
	Priority   string          `json:"PRIORITY"`
	Identifier string          `json:"SYSLOG_IDENTIFIER"`
	Micros     string          `json:"__REALTIME_TIMESTAMP"`
	Cursor     string          `json:"__CURSOR"`
}

func (j *journal) entry(raw string) (Line, string) {
	var e entry
	if json.Unmarshal([]byte(raw), &e) != nil {
		return Line{Raw: raw, Message: raw, Component: j.component, Source: "journal"}, ""
	}
	line := parse(e.text(), "journal", j.component)
	if micros, err := strconv.ParseInt(e.Micros, 10, 64); err == nil && line.Time.IsZero() {
		line.Time = time.UnixMicro(micros)
	}
	if line.Level == "" {
		line.Level = priorities[e.Priority]
	}
	if e.Identifier == "systemd" {
		line.Component = "systemd"
	}
	return line, e.Cursor
}

func (e entry) text() string {
	var text string
	if json.Unmarshal(e.Message, &text) == nil {
		return text
	}
	var numbers []uint16
	if json.Unmarshal(e.Message, &numbers) != nil {
		return ""
	}
	bytes := make([]byte, len(numbers))
	for i, n := range numbers {
		bytes[i] = byte(n)
	}
	return strings.ToValidUTF8(string(bytes), "\ufffd")
}

var priorities = map[string]string{
	"0": "ERROR", "1": "ERROR", "2": "ERROR", "3": "ERROR", "4": "WARN", "5": "INFO", "6": "INFO", "7": "DEBUG",
}
