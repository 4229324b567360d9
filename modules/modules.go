// Package modules lists the features of this build.
package modules

import (
	"panel/modules/abuse"
	"panel/modules/assistant"
	"panel/modules/backups"
	cdndns "panel/modules/cdn-dns"
	"panel/modules/clients"
	"panel/modules/domains"
	"panel/modules/flows"
	"panel/modules/geo"
	"panel/modules/health"
	"panel/modules/hosting"
	"panel/modules/imports"
	"panel/modules/license"
	"panel/modules/nodes"
	"panel/modules/notifications"
	"panel/modules/policies"
	"panel/modules/pools"
	"panel/modules/proxypanel"
	"panel/modules/statuspage"
	"panel/modules/subscriptions"
	"panel/modules/targets"
	"panel/modules/updates"
	"panel/platform/module"
)

// All gives every feature, sorted by name.
func All() []module.Module {
	return []module.Module{
		abuse.Module(),
		assistant.Module(),
		backups.Module(),
		cdndns.Module(),
		clients.Module(),
		domains.Module(),
		flows.Module(),
		geo.Module(),
		health.Module(),
		hosting.Module(),
		imports.Module(),
		license.Module(),
		nodes.Module(),
		notifications.Module(),
		policies.Module(),
		pools.Module(),
		proxypanel.Module(),
		statuspage.Module(),
		subscriptions.Module(),
		targets.Module(),
		updates.Module(),
	}
}
