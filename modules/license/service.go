package license

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"

	"panel/platform/audit"
	"panel/platform/config"
	"panel/platform/database"
	"panel/platform/entitlement"
	"panel/platform/events"
	"panel/platform/lease"
	"panel/platform/licensedoc"
	"panel/platform/outbound"
	"panel/platform/vault"
	"panel/platform/version"
)

// emitter lets the rest of the panel know what happened.
type emitter interface {
	Emit(ctx context.Context, news ...events.Event) error
}

// live says whether changes made by other panels are heard at this moment.
type live interface {
	On(channel string, handler func(payload string))
	OnReady(refresh func())
	Healthy() bool
}

// parts are what a service is made of.
type parts struct {
	log      *zap.Logger
	clock    *trustedClock
	waiting  clockwork.Clock
	store    *store
	file     copyFile
	client   *client
	vault    *vault.Vault
	journal  audit.Journal
	bus      emitter
	live     live
	features []string
	grace    time.Duration
}

// service holds the license in memory; everybody asks it, nobody waits for it.
type service struct {
	parts
	current   atomic.Pointer[snapshot]
	changes   atomic.Int64  // counts the notifications that may have changed the license
	shown     atomic.Int64  // how many of them came before the license in memory was read
	questions *lease.Driver // asks the authority by the clock
	reading   chan struct{} // one reader of the database at a time; waiting for it can end
	checking  chan struct{} // one question to the authority at a time; waiting for it can end
	wake      chan struct{}
	given     chan release
}

// release is a place at the authority that nobody uses any more.
type release struct {
	key      licensedoc.Key
	instance string
}

func newService(
	log *zap.Logger,
	clock clockwork.Clock,
	cfg *config.Config,
	db *database.DB,
	listener *database.Listener,
	safe *vault.Vault,
	journal audit.Journal,
	bus *events.Bus,
	network *outbound.Network,
	catalogue []entitlement.Feature,
) (*service, error) {
	trusted, err := licensedoc.ParsePublicKeys(cfg.String(config.LicensePublicKey))
	if err != nil {
		return nil, fmt.Errorf("%s is not usable: %w", config.LicensePublicKey.Name, err)
	}
	asks := newClient(cfg.List(config.LicenseURLs), trusted, network, version.Version)
	return build(parts{
		log: log, clock: newTrustedClock(clock, clock), waiting: clock, store: newStore(db),
		file:   newCopyFile(cfg.DataDir()),
		client: asks, vault: safe, journal: journal, bus: bus, live: listener, features: keysOf(catalogue),
		grace: cfg.Duration(config.LicenseGrace, time.Hour),
	}), nil
}

func keysOf(catalogue []entitlement.Feature) []string {
	keys := make([]string, len(catalogue))
	for i, feature := range catalogue {
		keys[i] = feature.Key
	}
	slices.Sort(keys)
	return keys
}

func build(p parts) *service {
	s := &service{
		parts:    p,
		reading:  make(chan struct{}, 1),
		checking: make(chan struct{}, 1),
		wake:     make(chan struct{}, 1),
		given:    make(chan release, 16),
	}
	s.current.Store(&snapshot{})
	s.changes.Add(1)
	s.questions = lease.New(p.store.db, p.live, p.waiting, p.log, s.process())
	p.live.On(channel, func(string) { s.outdate() })
	p.live.OnReady(s.outdate)
	return s
}

// outdate makes the next look read the database.
func (s *service) outdate() {
	s.changes.Add(1)
	s.wakeWatch()
}

// wakeWatch lets the watch look at once.
func (s *service) wakeWatch() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Current is the license as a gate sees it: one look into memory in steady state.
func (s *service) Current() entitlement.State {
	k := s.look()
	v := k.judge(s.clock.Now(), s.grace)
	return entitlement.State{State: v.state, Reason: v.reason, Enabled: k.enabled}
}

// look gives the stored license, read again when another panel changed it or when
// changes are not heard. A database that does not answer leaves what is known.
func (s *service) look() *snapshot {
	const patience = 500 * time.Millisecond
	if s.shown.Load() == s.changes.Load() && s.live.Healthy() {
		return s.current.Load()
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := s.reload(ctx); err != nil {
		s.log.Warn("the license could not be read again; going on with what is known", zap.Error(err))
	}
	return s.current.Load()
}

func (s *service) reload(ctx context.Context) error {
	select {
	case s.reading <- struct{}{}:
		defer func() { <-s.reading }()
	case <-ctx.Done():
		return ctx.Err()
	}
	// Whoever looks meanwhile waits for this reader: what has come counts as shown only once it is.
	changes := s.changes.Load()
	if s.shown.Load() == changes && s.live.Healthy() {
		return nil
	}
	r, err := s.store.read(ctx)
	if err != nil {
		return err
	}
	s.publish(r)
	s.shown.Store(changes)
	return nil
}

// publish puts a row into memory. A document that does not verify keeps the old one.
func (s *service) publish(r row) {
	s.clock.AtLeast(r.ClockAt)
	if r.FailingSince != nil {
		s.clock.AtLeast(*r.FailingSince)
	}
	s.current.Store(s.understand(r))
}

func (s *service) understand(r row) *snapshot {
	old := s.current.Load()
	k := &snapshot{row: r}
	switch {
	case r.Document == "":
	case old.document != nil && old.Document == r.Document:
		k.document = old.document
	default:
		k.document = s.verified(r, old)
	}
	k.enabled, k.blocked = s.sort(k.document)
	return k
}

func (s *service) verified(r row, old *snapshot) *licensedoc.Document {
	d, err := licensedoc.Verify(r.Document, s.client.trusted...)
	if err != nil || d.InstanceID != r.InstanceID {
		s.log.Error("the stored license document is not good; going on with the one before", zap.Error(err))
		return old.document
	}
	s.clock.AtLeast(d.IssuedAt)
	return &d
}

func (s *service) sort(d *licensedoc.Document) (enabled, blocked []string) {
	enabled, blocked = []string{}, []string{}
	for _, feature := range s.features {
		if d != nil && d.Allows(feature) {
			enabled = append(enabled, feature)
		} else {
			blocked = append(blocked, feature)
		}
	}
	return enabled, blocked
}

// Status is the license as people see it.
func (s *service) Status() Status { return s.look().status(s.clock.Now(), s.grace) }
