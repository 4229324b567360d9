package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
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
)

func runCommand() *cobra.Command {
	var o agent.Options
	var level string
	cmd := &cobra.Command{
		Use: "run", Short: "Run the agent until it is told to stop", Args: cobra.NoArgs,
		Long: "Run the agent until it is told to stop.\n\n" +
			"SIGTERM and SIGINT stop the agent and its core. SIGHUP ends the agent alone: the core serves on and the next agent adopts it.",
		RunE: func(*cobra.Command, []string) error { return run(o, level) },
	}
	dataFlag(cmd, &o.DataDir)
	cmd.Flags().StringVar(&o.PanelURL, "panel", "", "address of the panel; empty = the one of the enrolment")
	cmd.Flags().StringVar(&o.CAFile, "ca-file", "", "PEM file with further trusted roots for the panel's certificate")
	cmd.Flags().DurationVar(&o.Drain, "drain", 5*time.Minute, "how long open streams may outlive a replaced core")
	cmd.Flags().DurationVar(&o.Sampling, "sampling", 15*time.Second, "pause between samples of the host")
	cmd.Flags().StringVar(&level, "log-level", "info", "debug, info, warn or error")
	return cmd
}

func run(o agent.Options, level string) error {
	o.Lines = &agent.Ring{}
	log, err := newLog(level, o.Lines)
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
	o.Version, o.Clock, o.Log, o.Timing = version, clockwork.NewRealClock(), log, link.DefaultTiming
	a, err := agent.New(o)
	if err != nil {
		return err
	}
	ctx, leave := untilTold()
	log.Info("agent runs", zap.String("version", version), zap.String("core", core.Version()))
	return a.Run(ctx, leave)
}

// untilTold ends the context at a signal, and says whether that signal leaves the core alone.
func untilTold() (context.Context, func() bool) {
	ctx, cancel := context.WithCancel(context.Background())
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	var leave atomic.Bool
	go func() {
		leave.Store(<-told == syscall.SIGHUP)
		cancel()
	}()
	return ctx, leave.Load
}

func newLog(level string, lines *agent.Ring) (*zap.Logger, error) {
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
