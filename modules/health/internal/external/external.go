// Package external has addresses of flows looked at from the networks of mobile operators by a paid service.
//
// A check is a row of health_reports. Its price is reserved there, under the caps, before the service is called, and
// what it cost is written when its result is stored; in between its key is sent again until the service says what
// became of it. So neither a kill nor two panels pay twice, and the caps hold whatever happens.
package external

import (
	"context"
	"time"

	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"

	"panel/modules/flows/flowsapi"
	"panel/modules/health/internal/external/bscheck"
	"panel/modules/health/internal/external/checker"
	"panel/modules/nodes/nodesapi"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/entitlement"
	"panel/platform/events"
	"panel/platform/jobs"
	"panel/platform/outbound"
	"panel/platform/settings"
	"panel/platform/vault"
)

// Service makes external checks. It is safe for concurrent use.
type Service struct {
	db       *database.DB
	flows    flowsapi.Flows
	fleet    nodesapi.Fleet
	vault    *vault.Vault
	settings *settings.Doc[Settings]
	journal  audit.Journal
	bus      *events.Bus
	queue    *jobs.Enqueuer
	license  entitlement.Source
	adapter  checker.Adapter
	clock    clockwork.Clock
	log      *zap.Logger
	every    time.Duration // between two calls of the service
	pace     pace
	stopped  func(ctx context.Context) (why string, err error) // nil: nothing stops schedules
}

// pace is how long the worker waits for what goes on elsewhere.
type pace struct {
	poll     time.Duration // between two questions for a check that goes on
	patience time.Duration // with a service that does not take a check
	giveUp   time.Duration // after which a result that was paid for is looked for no more
}

// Platform is what the service stands on; the composition fills it.
type Platform struct {
	DB      *database.DB
	Vault   *vault.Vault
	Journal audit.Journal
	Bus     *events.Bus
	Queue   *jobs.Enqueuer
	License entitlement.Source
	Clock   clockwork.Clock
	Log     *zap.Logger
}

// NewPlatform gathers what the service stands on.
func NewPlatform(
	db *database.DB, v *vault.Vault, j audit.Journal, b *events.Bus, q *jobs.Enqueuer, l *entitlement.Shared,
	c clockwork.Clock, log *zap.Logger,
) Platform {
	return Platform{db, v, j, b, q, l, c, log}
}

// New makes the service of a panel.
func New(
	p Platform, flows flowsapi.Flows, fleet nodesapi.Fleet, store *settings.Store, network *outbound.Network,
) *Service {
	adapter := bscheck.New(network)
	return &Service{
		db: p.DB, flows: flows, fleet: fleet, vault: p.Vault, settings: openSettings(store, network),
		journal: p.Journal, bus: p.Bus, queue: p.Queue, license: p.License, adapter: adapter,
		every: adapter.Every(), clock: p.Clock, log: p.Log,
		pace: pace{poll: 5 * time.Second, patience: 15 * time.Minute, giveUp: 24 * time.Hour},
	}
}

func (s *Service) now() time.Time { return s.clock.Now().UTC().Truncate(time.Microsecond) }

// Feature is the license feature that opens paid checks; reading reports stays open without it.
const Feature = "health"

// Hurry shortens what the service waits for elsewhere. It is for tests, whose services answer at once.
func (s *Service) Hurry(turn, poll time.Duration) { s.every, s.pace.poll = turn, poll }
