package database

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"go.uber.org/zap"
)

// PrivateOptions says where the private PostgreSQL lives.
type PrivateOptions struct {
	DataDir  string // the panel's data folder; the cluster is its subfolder postgres
	BinDir   string // folder of PostgreSQL's programs; empty: searched for
	Log      *zap.Logger
	Settings []string // further server settings, "name=value"
	Detached bool     // the server outlives this process, nobody restarts it and stop does nothing; for tests
}

// cluster keeps one private server alive until it is stopped.
type cluster struct {
	server  *server
	host    string // where clients find the socket
	log     *zap.Logger
	process *os.Process
	ended   <-chan struct{} // nil for a server that was adopted
	lock    *os.File

	stopping chan struct{}
	once     sync.Once
	watched  chan struct{}
}

const (
	startLimit = 60 * time.Second
	stopLimit  = 10 * time.Second
	glance     = 20 * time.Millisecond
)

// StartPrivate makes, starts or adopts the private PostgreSQL of a data folder and gives its address.
//
// A server left behind by a killed panel is adopted; one that dies is started again. Another process that uses the same
// folder (a command line tool) gets the address of the running server, and its stop does nothing.
// Errors are sentences for the operator: no programs, another major version, another owner.
func StartPrivate(ctx context.Context, opts PrivateOptions) (dsn string, stop func(context.Context) error, err error) {
	home, err := makeHome(opts.DataDir)
	if err != nil {
		return "", nil, err
	}
	s := &server{home: home, settings: opts.Settings, detached: opts.Detached}
	if s.as, err = serverAccount(s.data()); err != nil {
		return "", nil, err
	}
	if s.programs, err = findPrograms(ctx, opts.BinDir, s.as); err != nil {
		return "", nil, err
	}
	if err := s.checkVersion(); err != nil {
		return "", nil, err
	}
	c := &cluster{server: s, log: opts.Log, stopping: make(chan struct{}), watched: make(chan struct{})}
	return c.open(ctx)
}

// PrivateDSN is the address of the private PostgreSQL of a data folder, for whoever only looks: nothing is made or
// started.
func PrivateDSN(dataDir string) (string, error) {
	home, err := filepath.Abs(filepath.Join(dataDir, "postgres"))
	if err != nil {
		return "", fmt.Errorf("finding the private database in PANEL_DATA_DIR: %w", err)
	}
	host, err := (&server{home: home}).host()
	if err != nil {
		return "", err
	}
	return dsnOf(host, superuser), nil
}

func makeHome(dataDir string) (string, error) {
	home, err := filepath.Abs(filepath.Join(dataDir, "postgres"))
	if err == nil {
		err = errors.Join(os.MkdirAll(home, 0o700), trusted(home))
	}
	if err != nil {
		return "", fmt.Errorf("making the folder of the private database in PANEL_DATA_DIR: %w", err)
	}
	return home, nil
}

var errLink = errors.New(
	"the folder postgres is a link, and not one of root: root does not follow it; run this as the owner of the data folder",
)

// trusted keeps root from working where a link of somebody else leads. An operator may link to another disk.
func trusted(home string) error {
	about, err := os.Lstat(home)
	if err != nil || os.Geteuid() != 0 || about.Mode()&os.ModeSymlink == 0 {
		return err
	}
	if system, known := about.Sys().(*syscall.Stat_t); known && system.Uid == 0 {
		return nil
	}
	return errLink
}

func (c *cluster) open(ctx context.Context) (string, func(context.Context) error, error) {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	mine, err := c.takeLock()
	if err != nil {
		return "", nil, err
	}
	if !mine {
		return c.follow(ctx)
	}
	if err := c.bringUp(ctx); err != nil {
		c.release()
		return "", nil, err
	}
	if c.server.detached {
		c.release()
		close(c.watched)
	} else {
		go c.watch()
	}
	return dsnOf(c.host, superuser), c.stop, nil
}

// takeLock decides who looks after the server; the kernel gives the lock back when that process ends.
func (c *cluster) takeLock() (bool, error) {
	file, err := os.OpenFile(filepath.Join(c.server.home, "lock"), os.O_CREATE|os.O_RDWR|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return false, fmt.Errorf("opening the lock of the private database: %w", err)
	}
	how := syscall.LOCK_EX
	if !c.server.detached {
		how |= syscall.LOCK_NB
	}
	err = syscall.Flock(int(file.Fd()), how)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, file.Close()
	}
	if err != nil {
		return false, errors.Join(fmt.Errorf("locking the private database: %w", err), file.Close())
	}
	c.lock = file
	return true, nil
}

func (c *cluster) release() { _ = c.lock.Close() }

