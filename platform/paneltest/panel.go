// Package paneltest runs a whole panel inside a test: real PostgreSQL, real HTTP, chosen modules.
package paneltest

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest"

	"panel/platform/access"
	"panel/platform/app"
	"panel/platform/config"
	"panel/platform/database"
	"panel/platform/database/dbtest"
	"panel/platform/entitlement"
	"panel/platform/events"
	"panel/platform/module"
)

// Panel is a running panel; it stops with the test.
type Panel struct {
	t     testing.TB
	App   *app.App
	DB    *database.DB
	Clock clockwork.Clock
	Dir   string // PANEL_DATA_DIR
	URL   string
	http  *http.Client

	settings *settings
}

// Setting adjusts the panel before it starts.
type Setting func(*settings)

type settings struct {
	modules []module.Module
	env     map[string]string
	clock   clockwork.Clock
	license entitlement.Source
	db      *database.DB
	log     *zap.Logger
}

// Modules chooses the features beside the core.
func Modules(features ...module.Module) Setting {
	return func(s *settings) { s.modules = append(s.modules, features...) }
}

// Env sets PANEL_ variables.
func Env(values map[string]string) Setting {
	return func(s *settings) {
		for name, value := range values {
			s.env[name] = value
		}
	}
}

// Clock injects the time.
func Clock(clock clockwork.Clock) Setting { return func(s *settings) { s.clock = clock } }

// License fixes the license state instead of the license module's.
func License(source entitlement.Source) Setting { return func(s *settings) { s.license = source } }

// On runs the panel on a database that is there already, for several panels on one.
func On(db *database.DB) Setting { return func(s *settings) { s.db = db } }

// Log takes the panel's log instead of the test's own.
func Log(log *zap.Logger) Setting { return func(s *settings) { s.log = log } }

// New starts a panel with the given features: paneltest.New(t, backups.Module()).
func New(t testing.TB, features ...module.Module) *Panel { return Start(t, Modules(features...)) }

// Start starts a panel as the settings say.
func Start(t testing.TB, options ...Setting) *Panel {
	t.Helper()
	s := &settings{env: secretKey(), clock: realClock()}
	for _, option := range options {
		option(s)
	}
	all := app.With(s.modules)
	if s.db == nil {
		s.db = dbtest.New(t, app.Migrations(all)...)
	}
	dir := t.TempDir()
	composed := compose(t, s, all, dir)
	require.NoError(t, composed.Start(t.Context()))
	on, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	go func() { _ = composed.Serve(on) }()
	transport := &http.Transport{}
	t.Cleanup(func() { transport.CloseIdleConnections(); stop(t, composed) })
	return &Panel{
		t: t, App: composed, DB: s.db, Clock: s.clock, Dir: dir, URL: "http://" + on.Addr().String(),
		http: &http.Client{Timeout: answerWithin, Transport: transport}, settings: s,
	}
}

func secretKey() map[string]string {
	return map[string]string{config.SecretKey.Name: "a master key that only tests know"}
}

func realClock() clockwork.Clock { return clockwork.NewRealClock() }

const (
	answerWithin = 40 * time.Second
	leeway       = 25 * time.Second // an overloaded machine answers late, and that is not what such a test is about
	stopWithin   = 10*time.Second + leeway
)

func compose(t testing.TB, s *settings, all []module.Module, dir string) *app.App {
	s.env[config.DataDir.Name] = dir
	if s.log == nil {
		s.log = logger(t)
	}
	cfg, err := config.Of(s.env, app.Keys(all)...)
	require.NoError(t, err)
	secrets, err := app.OpenVault(t.Context(), cfg, s.db)
	require.NoError(t, err)
	composed, err := app.New(app.Options{
		Modules: all, Config: cfg, Log: s.log, Clock: s.clock, DB: s.db, Vault: secrets, License: s.license,
		Leeway: leeway,
	})
	require.NoError(t, err)
	return composed
}

// Bus delivers the panel's events.
func (p *Panel) Bus() *events.Bus { return p.App.Bus() }

// Scrape gives what the panel shows to Prometheus.
func (p *Panel) Scrape() string {
	p.t.Helper()
	answer := httptest.NewRecorder()
	p.App.Metrics().Handler().ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	require.Equal(p.t, http.StatusOK, answer.Code, answer.Body.String())
	return answer.Body.String()
}

// logger shows warnings of the panel beside the test's own lines.
func logger(t testing.TB) *zap.Logger { return zaptest.NewLogger(t, zaptest.Level(zap.WarnLevel)) }

func stop(t testing.TB, composed *app.App) {
	ctx, cancel := context.WithTimeout(context.Background(), stopWithin)
	defer cancel()
	require.NoError(t, composed.Stop(ctx))
}

// keysOf turns words into keys.
func keysOf(permissions []string) []access.Key {
	keys := make([]access.Key, len(permissions))
	for i, p := range permissions {
		keys[i] = access.Key(p)
	}
	return keys
}
