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
		return failed(unread(env),
			doctor.Say("correct the line (NAME=value without spaces around =), then systemctl restart panel"))
	}
	if env.File == "" {
		return skipped("no file of settings; the environment alone counts")
	}
	about, err := os.Stat(env.File)
	if err != nil {
		return failed(doctor.Say("it cannot be looked at: %s", words(err)), doctor.Command("ls -l %s", env.File))
	}
	if about.Mode().Perm()&othersMayRead != 0 {
		return warning(doctor.Say("it holds secrets and other users can read it (mode %s)", mode(about)),
			doctor.Command("chmod 640 %s", env.File))
	}
	if owner := ownerOf(about); owner != 0 && strings.HasPrefix(env.File, "/etc/") {
		return warning(doctor.Say("it belongs to user %d, who could change the settings of a service", owner),
			doctor.Command("chown root:panel %s", env.File))
	}
	return ok("in use, mode %s", mode(about))
}

// unread tells why the file of settings was not understood, with the line where that is the cause.
func unread(env doctor.Env) doctor.Text {
	var bad interface{ Line() int }
	if errors.As(env.FileErr, &bad) {
		return doctor.Say("read %s: line %d is not of the form NAME=value", env.File, bad.Line())
	}
	return doctor.Say("read %s: %s", env.File, words(env.FileErr))
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
	if bad := unusable(values, known); bad.Format != "" {
		return failed(bad, doctor.Say("correct the value, then systemctl restart panel"))
	}
	if strange := strangers(env.Names, known); len(strange) > 0 {
		return warning(doctor.Say("%s is no setting of the panel; is the name misspelt?", strings.Join(strange, ", ")),
			doctor.Say("compare with /usr/share/panel/panel.env.example, then systemctl restart panel"))
	}
	return ok("%d settings are given, all usable", len(values))
}

// unusable tells how the values that the panel does not start with must look; they are not echoed.
func unusable(values map[string]string, known []config.Key) (found doctor.Text) {
	for _, key := range known {
		if key.Check(values[key.Name]) == nil {
			continue
		}
		one := doctor.Say("%s is not usable: it must be %s", key.Name, wanted(key))
		if found.Format != "" {
			one = doctor.Say("%s; %s", found, one)
		}
		found = one
	}
	return found
}

// wanted says what a value must look like, with its bounds, in a form that can be translated.
func wanted(key config.Key) doctor.Text {
	words, list := strings.CutPrefix(string(key.Form), "one of: ")
	switch {
	case list:
		return doctor.Say("one of: %s", words)
	case key.Form == config.Number:
		return doctor.Say("a whole number from %d to %d", key.Min, key.Max)
	case key.Form == config.Text:
		return doctor.Say("a text of %d to %d bytes", key.Min, key.Longest())
	}
	return doctor.Text{Format: string(key.Form)}
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
		return failed(doctor.Say("PANEL_SECRET_KEY is shorter than %d characters; the panel does not start with it",
			short), doctor.Say("put the right key back into %s, then systemctl restart panel", settingsPlace(env)))
	case given != "":
		return ok("PANEL_SECRET_KEY is set")
	}
	path := filepath.Join(DataDir(env), "secret.key")
	about, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return warning(doctor.Say("there is no master key yet"),
			doctor.Say("set PANEL_SECRET_KEY before the first start, or let the panel create one: panelctl serve"))
	case err != nil:
		return unknown(doctor.Say("%s may not be looked at by this user", path), asOwner())
	case about.Mode().Perm()&0o077 != 0:
		return failed(doctor.Say("the master key %s can be read by other users", path), doctor.Command("chmod 600 %s",
			path))
	}
	return warning(doctor.Say("the master key lies beside the data it protects: %s", path),
		doctor.Say("move it to PANEL_SECRET_KEY in %s and keep a copy apart from the backups", settingsPlace(env)))
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
