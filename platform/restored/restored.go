// Package restored puts a database right that a full restore has put in the place of another one.
//
// A restore replaces everything. What must outlive it is read from the database before (Keep) and goes over into the
// restored one in the restore's own transaction (Note.SQL). The first panel that starts on it lets the modules put
// right what they own, in one transaction and before it answers anybody (Settle). So nobody ever sees a database that
// is restored and not settled, whoever is killed in between.
package restored

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// Cause is why what was under way in a restored database has ended.
const Cause = "restored"

// Note says what was restored and by whom, with what outlives it. The restored database holds it until it is settled.
type Note struct {
	ID       string                     `json:"id"`       // of the restore
	Artefact string                     `json:"artefact"` // its name
	Snapshot string                     `json:"snapshot"` // the name of the copy of the database before, if any
	By       string                     `json:"by"`       // the administrator; empty for the command line
	Account  string                     `json:"account"`  // of the administrator
	Kept     map[string]json.RawMessage `json:"kept"`     // by the module that asked for it
}

// Reader reads one row of the database that is about to be replaced.
type Reader interface {
	QueryRow(ctx context.Context, dest []any, query string, args ...any) error
}

// Journal is the owner of what the journal keeps: which journal it is.
const Journal = "journal"

const journalKept = "select to_jsonb(id) from journal_keys"

// Keep asks the database for what must outlive its replacement: each query gives one JSON document. What a database of
// another version does not have is left out. Without a database nothing is kept.
func Keep(ctx context.Context, from Reader, queries map[string]string) (map[string]json.RawMessage, error) {
	kept := map[string]json.RawMessage{}
	if from == nil {
		return kept, nil
	}
	all := maps.Clone(queries)
	if all == nil {
		all = map[string]string{}
	}
	all[Journal] = journalKept
	for _, owner := range slices.Sorted(maps.Keys(all)) {
		var text *string
		err := from.QueryRow(ctx, []any{&text}, "select ("+all[owner]+")::text")
		if unknown(err) || err == nil && text == nil {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read what %s keeps: %w", owner, err)
		}
		kept[owner] = json.RawMessage(*text)
	}
	return kept, nil
}

// unknown tells a table, a column or a function that is not there from every other failure.
func unknown(err error) bool {
	var refused *pgconn.PgError
	return errors.As(err, &refused) && slices.Contains([]string{"42P01", "42703", "42883"}, refused.Code)
}

// Table is where notes are. A backup of an earlier version has none, so that its restore makes it.
const Table = `create table if not exists restorations (
    id          uuid        primary key,
    restored_at timestamptz not null,
    note        jsonb       not null,
    outcome     jsonb
);
`

// SQL writes the note, as statements of the restore's transaction.
func (n Note) SQL() (string, error) {
	text, err := json.Marshal(n)
	if err != nil {
		return "", fmt.Errorf("encode the note of a restore: %w", err)
	}
	return fmt.Sprintf("%sinsert into restorations (id, restored_at, note) values (%s, now(), %s::jsonb);\n", Table,
		quoted(n.ID), quoted(string(text))), nil
}

func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// Outcome is what became of a restored database: what people look after, and what was kept for them.
type Outcome struct {
	Artefact       string `json:"artefact" doc:"Name of the backup that was restored"`
	Snapshot       string `json:"snapshot" doc:"Name of the copy of the database before; empty when there is none"`
	ContinuedAfter int64  `json:"continued_after" doc:"Number of the journal's last entry in the backup"`
	LicenseKept    bool   `json:"license_kept" doc:"The license is a newer one than that of the backup"`
	Raised         int    `json:"raised" doc:"Servers whose agents hold something else; they get what the backup says"`
	EnrolledSince  []Node `json:"enrolled_since" doc:"Servers that were enrolled after the backup: enrol them again"`
}

// Node is a server of which the restored database knows nothing.
type Node struct {
	ID         string     `json:"id"`
	Name       string     `json:"name"`
	EnrolledAt *time.Time `json:"enrolled_at"`
}
