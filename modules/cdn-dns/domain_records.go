package cdndns

import (
	"context"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"

	"panel/modules/cdn-dns/internal/lookup"
	"panel/modules/cdn-dns/internal/provider"
	"panel/modules/cdn-dns/internal/records"
	"panel/modules/domains/domainsapi"
	"panel/modules/flows/flowsapi"
	"panel/modules/nodes/nodesapi"
	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/automation"
	"panel/platform/database"
	"panel/platform/entitlement"
	"panel/platform/events"
	"panel/platform/fault"
	"panel/platform/httpapi"
	"panel/platform/module"
)

// watcher is what the module does with the host names of bindings: it writes their records and watches what name
// servers answer.
type watcher struct {
	*records.Engine
	integrations *integrations
	domains      domainsapi.Domains

	mu    sync.Mutex
	zones map[openedZone]foundZone
}

// openedZone is a zone as an integration opens it since it was changed last.
type openedZone struct {
	integration string
	revision    int64
	name        string
}

type foundZone struct {
	provider.Zone
	until time.Time
}

func newWatcher(
	db *database.DB, l *database.Listener, j audit.Journal, b *events.Bus, clock clockwork.Clock, log *zap.Logger,
	r *lookup.Resolver, d domainsapi.Domains, f nodesapi.Fleet, stop *automation.Switch, i *integrations,
) *watcher {
	w := &watcher{integrations: i, domains: d, zones: map[openedZone]foundZone{}}
	w.Engine = records.New(records.Tools{
		DB: db, Listener: l, Journal: j, Bus: b, Clock: clock, Log: log, Resolver: r, Domains: d, Fleet: f,
		Stop: stop, Find: w.holder, Open: w.client,
		Fronted: w.fronted,
	})
	return w
}

// fronted tells whether anything stands at a network for a binding.
func (w *watcher) fronted(ctx context.Context, domainID string) (is bool, err error) {
	err = w.DB.In(ctx).NewRaw("select exists (select from cdn_resources where domain_id = ?)", domainID).Scan(ctx, &is)
	return is, database.Fault(err, nil)
}

// keepZone is how long a service is not asked again for a zone that it has named.
const keepZone = time.Hour

// holder finds the integration that holds the zone of a host name. The service is asked for the zone once an hour, and
// not at each look. Error: provider.ErrNoZone.
func (w *watcher) holder(ctx context.Context, host string) (h records.Holder, err error) {
	row, name, err := w.integrations.opening(ctx, host)
	if err != nil {
		return h, err
	}
	h.IntegrationID = row.ID
	if h.Client, err = w.integrations.open(row); err != nil {
		return h, err
	}
	key, now := openedZone{row.ID, row.Revision, name}, w.integrations.now()
	w.mu.Lock()
	found, known := w.zones[key]
	w.mu.Unlock()
	if known && now.Before(found.until) {
		h.Zone = found.Zone
		return h, nil
	}
	if h.Zone, err = h.Client.ZoneOf(ctx, name); err != nil {
		return h, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for old, zone := range w.zones {
		if !now.Before(zone.until) {
			delete(w.zones, old)
		}
	}
	w.zones[key] = foundZone{h.Zone, now.Add(keepZone)}
	return h, nil
}

// client opens an integration. Fault: not_found (404).
func (w *watcher) client(ctx context.Context, id string) (*provider.Client, error) {
	row, err := w.integrations.store.integration(ctx, id)
	if err != nil {
		return nil, err
	}
	return w.integrations.open(&row)
}

// withRecords adds to the manifest what the records of bindings need.
func withRecords(m module.Module) module.Module {
	m.Journal.Actions = append(m.Journal.Actions, records.ActionWritten, records.ActionRemoved)
	m.Events = append(m.Events, records.EventKinds(View)...)
	m.Checks = append(m.Checks, recordsCheck())
	m.Private = append(m.Private, newWatcher)
	m.Exports = append(m.Exports, exportNames)
	m.Acts = append(m.Acts, records.Act(feature))
	return m
}

// parts are what the records of bindings add to the module while it lives.
func (w *watcher) parts(states domainsapi.States, stages flowsapi.Stages) module.Parts {
	states.Add(records.Source())
	stages.Add(w.stage())
	return module.Parts{
		Routes:    w.routes(),
		Listeners: []events.Listener{w.listener()},
		Loops:     []func(context.Context) error{w.Run, w.sweep},
		Metrics:   w.metrics(),
	}
}

// listener looks at a binding when something about it or its node has changed.
func (w *watcher) listener() events.Listener {
	const atOnce = 4
	return events.Listener{
		Name: "cdndns.domains", Limit: atOnce, Feature: feature, ReadOnly: entitlement.GoesOn, Blocked: entitlement.GoesOn,
		Kinds: []string{
			domainsapi.Created, domainsapi.Updated, domainsapi.Deleted, nodesapi.NodeUpdated, nodesapi.NodeEnrolled,
			nodesapi.NodeDeleted,
		},
		Handle: func(ctx context.Context, event events.Event) error {
			switch event.Kind {
			case domainsapi.Created, domainsapi.Updated, domainsapi.Deleted:
				return w.Notice(ctx, event.SubjectID)
			}
			return w.NoticeNode(ctx, event.SubjectID)
		},
	}
}

const sweepEvery = time.Hour

// sweep begins to watch what nobody told of: the bindings of an older database.
func (w *watcher) sweep(ctx context.Context) error {
	for {
		if err := w.NoticeAll(ctx); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-w.integrations.clock.After(sweepEvery):
		}
	}
}

func (w *watcher) routes() httpapi.Routes {
	return httpapi.Under("/api/v1/node-domains", feature,
		httpapi.Get("/{id}/dns", "Show the DNS records of a node domain", access.Needs(View), w.show, httpapi.UngatedReads()),
		httpapi.Post("/{id}/check", "Look at the DNS records of a node domain now", access.Needs(View), w.checkNow),
	)
}

// binding gives a binding that the caller may know of. Fault: not_found (404).
func bindingOf(ctx context.Context, domains domainsapi.Domains, id string) (domainsapi.Domain, error) {
	found, err := domains.ByIDs(ctx, id)
	if err != nil {
		return domainsapi.Domain{}, err
	}
	binding, caller := found[id], access.From(ctx)
	if binding.ID == "" || binding.OwnerID != caller.AccountID && !caller.Permissions.Has(access.All) {
		return domainsapi.Domain{}, fault.Missing(fault.NoSuchThing)
	}
	return binding, nil
}

func (w *watcher) show(ctx context.Context, in *ItemPath) (*body[records.Detail], error) {
	binding, err := bindingOf(ctx, w.domains, in.ID)
	if err != nil {
		return nil, err
	}
	detail, err := w.Show(ctx, binding)
	return &body[records.Detail]{detail}, err
}

func (w *watcher) checkNow(ctx context.Context, in *ItemPath) (*body[records.Detail], error) {
	binding, err := bindingOf(ctx, w.domains, in.ID)
	if err != nil {
		return nil, err
	}
	detail, err := w.Check(ctx, binding)
	return &body[records.Detail]{detail}, err
}
