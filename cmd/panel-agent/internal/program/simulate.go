package program

import (
	"fmt"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/spf13/cobra"

	"panel/cmd/panel-agent/internal/link"
	"panel/cmd/panel-agent/internal/logs"
	"panel/cmd/panel-agent/internal/simulate"
)

// simulateCommand is a fleet in one process, with the real protocol and without cores: for load tests of a panel.
func simulateCommand(b Build) *cobra.Command {
	var o simulate.Options
	var enroll enrollment
	var level string
	cmd := &cobra.Command{
		Use: "simulate", Hidden: true, Args: cobra.NoArgs, Short: "Keep many simulated agents at a panel",
		RunE: func(cmd *cobra.Command, _ []string) error {
			log, err := newLog(level, &logs.Ring{})
			if err != nil {
				return err
			}
			o.EnrollToken = func() (string, error) { return enroll.token(cmd.InOrStdin()) }
			o.Version, o.Out = b.Version, cmd.OutOrStdout()
			o.Clock, o.Log, o.Timing = clockwork.NewRealClock(), log, link.DefaultTiming
			ctx, _, _ := untilSignal()
			if err := simulate.Run(ctx, o); err != nil {
				return fmt.Errorf("simulate a fleet: %w", err)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&o.PanelURL, "panel", "", "address of the panel")
	cmd.Flags().IntVar(&o.Count, "count", 100, "agents")
	cmd.Flags().StringVar(&o.TokensFile, "tokens-file", "simulated-agents.jsonl",
		"keeps the identities of enrolled agents between runs")
	cmd.Flags().StringVar(&o.NamePrefix, "name-prefix", "sim", "beginning of the nodes' names")
	cmd.Flags().DurationVar(&o.Spread, "spread", 10*time.Second, "time over which the agents connect")
	cmd.Flags().DurationVar(&o.Sampling, "sampling", 15*time.Second, "pause between samples of one agent")
	cmd.Flags().IntVar(&o.BatchSamples, "batch", 1, "samples in one batch")
	cmd.Flags().BoolVar(&o.PollOnly, "poll-only", false, "use the long-poll in place of the stream")
	cmd.Flags().DurationVar(&o.Latency, "latency", 0, "time that a simulated core takes for each phase of an apply")
	cmd.Flags().BoolVar(&o.EnrollOnly, "enroll-only", false, "enrol missing agents and end")
	cmd.Flags().StringVar(&enroll.tokenFile, "token-file", "",
		"file with a reusable enrollment token, for agents that are not enrolled yet")
	cmd.Flags().BoolVar(&enroll.fromStdin, "token-stdin", false,
		"read the reusable enrollment token from standard input")
	cmd.Flags().StringVar(&level, "log-level", "warn", "debug, info, warn or error")
	_ = cmd.MarkFlagRequired("panel")
	return cmd
}
