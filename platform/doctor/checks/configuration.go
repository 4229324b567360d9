package checks

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"panel/platform/config"
	"panel/platform/doctor"
)

// othersMayRead are the permission bits that a file with secrets must not have.
const othersMayRead = 0o007

func settingsFile(_ context.Context, env doctor.Env) doctor.Finding {
	finding := settingsFileOf(env)
	finding.Subject = env.File
	return finding
}

func settingsFileOf(env doctor.Env) doctor.Finding {
	if env.FileErr != nil && errors.Is(env.FileErr, fs.ErrPermission) {
		return warning(doctor.Say("it may not be read by this user, so its settings are unknown here"), asOwner())
	}
	if env.FileErr != nil {
		return failed(doctor.Say("%s", env.FileErr.Error()), doctor.Say("correct the line (NAME=value without spaces around =), then systemctl restart panel"))
	}
	if env.File == "" {
		return skipped("no file of settings; the environment alone counts")
	}
	about, err := os.Stat(env.File)
	if err != nil {
		return failed(doctor.Say("%s", innermost(err)), doctor.Command("ls -l %s", env.File))
	}
	if about.Mode().Perm()&othersMayRead != 0 {
		return warning(doctor.Say("it holds secrets and other users can read it (mode %s)", mode(about)), doctor.Command("chmod 640 %s", env.File))
	}
	if owner := ownerOf(about); owner != 0 && strings.HasPrefix(env.File, "/etc/") {
		return warning(doctor.Say("it belongs to user %d, who could change the settings of a service", owner), doctor.Command("chown root:panel %s", env.File))
	}
	return ok("in use, mode %s", mode(about))
}

func mode(about fs.FileInfo) string { return about.Mode().Perm().String()[1:] }

func ownerOf(about fs.FileInfo) int {
	if stat, is := about.Sys().(*syscall.Stat_t); is {
		return int(stat.Uid)
	}
	return 0
}

// settingNames tries every known value the way the panel does at its start, and names what no panel knows.
func settingNames(_ context.Context, env doctor.Env) doctor.Finding {
	values, known := map[string]string{}, append(config.Platform(), env.Known.Keys...)
	for _, key := range known {
		if value := env.Getenv(key.Name); value != "" {
			values[key.Name] = value
		}
	}
	if _, err := config.Of(values, env.Known.Keys...); err != nil {
		return failed(doctor.Say("%s", err.Error()), doctor.Say("correct the value, then systemctl restart panel"))
	}
	if strange := strangers(env.Names, known); len(strange) > 0 {
		return warning(doctor.Say("%s is no setting of the panel; is the name misspelt?", strings.Join(strange, ", ")),
			doctor.Say("compare with docs/reference/settings.md, then systemctl restart panel"))
	}
	return ok("%d settings are given, all usable", len(values))
}

func strangers(given []string, known []config.Key) []string {
	var strange []string
	for _, name := range given {
		is := func(key config.Key) bool { return key.Name == name }
		if strings.HasPrefix(name, "PANEL_") && !slices.ContainsFunc(known, is) && !slices.Contains(strange, name) {
			strange = append(strange, name)
		}
	}
	return strange
}

func secretKey(_ context.Context, env doctor.Env) doctor.Finding {
	const short = 16 // what the secret store refuses
	switch given := env.Getenv("PANEL_SECRET_KEY"); {
	case given != "" && len(given) < short:
		return failed(doctor.Say("PANEL_SECRET_KEY is shorter than %d characters; the panel does not start with it", short), doctor.Say("put the right key back into %s, then systemctl restart panel", settingsPlace(env)))
	case given != "":
		return ok("PANEL_SECRET_KEY is set")
	}
	path := filepath.Join(DataDir(env), "secret.key")
	about, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return warning(doctor.Say("there is no master key yet"), doctor.Say("set PANEL_SECRET_KEY before the first start, or let the panel make one: panelctl serve"))
	case err != nil:
		return unknown(doctor.Say("%s may not be looked at by this user", path), asOwner())
	case about.Mode().Perm()&0o077 != 0:
		return failed(doctor.Say("the master key %s can be read by other users", path), doctor.Command("chmod 600 %s", path))
	}
	return warning(doctor.Say("the master key lies beside the data it protects: %s", path), doctor.Say("move it to PANEL_SECRET_KEY in %s and keep a copy apart from the backups", settingsPlace(env)))
}

func settingsPlace(env doctor.Env) string {
	if env.File != "" {
		return env.File
	}
	return "/etc/panel/panel.env"
}

// trustedProxies finds the trap that every panel behind a reverse proxy falls into: without it all people share one
// address, in the throttle and in the journal.
func trustedProxies(_ context.Context, env doctor.Env) doctor.Finding {
	address, bind := public(env), env.Getenv("PANEL_BIND")
	switch {
	case env.Getenv("PANEL_TRUSTED_PROXIES") != "":
		return ok("PANEL_TRUSTED_PROXIES is set")
	case address == nil || address.Scheme != "https":
		return skipped("no public address with https configured")
	case bind != "" && !isLoopback(bind):
		return skipped("the panel is reached directly")
	}
	return warning(doctor.Say("a reverse proxy serves the public address, but its headers are not trusted: throttle and journal see one address for everybody"),
		doctor.Say("PANEL_TRUSTED_PROXIES=127.0.0.1,::1 in %s, then systemctl restart panel", settingsPlace(env)))
}
