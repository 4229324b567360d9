package agentapi

import "encoding/json"

// BatchKind names a sort of results that agents send by themselves, without a command for each. A module of the panel
// that reads a kind declares it; samples of the host are older and have their own form, MetricsBatch.
type BatchKind string

// Capability is what an agent names that sends this kind.
func (k BatchKind) Capability() Capability { return Capability("batch_" + k) }

// Bounds of batches.
const (
	MaxBatchItems = 200    // items in one Batch
	MaxBuffered   = 50_000 // items of one kind that an agent keeps for a panel that it cannot reach
)

// Batch carries numbered results of one kind. It never changes once it has its number: a repeated (node, kind,
// stream_id, seq) is the same batch again and is stored once.
type Batch struct {
	Kind     BatchKind         `json:"kind" doc:"What the items are"`
	StreamID string            `json:"stream_id" doc:"Made with the agent's data folder; a new folder numbers from 1 under a new id"`
	Seq      int64             `json:"seq" doc:"Number of the batch: rising by one per kind and stream, from 1, also over restarts"`
	Dropped  int64             `json:"dropped,omitempty" doc:"Items of this stream that a full buffer has lost so far"`
	Items    []json.RawMessage `json:"items" doc:"Oldest first; their form belongs to the kind"`
}

// BatchReply acknowledges what is durable.
type BatchReply struct {
	AckedSeq int64 `json:"acked_seq" doc:"Every batch of this kind and stream up to this number is stored"`
}
