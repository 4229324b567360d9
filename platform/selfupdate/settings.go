package selfupdate

import (
	"panel/platform/access"
	"panel/platform/config"
	"panel/platform/core/system"
	"panel/platform/httpapi"
	"panel/platform/settings"
)

// Settings are what administrators choose about newer releases, of the panel and of agents, while the panel runs.
type Settings struct {
	Channel string `json:"channel,omitempty" enum:"stable,dev" doc:"dev: also releases that are tried out; absent: what PANEL_UPDATE_CHANNEL says"`
	Check   bool   `json:"check" doc:"Check for newer releases four times a day"`
}

// ShownSettings are the settings as they hold.
type ShownSettings struct {
	Channel string `json:"channel" enum:"stable,dev" doc:"dev: also releases that are tried out"`
	Check   bool   `json:"check" doc:"Check for newer releases four times a day"`
}

const actionSettings = "system.update_settings_changed"

func openSettings(store *settings.Store, cfg *config.Config) *settings.Doc[Settings] {
	usual := Settings{Channel: cfg.String(config.UpdateChannel), Check: true}
	return settings.Open(store, "updates", actionSettings, usual, nil).DefaultsTo(cfg, "channel", config.UpdateChannel)
}

func settingsRoutes(doc *settings.Doc[Settings]) httpapi.Routes {
	manage := access.Needs(system.Manage)
	return settings.Routes("/api/v1/system/updates/settings", "updates", manage, manage, doc,
		func(s Settings) ShownSettings { return ShownSettings(s) })
}
