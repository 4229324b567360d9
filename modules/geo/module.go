// Package geo brings lists of names and networks to nodes, which route by them: geoip and geosite files, files of one's
// own, and databases that say where addresses are.
//
// The panel fetches a file, because nodes may not reach its source, reads it as a stream, and refuses one that is
// damaged or lacks a category that an installed flow uses. What is fine goes to nodes in rings as a file that is named
// by its digest. The core is never asked to read a file in the panel.
package geo

import (
	"context"
	"embed"
	"time"

	"panel/modules/flows/flowsapi"
	"panel/modules/geo/geoapi"
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
	"panel/platform/places"
)

//go:embed migrations
var scripts embed.FS

//go:embed russian.txt
var russian string

// What the journal alone says.
const (
	actionUpdate     = "geo.update_started"
	actionDistribute = "geo.distribution_started"
)

// keptFor is how long roll-outs that are over are kept.
const keptFor = 90 * 24 * time.Hour

var errLacking = fault.Invalid("geo_category_missing", "flows are installed with categories that this version has not")

// Module is the manifest.
func Module() module.Module {
	return module.Module{
		Name:     "geo",
		Summary:  "Files of names and networks that nodes route by",
		Requires: []string{"flows", "nodes"},
		Russian:  russian,
		Permissions: []access.Permission{
			{Key: view, Summary: "See geo files and look names and addresses up in them"},
			{Key: manage, Summary: "Add, fetch, roll out and return geo files"},
		},
		Features: []entitlement.Feature{{Key: feature, Summary: "Geo files"}},
		Faults: []fault.Declared{
			{Kind: fault.KindConflict, Code: "geo_asset_in_use", Summary: "Flows are installed with categories of the file"},
			{Kind: fault.KindConflict, Code: errDistributing.Code, Summary: "The file is being rolled out"},
			{Kind: fault.KindConflict, Code: errNoPrevious.Code, Summary: "There is no version to return to"},
			{Kind: fault.KindConflict, Code: errNoCandidate.Code, Summary: "There is no version to roll out"},
			{Kind: fault.KindConflict, Code: errUpdating.Code, Summary: "The file is being fetched"},
			{Kind: fault.KindInvalid, Code: errLacking.Code, Summary: "A geo file has not the categories that flows use"},
		},
		Journal: audit.Kinds{
			Actions: []string{
				actionUpdate, actionDistribute, geoapi.AssetAdded, geoapi.AssetChanged, geoapi.AssetRemoved,
				geoapi.Updated, geoapi.Rejected, geoapi.RolledBack, geoapi.DistributionFailed,
			},
			Objects: []string{object},
		},
		Events: eventKinds(),
		Config: []config.Key{ringSeconds},
		Tidy: []jobs.Tidy{{
			Table: "geo_rollouts", Column: "started_at", Age: keptFor, Unless: "finished_at is null",
		}},
		Migrations: module.SQL(scripts),
		Commands:   commands,
		Acts:       []automation.Act{automatic()},
		Checks:     []doctor.Check{check()},
		Private:    []any{newStore, newService, newRoller, newHandlers},
		Attach:     attach,
	}
}

// actRollOut is the name of what the schedules of assets do to nodes.
const actRollOut = "geo.roll_out"

func automatic() automation.Act {
	return automation.Act{
		Name: actRollOut, Summary: "Rolls out the geo files that schedules have fetched",
		Budget:  "once for each new version, in rings of one node, a twentieth, a quarter and all, up to the first failure",
		Actions: []string{actionDistribute}, Feature: feature,
		ReadOnly: entitlement.Stops, Blocked: entitlement.Stops,
	}
}

// screen is where the web interface shows an asset.
const screen = "/geo/{id}"

func eventKinds() []events.Kind {
	kinds := []events.Kind{
		{Name: geoapi.AssetAdded, Summary: "A geo file was added"},
		{Name: geoapi.AssetChanged, Summary: "A geo file was changed"},
		{Name: geoapi.AssetRemoved, Summary: "A geo file was removed"},
		{Name: geoapi.Moved, Summary: "A geo file got on", Transient: true},
		{
			Name: geoapi.Updated, Summary: "A new version of a geo file is in force",
			Notify: true, Screen: screen, Resolves: []string{geoapi.Rejected, geoapi.DistributionFailed},
		},
		{
			Name: geoapi.Rejected, Summary: "A geo file was not updated", Severity: events.Warning, Notify: true,
			Screen: screen, Effect: "Nodes go on with the version that they have.",
		},
		{Name: geoapi.RolledBack, Summary: "Nodes return to the version of a geo file before"},
		{
			Name: geoapi.DistributionFailed, Summary: "A geo file could not be rolled out to nodes",
			Severity: events.Warning, Notify: true, Screen: screen,
			Effect: "The other nodes go on with the version before. Return to it, or look at the node that failed.",
		},
	}
	for i := range kinds {
		kinds[i].Needs, kinds[i].Live, kinds[i].Subject, kinds[i].Data = view, true, object, geoapi.News{}
	}
	return kinds
}

func attach(h *handlers, s *service, r *roller, compiled flowsapi.GeoFiles, book *places.Book) module.Parts {
	book.From(s.atlas)
	compiled.Held(s.heldBy)
	return module.Parts{
		Routes: h.routes(), Jobs: s.workers(), Schedules: schedules(), Listeners: []events.Listener{s.listener()},
		Loops: []func(context.Context) error{r.Run}, Metrics: s.collectors(), Restored: r.restored,
	}
}
