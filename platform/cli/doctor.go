package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"panel/platform/cli/envfile"
	"panel/platform/doctor"
	"panel/platform/doctor/checks"
)

func (env *Env) doctorCommand() *cobra.Command {
	var strict bool
	cmd := &cobra.Command{
		Use:     "doctor",
		Short:   "Find out what is wrong with this panel and what to do",
		Long:    "Checks services, configuration, database, disk, network, DNS, TLS and connected components. A failed check does not stop the others; the last result is saved in the data folder and compared with. Run it on the panel server.",
		Example: "panelctl doctor\npanelctl doctor --json --strict",
		Args:    env.noArguments,
		RunE:    func(cmd *cobra.Command, _ []string) error { return env.doctor(cmd.Context(), strict) },
	}
	cmd.Flags().BoolVar(&strict, "strict", false, "treat warnings as a negative answer")
	return cmd
}

func (env *Env) doctor(ctx context.Context, strict bool) error {
	checked := env.doctorEnv()
	report := env.diagnose(ctx, checked)
	if ctx.Err() != nil {
		return fmt.Errorf("run the diagnosis: %w", ctx.Err())
	}
	if err := env.printReport(report, env.keep(&report, checks.DataDir(checked))); err != nil {
		return err
	}
	summary := report.Summary()
	if summary[doctor.Failed] > 0 || (strict && summary[doctor.Warning] > 0) {
		return &Failure{Exit: ExitFailed}
	}
	return nil
}

// diagnose runs all checks; somebody at a terminal who waits sees how far they are.
func (env *Env) diagnose(ctx context.Context, checked doctor.Env) doctor.Report {
	var done atomic.Int64
	var saying sync.Mutex
	say := func(print func()) { saying.Lock(); defer saying.Unlock(); print() }
	if env.flags.debug {
		checked.Trace = func(request string) { say(func() { fmt.Fprintln(env.Err, ">", request) }) }
	}
	all := env.Diagnosis()
	counted := slices.Clone(all)
	for i, check := range all {
		counted[i].Run = func(ctx context.Context, checked doctor.Env) doctor.Finding {
			defer done.Add(1)
			began := checked.Now()
			finding := check.Run(ctx, checked)
			took := int(checked.Now().Sub(began).Milliseconds())
			say(func() { env.Step(Say("%s: %s, %d ms", check.ID, string(finding.Status), took)) })
			return finding
		}
	}
	defer env.whileWaiting(func() Message { return Say("%d of %d checks", int(done.Load()), len(all)) })()
	return doctor.Run(ctx, checked, counted)
}

// whileWaiting shows a line that changes on a terminal once 300 ms have passed; the answer ends and removes it.
func (env *Env) whileWaiting(text func() Message) (end func()) {
	if !env.Terminal.Err {
		return func() {}
	}
	const patience, beat = 300 * time.Millisecond, 100 * time.Millisecond
	stop, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		wait, shown := patience, false
		for {
			select {
			case <-stop:
				if shown {
					fmt.Fprint(env.Err, "\r\x1b[K")
				}
				return
			case <-time.After(wait):
				fmt.Fprint(env.Err, "\r\x1b[K", env.Text(text()))
				wait, shown = beat, true
			}
		}
	}()
	return func() { close(stop); <-gone }
}

// doctorEnv is the environment of this process completed by the file of settings that the service would have loaded.
func (env *Env) doctorEnv() doctor.Env {
	checked := doctor.Env{Getenv: env.Getenv, Now: time.Now}
	if env.Known != nil {
		checked.Known = env.Known()
	}
	if env.Names != nil {
		checked.Names = env.Names()
	}
	found := envfile.Find(append(envfile.Places(env.Getenv("HOME")), "/etc/panel/panel.env"), "PANEL_DB_URL")
	if found == nil {
		return checked
	}
	checked.File, checked.FileErr = found.Path, found.Err
	checked.Names = append(checked.Names, slices.Sorted(maps.Keys(found.Values))...)
	checked.Getenv = func(name string) string { return firstOf(env.Getenv(name), found.Values[name]) }
	return checked
}

// keep compares with the last diagnosis and takes its place; where that is not possible, a note says why.
func (env *Env) keep(report *doctor.Report, dataDir string) string {
	if before, err := doctor.Last(dataDir); err == nil {
		report.Compare(before)
	}
	path, err := doctor.Keep(report.Document(), dataDir)
	if err != nil {
		env.Note(Say("the diagnosis could not be saved: %s", English(pathError(err))))
	}
	return path
}

// pathError is what the system said about a file, without who asked for it.
func pathError(err error) string {
	var about *fs.PathError
	if errors.As(err, &about) {
		return about.Error()
	}
	return err.Error()
}
