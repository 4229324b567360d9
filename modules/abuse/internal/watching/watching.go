// Package watching tells agents what to look for: the document abuse of each node, with the salt of the fleet and the
// users of whom addresses are told.
package watching

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/entitlement"
	"panel/platform/jobs"
	"panel/platform/vault"
)

// Kind is the job that places documents; the schedule that inserts it has the same name.
const Kind = "abuse.place"

type args struct{}

// Kind names the worker.
func (args) Kind() string { return Kind }

// Columns are the sealed columns of this package.
var Columns = []vault.Column{{Table: "abuse_secrets", ID: "name", Column: "sealed"}}

var salt = vault.Ref{Table: "abuse_secrets", ID: "salt", Column: "sealed"}

// Watching places documents.
type Watching struct {
	db        *database.DB
	vault     *vault.Vault
	fleet     nodesapi.Statuses
	documents nodesapi.Documents
	queue     *jobs.Enqueuer
	now       func() time.Time
	wanted    func(ctx context.Context) (agentapi.AbuseWatch, error)
	also      []func(ctx context.Context) error
}

// New makes it. Wanted gives the document as the settings say it, without salt and users.
func New(
	db *database.DB, v *vault.Vault, fleet nodesapi.Statuses, documents nodesapi.Documents, queue *jobs.Enqueuer,
	clock clockwork.Clock, wanted func(ctx context.Context) (agentapi.AbuseWatch, error),
) *Watching {
	return &Watching{db: db, vault: v, fleet: fleet, documents: documents, queue: queue, now: clock.Now, wanted: wanted}
}

// Also has more documents placed with the one of this package, in the same transaction. It is said while the panel is
// composed.
func (w *Watching) Also(place func(ctx context.Context) error) { w.also = append(w.also, place) }

// Soon has the documents placed when the transaction of the context has committed.
func (w *Watching) Soon(ctx context.Context) error {
	return w.insert(ctx, jobs.Opts{})
}

// together gathers nodes that come at once.
const together = time.Second

// Follow has the documents placed for a node that has come.
func (w *Watching) Follow(ctx context.Context) error {
	return w.insert(ctx, jobs.Together(w.now(), together))
}

func (w *Watching) insert(ctx context.Context, o jobs.Opts) error {
	if err := w.queue.Insert(ctx, args{}, o); err != nil {
		return fmt.Errorf("have agents told what to look for: %w", err)
	}
	return nil
}

// Worker places. It may be killed and run again: what it did commits as a whole.
func (w *Watching) Worker() jobs.Worker {
	return jobs.Worker{Kind: Kind, Work: func(ctx context.Context, _ jobs.Job) error { return w.Place(ctx) }}
}

// Schedule places what no event has told of: nodes that are new, and agents that have learnt to look.
func Schedule() jobs.Schedule {
	return jobs.Schedule{
		Name: Kind, Cron: "* * * * *", ReadOnly: entitlement.GoesOn, Blocked: entitlement.GoesOn,
		Args: func() jobs.Args { return args{} },
	}
}

// lock lets one panel place at a time, so that the salt is made once and an older document never follows a newer one.
const lock = 7203120641

// mostTold bounds the users of whom agents tell addresses.
const mostTold = 2000

// Place sets the document of every node whose agent can look. What is the same already changes nothing.
func (w *Watching) Place(ctx context.Context) error {
	wanted, err := w.wanted(ctx)
	if err != nil {
		return err
	}
	return w.db.InTx(ctx, func(ctx context.Context) error {
		if _, err := w.db.In(ctx).ExecContext(ctx, "select pg_advisory_xact_lock(?)", lock); err != nil {
			return database.Fault(err, nil)
		}
		if wanted.Salt, err = w.salt(ctx); err != nil {
			return err
		}
		if wanted.Told, err = w.told(ctx); err != nil {
			return err
		}
		if err := w.SetEach(ctx, agentapi.DocumentAbuse, wanted, nil); err != nil {
			return err
		}
		for _, place := range w.also {
			if err := place(ctx); err != nil {
				return err
			}
		}
		return nil
	})
}

