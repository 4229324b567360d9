package statuspage

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"

	"panel/modules/flows/flowsapi"
	"panel/modules/health/healthapi"
	"panel/modules/nodes/nodesapi"
	"panel/modules/pools/poolsapi"
	"panel/modules/statuspage/statuspageapi"
	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/automation"
	"panel/platform/config"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/operations"
	"panel/platform/outbound"
	"panel/platform/vault"
)

// folderKey is where local targets lie.
var folderKey = config.Key{
	Name:    "PANEL_STATUSPAGE_DIR",
	Summary: "folder that status pages are written into for a server of files; unset: statuspage in the data folder",
}

// neighbours are what components stand for.
type neighbours struct {
	fleet    nodesapi.Fleet
	statuses nodesapi.Statuses
	flows    flowsapi.Flows
	pools    poolsapi.Directory
	health   healthapi.Reports
}

func newNeighbours(
	f nodesapi.Fleet, s nodesapi.Statuses, u flowsapi.Flows, p poolsapi.Directory, h healthapi.Reports,
) *neighbours {
	return &neighbours{f, s, u, p, h}
}

// service knows the rules of pages, and of what is said on them.
type service struct {
	*neighbours

	store      *store
	clock      clockwork.Clock
	log        *zap.Logger
	journal    audit.Journal
	bus        *events.Bus
	vault      *vault.Vault
	operations *operations.Store
	network    *outbound.Network
	documents  nodesapi.Documents
	stop       *automation.Switch
	folder     string
	address    string // of the panel

	wakeDeploy func(ctx context.Context, id string) error
	wakeTarget func(ctx context.Context, id string) error
}

func newService(
	n *neighbours, s *store, clock clockwork.Clock, log *zap.Logger, j audit.Journal, bus *events.Bus, v *vault.Vault,
	ops *operations.Store, network *outbound.Network, docs nodesapi.Documents,
	stop *automation.Switch, cfg *config.Config,
) *service {
	asleep := func(context.Context, string) error { return nil }
	return &service{
		neighbours: n, store: s, clock: clock, log: log.Named("statuspage"), journal: j, bus: bus, vault: v, operations: ops,
		network: network, documents: docs, stop: stop, folder: folderOf(cfg), address: cfg.String(config.PublicURL),
		wakeDeploy: asleep, wakeTarget: asleep,
	}
}

func (s *service) now() time.Time { return s.clock.Now().UTC().Truncate(time.Microsecond) }

// publish writes the journal's line and emits the event of the same name, in the transaction of the change.
func (s *service) publish(
	ctx context.Context, kind string, page *pageRow, news statuspageapi.News, changes map[string]audit.Change,
) error {
	entry := audit.Entry{Action: kind, Object: page.object(), Changes: changes, Result: audit.OK}
	if news.Error != "" {
		entry.Result = audit.Failed
	}
	if err := s.journal.Record(ctx, s.store.db.In(ctx), entry); err != nil {
		return fmt.Errorf("record a change of a status page: %w", err)
	}
	return s.emit(ctx, kind, page, news)
}

func (s *service) emit(ctx context.Context, kind string, page *pageRow, news statuspageapi.News) error {
	news.Slug = page.Slug
	return s.bus.Emit(ctx, events.Event{Kind: kind, SubjectID: page.ID, At: s.now(), Data: news})
}

// by is who does something, for the record of the panel.
func by(ctx context.Context) string { return access.From(ctx).Name() }

// inPage runs a change of a page that nobody else changes meanwhile. Fault: not_found (404).
func (s *service) inPage(
	ctx context.Context, id string, change func(ctx context.Context, row *pageRow) error,
) error {
	return s.store.db.InTx(ctx, func(ctx context.Context) error {
		row, err := s.store.page(ctx, id, true)
		if err != nil {
			return err
		}
		return change(ctx, &row)
	})
}

// refresh has all places of a page get a snapshot at once, in the transaction of what has changed.
func (s *service) refresh(ctx context.Context, pageID string) error {
	var ids []string
	err := s.store.db.In(ctx).NewRaw(`update statuspage_targets set push_at = ?
		where page_id = ? and enabled and live_deploy_id is not null returning id`, s.now(), pageID).Scan(ctx, &ids)
	if err != nil {
		return database.Fault(fmt.Errorf("have a status page renewed: %w", err), nil)
	}
	for _, id := range ids {
		if err := s.wakeTarget(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// folderOf is where local targets lie.
func folderOf(cfg *config.Config) string {
	if cfg.Given(folderKey) {
		return cfg.Path(folderKey)
	}
	return filepath.Join(cfg.DataDir(), "statuspage")
}

// inPageOf runs a change of what belongs to a page, with the page locked first. Fault: not_found (404).
func inPageOf[R any](
	ctx context.Context, s *service, id string, read func(ctx context.Context, id string, lock bool) (R, error),
	pageOf func(*R) string, change func(ctx context.Context, page *pageRow, row *R) error,
) error {
	return s.store.db.InTx(ctx, func(ctx context.Context) error {
		seen, err := read(ctx, id, false)
		if err != nil {
			return err
		}
		page, err := s.store.page(ctx, pageOf(&seen), true)
		if err != nil {
			return err
		}
		row, err := read(ctx, id, true)
		if err != nil {
			return err
		}
		return change(ctx, &page, &row)
	})
}
