package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

type node struct {
	ID    string `json:"id"`
	State string `json:"state"`
	Core  struct {
		State string `json:"state"`
	} `json:"core"`
}

// startAgent enrols an agent on this machine as any other server is enrolled: a token from the panel, given to the
// agent.
func (s *stand) startAgent(ctx context.Context) (string, error) {
	executable, err := s.installAgent(ctx)
	if err != nil {
		return "", err
	}
	if err := s.enroll(ctx); err != nil {
		return "", err
	}
	// SIGHUP lets the core serve on while a newer agent takes the place of the old one.
	adopted, err := s.ensure(program{
		name: "agent", path: executable, replace: syscall.SIGHUP,
		args: []string{"run", "--data", s.path("agent"), "--panel", s.panel.base},
	})
	if err != nil {
		return "", err
	}
	var n node
	err = eventually(ctx, 60*time.Second, func(ctx context.Context) error { return s.online(ctx, &n) })
	return startedOr(adopted, "node "+n.State), err
}

func (s *stand) online(ctx context.Context, n *node) error {
	if !s.running("agent") {
		return s.ended("agent")
	}
	if err := s.panel.get(ctx, "/api/v1/nodes/"+s.memory.NodeID, n); err != nil {
		return err
	}
	if n.State != "online" {
		return fmt.Errorf("the node is %s", n.State)
	}
	return nil
}

// enroll keeps a node that the panel still knows; otherwise the agent gets a new identity.
func (s *stand) enroll(ctx context.Context) error {
	if s.memory.NodeID != "" {
		err := s.panel.get(ctx, "/api/v1/nodes/"+s.memory.NodeID, nil)
		if !refused(err, http.StatusNotFound) {
			return err
		}
		s.memory.Processes["agent"].stop()
		if err := os.RemoveAll(s.path("agent")); err != nil {
			return fmt.Errorf("forget the identity of a deleted node: %w", err)
		}
	}
	var token struct {
		Token string `json:"token"`
	}
	body := map[string]any{"kind": "one_off"}
	if err := s.panel.post(ctx, "/api/v1/nodes/enrollment-tokens", body, &token); err != nil {
		return err
	}
	return s.enrollWith(ctx, token.Token)
}

// enrollWith hands the token over on the standard input, where other users cannot read it.
func (s *stand) enrollWith(ctx context.Context, token string) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.path("agent-program"), "enroll", "--again", "--token-stdin", "--panel",
		s.panel.base, "--data", s.path("agent"), "--name", "local")
	var problems bytes.Buffer
	cmd.Env, cmd.Stdin, cmd.Stderr = plainEnvironment(), strings.NewReader(token), &problems
	output, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("enrol the agent: %w: %s", err, tail(problems.String(), 3))
	}
	var enrolled struct {
		NodeID string `json:"node_id"`
	}
	if err := json.Unmarshal(output, &enrolled); err != nil {
		return fmt.Errorf("enrol the agent: read what it printed: %w", err)
	}
	s.memory.NodeID = enrolled.NodeID
	return s.save()
}
