package database

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"
)

// homeFiles are the parameters whose defaults are files in the home folder of whoever runs the process: ~/.pgpass and
// certificates below ~/.postgresql.
var homeFiles = []string{"passfile", "sslcert", "sslkey", "sslrootcert"}

// ParseAddress reads the address of a database. The address alone counts: what the home folder holds for PostgreSQL's
// own programs is used only where the address names it. PG variables are gone since config.Isolate.
func ParseAddress(dsn string) (*pgx.ConnConfig, error) { return pgx.ParseConfig(withoutHome(dsn)) }

// withoutHome says in the address itself that it wants no file of the home folder.
func withoutHome(dsn string) string {
	if !strings.HasPrefix(dsn, "postgres://") && !strings.HasPrefix(dsn, "postgresql://") {
		return strings.Join(homeFiles, "='' ") + "='' " + dsn // what comes later in such an address counts
	}
	_, query, has := strings.Cut(dsn, "?")
	joint := "?"
	if has {
		joint = "&"
	}
	for _, name := range homeFiles {
		if !strings.Contains("&"+query, "&"+name+"=") {
			dsn += joint + name + "="
			joint = "&"
		}
	}
	return dsn
}

// Connect opens one connection to the database at an address; see ParseAddress.
func Connect(ctx context.Context, dsn string) (*pgx.Conn, error) {
	settings, err := ParseAddress(dsn)
	if err != nil {
		return nil, err
	}
	return pgx.ConnectConfig(ctx, settings)
}
