// Package statuspage tells users how the service does, on pages that live outside of the panel and survive it.
//
// People edit a draft; a deploy writes it as files (internal/site), brings them to places (internal/place), fetches
// them back and compares. From then on each place gets news once a minute and whenever readers are told something. A
// page shows the names that people chose for readers, and nothing of a node, a flow or an address.
package statuspage

import (
	"context"
	"embed"
	"time"

	"panel/modules/statuspage/statuspageapi"
	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/automation"
	"panel/platform/config"
	"panel/platform/doctor"
	"panel/platform/entitlement"
	"panel/platform/events"
	"panel/platform/fault"
	"panel/platform/jobs"
	"panel/platform/module"
	"panel/platform/vault"
)

//go:embed migrations
var scripts embed.FS

//go:embed russian.txt
var russian string

// actionDeploy is what the journal alone says.
const actionDeploy = "statuspage.deploy_started"

// keptFor is how long deploys are kept that no place shows any more.
const keptFor = 90 * 24 * time.Hour

// Module is the manifest.
func Module() module.Module {
	return module.Module{
		Name:     "statuspage",
		Summary:  "Status pages for users, kept outside of the panel",
		Requires: []string{"flows", "health", "nodes", "pools"},
		Russian:  russian,
		Permissions: []access.Permission{
			{Key: view, Summary: "See status pages, their notices and deploys"},
			{Key: publish, Summary: "Change and deploy status pages, and write notices"},
		},
		Features: []entitlement.Feature{{Key: feature, Summary: "Status pages"}},
		Faults: []fault.Declared{
			{Kind: fault.KindConflict, Code: errDeployActive.Code, Summary: "The page is being deployed"},
			{Kind: fault.KindConflict, Code: errPublished.Code, Summary: "Readers have seen the notice"},
			{Kind: fault.KindInvalid, Code: errNodeEntry.Code, Summary: "Clients enter a flow at the node"},
		},
		Journal: audit.Kinds{
			Actions: []string{
				statuspageapi.PageCreated, statuspageapi.PageUpdated, statuspageapi.PageDeleted, actionDeploy,
				statuspageapi.MaintenanceChanged, statuspageapi.TargetChanged, statuspageapi.Deployed,
				statuspageapi.DeployFailed, statuspageapi.NoticeChanged, statuspageapi.IncidentPosted,
				statuspageapi.PageStale, statuspageapi.PageFresh,
			},
			Objects: []string{object},
		},
		Events:  eventKinds(),
		Config:  []config.Key{folderKey},
		Secrets: []vault.Column{{Table: "statuspage_targets", ID: "id", Column: "secret"}},
		Tidy: []jobs.Tidy{{
			Table: "statuspage_deploys", Column: "started_at", Age: keptFor,
			Unless: `finished_at is null or id in (select live_deploy_id from statuspage_targets where live_deploy_id is not null)
				or id in (select published_deploy_id from statuspage_pages where published_deploy_id is not null)`,
		}},
		Migrations: module.SQL(scripts),
		Commands:   commands,
		Acts:       []automation.Act{automatic()},
		Checks:     []doctor.Check{check()},
		Private:    []any{newStore, newNeighbours, newService, newDeployer, newPusher, newHandlers},
		Attach:     attach,
	}
}

// Where the web interface shows a page and its notices.
const (
	screen        = "/status-page/{id}"
	noticesScreen = "/status-page/{id}/incidents"
)

func eventKinds() []events.Kind {
	kinds := []events.Kind{
		{Name: statuspageapi.PageCreated, Summary: "A status page was made"},
		{Name: statuspageapi.PageUpdated, Summary: "The draft of a status page was changed"},
		{Name: statuspageapi.PageDeleted, Summary: "A status page was removed"},
		{Name: statuspageapi.MaintenanceChanged, Summary: "Work was announced on a status page, or changed"},
		{Name: statuspageapi.TargetChanged, Summary: "A place of a status page was changed"},
		{Name: statuspageapi.DeployMoved, Summary: "A deploy of a status page got on", Transient: true},
		{
			Name: statuspageapi.Deployed, Summary: "A status page is live", Notify: true, Screen: screen,
			Resolves: []string{statuspageapi.DeployFailed},
		},
		{
			Name: statuspageapi.DeployFailed, Summary: "A status page could not be deployed", Severity: events.Warning,
			Notify: true, Screen: screen, Effect: "Readers go on seeing the page as it was.",
		},
		{
			Name: statuspageapi.NoticeDrafted, Summary: "A notice for readers was drafted from an incident", Notify: true,
			Screen: noticesScreen, Effect: "Readers see it when somebody publishes it, or when the rule of the page does.",
		},
		{Name: statuspageapi.NoticeChanged, Summary: "A draft of a notice was changed"},
		{Name: statuspageapi.IncidentPosted, Summary: "Readers of a status page were told of an incident"},
		{
			Name: statuspageapi.PageStale, Summary: "A status page gets no news any more", Severity: events.Warning,
			Notify: true, Screen: screen, Effect: "Readers see that the page is old, and how old.",
		},
		{
			Name: statuspageapi.PageFresh, Summary: "A status page gets news again", Notify: true, Screen: screen,
			Resolves: []string{statuspageapi.PageStale},
		},
	}
	for i := range kinds {
		kinds[i].Needs, kinds[i].Live, kinds[i].Subject, kinds[i].Data = view, true, object, statuspageapi.News{}
	}
	return kinds
}

func attach(h *handlers, s *service, d *deployer, p *pusher) module.Parts {
	return module.Parts{
		Routes: h.routes(), Jobs: s.workers(), Schedules: schedules(), Listeners: []events.Listener{s.listener()},
		Loops: []func(context.Context) error{d.Run, p.Run}, Metrics: s.collectors(), Restored: d.restored,
	}
}