// content is what a node is to hold, and its digest.
type content struct {
	text   json.RawMessage
	digest string
}

func contentOf(value any) (content, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return content{}, fmt.Errorf("encode what agents are told: %w", err)
	}
	sum := sha256.Sum256(text)
	return content{text, hex.EncodeToString(sum[:])}, nil
}

// SetEach makes a content the wanted one of a document on every node whose agent can hold it, another one on the nodes
// that have their own, in the transaction of the context. Nodes for which it was set already are left out.
func (w *Watching) SetEach(
	ctx context.Context, name agentapi.DocumentName, everywhere any, own map[string]any,
) error {
	usual, err := contentOf(everywhere)
	if err != nil {
		return err
	}
	nodes, err := w.fleet.Statuses(ctx, string(name.Capability()))
	if err != nil {
		return fmt.Errorf("read the nodes that are told: %w", err)
	}
	placed, err := w.placed(ctx, name)
	if err != nil {
		return err
	}
	var documents []nodesapi.Document
	var ids, digests []string
	for i := range nodes {
		if !nodes[i].Able {
			continue
		}
		id, its := nodes[i].ID, usual
		if value, has := own[id]; has {
			if its, err = contentOf(value); err != nil {
				return err
			}
		}
		if placed[id] != its.digest {
			ids, digests = append(ids, id), append(digests, its.digest)
			documents = append(documents, nodesapi.Document{NodeID: id, Name: string(name), Content: its.text})
		}
	}
	if len(documents) == 0 {
		return nil
	}
	if err := w.documents.Set(ctx, documents...); err != nil {
		return fmt.Errorf("tell agents what to hold: %w", err)
	}
	_, err = w.db.In(ctx).NewRaw(`insert into abuse_placed (node_id, document, digest)
		select u.id, ?, u.digest from unnest(?::uuid[], ?::text[]) u(id, digest) order by u.id
		on conflict (node_id, document) do update set digest = excluded.digest`, string(name), pgdialect.Array(ids),
		pgdialect.Array(digests)).Exec(ctx)
	return database.Fault(err, nil)
}

// placed are the digests of a document by node.
func (w *Watching) placed(ctx context.Context, name agentapi.DocumentName) (map[string]string, error) {
	var rows []struct{ NodeID, Digest string }
	err := w.db.In(ctx).NewRaw("select node_id, digest from abuse_placed where document = ?", string(name)).
		Scan(ctx, &rows)
	out := map[string]string{}
	for _, one := range rows {
		out[one.NodeID] = one.Digest
	}
	return out, database.Fault(err, nil)
}

// salt is that of the fleet, which is made when it is first needed.
func (w *Watching) salt(ctx context.Context) ([]byte, error) {
	var sealed []string
	err := w.db.In(ctx).NewRaw("select sealed from abuse_secrets where name = 'salt'").Scan(ctx, &sealed)
	if err != nil {
		return nil, database.Fault(err, nil)
	}
	if len(sealed) > 0 {
		plain, err := w.vault.Open(salt, sealed[0])
		if err != nil {
			return nil, fmt.Errorf("open the salt of the fleet: %w", err)
		}
		return plain, nil
	}
	const size = 32
	made := make([]byte, size)
	_, _ = rand.Read(made) // never fails
	_, err = w.db.In(ctx).NewRaw("insert into abuse_secrets (name, sealed) values ('salt', ?)", w.vault.Seal(salt, made)).
		Exec(ctx)
	return made, database.Fault(err, nil)
}

// told are the users with a live case, the newest of them when there are too many.
func (w *Watching) told(ctx context.Context) (refs []string, err error) {
	err = w.db.In(ctx).NewRaw(`select user_ref from (select user_ref from abuse_cases where state in ('open', 'actioned')
		order by opened_at desc limit ?) c order by user_ref`, mostTold).Scan(ctx, &refs)
	return refs, database.Fault(err, nil)
}
