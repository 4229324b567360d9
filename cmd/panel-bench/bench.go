package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"go.uber.org/zap"

	"panel/cmd/panel-bench/internal/load"
	"panel/cmd/panel-bench/internal/measure"
	"panel/cmd/panel-bench/internal/sqlcount"
	"panel/e2e/rig"
	"panel/platform/database"
)

// bench is the scope of one goal: its folder, its databases and whatever it starts.
type bench struct {
	settings
	server    *server
	folder    string
	databases []string
	attacks   int // of strangers, so far

	mu     sync.Mutex
	stops  []func() error
	closed bool
}

func newBench(s settings, server *server, goal string) (*bench, error) {
	folder := filepath.Join(server.folder, goal)
	if err := os.Mkdir(folder, 0o755); err != nil {
		return nil, fmt.Errorf("make the folder of %s: %w", goal, err)
	}
	return &bench{settings: s, server: server, folder: folder}, nil
}

// atEnd remembers what has to be ended when the goal is measured; the last is ended first. Who starts something after
// the end, because it was left alone, loses it at once.
func (b *bench) atEnd(stop func() error) {
	b.mu.Lock()
	late := b.closed
	if !late {
		b.stops = append(b.stops, stop)
	}
	b.mu.Unlock()
	if late {
		_ = stop() // nobody waits any more for how this ends
	}
}

func (b *bench) ended() []func() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	return b.stops
}

// close ends whatever the goal started and removes its databases.
func (b *bench) close() error {
	var failures []error
	for _, stop := range slices.Backward(b.ended()) {
		failures = append(failures, stop())
	}
	if b.keep {
		return errors.Join(failures...)
	}
	ctx, cancel := context.WithTimeout(context.Background(), cleaning)
	defer cancel()
	for _, name := range b.databases {
		failures = append(failures, execute(ctx, b.server.dsn, "drop database "+name+" with (force)"))
	}
	return errors.Join(append(failures, os.RemoveAll(b.folder))...)
}

const cleaning = time.Minute

// server is the one database server of a run.
type server struct {
	folder string
	dsn    string // empty until the first goal needs it
	stop   func(context.Context) error
}

func newServer() (*server, error) {
	folder, err := os.MkdirTemp("", "bench")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the run: %w", err)
	}
	return &server{folder: folder}, os.Chmod(folder, 0o755)
}

// durable settings that stay the same on every machine.
var serverSettings = []string{
	"shared_buffers=256MB", "max_connections=120", "max_wal_size=4GB", "checkpoint_timeout=30min", "fsync=on",
	"synchronous_commit=on",
}

// start starts the database server once.
func (s *server) start(ctx context.Context) error {
	if s.dsn != "" {
		return nil
	}
	dsn, stop, err := database.StartPrivate(context.WithoutCancel(ctx), database.PrivateOptions{
		DataDir: s.folder, BinDir: os.Getenv("PANEL_PG_BIN"), Log: zap.NewNop(), Settings: serverSettings,
	})
	if err != nil {
		return err
	}
	s.dsn, s.stop = dsn, stop
	return nil
}

func (s *server) close(keep bool) {
	var failures []error
	if s.stop != nil {
		ctx, cancel := context.WithTimeout(context.Background(), cleaning)
		defer cancel()
		failures = append(failures, s.stop(ctx))
	}
	if keep {
		fmt.Fprintln(os.Stderr, "kept:", s.folder)
	} else {
		failures = append(failures, os.RemoveAll(s.folder))
	}
	if err := errors.Join(failures...); err != nil {
		fmt.Fprintln(os.Stderr, "while cleaning up:", err)
	}
}

// database makes an empty database and gives its address.
func (b *bench) database(ctx context.Context, name string) (string, error) {
	if err := b.server.start(ctx); err != nil {
		return "", err
	}
	if err := execute(ctx, b.server.dsn, "create database "+name); err != nil {
		return "", err
	}
	b.databases = append(b.databases, name)
	return changed(b.server.dsn, func(u *url.URL) { u.Path = "/" + name })
}

func execute(ctx context.Context, dsn, statement string, arguments ...any) error {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return fmt.Errorf("connect to the database of the run: %w", err)
	}
	defer func() { _ = conn.Close(ctx) }()
	if _, err := conn.Exec(ctx, statement, arguments...); err != nil {
		return fmt.Errorf("prepare the database of the run: %w", err)
	}
	return nil
}

func changed(dsn string, change func(*url.URL)) (string, error) {
	address, err := url.Parse(dsn)
	if err != nil {
		return "", fmt.Errorf("read the address of the database: %w", err)
	}
	change(address)
	return address.String(), nil
}

// stand is an installed panel on a database of its own, with a counter of statements in between unless it is bare.
type stand struct {
	*rig.Stand
	dsn     string // past the counter
	counter *sqlcount.Counter
}

// install brings up a panel; prepare, if given, fills the database before the panel that is measured starts.
func (b *bench) install(
	ctx context.Context,
	name string,
	prepare func(ctx context.Context, dsn string) error,
) (*stand, error) {
	return b.installWith(ctx, name, rig.PanelSettings{}, prepare)
}

