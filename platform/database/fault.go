package database

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"panel/platform/fault"
)

// SQLSTATE codes and classes that the panel tells apart.
const (
	uniqueViolation     = "23505"
	foreignKeyViolation = "23503"
	checkViolation      = "23514"
	exclusionViolation  = "23P01"
)

// Fault turns an error of the database into what the caller may see.
// A broken constraint becomes the fault given under its name, no rows become "not found", a server that does not answer
// becomes "unavailable"; faults and everything else pass unchanged.
func Fault(err error, constraints map[string]*fault.Fault) error {
	if err == nil {
		return nil
	}
	if _, already := fault.As(err); already {
		return err
	}
	if named := constraints[Constraint(err)]; named != nil {
		return named.Wrap(err)
	}
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return fault.Missing(fault.NoSuchThing).Wrap(err)
	case Unreachable(err):
		return fault.Unavailable("the database does not answer; try again in a moment").Wrap(err)
	}
	return err
}

// Constraint gives the name of the constraint that err broke, or nothing.
func Constraint(err error) string {
	var refused *pgconn.PgError
	if !errors.As(err, &refused) {
		return ""
	}
	switch refused.Code {
	case uniqueViolation, foreignKeyViolation, checkViolation, exclusionViolation:
		return refused.ConstraintName
	}
	return ""
}

// Unreachable reports whether err means that the server is away, shutting down, full or too slow: worth a retry later.
func Unreachable(err error) bool {
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		return awayState(refused.Code)
	}
	var connecting *pgconn.ConnectError
	var network net.Error
	return errors.As(err, &connecting) || errors.As(err, &network) || pgconn.Timeout(err) || pgconn.SafeToRetry(err) ||
		isOneOf(err, driver.ErrBadConn, sql.ErrConnDone, io.EOF, io.ErrUnexpectedEOF, context.DeadlineExceeded) ||
		strings.Contains(err.Error(), "conn closed") || strings.Contains(err.Error(), "closed pool")
}

// awayState covers connection trouble (08), lack of resources (53), operator intervention (57P) and system errors (58).
func awayState(code string) bool {
	for _, class := range []string{"08", "53", "57P", "58"} {
		if strings.HasPrefix(code, class) {
			return true
		}
	}
	return false
}

func isOneOf(err error, these ...error) bool {
	for _, one := range these {
		if errors.Is(err, one) {
			return true
		}
	}
	return false
}

// State gives the SQLSTATE of err, or nothing.
func State(err error) string {
	var refused *pgconn.PgError
	if !errors.As(err, &refused) {
		return ""
	}
	return refused.Code
}
