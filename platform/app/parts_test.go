package app_test

import (
	"slices"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"panel/platform/logs"
	"panel/platform/paneltest"
)

// `panelctl logs worker` and `logs scheduler` show what real jobs and schedules did: their lines carry the names that
// these commands look for, also on a panel where nothing fails.
func TestJobsAndSchedulesLogAsPartsOfThePanel(t *testing.T) {
	t.Parallel()
	core, lines := observer.New(zap.InfoLevel)
	clock := clockwork.NewFakeClock()
	everything(t, paneltest.Clock(clock), paneltest.Log(zap.New(core)))
	written := func(part, message string) bool {
		return slices.ContainsFunc(lines.FilterMessage(message).All(), func(line observer.LoggedEntry) bool {
			return line.LoggerName == part
		})
	}
	require.Eventually(t, func() bool {
		clock.Advance(20 * time.Second)
		return written(logs.Scheduler, "a schedule ran") && written(logs.Worker, "a job is done")
	}, time.Minute, 200*time.Millisecond)
}