func (b *bench) installWith(
	ctx context.Context,
	name string,
	settings rig.PanelSettings,
	prepare func(ctx context.Context, dsn string) error,
) (*stand, error) {
	dsn, err := b.database(ctx, name)
	if err != nil {
		return nil, err
	}
	folder := filepath.Join(b.folder, name)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, fmt.Errorf("make the folder of a panel: %w", err)
	}
	counter, counted, err := count(folder, dsn)
	if err != nil {
		return nil, err
	}
	b.atEnd(counter.Close)
	settings.Folder, settings.DSN = folder, counted
	s, err := b.bringUp(ctx, settings, dsn, prepare)
	if err != nil {
		return nil, err
	}
	s.counter = counter
	return s, nil
}

// installBare is install without the counter, which takes a share of the processor from a panel that writes much.
func (b *bench) installBare(
	ctx context.Context,
	name string,
	prepare func(ctx context.Context, dsn string) error,
) (*stand, error) {
	return b.installBareWith(ctx, name, rig.PanelSettings{}, prepare)
}

func (b *bench) installBareWith(
	ctx context.Context,
	name string,
	settings rig.PanelSettings,
	prepare func(ctx context.Context, dsn string) error,
) (*stand, error) {
	dsn, err := b.database(ctx, name)
	if err != nil {
		return nil, err
	}
	folder := filepath.Join(b.folder, name)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, fmt.Errorf("make the folder of a panel: %w", err)
	}
	settings.Folder, settings.DSN = folder, dsn
	return b.bringUp(ctx, settings, dsn, prepare)
}

func (b *bench) bringUp(
	ctx context.Context,
	settings rig.PanelSettings,
	dsn string,
	prepare func(ctx context.Context, dsn string) error,
) (*stand, error) {
	installed, err := rig.Install(ctx, settings)
	if err != nil {
		return nil, err
	}
	b.atEnd(installed.Close)
	s := &stand{Stand: installed, dsn: dsn}
	if prepare == nil {
		return s, nil
	}
	return s, errors.Join(s.Panel.Stop(), prepare(ctx, dsn), s.Panel.Up(ctx))
}

func count(folder, dsn string) (*sqlcount.Counter, string, error) {
	address, err := url.Parse(dsn)
	if err != nil {
		return nil, "", fmt.Errorf("read the address of the database: %w", err)
	}
	counter, err := sqlcount.Start(folder, address.Query().Get("host"))
	if err != nil {
		return nil, "", err
	}
	counted, err := changed(dsn, func(u *url.URL) { u.RawQuery = url.Values{"host": {folder}}.Encode() })
	return counter, counted, err
}

// address of the panel as host:port.
func (s *stand) address() string { return s.Panel.URL[len("http://"):] }

// get is a GET as the signed-in administrator, in the form that load sends.
func (s *stand) get(path string) func(int, []byte) []byte {
	request := "GET " + path + " HTTP/1.1\r\nHost: " + s.address() + "\r\nAuthorization: Bearer " + s.API.Token +
		"\r\n\r\n"
	return func(_ int, buffer []byte) []byte { return append(buffer, request...) }
}

// pairs reads limit and product alternately; each gives a rate or a time.
func (b *bench) pairs(limit, product func() (float64, error)) (limits, products measure.Series, err error) {
	return readPairs(b.settings.pairs, limit, product)
}

// readPairs lets each side begin every other pair, so that neither always follows the other.
func readPairs(count int, limit, product func() (float64, error)) (limits, products measure.Series, err error) {
	type side struct {
		read func() (float64, error)
		into *measure.Series
	}
	sides := []side{{limit, &limits}, {product, &products}}
	for range count {
		for _, s := range sides {
			value, err := s.read()
			if err != nil {
				return limits, products, err
			}
			*s.into = append(*s.into, value)
		}
		slices.Reverse(sides)
	}
	return limits, products, nil
}

// rate drives an address and gives requests per second.
func (b *bench) rate(
	ctx context.Context,
	address string,
	connections int,
	length time.Duration,
	request func(int, []byte) []byte,
) (float64, error) {
	outcome, err := load.Run(ctx, load.Plan{Address: address, Connections: connections, Request: request, For: length})
	return outcome.PerSecond(), err
}

// pause lets time pass, unless the run is interrupted.
func pause(ctx context.Context, length time.Duration) error {
	select {
	case <-time.After(length):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// number asks the database for one number.
func (s *stand) number(ctx context.Context, query string) (int64, error) {
	conn, err := pgx.Connect(ctx, s.dsn)
	if err != nil {
		return 0, fmt.Errorf("connect to the database of the run: %w", err)
	}
	defer func() { _ = conn.Close(ctx) }()
	var n int64
	if err := conn.QueryRow(ctx, query).Scan(&n); err != nil {
		return 0, fmt.Errorf("ask the database of the run: %w", err)
	}
	return n, nil
}
