package work

import (
	"encoding/json"
	"time"

	"github.com/uptrace/bun"

	"panel/platform/agentapi"
)

type configRow struct {
	bun.BaseModel `bun:"table:node_configs"`

	NodeID    string              `bun:"node_id,pk,type:uuid"`
	Revision  int64               `bun:"revision,pk"`
	Hash      string              `bun:"hash"`
	Sealed    string              `bun:"sealed"`
	HasCore   bool                `bun:"has_core"`
	Listeners []agentapi.Listener `bun:"listeners,type:jsonb"`
	CreatedAt time.Time           `bun:"created_at"`
}

// CommandRow is a command as it is stored.
type CommandRow struct {
	bun.BaseModel `bun:"table:node_commands"`

	ID         string          `bun:"id,pk,type:uuid"`
	NodeID     string          `bun:"node_id,type:uuid"`
	Kind       string          `bun:"kind"`
	Sealed     string          `bun:"sealed"`
	Deadline   time.Time       `bun:"deadline"`
	CreatedAt  time.Time       `bun:"created_at"`
	StartedBy  string          `bun:"started_by"`
	AckedAt    *time.Time      `bun:"acked_at"`
	EndedAt    *time.Time      `bun:"ended_at"`
	OK         bool            `bun:"ok"`
	Code       string          `bun:"code"`
	Error      string          `bun:"error"`
	Stage      string          `bun:"stage"`
	StderrTail string          `bun:"stderr_tail"`
	Data       json.RawMessage `bun:"data,type:jsonb"`
}
