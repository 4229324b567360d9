// Package checks are the questions about the panel itself that need no module: settings, services, database, disk,
// network, names, certificates and what is connected to it.
package checks

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"panel/platform/doctor"
)

// patience is less than a check may take, so that an answer that does not come is told with its cause.
const patience = doctor.Limit - time.Second

// All lists the checks in the order of the report.
func All() []doctor.Check {
	return []doctor.Check{
		{ID: "services.panel", Group: "services", Title: "panel.service", Run: service},
		{ID: "services.port", Group: "services", Title: "panel answers", Run: answersOnPort},
		{ID: "services.nginx", Group: "services", Title: "nginx", Run: nginx},
		{ID: "services.clock", Group: "services", Title: "clock", Run: clock},
		{ID: "configuration.file", Group: "configuration", Title: "file of settings", Run: settingsFile},
		{ID: "configuration.names", Group: "configuration", Title: "names and values", Run: settingNames},
		{ID: "configuration.secret_key", Group: "configuration", Title: "master key", Run: secretKey},
		{ID: "configuration.proxy", Group: "configuration", Title: "reverse proxy", Run: trustedProxies},
		{ID: "database.address", Group: "database", Title: "address", Run: address},
		{ID: "database.connect", Group: "database", Title: "connection", Run: connection},
		{ID: "database.migrations", Group: "database", Title: "migrations", Run: applied},
		{ID: "database.secrets", Group: "database", Title: "secret store", Run: secretsOpen},
		{ID: "database.disk", Group: "database", Title: "space of the database", Run: databaseSpace},
		{ID: "disk.data", Group: "disk", Title: "data folder", Run: dataFolder},
		{ID: "disk.backups", Group: "disk", Title: "backup folder", Run: backupFolder},
		{ID: "disk.logs", Group: "disk", Title: "log folder", Run: logFolder},
		{ID: "network.license", Group: "network", Title: "license server", Run: licenseServer},
		{ID: "network.updates", Group: "network", Title: "release server", Run: updateServer},
		{ID: "dns.resolver", Group: "dns", Title: "name server", Run: resolver},
		{ID: "dns.public", Group: "dns", Title: "public name", Run: publicName},
		{ID: "tls.public", Group: "tls", Title: "public certificate", Run: publicCertificate},
		{ID: "components.backups", Group: "components", Title: "newest backup", Run: newestBackup},
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

func unknown(found, do doctor.Text) doctor.Finding {
	return doctor.Finding{Status: doctor.Unknown, Found: found, Do: do}
}

// asOwner is the advice where only the privileges are missing.
func asOwner() doctor.Text { return doctor.Command("sudo panelctl doctor") }

// innermost is the cause under all that was said about it.
func innermost(err error) string {
	for next := errors.Unwrap(err); next != nil; next = errors.Unwrap(err) {
		err = next
	}
	return err.Error()
}

// words are what the system says about a failure; what it says of its own is known in every language.
func words(err error) doctor.Text {
	var number syscall.Errno
	if errors.As(err, &number) {
		return doctor.Text{Format: number.Error()}
	}
	return doctor.Command("%s", innermost(err))
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
