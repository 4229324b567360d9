package database

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
)

// openSQL is stdlib.OpenDBFromPool with one difference: a query without arguments is sent in a single round trip.
// bun writes its arguments into the text, so preparing each text would cost a second trip and flood the statement
// cache.
func openSQL(pool *pgxpool.Pool) *sql.DB {
	db := sql.OpenDB(connector{stdlib.GetPoolConnector(pool)})
	db.SetMaxIdleConns(0)
	return db
}

type connector struct{ driver.Connector }

func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	inner, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	over, ok := inner.(*stdlib.Conn)
	if !ok {
		return nil, fmt.Errorf("the database driver gave %T where *stdlib.Conn was expected", inner)
	}
	return &conn{Conn: over}, nil
}

type conn struct{ *stdlib.Conn }

func (c *conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if read, given := ctx.Value(readingKey{}).(reading); given {
		return nothing{}, read(ctx, c.Conn.Conn())
	}
	if len(args) == 0 {
		args = []driver.NamedValue{{Ordinal: 1, Value: pgx.QueryExecModeExec}}
	}
	return c.Conn.QueryContext(ctx, query, args)
}
