package telemetry

import (
	"testing"

	"go.uber.org/zap/zaptest"

	"github.com/jonboulle/clockwork"

	"panel/platform/agentapi"
	"panel/platform/database"
)

func started(t testing.TB, db *database.DB) *Telemetry {
	t.Helper()
	return New(db, clockwork.NewRealClock(), zaptest.NewLogger(t), func(string, *agentapi.Sample) {})
}
