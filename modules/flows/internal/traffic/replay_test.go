package traffic_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/internal/traffic"
)

// Five minutes before an apply and ten after it are shown, as far as they have passed.
func TestSessionsAreShownBeforeAndAfterAnApply(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)
	ended := began.Add(30 * time.Second)
	for name, c := range map[string]struct {
		finished *time.Time
		now, to  time.Time
	}{
		"it runs":         {nil, began.Add(time.Minute), began.Add(time.Minute)},
		"it ended just":   {&ended, ended.Add(time.Minute), ended.Add(time.Minute)},
		"it ended before": {&ended, ended.Add(time.Hour), ended.Add(10 * time.Minute)},
	} {
		from, to := traffic.Around(began, c.finished, c.now)
		require.Equal(t, began.Add(-5*time.Minute), from, name)
		require.Equal(t, c.to, to, name)
	}
}
