// Package checks are the questions about the panel itself that need no module: settings, database, disk, network, clock.
package checks

import (
	"os"
	"path/filepath"

	"panel/platform/doctor"
)

// All lists the checks in the order of the report.
func All() []doctor.Check {
	return []doctor.Check{
		{ID: "configuration.file", Group: "configuration", Title: "file of settings", Run: settingsFile},
		{ID: "configuration.names", Group: "configuration", Title: "names and values", Run: settingNames},
		{ID: "configuration.secret_key", Group: "configuration", Title: "master key", Run: secretKey},
		{ID: "services.panel", Group: "services", Title: "panel.service", Run: service},
		{ID: "services.port", Group: "services", Title: "panel answers", Run: answersOnPort},
		{ID: "services.clock", Group: "services", Title: "clock", Run: clock},
		{ID: "database.connect", Group: "database", Title: "connection", Run: connection},
		{ID: "database.migrations", Group: "database", Title: "migrations", Run: applied},
		{ID: "disk.data", Group: "disk", Title: "data folder", Run: dataFolder},
		{ID: "network.license", Group: "network", Title: "license server", Run: licenseServer},
		{ID: "dns.public", Group: "dns", Title: "public name", Run: publicName},
		{ID: "tls.public", Group: "tls", Title: "public certificate", Run: publicCertificate},
	}
}

func ok(format string, args ...any) doctor.Finding {
	return doctor.Finding{Status: doctor.OK, Found: doctor.Text{Format: format, Args: args}}
}

func skipped(format string, args ...any) doctor.Finding {
	return doctor.Finding{Status: doctor.Skipped, Found: doctor.Text{Format: format, Args: args}}
}

func warning(found, do doctor.Text) doctor.Finding {
	return doctor.Finding{Status: doctor.Warning, Found: found, Do: do}
}

func failed(found, do doctor.Text) doctor.Finding {
	return doctor.Finding{Status: doctor.Failed, Found: found, Do: do}
}

// DataDir is PANEL_DATA_DIR, or where the panel looks without it.
func DataDir(env doctor.Env) string {
	if given := env.Getenv("PANEL_DATA_DIR"); given != "" {
		return given
	}
	const installed = "/opt/panel/data"
	if _, err := os.Stat(installed); err == nil {
		return installed
	}
	here, err := filepath.Abs("data")
	if err != nil {
		return "data"
	}
	return here
}
