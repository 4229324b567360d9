package seed

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/vault"
)

// Clients are people with flows that are installed on one node, whose agent lets them in by lists.
type Clients struct {
	Vault   *vault.Vault
	OwnerID string
	NodeID  string
	FlowIDs []string // each client uses all of them
	Count   int
}

// person is a client that was seeded.
type person struct{ ID, Token string }

// Put stores the clients and gives the addresses of their subscriptions.
func (c Clients) Put(ctx context.Context, dsn string) (addresses []string, err error) {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return nil, fmt.Errorf("connect to the database of the run: %w", err)
	}
	defer func() { _ = conn.Close(ctx) }()
	people := make([]person, c.Count)
	for i := range people {
		people[i] = person{ID: database.NewID(), Token: rand.Text()}
		addresses = append(addresses, "/s/"+people[i].Token)
	}
	if err := c.install(ctx, conn); err != nil {
		return nil, err
	}
	if err := c.copyPeople(ctx, conn, people); err != nil {
		return nil, err
	}
	return addresses, Analyze(ctx, conn)
}

// install has the drafts of the flows count as installed on the node.
func (c Clients) install(ctx context.Context, conn *pgx.Conn) error {
	for _, id := range c.FlowIDs {
		part, err := json.Marshal(map[string]any{"flow_id": id, "node_id": c.NodeID, "role": "entry", "listed": true})
		if err != nil {
			return fmt.Errorf("describe an installed part: %w", err)
		}
		place := vault.Ref{Table: "flow_fragments", ID: id + "/" + c.NodeID, Column: "content"}
		_, err = conn.Exec(ctx, `with made as (
				insert into flow_versions (id, flow_id, number, revision, reason, plan_hash, graph, applied, bypassed, created_at,
					created_by)
				select gen_random_uuid(), id, 1, draft_revision, 'apply', '', graph, true, '[]', now(), 'bench' from flows
				where id = $1::uuid returning id, flow_id, revision
			), installed as (
				update flows f set installed_version_id = m.id, installed_revision = m.revision, installed_at = now(),
					enabled = true, installed_hosts = jsonb_build_array(jsonb_build_object('block', 'in', 'node_id', $2::text,
						'host', 'entry.example.org')) from made m where f.id = m.flow_id
			), lists as (
				insert into client_lists (flow_id, revision, installed, noted, nodes, open, whole, seen)
				values ($1::uuid, 1, 1, 1, 1, false, false, 1)
			)
			insert into flow_fragments (flow_id, node_id, content, hash, client_ids, listens)
			values ($1::uuid, $2::text, $3, '', '{}', '[]')`, id, c.NodeID, c.Vault.Seal(place, part))
		if err == nil {
			_, err = conn.Exec(ctx, `insert into client_list_nodes (flow_id, node_id, given, document, installed, by_changes)
				values ($1, $2, 1, 1, 1, true)`, id, c.NodeID)
		}
		if err == nil {
			_, err = conn.Exec(ctx, `update node_reports set report = jsonb_set(report, '{capabilities}',
				report->'capabilities' || to_jsonb($2::text[])) where node_id = $1`, c.NodeID, []string{
				string(agentapi.DocumentClients.Capability()), string(agentapi.DocumentClientLists.Capability()),
			})
		}
		if err != nil {
			return fmt.Errorf("seed an installed flow: %w", err)
		}
	}
	return nil
}

func (c Clients) copyPeople(ctx context.Context, conn *pgx.Conn, people []person) error {
	began := time.Now().UTC().Truncate(time.Microsecond)
	err := copyEach(ctx, conn, "client_profiles", []string{
		"id", "label", "label_key", "owner_id", "public_hash", "public_issued_at", "used_since", "created_at", "updated_at",
	}, len(people), func(i int) []any {
		hash, label := sha256.Sum256([]byte(people[i].Token)), fmt.Sprintf("client %06d", i)
		at := began.Add(time.Duration(i) * time.Microsecond)
		return []any{people[i].ID, label, label, c.OwnerID, hash[:], began, began, at, at}
	})
	if err != nil {
		return err
	}
	at := func(i int) (person, string) { return people[i/len(c.FlowIDs)], c.FlowIDs[i%len(c.FlowIDs)] }
	err = copyEach(ctx, conn, "client_flows", []string{"client_id", "flow_id", "secret", "created_at", "listed"},
		len(people)*len(c.FlowIDs), func(i int) []any {
			one, flowID := at(i)
			return []any{one.ID, flowID, c.secret(one.ID, flowID), began.Add(time.Duration(i) * time.Microsecond), 1}
		})
	if err != nil {
		return err
	}
	return copyEach(ctx, conn, "client_listed", []string{"flow_id", "client_id", "ref", "since", "changed"},
		len(people)*len(c.FlowIDs), func(i int) []any {
			one, flowID := at(i)
			return []any{flowID, one.ID, one.ID, 1, 1}
		})
}

// secret is what the client shows on the flow, sealed as the panel keeps it.
func (c Clients) secret(clientID, flowID string) string {
	key := make([]byte, 32)
	_, _ = rand.Read(key)                                                          // never fails (crypto/rand)
	plain, _ := json.Marshal(map[string]any{"uuid": uuid.NewString(), "key": key}) // cannot fail
	return c.Vault.Seal(vault.Ref{Table: "client_flows", ID: clientID + "/" + flowID, Column: "secret"}, plain)
}

func copyEach(
	ctx context.Context, conn *pgx.Conn, table string, columns []string, count int, row func(i int) []any,
) error {
	rows := pgx.CopyFromSlice(count, func(i int) ([]any, error) { return row(i), nil })
	if _, err := conn.CopyFrom(ctx, pgx.Identifier{table}, columns, rows); err != nil {
		return fmt.Errorf("seed %s: %w", table, err)
	}
	return nil
}
