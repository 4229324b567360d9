// Package seed fills the database of a panel with a fleet.
package seed

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"panel/platform/database"
)

// Member is one enrolled agent, in the form in which `panel-agent simulate` keeps its fleet.
type Member struct {
	NodeID string `json:"node_id"`
	Token  string `json:"agent_token"`
}

// Fleet puts enrolled nodes straight into the database: enrolment is throttled and not what is measured.
func Fleet(ctx context.Context, dsn string, count int) ([]Member, error) {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return nil, fmt.Errorf("connect to the database of the run: %w", err)
	}
	defer func() { _ = conn.Close(ctx) }()
	members := make([]Member, count)
	for i := range members {
		members[i] = Member{
			NodeID: database.NewID(),
			Token:  fmt.Sprintf("pna_bench-%06d-%s", i, strings.Repeat("x", 26)),
		}
	}
	began := time.Now().UTC()
	err = copyRows(
		ctx,
		conn,
		"nodes",
		[]string{
			"id",
			"name",
			"name_key",
			"address",
			"country_code",
			"roles",
			"tags",
			"enrolled_at",
			"agent_access",
			"created_at",
			"updated_at",
		},
		members,
		func(i int, m Member) []any {
			country := []string{"DE", "NL", "FI", "SE"}[i%4]
			name := fmt.Sprintf("node-%05d", i)
			return []any{
				m.NodeID, name, name, fmt.Sprintf("10.%d.%d.%d", i>>16, i>>8&255, i&255), country,
				[]string{"exit"},
				[]string{"bench", country},
				began, "granted", began.Add(time.Duration(i) * time.Millisecond), began,
			}
		},
	)
	if err != nil {
		return nil, err
	}
	err = copyRows(
		ctx,
		conn,
		"agent_tokens",
		[]string{"id", "node_id", "token_hash", "created_at"},
		members,
		func(_ int, m Member) []any {
			hash := sha256.Sum256([]byte(m.Token))
			return []any{database.NewID(), m.NodeID, hash[:], began}
		},
	)
	if err != nil {
		return nil, err
	}
	if _, err := conn.Exec(ctx, reported, began); err != nil {
		return nil, fmt.Errorf("seed the reports of nodes: %w", err)
	}
	if _, err := conn.Exec(ctx, readings); err != nil {
		return nil, fmt.Errorf("seed the readings of nodes: %w", err)
	}
	return members, Analyze(ctx, conn)
}

// Analyze has the planner know what was seeded.
func Analyze(ctx context.Context, conn *pgx.Conn) error {
	if _, err := conn.Exec(ctx, "analyze"); err != nil {
		return fmt.Errorf("analyse the seeded tables: %w", err)
	}
	return nil
}

// readings sorts the nodes by what their agents would have measured.
const readings = `update node_readings m set seen_at = r.seen_at, cpu_pct = (r.metrics->>'cpu_pct')::float8, net_tx_bps = (r.metrics->>'net_tx_bps')::float8
	from node_reports r where r.node_id = m.node_id`

// reported gives each node what its agent would have said.
const reported = `insert into node_reports (node_id, seen_at, core_state, report, surroundings, metrics)
	select id, $1::timestamptz, 'running',
		'{"agent_version":"bench","protocol":1,"os":"linux","arch":"amd64","hostname":"bench","capabilities":["apply_config","probe","stream"],"skew_ms":3,
		  "core":{"kind":"xray","version":"26.3.27","state":"running","uptime_s":7200,"config_revision":0,"restarts":0,"draining":0}}',
		'{"sockets":[{"l4":"tcp","ip":"0.0.0.0","port":22,"process":"sshd","own":false}],"addresses":["192.0.2.1"],"firewall":[]}',
		jsonb_build_object('observed_at', $1::timestamptz, 'cpu_pct', random() * 100, 'load1', random(), 'mem_used', 1 << 30, 'mem_total', 2 << 29,
			'disk_used', 1 << 30, 'disk_total', 2 << 29, 'net_rx_bps', random() * 1e9, 'net_tx_bps', random() * 1e9, 'uptime_s', 7200)
	from nodes`

func copyRows(
	ctx context.Context,
	conn *pgx.Conn,
	table string,
	columns []string,
	members []Member,
	row func(int, Member) []any,
) error {
	rows := pgx.CopyFromSlice(len(members), func(i int) ([]any, error) { return row(i, members[i]), nil })
	if _, err := conn.CopyFrom(ctx, pgx.Identifier{table}, columns, rows); err != nil {
		return fmt.Errorf("seed %s: %w", table, err)
	}
	return nil
}

// Write writes a fleet down for `panel-agent simulate`.
func Write(path string, members []Member) error {
	file, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("write the tokens of the fleet: %w", err)
	}
	defer file.Close()
	encoder := json.NewEncoder(file)
	for _, m := range members {
		if err := encoder.Encode(m); err != nil {
			return fmt.Errorf("write the tokens of the fleet: %w", err)
		}
	}
	return nil
}
