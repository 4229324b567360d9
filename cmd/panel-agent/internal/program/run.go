package program

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/spf13/cobra"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"panel/cmd/panel-agent/internal/agent"
	"panel/cmd/panel-agent/internal/core"
	"panel/cmd/panel-agent/internal/link"
	"panel/cmd/panel-agent/internal/logs"
	"panel/platform/agentapi"
)

// runSettings are how an agent runs beside its options.
type runSettings struct {
	level    string
	selfTest bool
	watched  bool
	patience time.Duration
}

func runCommand(b Build) *cobra.Command {
	var o agent.Options
	var s runSettings
	cmd := &cobra.Command{
		Use: "run", Short: "Run the agent until a signal stops it", Args: cobra.NoArgs,
		Long: "Run the agent until a signal stops it.\n\n" +
			"SIGTERM and SIGINT stop the agent and its core. SIGHUP ends the agent alone: " +
			"the core serves on and the next agent adopts it.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if s.selfTest {
				return selfTest(cmd, b.Version, o.DataDir)
			}
			return run(b, o, s, handedOn(cmd))
		},
	}
	dataFlag(cmd, &o.DataDir)
	cmd.Flags().StringVar(&o.PanelURL, "panel", "", "address of the panel; empty = the one of the enrollment")
	cmd.Flags().StringVar(&o.CAFile, "ca-file", "", "PEM file with further trusted roots for the panel's certificate")
	cmd.Flags().DurationVar(&o.Drain, "drain", 5*time.Minute, "how long open streams may outlive a replaced core")
	cmd.Flags().DurationVar(&o.Sampling, "sampling", 15*time.Second, "pause between samples of the host")
	cmd.Flags().StringVar(&s.level, "log-level", "info", "debug, info, warn or error")
	cmd.Flags().BoolVar(&s.selfTest, "self-test", false,
		"only look whether this build could serve on this server, and print its version")
	cmd.Flags().DurationVar(&s.patience, "update-patience", agentapi.UpdatePatience*time.Second,
		"how long a new build of the agent may take to its first heartbeat")
	cmd.Flags().StringVar(&o.Build, buildFlag, "", "digest of this build")
	cmd.Flags().BoolVar(&s.watched, watchedFlag, false, "the build before this one watches")
	_ = cmd.Flags().MarkHidden(buildFlag)
	_ = cmd.Flags().MarkHidden(watchedFlag)
	return cmd
}

// tidiness is how much the agent's memory may grow, in percent of what is in use, before it is tidied up. It is less
// than the usual 100 of programs in Go: memory of a server belongs to its users, and the agent has processor time.
const tidiness = 25

func run(b Build, o agent.Options, s runSettings, args []string) error {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(tidiness)
	}
	lines := &logs.Ring{}
	log, err := newLog(s.level, lines)
	if err != nil {
		return err
	}
	defer func() { _ = log.Sync() }()
	if o.Executable, err = os.Executable(); err != nil {
		return fmt.Errorf("find this executable: %w", err)
	}
	if o.DataDir, err = filepath.Abs(o.DataDir); err != nil {
		return fmt.Errorf("find the data folder: %w", err)
	}
	o.Parts, o.Version, o.UpdateKeys = b.Parts, b.Version, b.UpdateKeys
	o.Clock, o.Log, o.Timing, o.Lines = clockwork.NewRealClock(), log, link.DefaultTiming, lines
	if s.watched {
		_, err := serve(o)
		return err
	}
	return startOver(o, s, args)
}

// serve runs the agent to its end and says whether it ended in order to become another build.
func serve(o agent.Options) (becomes bool, err error) {
	ctx, leave, change := untilSignal()
	o.Leave = func() { becomes = true; change() }
	a, err := agent.New(o)
	if err != nil {
		return false, err
	}
	o.Log.Info("agent runs", zap.String("version", o.Version), zap.String("core", core.Version()))
	err = a.Run(ctx, leave)
	return becomes, err
}

// untilSignal ends the context at a signal, and says whether that signal leaves the core alone. The last function does
// what such a signal does.
func untilSignal() (ctx context.Context, left func() bool, leave func()) {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	var leaves atomic.Bool
	go func() {
		leaves.Store(<-signals == syscall.SIGHUP)
		cancel()
	}()
	return ctx, leaves.Load, func() { leaves.Store(true); cancel() }
}

func newLog(level string, lines *logs.Ring) (*zap.Logger, error) {
	at, err := zapcore.ParseLevel(level)
	if err != nil {
		return nil, fmt.Errorf("the log level is wrong: give debug, info, warn or error")
	}
	form := zap.NewProductionEncoderConfig()
	form.EncodeTime = zapcore.ISO8601TimeEncoder
	encoder := zapcore.NewJSONEncoder(form)
	return zap.New(zapcore.NewTee(
		zapcore.NewCore(encoder, zapcore.Lock(os.Stderr), at),
		zapcore.NewCore(encoder, lines, at),
	)), nil
}

func stopCommand() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use: "stop", Short: "Stop a core that an agent left serving", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return core.StopLeft(cmd.Context(), filepath.Join(dir, "core"))
		},
	}
	dataFlag(cmd, &dir)
	return cmd
}

// coreCommand is the life of a core process; the agent starts it.
func coreCommand() *cobra.Command {
	var dir string
	var check bool
	cmd := &cobra.Command{
		Use: "core", Hidden: true, Args: cobra.NoArgs,
		Run: func(*cobra.Command, []string) {
			if check {
				os.Exit(core.Fail(core.Check(os.Stdin, dir)))
			}
			os.Exit(core.Fail(core.Serve(dir)))
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "folder of this core process")
	cmd.Flags().BoolVar(&check, "check", false, "read a configuration from standard input and only test it")
	return cmd
}
