package checks

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"panel/platform/database"
	"panel/platform/doctor"
)

// dsn is PANEL_DB_URL, else the private database of the data folder; an empty one says that there is none yet.
func dsn(env doctor.Env) (address, name string, done func()) {
	if given := env.Getenv("PANEL_DB_URL"); given != "" {
		return given, "PANEL_DB_URL", func() {}
	}
	folder := filepath.Join(DataDir(env), "postgres", "data")
	if _, err := os.Stat(folder); err != nil {
		return "", folder, func() {}
	}
	host, done := socketFolder(folder)
	return "postgres://panel@/panel?host=" + url.QueryEscape(host), folder, done
}

// socketFolder is a handle on the folder when its path is too long for a socket.
func socketFolder(folder string) (string, func()) {
	const room = 90
	if len(folder) <= room {
		return folder, func() {}
	}
	handle, err := os.Open(folder)
	if err != nil {
		return folder, func() {}
	}
	return "/proc/self/fd/" + strconv.Itoa(int(handle.Fd())), func() { handle.Close() }
}

func connection(ctx context.Context, env doctor.Env) doctor.Finding {
	address, name, done := dsn(env)
	defer done()
	if address == "" {
		return failed(doctor.Say("PANEL_DB_URL is not set and there is no private database in %s", name), doctor.Say("start the panel once, or set PANEL_DB_URL"))
	}
	db, err := database.Open(ctx, address, database.Options{MaxConns: 1, Name: "panelctl doctor"})
	if err != nil {
		return failed(doctor.Say("%s", err.Error()), doctor.Say("check PANEL_DB_URL, then start the database or the panel"))
	}
	defer db.Close()
	return greeting(ctx, db)
}

func greeting(ctx context.Context, db *database.DB) doctor.Finding {
	began := time.Now()
	var version string
	if err := db.NewRaw("show server_version").Scan(ctx, &version); err != nil {
		return failed(doctor.Say("the database accepts connections but answers no question: %s", innermost(err)), doctor.Say("look at the log of PostgreSQL"))
	}
	took := time.Since(began)
	finding := ok("PostgreSQL %s, %d ms", version, took.Milliseconds())
	finding.Data = map[string]any{"version": version, "latency_ms": took.Milliseconds()}
	if took > time.Second {
		finding.Status, finding.Do = doctor.Warning, doctor.Say("look at the load of the database server and at the network to it")
	}
	return finding
}

func applied(ctx context.Context, env doctor.Env) doctor.Finding {
	address, _, done := dsn(env)
	defer done()
	if address == "" {
		return skipped("there is no database yet")
	}
	db, err := database.Open(ctx, address, database.Options{MaxConns: 1, Name: "panelctl doctor"})
	if err != nil {
		return skipped("the database cannot be reached")
	}
	defer db.Close()
	var count int
	if err := db.NewRaw("select count(*) from bun_migrations").Scan(ctx, &count); err != nil {
		return failed(doctor.Say("the schema of the panel is not in this database"), doctor.Say("check PANEL_DB_URL; the panel makes the schema at its start"))
	}
	finding := ok("%d steps are applied", count)
	finding.Data = map[string]any{"applied": fmt.Sprint(count)}
	return finding
}
