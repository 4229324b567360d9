// Package nodes is the fleet: servers, the agents that run on them, what they report and what they shall serve.
//
// Agents dial out; nothing that the panel wants or learns needs a connection to a node. What a node shall serve is written
// first, as a numbered configuration, and fetched by the agent; what it does is known only from its own reports, and every
// state shown is derived from those when it is read. Reports, samples and results are written in batches that many agents share.
package nodes

import (
	"context"
	"embed"
	"errors"
	"time"

	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/config"
	"panel/platform/module"
	"panel/platform/owners"
	"panel/platform/selfupdate"
	"panel/platform/vault"
)

//go:embed migrations
var files embed.FS

// Module is the manifest.
func Module() module.Module {
	return module.Module{
		Name:    "nodes",
		Summary: "Servers, their agents and what they serve",
		Permissions: []access.Permission{
			{Key: View, Summary: "See nodes, their state and their domains"},
			{Key: Edit, Summary: "Add, change and remove nodes, and bind their agents and domains"},
		},
		Journal: audit.Kinds{
			Actions: []string{
				"node.agent_revoked", "node.collect_logs", "node.created", "node.deleted", "node.enrolled",
				"node.enrollment_token_issued", "node.enrollment_token_revoked", "node.maintenance_off",
				"node.maintenance_on", "node.restart_core", "node.rotate_token", "node.token_rotated", "node.updated",
				"domain.created", "domain.deleted", "domain.updated",
			},
			Objects: []string{"node", "node_domain", "enrollment_token"},
		},
		Config: []config.Key{AgentDir, selfupdate.PublicKey},
		Secrets: []vault.Column{
			{Table: "node_commands", ID: "id", Column: "sealed"},
			{Table: "node_configs", ID: "node_id || '/' || revision", Column: "sealed"},
		},
		Migrations: module.SQL(files),
		Checks:     doctorChecks(),
		Private: []any{
			newStore, newService, newEnrollment, newReports, newDesk, newStreams, newTelemetry, newAgents, newInstaller, newHandlers,
			newFleet, newUpdateStates, newHolds, newConfigs, newCommands, newDomainBook, newCredentials, newBulk,
		},
		Exports: []any{exportAgents, exportFleet, exportConfigs, exportCommands, exportDomains, exportUpdateStates, exportHolds, exportBulk},
		Attach:  attach,
	}
}

func attach(h *handlers, owned *owners.Registry) module.Parts {
	owned.Add(h.domainBook.owned())
	loops := []func(context.Context) error{
		h.agents.reports.run, h.agents.desk.acks.run, h.agents.configs.reads.run, h.outbox.results.run, h.outbox.news.run, h.telemetry.keepRollingUp, h.streams.run, h.keepTidy,
	}
	for range writers {
		loops = append(loops, h.telemetry.batches.run)
	}
	return module.Parts{Routes: h.routes(), Loops: loops, Ready: []func(context.Context) error{h.telemetry.renew}, Metrics: h.watched()}
}

// keepTidy removes once an hour what nobody needs any more.
func (h *handlers) keepTidy(ctx context.Context) error {
	ticker := h.agents.clock.NewTicker(time.Hour)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.Chan():
			if err := errors.Join(h.outbox.tidy(ctx), h.enrollment.tidy(ctx), h.telemetry.tidy(ctx)); err != nil {
				return err
			}
		}
	}
}
