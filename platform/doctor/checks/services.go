package checks

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"os"
	"os/exec"
	"syscall"
	"time"

	"panel/platform/doctor"
)

// service asks systemd where it is there.
func service(ctx context.Context, _ doctor.Env) doctor.Finding {
	if _, err := os.Stat("/run/systemd/system"); err != nil {
		return skipped("this machine does not run systemd")
	}
	out, err := exec.CommandContext(ctx, "systemctl", "is-active", "panel.service").Output()
	state := firstWord(string(out))
	var ended *exec.ExitError
	switch {
	case state == "active":
		return ok("panel.service is active")
	case errors.As(err, &ended) && state != "":
		return failed(doctor.Say("panel.service is %s", state), doctor.Say("systemctl start panel, then journalctl -u panel -n 50"))
	}
	return doctor.Finding{Status: doctor.Unknown, Found: doctor.Say("systemctl gave no answer"), Do: doctor.Say("systemctl status panel")}
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
	response, err := http.DefaultClient.Do(request)
	if errors.Is(err, syscall.ECONNREFUSED) {
		return failed(doctor.Say("nothing listens on %s", address), doctor.Say("systemctl start panel, then journalctl -u panel -n 50"))
	}
	if err != nil {
		return failed(doctor.Say("%s does not answer: %s", address, innermost(err)), doctor.Say("systemctl restart panel"))
	}
	defer response.Body.Close()
	var health struct{ Status, Version string }
	if json.NewDecoder(response.Body).Decode(&health) != nil || health.Version == "" {
		return failed(doctor.Say("another program listens on %s", address), doctor.Say("stop the other process, or set PANEL_PORT to a free port"))
	}
	if response.StatusCode != http.StatusOK {
		return failed(doctor.Say("the panel on %s answers, but is unavailable", address), doctor.Say("look at the database checks, then panelctl logs"))
	}
	return ok("version %s answers on %s", health.Version, address)
}

func innermost(err error) string {
	for next := errors.Unwrap(err); next != nil; next = errors.Unwrap(err) {
		err = next
	}
	return err.Error()
}

// unsynchronised is what the kernel says while nothing keeps its clock right.
const unsynchronised = 0x0040

func clock(_ context.Context, env doctor.Env) doctor.Finding {
	if env.Now().Before(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)) {
		return failed(doctor.Say("the clock shows %s", env.Now().UTC().Format(time.DateOnly)), doctor.Say("timedatectl set-ntp true"))
	}
	var state syscall.Timex
	if _, err := syscall.Adjtimex(&state); err != nil {
		return doctor.Finding{Status: doctor.Unknown, Found: doctor.Say("the kernel does not tell about its clock"), Do: doctor.Say("timedatectl status")}
	}
	if state.Status&unsynchronised != 0 {
		return warning(doctor.Say("nothing keeps the clock of this machine right"), doctor.Say("timedatectl set-ntp true"))
	}
	return ok("the clock is kept right")
}
