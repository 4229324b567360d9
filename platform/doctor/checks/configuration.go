package checks

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"panel/platform/config"
	"panel/platform/doctor"
)

// othersMayRead are the permission bits that a file with secrets must not have.
const othersMayRead = 0o007

func settingsFile(_ context.Context, env doctor.Env) doctor.Finding {
	if env.FileErr != nil && errors.Is(env.FileErr, fs.ErrPermission) {
		return warning(doctor.Say("%s cannot be read by this user", env.File), doctor.Say("run this as root or as the user panel"))
	}
	if env.FileErr != nil {
		return failed(doctor.Say("%s", env.FileErr.Error()), doctor.Say("correct the line; the form is NAME=value without spaces around ="))
	}
	if env.File == "" {
		return skipped("no file of settings; the environment alone counts")
	}
	about, err := os.Stat(env.File)
	if err != nil {
		return failed(doctor.Say("%s", err.Error()), doctor.Say("check the path"))
	}
	if about.Mode().Perm()&othersMayRead != 0 {
		return warning(doctor.Say("%s holds secrets and other users can read it", env.File), doctor.Say("chmod 640 %s", env.File))
	}
	return ok("%s is in use", env.File)
}

// settingNames tries every known value the way the panel does at its start.
func settingNames(_ context.Context, env doctor.Env) doctor.Finding {
	values := map[string]string{}
	for _, key := range config.Platform() {
		if value := env.Getenv(key.Name); value != "" {
			values[key.Name] = value
		}
	}
	if _, err := config.Of(values); err != nil {
		return failed(doctor.Say("%s", err.Error()), doctor.Say("correct the value and restart the panel"))
	}
	return ok("%d settings are given, all usable", len(values))
}

func secretKey(_ context.Context, env doctor.Env) doctor.Finding {
	if env.Getenv("PANEL_SECRET_KEY") != "" {
		return ok("PANEL_SECRET_KEY is set")
	}
	path := filepath.Join(DataDir(env), "secret.key")
	about, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return warning(doctor.Say("there is no master key yet"), doctor.Say("set PANEL_SECRET_KEY before the first start, or let the panel make one"))
	case err != nil:
		return doctor.Finding{Status: doctor.Unknown, Found: doctor.Say("%s cannot be looked at", path), Do: doctor.Say("run this as root or as the user panel")}
	case about.Mode().Perm()&0o077 != 0:
		return failed(doctor.Say("the master key %s can be read by other users", path), doctor.Say("chmod 600 %s", path))
	}
	return warning(doctor.Say("the master key lies beside the data it protects: %s", path), doctor.Say("move it to PANEL_SECRET_KEY and keep a copy apart from the backups"))
}

func firstWord(text string) string {
	word, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return word
}
