// Package figures tells how the fleet does as a whole: totals, groups of nodes that fail together, the history of both,
// and the live readings that screens follow.
package figures

import (
	"time"

	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"

	"panel/modules/nodes/internal/evidence"
	"panel/modules/nodes/nodesapi"
	"panel/platform/config"
	"panel/platform/database"
)

// StaleAfter is the age at which a reading no longer says how a node does now.
const StaleAfter = nodesapi.ReadingStaleAfter

// States are all states of a node.
var States = []string{"pending", "online", "degraded", "offline", "maintenance", "disabled"}

// Fleet reads figures of the whole fleet.
type Fleet struct {
	db        *database.DB
	heartbeat time.Duration
	clock     clockwork.Clock
	log       *zap.Logger
	relations *Relations
}

// New makes the figures of a fleet.
func New(db *database.DB, cfg *config.Config, r *Relations, clock clockwork.Clock, log *zap.Logger) *Fleet {
	return &Fleet{
		db: db, heartbeat: cfg.Duration(config.AgentHeartbeat, time.Second), clock: clock, log: log, relations: r,
	}
}

func (f *Fleet) now() time.Time { return f.clock.Now().UTC() }

// stateAt is the state of a node n from its report r, as SQL.
func (f *Fleet) stateAt(at time.Time) string { return evidence.StateAt(at, f.heartbeat) }

// Figures are sums over the nodes that were measured lately.
type Figures struct {
	Nodes      int        `json:"nodes" doc:"Nodes with a reading that is not stale; the other figures are about these"`
	Sessions   *int64     `json:"sessions" doc:"Open sessions of listeners; null while no agent counts them"`
	NetRxBps   float64    `json:"net_rx_bps"`
	NetTxBps   float64    `json:"net_tx_bps"`
	CPUPercent *float64   `json:"cpu_pct" doc:"Mean of the nodes; null without any"`
	OldestAt   *time.Time `json:"oldest_sample_at" doc:"The oldest reading among them"`
}

// sums are figures on their way: a mean can be taken only at the end.
type sums struct {
	Nodes    int
	Sessions *int64
	Rx, Tx   float64
	CPU      float64
	Oldest   *time.Time
}

func (s *sums) add(more sums) {
	s.Nodes += more.Nodes
	s.Rx, s.Tx, s.CPU = s.Rx+more.Rx, s.Tx+more.Tx, s.CPU+more.CPU
	if more.Sessions != nil {
		total := *more.Sessions
		if s.Sessions != nil {
			total += *s.Sessions
		}
		s.Sessions = &total
	}
	if more.Oldest != nil && (s.Oldest == nil || more.Oldest.Before(*s.Oldest)) {
		s.Oldest = more.Oldest
	}
}

func (s *sums) figures() Figures {
	shown := Figures{Nodes: s.Nodes, Sessions: s.Sessions, NetRxBps: s.Rx, NetTxBps: s.Tx}
	if s.Nodes > 0 {
		mean := s.CPU / float64(s.Nodes)
		shown.CPUPercent = &mean
	}
	if s.Oldest != nil {
		oldest := s.Oldest.UTC()
		shown.OldestAt = &oldest
	}
	return shown
}
