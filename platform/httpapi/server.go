package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gofiber/fiber/v2"
	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"
	"golang.org/x/sync/semaphore"

	"panel/platform/access"
	"panel/platform/entitlement"
	"panel/platform/httpapi/internal/connections"
	"panel/platform/idempotency"
	"panel/platform/limits"
)

// Options are the services that every request passes through.
type Options struct {
	Log            *zap.Logger
	Clock          clockwork.Clock
	Version        string
	Sessions       Sessions
	Agents         Agents
	License        entitlement.Source
	Installation   Installation
	Denials        Denials
	Permissions    []access.Permission // declared keys; an operation may name no other
	Streams        *Streams
	Reader         *Reader        // nil where nobody reads in process
	TrustedProxies []netip.Prefix // whose X-Forwarded-For is believed
	Fallback       fiber.Handler  // the web interface; nil answers 404
	Meter          Meter          // nil counts nothing
	Connections    Connections
	Database       Database           // nil for one that always answers
	Idempotency    *idempotency.Store // nil: keys are ignored
	Leeway         time.Duration      // that every request has beyond its deadline; for tests on overloaded machines
}

// Connections are bounds of how many clients may be connected at a time.
type Connections = connections.Bounds

// Meter counts answers for whoever watches the panel.
type Meter interface {
	// Began hears of every request at its beginning.
	Began()
	// Route gives the function that hears of the answers of one operation, or with Interface and Unmatched of all that
	// none took.
	Route(method, template string) (answered func(status int, took time.Duration))
}

// Routes of requests that no operation took. They count as GET, because anybody may send any method there.
const (
	Interface = "interface" // pages and files of the web interface
	Unmatched = "unmatched" // unknown addresses
)

// Server is the panel's HTTP server.
type Server struct {
	opts    Options
	log     *zap.Logger
	refused *refusals
	app     *fiber.App
	api     huma.API
	limits  *limits.Limiter
	ops     map[string]*mounted
	literal map[string]map[string]fiber.Handler // operations whose path has no parameter, by path and method
	shed    shedding
	routes  Routes
	adding  string // module whose operations are being mounted
	bodies  bodyRoom
	uploads *semaphore.Weighted

	unmatched   *mounted
	writeWithin time.Duration
}

// writeWithin is how long a client may leave a piece of an answer unread.
const writeWithin = 30 * time.Second

// mounted is an operation with everything that its requests would otherwise compute each time.
type mounted struct {
	op         *Operation
	parameters bool        // the path holds some
	log        *zap.Logger // already knows method and route
	answered   func(status int, took time.Duration)
	described  *huma.Operation
	query      parameters
	body       *shape // nil when it takes none
	registry   huma.Registry
	made       atomic.Pointer[[]byte] // the answer of an unchanging one, once there is one
	handle     func(huma.Context)     // of a typed one
}

// headerLimit is the most that the headers of a request may take; every connected agent costs as much memory.
const headerLimit = 4 << 10

// answerBuffer holds the headers and the body of most answers, so that they leave in one call of the system: a page of
// a list when it is compressed, the subscription of a client with twenty flows.
const answerBuffer = 8 << 10

// headersWithin is how long the headers of a request may take to arrive.
const headersWithin = 15 * time.Second

// New makes a server with all operations mounted. It refuses an operation without declared access, a path taken twice
// and a permission key that nobody declared; the message names the module and the operation.
func New(opts Options, routes Routes) (*Server, error) {
	installHooks()
	limiter, err := limits.New()
	if err != nil {
		return nil, err
	}
	if opts.Log == nil {
		opts.Log = zap.NewNop()
	}
	if opts.Meter == nil {
		opts.Meter = noMeter{}
	}
	s := &Server{
		opts: opts, log: opts.Log, limits: limiter, refused: newRefusals(opts.Log, opts.Clock),
		ops: map[string]*mounted{}, literal: map[string]map[string]fiber.Handler{}, routes: routes,
		shed:   newShedding(),
		bodies: newBodyRoom(), uploads: semaphore.NewWeighted(uploadsAtOnce), writeWithin: writeWithin,
	}
	s.unmatched = s.prepared(&Operation{Method: fiber.MethodGet, Path: Unmatched})
	s.app = fiber.New(fiber.Config{
		DisableStartupMessage: true, Immutable: true, ReadBufferSize: headerLimit, CaseSensitive: true,
		StrictRouting: true, WriteBufferSize: answerBuffer,
		ReadTimeout: headersWithin, IdleTimeout: 3 * time.Minute, ErrorHandler: s.unread,
		// The guard reads bodies, once it knows who calls what. The library shall not read ahead more than the byte
		// that it must.
		StreamRequestBody: true, BodyLimit: 1, DisablePreParseMultipartForm: true,
	})
	s.app.Server().KeepHijackedConns = true // whoever takes a connection over keeps it after the handler has returned
	s.app.Server().Handler = s.known(s.sheds(s.app.Server().Handler))
	s.api = huma.NewAPI(describe(opts.Version, s.schemaName), &adapter{server: s})
	s.app.Use(s.enter)
	slices.SortStableFunc(routes, literalFirst)
	for i := range routes {
		if err := s.add(&routes[i]); err != nil {
			return nil, err
		}
	}
	s.loosen() // last, because operations may share the type of a body
	if opts.Reader != nil {
		opts.Reader.server = s
	}
	if opts.Fallback != nil {
		s.mountInterface(opts.Fallback)
	}
	return s, nil
}

