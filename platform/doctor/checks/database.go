package checks

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"panel/platform/config"
	"panel/platform/database"
	"panel/platform/doctor"
	"panel/platform/vault"
)

// PrivateFolder is the folder of the private database's files.
func PrivateFolder(env doctor.Env) string { return filepath.Join(DataDir(env), "postgres", "data") }

// dsn is PANEL_DB_URL, else the private database of the data folder; an empty one says that there is none yet.
func dsn(env doctor.Env) (address string, done func(), err error) {
	if given := env.Getenv("PANEL_DB_URL"); given != "" {
		return given, func() {}, nil
	}
	folder := PrivateFolder(env)
	if _, err := os.Stat(folder); err != nil {
		return "", func() {}, err
	}
	host, done := socketFolder(folder)
	return "postgres://panel@/panel?host=" + url.QueryEscape(host), done, nil
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

// Database opens the panel's database for a check of a module. The finding says that the check cannot be made, because
// the connection is a check of its own.
func Database(ctx context.Context, env doctor.Env) (db *database.DB, done func(), none *doctor.Finding) {
	address, close, err := dsn(env)
	if address == "" {
		finding := skipped("there is no database yet")
		if errors.Is(err, fs.ErrPermission) {
			finding = skipped("the database may not be opened by this user")
		}
		return nil, nil, &finding
	}
	db, err = open(ctx, address)
	if err != nil {
		close()
		finding := skipped("the database cannot be reached")
		return nil, nil, &finding
	}
	return db, func() { _ = db.Close(); close() }, nil
}

func open(ctx context.Context, address string) (*database.DB, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return database.Open(ctx, address, database.Options{MaxConns: 1, Name: "panelctl doctor"})
}

// address reads PANEL_DB_URL without using it.
func address(_ context.Context, env doctor.Env) doctor.Finding {
	given := env.Getenv("PANEL_DB_URL")
	if given == "" {
		return ok("PANEL_DB_URL is not set: the private database in %s", DataDir(env))
	}
	read, err := database.ParseAddress(given)
	if err != nil {
		return failed(doctor.Say("PANEL_DB_URL cannot be read as the address of a PostgreSQL"),
			doctor.Say("write it as postgres://user:password@host:5432/name into %s, then systemctl restart panel",
				settingsPlace(env)))
	}
	return ok("database %s at %s", read.Database, read.Host)
}

func connection(ctx context.Context, env doctor.Env) doctor.Finding {
	address, done, err := dsn(env)
	defer done()
	if errors.Is(err, fs.ErrPermission) {
		return unknown(doctor.Say("the private database may not be opened by this user"), asOwner())
	}
	if address == "" {
		return failed(doctor.Say("PANEL_DB_URL is not set and there is no private database in %s", PrivateFolder(env)),
			doctor.Say("set PANEL_DB_URL in %s, or let the panel create one: panelctl serve", settingsPlace(env)))
	}
	db, err := open(ctx, address)
	if err != nil {
		return unreachable(env, err)
	}
	defer func() { _ = db.Close() }()
	return greeting(ctx, db)
}

func unreachable(env doctor.Env, err error) doctor.Finding {
	if env.Getenv("PANEL_DB_URL") == "" {
		return failed(doctor.Say("the private database does not answer: %s", words(err)),
			doctor.Say("systemctl restart panel, then panelctl logs"))
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return failed(doctor.Say("the database does not answer within %d s", int(patience.Seconds())),
			doctor.Say("look at the network and the firewall to the database server, then panelctl doctor"))
	}
	return failed(refusal(env.Getenv("PANEL_DB_URL"), err),
		doctor.Say("systemctl status postgresql; check PANEL_DB_URL in %s", settingsPlace(env)))
}

// refusal tells what the panel says when it cannot use its database.
func refusal(address string, err error) doctor.Text {
	read, unread := database.ParseAddress(address)
	if unread != nil {
		return doctor.Say("PANEL_DB_URL cannot be read as the address of a PostgreSQL")
	}
	where := net.JoinHostPort(read.Host, strconv.Itoa(int(read.Port)))
	if strings.HasPrefix(read.Host, "/") {
		where = read.Host
	}
	why := whyNot(err)
	if refused := (*pgconn.PgError)(nil); errors.As(err, &refused) {
		why = doctor.Command("%s", refused.Message)
	}
	return doctor.Say("the database %q at %s cannot be used: %s; check PANEL_DB_URL and that the server runs",
		read.Database, where, why)
}

func greeting(ctx context.Context, db *database.DB) doctor.Finding {
	began := time.Now()
	var version string
	if err := db.NewRaw("show server_version").Scan(ctx, &version); err != nil {
		return failed(doctor.Say("the database accepts connections but answers no question: %s", words(err)),
			doctor.Command("journalctl -u postgresql -n 50"))
	}
	took := time.Since(began)
	version, _, _ = strings.Cut(version, " ")
	finding := ok("PostgreSQL %s, %d ms", version, took.Milliseconds())
	finding.Data = map[string]any{"version": version, "latency_ms": took.Milliseconds()}
	if took > time.Second {
		finding.Status, finding.Do = doctor.Warning,
			doctor.Say("look at the load of the database server and at the network to it")
	}
	return finding
}

func applied(ctx context.Context, env doctor.Env) doctor.Finding {
	db, done, none := Database(ctx, env)
	if none != nil {
		return *none
	}
	defer done()
	var steps []string
	if err := db.NewRaw("select name from bun_migrations").Scan(ctx, &steps); err != nil {
		return failed(doctor.Say("the schema of the panel is not in this database"),
			doctor.Say("check PANEL_DB_URL in %s; the panel makes the schema at its start: systemctl restart panel",
				settingsPlace(env)))
	}
	pending := without(env.Known.Steps, steps)
	newer := without(steps, env.Known.Steps)
	finding := ok("%d steps are applied, none is pending", len(steps))
	finding.Data = map[string]any{"applied": len(steps), "pending": pending, "unknown": newer}
	switch {
	case len(env.Known.Steps) == 0:
		finding.Found = doctor.Say("%d steps are applied", len(steps))
	case len(pending) > 0:
		finding.Status, finding.Found = doctor.Warning, doctor.Say("%d steps are pending, the first is %s",
			len(pending), pending[0])
		finding.Do = doctor.Say("systemctl restart panel; its start applies them")
	case len(newer) > 0:
		finding.Status, finding.Found = doctor.Warning,
			doctor.Say("a newer version has changed this database: %d steps are not known here", len(newer))
		finding.Do = doctor.Say("install the newer version again: panelctl version")
	}
	return finding
}

// without keeps the order of what is left.
func without(all, gone []string) []string {
	left := []string{}
	for _, name := range all {
		if !slices.Contains(gone, name) {
			left = append(left, name)
		}
	}
	return left
}

// secretsOpen opens the sample in the secret store, which shows that the master key is the one that sealed it.
func secretsOpen(ctx context.Context, env doctor.Env) doctor.Finding {
	key, none := masterKey(env)
	if none != nil {
		return *none
	}
	db, done, none := Database(ctx, env)
	if none != nil {
		return *none
	}
	defer done()
	opened, err := vault.New(key, strings.FieldsFunc(env.Getenv(config.SecretKeyPrevious.Name),
		func(r rune) bool { return r == ',' || r == ' ' })...)
	if err != nil {
		return failed(doctor.Say("the master key is not usable"),
			doctor.Say("put the right key back into %s, then systemctl restart panel", settingsPlace(env)))
	}
	err = opened.Check(ctx, db)
	switch {
	case errors.Is(err, vault.ErrWrongKey):
		return failed(doctor.Say("the master key is not the one that this database was sealed with; the panel does not start with it"),
			doctor.Say("put the right PANEL_SECRET_KEY back into %s, then systemctl restart panel", settingsPlace(env)))
	case err != nil:
		return unknown(doctor.Say("the sample of the secret store cannot be read"), doctor.Command("panelctl logs"))
	}
	return resealed(ctx, env, db, opened)
}

// resealed counts what an earlier master key sealed. A database of another release, which lacks a table, is not
// counted.
func resealed(ctx context.Context, env doctor.Env, db *database.DB, opened *vault.Vault) doctor.Finding {
	const fine = "the master key opens what is sealed"
	left, err := vault.NewRotation(opened, env.Known.Sealed).Left(ctx, db)
	if lacksTable(err) {
		return ok(fine)
	}
	if err != nil {
		return unknown(doctor.Say("it is not known what is still sealed with an earlier master key: %s", words(err)),
			doctor.Command("panelctl logs"))
	}
	sum := 0
	for _, n := range left {
		sum += n
	}
	if sum == 0 {
		return ok(fine)
	}
	found := warning(doctor.Say("%d secrets are still sealed with an earlier master key", sum),
		doctor.Say("leave the earlier key in PANEL_SECRET_KEY_PREVIOUS until the panel, while it runs, has sealed them anew"))
	found.Data = map[string]any{"left": left}
	return found
}

func lacksTable(err error) bool {
	const undefinedTable = "42P01"
	var refused *pgconn.PgError
	return errors.As(err, &refused) && refused.Code == undefinedTable
}

// masterKey never makes one: Doctor changes nothing.
func masterKey(env doctor.Env) (string, *doctor.Finding) {
	if given := env.Getenv("PANEL_SECRET_KEY"); given != "" {
		return given, nil
	}
	content, err := os.ReadFile(filepath.Join(DataDir(env), "secret.key"))
	switch {
	case errors.Is(err, fs.ErrPermission):
		finding := skipped("the master key may not be read by this user")
		return "", &finding
	case err != nil:
		finding := skipped("there is no master key yet")
		return "", &finding
	}
	return strings.TrimSpace(string(content)), nil
}

// databaseSpace looks at the disk of the private database, or asks another one for its size.
func databaseSpace(ctx context.Context, env doctor.Env) doctor.Finding {
	if env.Getenv("PANEL_DB_URL") == "" {
		if _, err := os.Stat(PrivateFolder(env)); err != nil {
			return skipped("there is no private database to look at")
		}
		return spaceIn(PrivateFolder(env))
	}
	db, done, none := Database(ctx, env)
	if none != nil {
		return *none
	}
	defer done()
	var size int64
	if err := db.NewRaw("select pg_database_size(current_database())").Scan(ctx, &size); err != nil {
		return unknown(doctor.Say("the database does not tell its size: %s", words(err)),
			doctor.Command("journalctl -u postgresql -n 50"))
	}
	finding := ok("the database takes %s; its disk belongs to its own server", Gigabytes(uint64(size)))
	finding.Data = map[string]any{"size_bytes": size}
	return finding
}

// Gigabytes is a size as people read it.
func Gigabytes(bytes uint64) doctor.Text {
	const giga = 1e9
	if bytes < giga/10 {
		return doctor.Say("%s MB", fmt.Sprint(bytes/1e6))
	}
	return doctor.Say("%s GB", doctor.Decimal(float64(bytes)/giga))
}
