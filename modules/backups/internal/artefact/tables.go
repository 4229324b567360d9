package artefact

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// measured are the tables that hold measurements and nothing that a panel needs to work: how soon a backup may leave
// their rows out. A test holds the list against the schema.
var measured = map[string]Telemetry{
	"public.node_samples":      TelemetryRollups, // the single samples go first
	"public.node_metrics_1m":   TelemetryNone,
	"public.node_metrics_10m":  TelemetryNone,
	"public.fleet_minutes":     TelemetryNone,
	"public.health_results":    TelemetryRollups,
	"public.health_points_10m": TelemetryNone,
	"public.health_points_1h":  TelemetryNone,
	"public.abuse_signals":     TelemetryNone,
	"public.abuse_diversity":   TelemetryRollups,
	"public.abuse_hours":       TelemetryNone,
	"public.abuse_user_days":   TelemetryNone,
}

// leaves lists what holds rows itself: tables, and the partitions of those that are divided, with the table that is
// divided. What an extension brings is not the panel's.
const leaves = `with recursive up as (
    select c.oid, c.oid as root from pg_class c where c.relkind = 'r'
    union all
    select up.oid, i.inhparent from up join pg_inherits i on i.inhrelid = up.root
  )
  select n.nspname || '.' || c.relname, rn.nspname || '.' || r.relname,
    current_setting('server_version_num')::int >= 140000 and not exists (select from pg_attribute a
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.atttypid <> all ($1::text[]::regtype[]))
  from up join pg_class c on c.oid = up.oid join pg_namespace n on n.oid = c.relnamespace
    join pg_class r on r.oid = up.root join pg_namespace rn on rn.oid = r.relnamespace
  where not exists (select from pg_inherits i where i.inhrelid = up.root)
    and n.nspname !~ '^pg_' and n.nspname <> 'information_schema' and c.relpersistence <> 't'
    and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
  order by 1`

// hashed are the types whose values PostgreSQL hashes, with lists of the usual ones.
var hashed = []string{
	"bool", "bytea", "cidr", "date", "float4", "float8", "inet", "int2", "int4", "int8", "interval", "jsonb", "numeric",
	"text", "time", "timestamp", "timestamptz", "uuid", "varchar", "int4[]", "int8[]", "text[]", "uuid[]",
}

// tables lists the tables of a database, and which of them are kept without their rows.
func tables(ctx context.Context, tx pgx.Tx, keep Telemetry) ([]Table, error) {
	rows, err := tx.Query(ctx, leaves, hashed)
	if err != nil {
		return nil, fmt.Errorf("list the tables: %w", err)
	}
	all := []Table{}
	var name, root string
	var records bool
	_, err = pgx.ForEachRow(rows, []any{&name, &root, &records}, func() error {
		level, telemetry := measured[root]
		table := Table{Name: name, Empty: telemetry && keep.leavesOut(level)}
		if records {
			table.By = ByRecord
		}
		all = append(all, table)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list the tables: %w", err)
	}
	return all, nil
}

func (t Telemetry) leavesOut(level Telemetry) bool {
	switch t {
	case TelemetryNone:
		return true
	case TelemetryRollups:
		return level == TelemetryRollups
	case TelemetryAll:
	}
	return false
}

// sameText makes a row's text the same on every server: what it depends on beside the row.
var sameText = []string{
	"set local timezone = 'UTC'", "set local datestyle = 'ISO, YMD'", "set local intervalstyle = 'postgres'",
	"set local extra_float_digits = 1", "set local bytea_output = 'hex'", "set local search_path = ''",
	"set local statement_timeout = 0", "set local idle_in_transaction_session_timeout = 0",
}

// sumSQL reads the number of rows and their checksum, which does not depend on their order.
func (t Table) sumSQL() string {
	hash := "hashtextextended(t::text, 0)"
	if t.By == ByRecord {
		hash = "hash_record_extended(t, 0)"
	}
	return "select count(*), coalesce(sum(pg_catalog." + hash + "), 0)::text from only " + quoted(t.Name) + " t"
}

// Count fills in the rows and checksums of tables. Those without rows in the backup are passed by.
func Count(ctx context.Context, tx pgx.Tx, all []Table) error {
	for _, statement := range sameText {
		if _, err := tx.Exec(ctx, statement); err != nil {
			return fmt.Errorf("prepare to count rows: %w", err)
		}
	}
	for i := range all {
		if all[i].Empty {
			continue
		}
		if err := tx.QueryRow(ctx, all[i].sumSQL()).Scan(&all[i].Rows, &all[i].Sum); err != nil {
			return fmt.Errorf("count the rows of %s: %w", all[i].Name, err)
		}
	}
	return nil
}

// Holds tells, with the first table that differs, whether the database holds what the manifest says. Each table is one
// statement, which the server may spread over its processors. It leaves its settings to the rest of the transaction.
func (m *Manifest) Holds(ctx context.Context, tx pgx.Tx) error {
	found := slices.Clone(m.Tables)
	if err := Count(ctx, tx, found); err != nil {
		return err
	}
	for i, table := range m.Tables {
		if !table.Empty && (found[i].Rows != table.Rows || found[i].Sum != table.Sum) {
			return fmt.Errorf("the table %s is not what the backup says", table.Name)
		}
	}
	return nil
}

// quoted is a name with its schema as SQL and as a pattern of pg_dump.
func quoted(name string) string {
	schema, table, _ := strings.Cut(name, ".")
	return pgx.Identifier{schema, table}.Sanitize()
}
