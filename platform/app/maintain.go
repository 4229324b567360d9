package app

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/jackc/pgx/v5"
	"go.uber.org/zap"

	"panel/platform/database"
	"panel/platform/httpapi"
	"panel/platform/maintenance"
	"panel/platform/version"
	"panel/platform/web"
)

const (
	maintainedEvery = 500 * time.Millisecond
	comeAgain       = "5" // seconds
)

// restoring answers in the panel's place while the database is replaced: how far that is, that the process lives, and
// to everything else that the panel is back soon.
type restoring struct {
	dsn    string
	log    *zap.Logger
	began  time.Time
	notice chan maintenance.Notice // holds the newest one
}

// maintained waits until nobody replaces the database any more, and answers meanwhile; ready is called when it does. It
// returns at once when nobody replaces it.
func maintained(ctx context.Context, dsn string, at *port, ready func(), log *zap.Logger) error {
	r := &restoring{dsn: dsn, log: log, notice: make(chan maintenance.Notice, 1)}
	r.began = time.Now() //nolint:forbidigo // of this process
	conn, err := database.Connect(ctx, dsn)
	if err != nil {
		return nil // the panel says what is wrong with its database
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if found, err := maintenance.Read(ctx, conn); err != nil || found == nil {
		return err
	}
	log.Warn("the database is being restored; the panel waits for the end")
	server, err := r.serve(at)
	if err != nil {
		return err
	}
	defer func() { _ = server.ShutdownWithTimeout(time.Second) }()
	ready()
	return r.follow(ctx, conn)
}

func (r *restoring) follow(ctx context.Context, conn *pgx.Conn) error {
	ticker := time.NewTicker(maintainedEvery)
	defer ticker.Stop()
	for {
		found, err := maintenance.Read(ctx, conn)
		if err != nil || found == nil {
			return ctx.Err() // a database that is gone has no restore any more
		}
		select {
		case <-r.notice:
		default:
		}
		r.notice <- *found
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
	}
}

func (r *restoring) now() (n maintenance.Notice) {
	select {
	case n = <-r.notice:
		select {
		case r.notice <- n:
		default: // a newer one is there
		}
	default:
	}
	return n
}

func (r *restoring) serve(at *port) (*fiber.App, error) {
	page, err := web.Handler()
	if err != nil {
		return nil, err
	}
	const within = 15 * time.Second
	server := fiber.New(fiber.Config{
		DisableStartupMessage: true, ReadTimeout: within, WriteTimeout: within, BodyLimit: httpapi.DefaultBodyLimit,
	})
	server.Use(func(c *fiber.Ctx) error {
		c.Set(fiber.HeaderCacheControl, "no-store")
		c.Set(fiber.HeaderXContentTypeOptions, "nosniff")
		c.Set(fiber.HeaderConnection, "close") // the panel that comes back has connections of its own
		return c.Next()
	})
	server.Get("/livez", func(c *fiber.Ctx) error { return c.JSON(health("ok")) })
	for _, path := range []string{"/health", "/readyz"} {
		server.Get(path, func(c *fiber.Ctx) error {
			return c.Status(http.StatusServiceUnavailable).JSON(health("unavailable"))
		})
	}
	server.Get("/api/v1/system/status", r.status)
	server.Get("/api/v1/backups/restores/:id", r.progress)
	server.Use(func(c *fiber.Ctx) error {
		for _, machine := range []string{"/api/", "/agent/", "/s/", "/sub/", "/install/"} {
			if strings.HasPrefix(c.Path(), machine) {
				return unavailable(c)
			}
		}
		return c.Next()
	}, page, unavailable)
	go func() {
		if err := server.Listener(at.open()); err != nil {
			r.log.Warn("nobody answers while the database is restored", zap.Error(err))
		}
	}()
	return server, nil
}

func health(status string) fiber.Map {
	now := time.Now().UTC() //nolint:forbidigo // of this answer
	return fiber.Map{"status": status, "timestamp": now, "version": version.Version}
}

func (r *restoring) status(c *fiber.Ctx) error {
	passed := time.Since(r.began).Truncate(time.Second) //nolint:forbidigo // of this process
	return c.JSON(fiber.Map{
		"status": "restoring", "version": version.Version, "database": "connected", "setup_done": true,
		"uptime": passed.String(), "uptime_seconds": int64(passed.Seconds()),
	})
}

// progress is for whoever knows the id of the restore: sessions cannot be proved now.
func (r *restoring) progress(c *fiber.Ctx) error {
	now := r.now()
	if now.ID == "" || now.ID != c.Params("id") {
		return unavailable(c)
	}
	return c.JSON(fiber.Map{"id": now.ID, "mode": "full", "state": "running", "step": now.Step, "error": ""})
}

func unavailable(c *fiber.Ctx) error {
	c.Set(fiber.HeaderRetryAfter, comeAgain)
	text, err := (&httpapi.Problem{
		Type: "about:blank", Title: http.StatusText(http.StatusServiceUnavailable), Status: http.StatusServiceUnavailable,
		Detail: "the panel is being restored from a backup; try again", Code: "unavailable",
		RequestID: database.NewID(),
	}).MarshalJSON()
	if err != nil {
		return err
	}
	c.Status(http.StatusServiceUnavailable).Response().Header.SetContentType("application/problem+json")
	return c.Send(text)
}
