package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"time"
)

// startPanel runs `panelctl serve` with its private database in .run/data.
func (s *stand) startPanel(ctx context.Context) (string, error) {
	before := s.memory.Ports["panel"]
	port, err := s.port("panel", "panel", 8080)
	if err != nil {
		return "", err
	}
	if port != before && before != 0 {
		fmt.Fprintf(os.Stderr, "  port %d is taken by somebody else; the panel moves to %d\n", before, port)
	}
	metrics, err := s.port("metrics", "panel", 9464)
	if err != nil {
		return "", err
	}
	s.panel = newClient("http://localhost:" + strconv.Itoa(port))
	adopted, err := s.ensure(program{
		name: "panel", path: s.path("bin", "panelctl"), args: []string{"serve"},
		env: s.panelSettings(port, metrics),
	})
	if err != nil {
		return "", err
	}
	err = eventually(ctx, 90*time.Second, func(ctx context.Context) error { return s.healthy(ctx) })
	return startedOr(adopted, s.panel.base), err
}

func (s *stand) panelSettings(port, metrics int) []string {
	settings := []string{
		"PANEL_PORT=" + strconv.Itoa(port), "PANEL_DATA_DIR=" + s.path("data"), "PANEL_PUBLIC_URL=" + s.panel.base,
		"PANEL_LICENSE_URLS=" + s.authorityURL(), "PANEL_LICENSE_PUBLIC_KEY=" + s.publicKey, "PANEL_METRICS_ADDR=" +
			local(metrics),
		"PANEL_OUTBOUND_ALLOW=127.0.0.0/8", // the whole fleet is on this machine, and its health is looked at
	}
	if bin := s.path("pg", "bin"); exists(bin) {
		settings = append(settings, "PANEL_PG_BIN="+bin)
	}
	return settings
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func (s *stand) healthy(ctx context.Context) error {
	if !s.running("panel") {
		return s.ended("panel")
	}
	return s.panel.get(ctx, "/health", nil)
}

func (s *stand) ended(name string) error {
	content, _ := os.ReadFile(s.logOf(name)) // without a log the sentence still stands
	return fmt.Errorf("%s: %w; the end of its log %s:\n%s", name, errEnded, s.logOf(name), tail(string(content), 8))
}

func (s *stand) listening(name string, port int) error {
	if !s.running(name) {
		return s.ended(name)
	}
	connection, err := net.DialTimeout("tcp", local(port), time.Second)
	if err != nil {
		return fmt.Errorf("reach %s: %w", name, err)
	}
	return connection.Close()
}

type setupState struct {
	Administrator bool `json:"administrator"`
	Finished      bool `json:"finished"`
}

type session struct {
	Token string `json:"token"`
}

// signIn makes the first administrator with a random password, or signs in with the remembered one.
func (s *stand) signIn(ctx context.Context) (string, error) {
	var state setupState
	if err := s.panel.get(ctx, "/api/v1/setup/state", &state); err != nil {
		return "", err
	}
	var opened session
	path := "/api/v1/auth/login"
	if !state.Administrator {
		path = "/api/v1/setup/admin"
		s.memory.Password = randomPassword()
		if err := s.save(); err != nil {
			return "", err
		}
	}
	err := s.panel.post(ctx, path, map[string]string{"username": s.memory.Username, "password": s.memory.Password},
		&opened)
	if refused(err, http.StatusUnauthorized) {
		return "", fmt.Errorf("the password that an earlier make run chose no longer works; put the new one into %s, or remove %s to start anew", s.path("state.json"), s.folder)
	}
	s.panel.token = opened.Token
	return s.memory.Username, err
}

func refused(err error, status int) bool {
	var r *refusal
	return errors.As(err, &r) && r.Status == status
}

// randomPassword leaves out letters that look alike; 20 of 32 letters are 100 bits.
func randomPassword() string {
	const letters = "abcdefghijkmnpqrstuvwxyz23456789"
	random := make([]byte, 20)
	rand.Read(random)
	for i, b := range random {
		random[i] = letters[int(b)%len(letters)]
	}
	return string(random)
}

// activateLicense gives the panel the demo key and ends the first installation.
func (s *stand) activateLicense(ctx context.Context) (string, error) {
	var license struct {
		State string  `json:"state"`
		Plan  *string `json:"plan"`
	}
	if err := s.panel.get(ctx, "/api/v1/license/status", &license); err != nil {
		return "", err
	}
	if license.State != "active" {
		if err := s.panel.post(ctx, "/api/v1/license/activate", map[string]string{"license_key": s.memory.License},
			&license); err != nil {
			return "", err
		}
	}
	if err := s.finishSetup(ctx); err != nil {
		return "", err
	}
	if license.Plan == nil {
		return license.State, nil
	}
	return license.State + ", plan " + *license.Plan, nil
}

func (s *stand) finishSetup(ctx context.Context) error {
	var state setupState
	if err := s.panel.get(ctx, "/api/v1/setup/state", &state); err != nil || state.Finished {
		return err
	}
	return s.panel.post(ctx, "/api/v1/setup/finish", nil, nil)
}
