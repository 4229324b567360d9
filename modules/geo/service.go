package geo

import (
	"context"
	"fmt"
	"time"

	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"

	"panel/modules/flows/flowsapi"
	"panel/modules/geo/geoapi"
	"panel/modules/nodes/nodesapi"
	"panel/platform/audit"
	"panel/platform/automation"
	"panel/platform/config"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/fault"
	"panel/platform/files"
	"panel/platform/jobs"
	"panel/platform/outbound"
)

// ringSeconds is how long a ring of a roll-out is watched.
var ringSeconds = config.Key{
	Name: "PANEL_GEO_RING_SECONDS", Default: "30", Form: config.Number, Min: 0, Max: 86400,
	Summary: "seconds for which the nodes of a ring must be well with a new geo file before the next ring gets it",
}

var (
	errDistributing = fault.Conflict("geo_distributing", "this file is being rolled out; wait for the end, or roll it back")
	errNoPrevious   = fault.Conflict("geo_no_previous", "there is no version before this one to return to")
	errNoCandidate  = fault.Conflict("geo_no_candidate", "there is no newer version that was fetched and not rolled out")
	errUpdating     = fault.Conflict("geo_update_active", "this file is being fetched already")
)

// service knows the rules of assets.
type service struct {
	store   *store
	clock   clockwork.Clock
	log     *zap.Logger
	journal audit.Journal
	bus     *events.Bus
	queue   *jobs.Enqueuer
	files   *files.Store
	flows   flowsapi.Flows
	fleet   nodesapi.Fleet
	docs    nodesapi.Documents
	web     *outbound.Client
	stop    *automation.Switch
	settle  time.Duration
	wake    func(ctx context.Context, rolloutID string) error // the driver of roll-outs

	known   *known
	indexes *indexes
	atlas   *atlas
}

func newService(
	s *store, clock clockwork.Clock, log *zap.Logger, j audit.Journal, bus *events.Bus, queue *jobs.Enqueuer,
	stored *files.Store, used flowsapi.Flows, fleet nodesapi.Fleet, docs nodesapi.Documents, network *outbound.Network,
	stop *automation.Switch, cfg *config.Config,
) *service {
	out := &service{
		store: s, clock: clock, log: log.Named("geo"), journal: j, bus: bus, queue: queue, files: stored, flows: used,
		fleet: fleet, docs: docs, stop: stop, web: network.New(source()), known: newKnown(s),
		indexes: newIndexes(stored, clock),
		settle:  time.Duration(cfg.Int(ringSeconds)) * time.Second,
		wake:    func(context.Context, string) error { return nil },
	}
	out.atlas = newAtlas(out)
	return out
}

func (s *service) now() time.Time { return s.clock.Now().UTC().Truncate(time.Microsecond) }

// publish writes the journal's line and emits the event of the same name, in the transaction of the change.
func (s *service) publish(
	ctx context.Context, kind string, row *assetRow, news geoapi.News, changes map[string]audit.Change,
) error {
	entry := audit.Entry{Action: kind, Object: row.object(), Changes: changes, Result: audit.OK}
	if news.Reason != "" {
		entry.Result = audit.Failed
	}
	if err := s.journal.Record(ctx, s.store.db.In(ctx), entry); err != nil {
		return fmt.Errorf("record a change of a geo file: %w", err)
	}
	return s.emit(ctx, kind, row, news)
}

func (s *service) emit(ctx context.Context, kind string, row *assetRow, news geoapi.News) error {
	news.Name, news.State = row.Name, row.State
	return s.bus.Emit(ctx, events.Event{Kind: kind, SubjectID: row.ID, At: s.now(), Data: news})
}

// enter writes that an asset has got into another state.
func (s *service) enter(ctx context.Context, row *assetRow, state string) error {
	row.State, row.UpdatedAt = state, s.now()
	return s.store.db.InTx(ctx, func(ctx context.Context) error {
		_, err := s.store.db.In(ctx).NewUpdate().Model(row).Column("state", "updated_at").WherePK().Exec(ctx)
		if err != nil {
			return database.Fault(err, nil)
		}
		return s.emit(ctx, geoapi.Moved, row, geoapi.News{})
	})
}
