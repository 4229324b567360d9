package health

import (
	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"

	"panel/modules/flows/flowsapi"
	"panel/modules/health/internal/incidents"
	"panel/modules/health/internal/repair"
	"panel/modules/nodes/nodesapi"
	"panel/platform/audit"
	"panel/platform/automation"
	"panel/platform/database"
	"panel/platform/events"
)

func newRepairs(
	db *database.DB, l *database.Listener, clock clockwork.Clock, log *zap.Logger, j audit.Journal, bus *events.Bus,
	stop *automation.Switch, c nodesapi.Commands, applies flowsapi.Applies, i *incidents.Incidents,
) *repair.Repairs {
	return repair.New(repair.Tools{
		DB: db, Listener: l, Clock: clock, Log: log, Journal: j, Bus: bus, Stop: stop, Commands: c, Applies: applies,
		Incidents: i,
	})
}
