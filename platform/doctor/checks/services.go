package checks

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"panel/platform/doctor"
)

// service asks systemd where it is there.
func service(ctx context.Context, env doctor.Env) doctor.Finding {
	if _, err := os.Stat("/run/systemd/system"); err != nil {
		return skipped("this machine does not run systemd")
	}
	out, err := exec.CommandContext(ctx, "systemctl", "show", "panel.service",
		"--property=LoadState,ActiveState,SubState,NRestarts,ActiveEnterTimestamp", "--timestamp=unix").Output()
	if err != nil {
		return unknown(doctor.Say("systemctl gave no answer"), doctor.Command("systemctl status panel"))
	}
	return serviceState(properties(string(out)), env.Now())
}

func properties(text string) map[string]string {
	found := map[string]string{}
	for line := range strings.SplitSeq(text, "\n") {
		if name, value, is := strings.Cut(line, "="); is {
			found[name] = value
		}
	}
	return found
}

func serviceState(is map[string]string, now time.Time) doctor.Finding {
	switch {
	case is["LoadState"] == "not-found":
		return skipped("panel.service is not installed")
	case is["ActiveState"] != "active":
		return failed(doctor.Say("panel.service is %s (%s)", is["ActiveState"], is["SubState"]),
			doctor.Say("systemctl start panel, then panelctl logs"))
	}
	restarts, _ := strconv.Atoi(is["NRestarts"]) // an older systemd does not count
	since, _ := strconv.ParseInt(strings.TrimPrefix(is["ActiveEnterTimestamp"], "@"), 10, 64)
	finding := ok("active for %s, %d restarts", Span(now.Sub(time.Unix(since, 0))), restarts)
	if since == 0 {
		finding = ok("active, %d restarts", restarts)
	}
	finding.Data = map[string]any{"restarts": restarts}
	const restless = 3
	if restarts >= restless {
		finding.Status, finding.Do = doctor.Warning,
			doctor.Say("panelctl logs --since 1h; then systemctl reset-failed panel")
	}
	return finding
}

// nginx tests the configuration without touching the server.
func nginx(ctx context.Context, _ doctor.Env) doctor.Finding {
	program, err := exec.LookPath("nginx")
	if err != nil {
		return skipped("nginx is not on this machine")
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	out, err := exec.CommandContext(ctx, program, "-t", "-q").CombinedOutput()
	text := strings.TrimSpace(string(out))
	switch {
	case err != nil && strings.Contains(text, "Permission denied"):
		return unknown(doctor.Say("the configuration may not be read by this user"), doctor.Command("sudo nginx -t"))
	case err != nil:
		return failed(doctor.Say("the configuration test fails: %s", nginxWords(text)),
			doctor.Say("correct it, then nginx -t && systemctl reload nginx"))
	case strings.Contains(text, "[warn]"):
		return warning(doctor.Say("configuration test: %d warnings (%s)", strings.Count(text, "[warn]"),
			nginxWords(text)), doctor.Command("panelctl logs nginx -n 50"))
	}
	return ok("the configuration test passes")
}

// nginxWords is what nginx complains about first, without its own name and level.
func nginxWords(text string) string {
	line := firstWord(text)
	for _, level := range []string{"[emerg] ", "[warn] ", "[alert] ", "[crit] "} {
		if _, words, found := strings.Cut(line, level); found {
			return words
		}
	}
	return line
}

func firstWord(text string) string {
	word, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return word
}

// Address is where the panel listens on this machine.
func Address(env doctor.Env) string {
	host, port := env.Getenv("PANEL_BIND"), env.Getenv("PANEL_PORT")
	if host == "" || host == "0.0.0.0" || host == "::" {
		host = "127.0.0.1"
	}
	if port == "" {
		port = "8080"
	}
	return net.JoinHostPort(host, port)
}

func answersOnPort(ctx context.Context, env doctor.Env) doctor.Finding {
	address := Address(env)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/health", nil)
	if err != nil {
		return failed(doctor.Say("%s is no address", address), doctor.Say("correct PANEL_BIND and PANEL_PORT"))
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	response, err := env.Ask(&http.Client{Transport: &http.Transport{DisableKeepAlives: true}},
		request.WithContext(ctx))
	if errors.Is(err, syscall.ECONNREFUSED) {
		return failed(doctor.Say("nothing listens on %s", address),
			doctor.Say("systemctl start panel, then panelctl logs"))
	}
	if err != nil {
		return failed(doctor.Say("%s does not answer: %s", address, whyNot(err)),
			doctor.Say("systemctl restart panel, then panelctl logs"))
	}
	defer response.Body.Close()
	var health struct{ Status, Version string }
	if json.NewDecoder(response.Body).Decode(&health) != nil || health.Version == "" {
		return failed(doctor.Say("another program listens on %s", address),
			doctor.Say("ss -ltnp | grep %s; stop that process, or set PANEL_PORT to a free port", address))
	}
	if response.StatusCode != http.StatusOK {
		return failed(doctor.Say("the panel on %s answers, but is unavailable", address),
			doctor.Say("look at the database checks, then panelctl logs"))
	}
	return ok("version %s answers on %s", health.Version, address)
}

// unsynchronised is what the kernel says while nothing keeps its clock right.
const unsynchronised = 0x0040

func clock(_ context.Context, env doctor.Env) doctor.Finding {
	if env.Now().Before(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)) {
		return failed(doctor.Say("the clock shows %s", env.Now().UTC().Format(time.DateOnly)),
			doctor.Command("timedatectl set-ntp true"))
	}
	var state syscall.Timex
	if _, err := syscall.Adjtimex(&state); err != nil {
		return doctor.Finding{
			Status: doctor.Unknown, Found: doctor.Say("the kernel does not tell about its clock"),
			Do: doctor.Command("timedatectl status"),
		}
	}
	if state.Status&unsynchronised != 0 {
		return warning(doctor.Say("nothing keeps the clock of this machine right"),
			doctor.Command("timedatectl set-ntp true"))
	}
	return ok("the clock is kept right")
}
