package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"panel/platform/doctor"
	"panel/platform/logs"
)

// logsCall is what the flags of one call say.
type logsCall struct {
	tail   int
	follow bool
	since  string
	level  string
}

func (env *Env) logsCommand() *cobra.Command {
	call := &logsCall{}
	cmd := &cobra.Command{
		Use:   "logs [component]",
		Short: "Show the log of the panel or of nginx",
		Long: "Components: backend (without a name), frontend (the same), worker, scheduler, nginx. The log is taken from the container engine, else from the system journal, else from files in " +
			"/var/log/panel, $PANEL_DATA_DIR/logs and /var/log/nginx; which one it was, and why, is said on the error stream. It works while the panel is down.",
		Example:   "panelctl logs\npanelctl logs worker -n 20 --since 1h\npanelctl logs nginx -f\npanelctl logs --json | jq 'select(.level==\"ERROR\")'",
		ValidArgs: append(logs.Components(), "frontend"),
		Args:      env.oneComponent,
		RunE:      func(cmd *cobra.Command, args []string) error { return env.logs(cmd.Context(), call, args) },
	}
	set := cmd.Flags()
	set.IntVarP(&call.tail, "tail", "n", logs.DefaultTail, "the last lines; -1 for all of the period")
	set.BoolVarP(&call.follow, "follow", "f", false, "go on with new lines until Ctrl-C")
	set.StringVar(&call.since, "since", "", "only lines of this period, for example 30m, 1h or 2d")
	set.StringVar(&call.level, "level", "", "not supported yet")
	return cmd
}

func (env *Env) oneComponent(_ *cobra.Command, args []string) error {
	known := append(logs.Components(), "frontend")
	if len(args) == 0 || len(args) == 1 && slices.Contains(known, args[0]) {
		return nil
	}
	return Usage(Say("logs takes one of: %s", strings.Join(known, ", "))).Advise(Plain("panelctl help logs"))
}

func (env *Env) logs(ctx context.Context, call *logsCall, args []string) error {
	query, err := call.query(args, time.Now())
	if err != nil {
		return err
	}
	if call.level != "" {
		env.Warn(Say("--level is not supported yet and was ignored"))
	}
	reader, err := logs.Open(ctx, env.places(), query)
	if err != nil {
		return env.noLogs(ctx, err)
	}
	env.reportSource(reader.Source)
	shown, err := env.printLines(ctx, reader)
	if ctx.Err() != nil {
		return fmt.Errorf("follow the log: %w", ctx.Err())
	}
	if err == nil && shown == 0 {
		env.Note(Say("%s wrote nothing in this period", query.Component))
	}
	return err
}

func (c *logsCall) query(args []string, now time.Time) (logs.Query, error) {
	query := logs.Query{Component: logs.Backend, Tail: c.tail, Follow: c.follow}
	if len(args) == 1 {
		query.Component = args[0]
	}
	switch {
	case c.tail == 0:
		query.Tail = logs.None
	case c.tail < 0:
		query.Tail = logs.All
	}
	period, err := Period(c.since)
	if err != nil {
		return query, Usage(Say("--since takes a period such as 30m, 1h or 2d")).Advise(Plain("panelctl help logs"))
	}
	if period > 0 {
		query.Since = now.Add(-period)
	}
	return query, nil
}

// Period reads a length of time as operators write it: 30m, 1h, 1h30m, 2d. An empty one is zero.
func Period(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	if days, found := strings.CutSuffix(text, "d"); found {
		n, err := strconv.ParseUint(days, 10, 16)
		return time.Duration(n) * 24 * time.Hour, err
	}
	period, err := time.ParseDuration(text)
	if err == nil && period <= 0 {
		err = errors.New("a period is longer than nothing")
	}
	return period, err
}

// places are where logs are looked for.
func (env *Env) places() logs.Places { return logs.Standard(env.doctorEnv()) }

func (env *Env) noLogs(ctx context.Context, err error) error {
	var missing *logs.NotFoundError
	if !errors.As(err, &missing) || ctx.Err() != nil {
		return err
	}
	failure := Failed(Say("there is no log of %s on this machine", missing.Component)).Because(listed(missing.Looked))
	return failure.Advise(Say("run this on the panel server, as root"), Plain("panelctl doctor"))
}

func listed(texts []doctor.Text) Message {
	args := make([]any, len(texts))
	for i, text := range texts {
		args[i] = text
	}
	return Message{Text: strings.TrimSuffix(strings.Repeat("%s; ", len(texts)), "; "), Args: args}
}

// reportSource says which place was used and why not an earlier one.
func (env Env) reportSource(source logs.Source) {
	used := messageOf(source.Text)
	if len(source.Skipped) > 0 {
		used = Say("%s (%s)", used, listed(source.Skipped))
	}
	if env.Form() == JSON {
		used = Say("source: %s", used)
	}
	env.remark("note", "Source:", used)
}

func (env *Env) printLines(ctx context.Context, reader *logs.Reader) (shown int, err error) {
	if env.flags.table {
		if err := env.write(env.logHeader()); err != nil {
			return 0, err
		}
	}
	for line, err := range reader.Lines(ctx) {
		if err != nil {
			return shown, err
		}
		if err := env.printLine(line); err != nil {
			return shown, err
		}
		shown++
	}
	return shown, nil
}

func (env *Env) printLine(line logs.Line) error {
	switch env.Form() {
	case JSON:
		return env.stream(line)
	case PlainText:
		return env.write(line.Raw + "\n")
	case Table:
		return env.write(env.logRow(line) + "\n")
	}
	return nil
}

const stampWidth = len(time.RFC3339)

func (env Env) logHeader() string {
	level, component := env.logWidths()
	return fmt.Sprintf("%-*s %-*s %-*s %s\n", stampWidth, env.T("TIME"), level, env.T("LEVEL"), component,
		env.T("COMPONENT"), env.T("MESSAGE"))
}

// logWidths make room for the headers and the longest words below them.
func (env Env) logWidths() (level, component int) {
	return max(levelWidth, utf8.RuneCountInString(env.T("LEVEL"))), max(len(logs.Scheduler),
		utf8.RuneCountInString(env.T("COMPONENT")))
}

// logRow is a line of the log below the headers.
func (env Env) logRow(line logs.Line) string {
	level, component := env.logWidths()
	return env.logLine(line, level, component)
}

const levelWidth = 5

// LogLine is a line as people read it: local time, level, component, message and its values.
func (env Env) LogLine(line logs.Line) string { return env.logLine(line, levelWidth, 0) }

func (env Env) logLine(line logs.Line, levelWidth, componentWidth int) string {
	stamp := strings.Repeat(" ", stampWidth)
	if !line.Time.IsZero() {
		stamp = fmt.Sprintf("%-*s", stampWidth, line.Time.Local().Format(time.RFC3339))
	}
	level := fmt.Sprintf("%-*s", levelWidth, line.Level)
	switch line.Level {
	case "ERROR":
		level = env.paint(Bad, level)
	case "WARN":
		level = env.paint(Careful, level)
	}
	return fmt.Sprintf("%s %s %-*s %s", stamp, level, componentWidth, line.Component, harmless(line.Text()))
}

// harmless keeps a line from steering the terminal.
func harmless(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return '\ufffd'
		}
		return r
	}, text)
}
