package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// startAuthority runs the license server with its own data folder and issues the demo key once.
func (s *stand) startAuthority(ctx context.Context) (string, error) {
	port, err := s.port("authority", "authority", 8490)
	if err != nil {
		return "", err
	}
	if s.memory.License == "" {
		if s.memory.License, err = s.issueLicense(ctx); err != nil {
			return "", err
		}
	}
	if s.publicKey, err = s.authority(ctx, "public-key"); err != nil {
		return "", err
	}
	adopted, err := s.ensure(program{
		name: "authority", path: s.path("bin", "panel-licensed"),
		args: []string{"serve", "--data", s.path("license"), "--listen", local(port)},
	})
	if err != nil {
		return "", err
	}
	err = eventually(ctx, 15*time.Second, func(context.Context) error { return s.listening("authority", port) })
	return startedOr(adopted, s.authorityURL()), err
}

func (s *stand) authorityURL() string { return "http://" + local(s.memory.Ports["authority"]) }

func (s *stand) issueLicense(ctx context.Context) (string, error) {
	printed, err := s.authority(ctx, "issue", "--json", "--plan", "Demo", "--features", "*", "--activations", "5",
		"--note", "made by make run")
	if err != nil {
		return "", err
	}
	var issued struct {
		Key string `json:"key"`
	}
	if err := json.Unmarshal([]byte(printed), &issued); err != nil {
		return "", fmt.Errorf("read the license key that panel-licensed issued: %w", err)
	}
	return issued.Key, nil
}

// authority runs one command of the authority; its output may hold the key and is not logged.
func (s *stand) authority(ctx context.Context, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.path("bin", "panel-licensed"), append(args, "--data", s.path("license"))...)
	var problems strings.Builder
	cmd.Dir, cmd.Env, cmd.Stderr = s.root, plainEnvironment(), &problems
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("panel-licensed %s: %w: %s", args[0], err, tail(problems.String(), 3))
	}
	return strings.TrimSpace(string(out)), nil
}
