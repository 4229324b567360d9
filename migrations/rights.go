package migrations

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// insufficientPrivilege is the SQLSTATE of a role that may not do what it tried.
const insufficientPrivilege = "42501"

// withRights explains a step that failed because the role of the panel may not create what the step creates: a managed
// PostgreSQL often gives out roles that own nothing. Any other failure passes unchanged.
func withRights(ctx context.Context, db *sql.DB, failure error) error {
	var refused *pgconn.PgError
	if !errors.As(failure, &refused) || refused.Code != insufficientPrivilege {
		return failure
	}
	var name, role string
	var schemas, tables bool
	err := db.QueryRowContext(ctx, `select current_database(), current_user,
		has_database_privilege(current_database(), 'create'),
		coalesce((select has_schema_privilege(oid, 'create') from pg_namespace where nspname = 'public'), true)`).
		Scan(&name, &role, &schemas, &tables)
	if err != nil {
		return failure
	}
	database, grantee := pgx.Identifier{name}.Sanitize(), pgx.Identifier{role}.Sanitize()
	if !schemas {
		failure = fmt.Errorf("the role %s may not create a schema in the database %s, "+
			"and the panel's jobs have one of their own; as the owner of the database run: grant create on database %s to %s: %w", role, name, database, grantee, failure)
	}
	if !tables {
		failure = fmt.Errorf("the role %s may not create tables in the schema public of the database %s; "+
			"as the owner of the database run: grant create on schema public to %s: %w", role, name, grantee, failure)
	}
	return failure
}
