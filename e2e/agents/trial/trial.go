// Package trial is a small module that uses agents in every way that a module may: it sets a document, sends a
// command, stores batches and names agents that lack a capability. Tests run it in the real panel.
package trial

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"

	"panel/modules/nodes/nodesapi"
	"panel/platform/access"
	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/httpapi"
	"panel/platform/ingest"
	"panel/platform/module"
)

//go:embed migrations
var files embed.FS

// Batches is the kind of the batches that the module stores: each item is a number.
const Batches agentapi.BatchKind = "trial_numbers"

const use access.Key = "trial.use"

// Module is the manifest.
func Module() module.Module {
	return module.Module{
		Name: "trial", Summary: "A module for tests of agents", Requires: []string{"nodes"},
		Permissions: []access.Permission{{Key: use, Summary: "Try agents"}},
		Migrations:  module.SQL(files), Private: []any{newStore}, Attach: attach,
	}
}

func newStore(db *database.DB, clock clockwork.Clock, log *zap.Logger) *ingest.Store[[]int64] {
	return ingest.NewStore(ingest.Kind[[]int64]{
		Name: "numbers", Streams: "trial_streams", Nodes: "nodes", StreamsPerDay: 16,
		Copy: "copy trial_items (node_id, xact, number) from stdin binary", Columns: 3,
		Size: func(numbers []int64) int { return 64 * len(numbers) },
		Encode: func(rows *ingest.Rows, node uuid.UUID, xact int64, numbers []int64) {
			for _, number := range numbers {
				rows.Begin()
				rows.UUID(node)
				rows.Int(xact)
				rows.Int(number)
			}
		},
	}, db, clock, log)
}

type handlers struct {
	db        *database.DB
	documents nodesapi.Documents
	commands  nodesapi.Commands
	fleet     nodesapi.Fleet
}

func attach(
	db *database.DB, d nodesapi.Documents, c nodesapi.Commands, f nodesapi.Fleet, s *ingest.Store[[]int64],
) module.Parts {
	h := &handlers{db: db, documents: d, commands: c, fleet: f}
	loops := make([]func(context.Context) error, ingest.Writers)
	for i := range loops {
		loops[i] = s.Run
	}
	admin := access.Needs(use)
	return module.Parts{
		Routes: httpapi.Under("/api/v1/trial", "",
			httpapi.Put("/documents", "Set documents", admin, h.set),
			httpapi.Get("/documents/{name}/{node_id}", "Show the state of a document", admin, h.state),
			httpapi.Post("/commands", "Send a command", admin, h.send),
			httpapi.Get("/numbers/{node_id}", "Count the numbers of a node", admin, h.numbers),
			httpapi.Get("/lacking/{capability}", "Name the nodes that lack a capability", admin, h.lacking),
		),
		Loops:        loops,
		AgentBatches: []ingest.Intake{{Kind: Batches, Take: taking(s)}},
	}
}

func taking(s *ingest.Store[[]int64]) func(context.Context, string, *agentapi.Batch) error {
	return func(ctx context.Context, nodeID string, b *agentapi.Batch) error {
		numbers := make([]int64, len(b.Items))
		for i, item := range b.Items {
			if json.Unmarshal(item, &numbers[i]) != nil {
				return fault.InvalidValue("items", "must be numbers")
			}
		}
		batch := &ingest.Batch[[]int64]{
			NodeID: nodeID, StreamID: b.StreamID, Seq: b.Seq, Dropped: b.Dropped, Content: numbers,
		}
		return s.Take(ctx, batch)
	}
}

type setInput struct {
	Body struct {
		NodeID    string            `json:"node_id"`
		Documents map[string]string `json:"documents" doc:"Texts by the name of their document"`
	}
}

// set writes all of them in one transaction.
func (h *handlers) set(ctx context.Context, in *setInput) (*struct{}, error) {
	return nil, h.db.InTx(ctx, func(ctx context.Context) error {
		for name, text := range in.Body.Documents {
			if err := h.documents.Set(ctx, nodesapi.Document{
				NodeID: in.Body.NodeID, Name: name,
				Content: text,
			}); err != nil {
				return err
			}
		}
		return nil
	})
}

type stateInput struct {
	Name   string `path:"name"`
	NodeID string `path:"node_id"`
}

type stateOutput struct{ Body nodesapi.DocumentState }

func (h *handlers) state(ctx context.Context, in *stateInput) (*stateOutput, error) {
	states, err := h.documents.States(ctx, in.Name, in.NodeID)
	return &stateOutput{states[in.NodeID]}, err
}

type sendInput struct {
	Body struct {
		NodeID string   `json:"node_id"`
		Kind   string   `json:"kind"`
		IPs    []string `json:"ips,omitempty"`
	}
}

type sendOutput struct {
	Body struct {
		OK   bool   `json:"ok"`
		Code string `json:"code"`
	}
}

func (h *handlers) send(ctx context.Context, in *sendInput) (*sendOutput, error) {
	ids, err := h.commands.Send(ctx, nodesapi.Order{
		NodeID: in.Body.NodeID, Kind: in.Body.Kind, Args: agentapi.BlockIPsArgs{IPs: in.Body.IPs, Seconds: 60},
		Deadline: time.Now().Add(time.Minute),
	})
	if errors.Is(err, nodesapi.ErrUnknownKind) {
		return nil, fault.InvalidValue("kind", "agents know no such command")
	}
	if err != nil {
		return nil, err
	}
	results, err := h.commands.Await(ctx, ids...)
	if err != nil {
		return nil, err
	}
	out := new(sendOutput)
	out.Body.OK, out.Body.Code = results[0].OK, results[0].Code
	return out, nil
}

type numbersOutput struct {
	Body struct {
		Stored   int64 `json:"stored"`
		Distinct int64 `json:"distinct"`
		Highest  int64 `json:"highest"`
	}
}

type numbersInput struct {
	NodeID string `path:"node_id"`
}

func (h *handlers) numbers(ctx context.Context, in *numbersInput) (*numbersOutput, error) {
	out := new(numbersOutput)
	err := h.db.NewRaw(`select count(*), count(distinct number), coalesce(max(number), 0)
		from trial_items where node_id = ?`, in.NodeID).
		Scan(ctx, &out.Body.Stored, &out.Body.Distinct, &out.Body.Highest)
	return out, err
}

type lackingOutput struct{ Body []string }

type lackingInput struct {
	Capability string `path:"capability"`
}

func (h *handlers) lacking(ctx context.Context, in *lackingInput) (*lackingOutput, error) {
	all, err := h.fleet.Nodes(ctx)
	out := &lackingOutput{Body: []string{}}
	for _, node := range nodesapi.Lacking(all, in.Capability) {
		out.Body = append(out.Body, node.Name)
	}
	return out, err
}