// follow waits for the server of another process.
func (c *cluster) follow(ctx context.Context) (string, func(context.Context) error, error) {
	for {
		if c.findHost() == nil && ping(ctx, dsnOf(c.host, superuser)) == nil {
			return dsnOf(c.host, superuser), func(context.Context) error { return nil }, nil
		}
		if err := pause(ctx); err != nil {
			return "", nil, fmt.Errorf(
				"another process looks after the private database in %s, and it does not answer: %w",
				c.server.home,
				err,
			)
		}
	}
}

func (c *cluster) findHost() (err error) {
	if c.host == "" {
		c.host, err = c.server.host()
	}
	return err
}

func (c *cluster) bringUp(ctx context.Context) error {
	if err := c.server.create(ctx); err != nil {
		return err
	}
	if err := c.findHost(); err != nil {
		return err
	}
	if c.adopt(ctx) {
		c.log.Info("the private database was still running and is used again")
	} else if err := c.begin(ctx); err != nil {
		return err
	}
	return ensureDatabase(ctx, c.upkeep())
}

// upkeep is the address of the database that always exists.
func (c *cluster) upkeep() string { return dsnOf(c.host, "postgres") }

// adopt takes over a running server. One that is just ending or recovering is waited for.
func (c *cluster) adopt(ctx context.Context) bool {
	for {
		left := c.server.running()
		if left == nil {
			return false
		}
		if ping(ctx, c.upkeep()) == nil {
			c.process, c.ended = left, nil
			return true
		}
		if pause(ctx) != nil {
			return false
		}
	}
}

func (c *cluster) begin(ctx context.Context) (err error) {
	if c.process, c.ended, err = c.server.start(); err != nil {
		return err
	}
	for ping(ctx, c.upkeep()) != nil {
		if !isPostgres(c.process.Pid) {
			return fmt.Errorf("the private database in %s ended while starting: %s", c.server.home, c.server.logTail())
		}
		if err := pause(ctx); err != nil {
			return errors.Join(
				fmt.Errorf("the private database in %s did not start in time: %w", c.server.home, err),
				c.process.Signal(syscall.SIGINT),
			)
		}
	}
	return nil
}

func ensureDatabase(ctx context.Context, dsn string) error {
	conn, err := Connect(ctx, dsn)
	if err != nil {
		return fmt.Errorf("connecting to the private database: %w", err)
	}
	defer func() { _ = conn.Close(ctx) }()
	var there bool
	err = conn.QueryRow(ctx, "select exists (select from pg_database where datname = $1)", superuser).Scan(&there)
	if err == nil && !there {
		_, err = conn.Exec(ctx, "create database "+superuser)
	}
	if err != nil {
		return fmt.Errorf("preparing the private database: %w", err)
	}
	return nil
}

// watch starts a server that died again, until stop.
func (c *cluster) watch() {
	defer close(c.watched)
	for c.waitForEnd() {
		c.log.Error("the private database ended unexpectedly and is started again", zap.String("log",
			c.server.logTail()))
		for !c.restart() {
			select {
			case <-c.stopping:
				return
			case <-time.After(200 * time.Millisecond):
			}
		}
	}
}

// waitForEnd reports false when the end was asked for.
func (c *cluster) waitForEnd() bool {
	if c.ended != nil {
		select {
		case <-c.stopping:
			return false
		case <-c.ended:
			return !c.isStopping()
		}
	}
	for isPostgres(c.process.Pid) {
		select {
		case <-c.stopping:
			return false
		case <-time.After(500 * time.Millisecond):
		}
	}
	return !c.isStopping()
}

func (c *cluster) isStopping() bool {
	select {
	case <-c.stopping:
		return true
	default:
		return false
	}
}

func (c *cluster) restart() bool {
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	err := c.begin(ctx)
	if err != nil {
		c.log.Error("starting the private database again", zap.Error(err))
	}
	return err == nil
}

// stop ends the server in an orderly way and waits for its end.
func (c *cluster) stop(ctx context.Context) error {
	c.once.Do(func() { close(c.stopping) })
	<-c.watched
	if c.server.detached {
		return nil
	}
	defer c.release()
	if c.process == nil { // it died and could not be started again
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, stopLimit)
	defer cancel()
	if err := c.process.Signal(syscall.SIGINT); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("stopping the private database: %w", err)
	}
	for isPostgres(c.process.Pid) {
		if err := pause(ctx); err != nil {
			return errors.Join(
				fmt.Errorf("the private database did not stop in time: %w", err),
				c.process.Signal(syscall.SIGQUIT),
			)
		}
	}
	if c.ended != nil {
		<-c.ended // it is over, but the system may not have cleared it away
	}
	return nil
}

func pause(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(glance):
		return nil
	}
}