// mountInterface gives the interface all that no operation took. What it hands on is an unknown address again.
func (s *Server) mountInterface(pages fiber.Handler) {
	at := s.prepared(&Operation{Method: fiber.MethodGet, Path: Interface})
	s.app.Use(func(c *fiber.Ctx) error {
		visited(c).at = at
		return pages(c)
	}, func(c *fiber.Ctx) error {
		visited(c).at = nil
		return c.Next()
	})
}

// literalFirst keeps /nodes/{id} of one module from taking the requests of /nodes/agent-rings of another.
func literalFirst(a, b Operation) int {
	return strings.Compare(strings.ReplaceAll(a.Path, "{", "\x7f"), strings.ReplaceAll(b.Path, "{", "\x7f"))
}

func (s *Server) add(op *Operation) error {
	if err := s.check(op); err != nil {
		return fmt.Errorf("module %s, operation %s %s: %w", op.Owner, op.Method, op.Path, err)
	}
	if op.BodyLimit == 0 {
		op.BodyLimit = DefaultBodyLimit
	}
	at := s.prepared(op)
	s.ops[op.Method+" "+op.Path] = at
	s.shed.add(at)
	if op.raw != nil {
		described := s.rawDescription(op)
		at.described, at.query = described, parametersOf(described)
		if !op.Hidden {
			s.api.OpenAPI().AddOperation(described)
		}
		at.query = parametersOf(&huma.Operation{Parameters: op.takes})
		s.mount(op.Method, op.Path, op.raw)
		return nil
	}
	s.adding = op.Owner
	described := description(op)
	op.register(s.api, described, s)
	return s.shaped(at)
}

func (s *Server) prepared(op *Operation) *mounted {
	return &mounted{
		op: op, parameters: strings.Contains(op.Path, "{"), answered: s.opts.Meter.Route(op.Method, op.Path),
		log: s.log.With(zap.String("method", op.Method), zap.String("route", op.Path)),
	}
}

func (s *Server) check(op *Operation) error {
	if op.Rule.Kind == access.Undeclared {
		return errors.New("declares no access; say Public, Throttled, Agent, Setup, Session or Needs")
	}
	if _, taken := s.ops[op.Method+" "+op.Path]; taken {
		return errors.New("this address is already taken by another operation")
	}
	if err := checkBody(op); err != nil {
		return err
	}
	if err := checkAnew(op); err != nil {
		return err
	}
	if op.Unchanging && (op.Writes() || op.input == nil || op.input.NumField() > 0) {
		return errors.New("only what reads and takes nothing from its request can be unchanging")
	}
	if op.input != nil {
		if err := checkInput(op.input, map[reflect.Type]bool{}); err != nil {
			return err
		}
	}
	for _, key := range slices.Concat(op.Rule.Keys, op.Rule.Also) {
		if !slices.ContainsFunc(s.opts.Permissions, func(p access.Permission) bool { return p.Key == key }) {
			return fmt.Errorf("needs the permission %s, which no module declares", key)
		}
	}
	return nil
}

// mount puts a handler behind the guard; a GET also answers HEAD.
func (s *Server) mount(method, path string, handler fiber.Handler) {
	guarded := s.guard(s.ops[method+" "+path], handler)
	s.app.Add(method, route(path), guarded)
	s.name(method, path, guarded)
	if method == fiber.MethodGet {
		s.app.Head(route(path), guarded)
		s.name(fiber.MethodHead, path, guarded)
	}
}

// name lets a path without parameters be looked up: the library compares a path with one route after the other, and
// those of an API begin alike.
func (s *Server) name(method, path string, guarded fiber.Handler) {
	if strings.Contains(path, "{") {
		return
	}
	if s.literal[path] == nil {
		s.literal[path] = map[string]fiber.Handler{}
	}
	s.literal[path][method] = guarded
}

// dispatch hands a request to its operation.
func (s *Server) dispatch(c *fiber.Ctx) error {
	if guarded := s.literal[c.Path()][c.Method()]; guarded != nil {
		return guarded(c)
	}
	return c.Next()
}

// Routes are the mounted operations, for the tests that walk over all of them.
func (s *Server) Routes() Routes { return slices.Clone(s.routes) }

// App is the fiber application, for tests that send requests without a network.
func (s *Server) App() *fiber.App { return s.app }

// Serve answers requests on the listener until Stop.
func (s *Server) Serve(listener net.Listener) error {
	bounds := connections.New(s.opts.Connections, s.writeWithin, s.believed, s.log, bare)
	return s.app.Listener(bounds.Listen(listener))
}

// checkBody makes sure that an operation says how much it reads of callers who need not prove who they are.
func checkBody(op *Operation) error {
	switch open := op.Rule.Kind != access.KindSession && op.Rule.Kind != access.KindAgent; {
	case op.BodyLimit > mostBody(op):
		return fmt.Errorf("its body limit is above %d bytes", mostBody(op))
	case open && op.BodyLimit == 0:
		return fmt.Errorf("anybody may call it, so it must say BodyLimit, at most %d bytes", PublicBodyLimit)
	case open && op.BodyLimit > PublicBodyLimit:
		return fmt.Errorf("anybody may call it, and its body limit is above %d bytes", PublicBodyLimit)
	}
	return nil
}

// Stop ends streams first, because they would hold the shutdown to its deadline, then drains the rest.
func (s *Server) Stop(ctx context.Context) error {
	s.opts.Streams.Stop()
	err := s.app.ShutdownWithContext(ctx)
	s.refused.stop()
	if err != nil {
		return fmt.Errorf("stop the HTTP server: %w", err)
	}
	return nil
}
