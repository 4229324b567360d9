// Package nodes is the fleet: servers, the agents that run on them, what they report and what they shall serve.
//
// Agents dial out; nothing that the panel wants or learns needs a connection to a node. What a node shall serve is
// written first, as a numbered configuration, and fetched by the agent; what it does is known only from its own
// reports, and every state shown is derived from those when it is read. Reports, samples and results are written in
// batches that many agents share.
package nodes

import (
	"context"
	"embed"
	"slices"
	"time"

	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"

	"panel/modules/nodes/internal/console"
	"panel/modules/nodes/internal/documents"
	"panel/modules/nodes/internal/evidence"
	"panel/modules/nodes/internal/figures"
	"panel/modules/nodes/internal/install"
	"panel/modules/nodes/internal/link"
	"panel/modules/nodes/internal/outlive"
	"panel/modules/nodes/internal/telemetry"
	"panel/modules/nodes/internal/traffic"
	"panel/modules/nodes/internal/work"
	"panel/modules/nodes/nodesapi"
	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/config"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/httpapi"
	"panel/platform/jobs"
	"panel/platform/module"
	"panel/platform/selfupdate"
	"panel/platform/vault"
)

//go:embed migrations
var files embed.FS

// AgentDir names the folder with agent executables for other systems.
var AgentDir = install.AgentDir

//go:embed russian.txt
var russian string

// Module is the manifest.
func Module() module.Module {
	return module.Module{
		Name:    "nodes",
		Summary: "Servers, their agents and what they serve",
		Russian: russian,
		Faults:  faults(),
		Permissions: []access.Permission{
			{Key: View, Summary: "See nodes, their state and their domains"},
			{Key: Edit, Summary: "Add, change and remove nodes, and bind their agents and domains"},
		},
		Journal: audit.Kinds{
			Actions: []string{
				"node.agent_revoked", "node.collect_logs", "node.created", "node.deleted", "node.enrolled",
				"node.enrollment_token_issued", "node.enrollment_token_revoked", "node.maintenance_off",
				"node.maintenance_on", "node.restart_core", "node.rotate_token", "node.token_rotated", "node.updated",
			},
			Objects: []string{"node", "enrollment_token"},
		},
		Events: eventKinds(),
		Config: []config.Key{AgentDir, selfupdate.PublicKey},
		Secrets: []vault.Column{
			{Table: "node_commands", ID: "id", Column: "sealed"},
			{Table: "node_configs", ID: "node_id || '/' || revision", Column: "sealed"},
			{Table: "node_document_contents", ID: "hash", Column: "sealed"},
		},
		Migrations: module.SQL(files),
		Checks:     doctorChecks(),
		Commands:   console.Commands,
		Tidy:       tidy(),
		Private: []any{
			newStore, newService, newEnrollment, newAgents, newHandlers, newFleet, newUpdateStates, newGuards,
			newCredentials, newBulk,
			newTelemetry, newStreams, traffic.New,
			evidence.NewWriter, evidence.NewAnnouncer, install.New, work.NewQueue, newConfigs,
			work.NewCommands,
			documents.NewStore, figures.New, figures.NewFeed, figures.NewRelations,
		},
		Exports: []any{
			exportAgents, exportFleet, exportReadings, exportLoads, exportStatuses, exportConfigs, exportCommands,
			exportDocuments, exportUpdateStates, exportGuards,
			exportEnrollment, exportMaintenance, exportBulk, exportRelations, exportAccounts, exportAddresses,
		},
		Outlives: outlive.Query,
		Attach:   attach,
	}
}

func exportRelations(r *figures.Relations) nodesapi.Relations { return r }

func exportAccounts(t *telemetry.Telemetry) nodesapi.Accounts { return t }

func exportConfigs(c *work.Configs) nodesapi.Configs { return c }

func exportDocuments(s *documents.Store) nodesapi.Documents { return s }

func exportCommands(c *work.Commands) nodesapi.Commands { return c }

func newConfigs(db *database.DB, q *work.Queue, a *evidence.Announcer, v *vault.Vault,
	clock clockwork.Clock,
) *work.Configs {
	return work.NewConfigs(db, q, v, clock, a.Changed)
}

func newTelemetry(db *database.DB, w *evidence.Writer, clock clockwork.Clock, log *zap.Logger) *telemetry.Telemetry {
	return telemetry.New(db, clock, log, w.Measured)
}

func newStreams(
	a *agents, c *credentials, q *work.Queue, s *httpapi.Streams, clock clockwork.Clock, log *zap.Logger,
) *link.Streams {
	streams := link.New(a, q, s, clock, log)
	c.onForget(streams.TokensChanged)
	return streams
}

func attach(h *handlers, b *events.Bus, carried *traffic.Counter) module.Parts {
	loops := slices.Concat(h.telemetry.Loops(), h.agents.commands.Loops(), []func(context.Context) error{
		h.agents.evidence.Run, h.service.announcer.Run, h.agents.queue.Run, h.agents.configs.Run, h.streams.Run,
		h.feed.Run,
	})
	offer := func(context.Context) error { return b.Offer(figures.KindMetrics, h.feed) }
	kept := &outlive.Store{DB: h.agents.db, Configs: h.agents.configs, Documents: h.agents.documents}
	return module.Parts{
		Routes: h.routes(), Loops: loops, Ready: []func(context.Context) error{h.telemetry.Renew, offer},
		Metrics: h.collectors(), Restored: kept.Restored,
		Jobs:      append(h.telemetry.Jobs(), h.fleet.Worker(), carried.Job()),
		Schedules: append(telemetry.Schedules(), figures.Schedule(), traffic.Schedule()),
	}
}

// tidy lists what nobody needs any more; agents' tokens are of no use from their end on.
func tidy() []jobs.Tidy {
	const keepTokens = 90 * 24 * time.Hour
	return slices.Concat(work.Tidy(), []jobs.Tidy{
		figures.Tidy(), figures.TidyStates(), telemetry.Tidy(), documents.Tidy(),
		{Table: "enrollment_tokens", Column: "revoked_at", Age: keepTokens},
		{Table: "enrollment_tokens", Column: "expires_at", Age: keepTokens, Unless: "revoked_at is not null"},
		{Table: "agent_tokens", Column: "valid_until"},
	})
}
