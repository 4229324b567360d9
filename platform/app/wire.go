package app

import (
	"cmp"
	"slices"

	"github.com/jonboulle/clockwork"
	"go.uber.org/fx"
	"go.uber.org/fx/fxevent"
	"go.uber.org/zap"

	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/automation"
	"panel/platform/config"
	"panel/platform/database"
	"panel/platform/doctor"
	"panel/platform/entitlement"
	"panel/platform/events"
	"panel/platform/files"
	"panel/platform/httpapi"
	"panel/platform/ingest"
	"panel/platform/jobs"
	"panel/platform/maintenance"
	"panel/platform/module"
	"panel/platform/operations"
	"panel/platform/outbound"
	"panel/platform/password"
	"panel/platform/places"
	"panel/platform/settings"
	"panel/platform/vault"
)

// services are what exists before any module: made by the process, closed by the process.
type services struct {
	fx.Out

	Log        *zap.Logger
	Clock      clockwork.Clock
	Config     *config.Config
	DB         *database.DB
	Listener   *database.Listener
	Vault      *vault.Vault
	Rotation   *vault.Rotation
	Settings   *settings.Store
	Network    *outbound.Network
	Bus        *events.Bus
	Jobs       *jobs.Enqueuer
	Files      *files.Store
	Operations *operations.Store
	Journal    audit.Journal
	Refusals   audit.Refusals
	Hasher     *password.Hasher
	Streams    *httpapi.Streams
	Reader     *httpapi.Reader
	Intakes    *ingest.Intakes
	Catalog    []access.Permission   // every declared key
	Features   []entitlement.Feature // every declared feature
	Known      doctor.Known          // what an installation is compared with
	Downtime   *maintenance.Switch
	Automation *automation.Switch
	Places     *places.Book
	License    *entitlement.Shared
}

// contribution is one module's parts with its owner: the only value group of the program.
type contribution struct {
	fx.Out

	Owned owned `group:"parts"`
}

type owned struct {
	owner string
	parts module.Parts
}

// gathered is what the composition needs of the modules. A build without the license or the nodes module, as tests
// make it, has no source of entitlement or agents.
type gathered struct {
	fx.In

	Parts        []owned `group:"parts"`
	Sessions     httpapi.Sessions
	Installation httpapi.Installation
	Database     httpapi.Database   `optional:"true"`
	License      entitlement.Source `optional:"true"`
	Agents       httpapi.Agents     `optional:"true"`
}

// wire turns manifests into one graph and fills into.
func wire(given services, modules []module.Module, into *gathered, log *zap.Logger) error {
	options := []fx.Option{
		fx.WithLogger(func() fxevent.Logger { return quiet{log: log} }),
		fx.Provide(func() services { return given }),
		fx.Invoke(func(g gathered) { *into = g }),
	}
	for _, m := range modules {
		options = append(options, wired(m))
	}
	if err := fx.New(options...).Err(); err != nil {
		return err
	}
	slices.SortFunc(into.Parts, func(a, b owned) int { return cmp.Compare(a.owner, b.owner) })
	return nil
}

// wired gives a module a logger of its own name, keeps its private constructors inside and labels its parts.
func wired(m module.Module) fx.Option {
	options := []fx.Option{fx.Decorate(func(log *zap.Logger) *zap.Logger { return log.Named(m.Name) })}
	if len(m.Private) > 0 {
		options = append(options, fx.Provide(append(slices.Clone(m.Private), fx.Private)...))
	}
	if len(m.Exports) > 0 {
		options = append(options, fx.Provide(m.Exports...))
	}
	if m.Attach != nil {
		options = append(options, fx.Provide(m.Attach, fx.Private), fx.Provide(func(p module.Parts) contribution {
			return contribution{Owned: owned{owner: m.Name, parts: p}}
		}))
	}
	return fx.Module(m.Name, options...)
}

// quiet passes on only what went wrong while the graph was built.
type quiet struct{ log *zap.Logger }

// LogEvent logs a failure of the composition.
func (q quiet) LogEvent(event fxevent.Event) {
	if failed, ok := event.(*fxevent.Invoked); ok && failed.Err != nil {
		q.log.Error("the panel could not be composed", zap.Error(failed.Err))
	}
}

// routes gives all operations with their owner.
func (g *gathered) routes() httpapi.Routes {
	var all httpapi.Routes
	for _, o := range g.Parts {
		for _, op := range o.parts.Routes {
			op.Owner = o.owner
			all = append(all, op)
		}
	}
	return all
}
