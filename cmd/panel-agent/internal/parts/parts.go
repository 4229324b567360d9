// Package parts is the only list of what this agent can do.
package parts

import (
	"panel/cmd/panel-agent/internal/abuse"
	"panel/cmd/panel-agent/internal/assets"
	"panel/cmd/panel-agent/internal/blocks"
	"panel/cmd/panel-agent/internal/certificates"
	"panel/cmd/panel-agent/internal/challenges"
	"panel/cmd/panel-agent/internal/clients"
	"panel/cmd/panel-agent/internal/facts"
	"panel/cmd/panel-agent/internal/install"
	"panel/cmd/panel-agent/internal/logs"
	"panel/cmd/panel-agent/internal/part"
	"panel/cmd/panel-agent/internal/pools"
	"panel/cmd/panel-agent/internal/probe"
	"panel/cmd/panel-agent/internal/site"
	"panel/cmd/panel-agent/internal/targets"
	"panel/cmd/panel-agent/internal/telemetry"
	"panel/cmd/panel-agent/internal/tokens"
	"panel/cmd/panel-agent/internal/update"
	"panel/cmd/panel-agent/internal/watches"
)

// All gives the parts in the sequence in which they are opened, boot and end: what serves comes first.
func All() []part.Part {
	return []part.Part{
		install.Part,
		assets.Part,
		certificates.Part,
		clients.Part,
		pools.Part,
		abuse.Part,
		challenges.Part,
		site.Part,
		facts.Part,
		blocks.Part(),
		probe.Part,
		targets.Part,
		watches.Part,
		telemetry.Part,
		logs.Part,
		tokens.Part,
		update.Part,
	}
}
