package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

type flow struct {
	ID    string `json:"id"`
	State string `json:"state"`
	Drift struct {
		State string `json:"state"`
	} `json:"drift"`
	DraftRevision          int  `json:"draft_revision"`
	InstalledRevision      *int `json:"installed_revision"`
	InstalledVersionNumber *int `json:"installed_version_number"`
}

// installFlow makes the example flow once: draft, plan, apply, all through the public API.
func (s *stand) installFlow(ctx context.Context) (string, error) {
	f, err := s.exampleFlow(ctx)
	if err != nil {
		return "", err
	}
	if f.InstalledRevision == nil {
		if err := s.saveDraft(ctx, f); err != nil {
			return "", err
		}
		if err := s.compileAndApply(ctx, f.ID); err != nil {
			return "", err
		}
	}
	if err := s.inSync(ctx, &f); err != nil {
		return "", err
	}
	return fmt.Sprintf("%s, version %d, %s", f.State, number(f.InstalledVersionNumber), f.Drift.State), s.issueLink(ctx)
}

func number(n *int) int {
	if n == nil {
		return 0
	}
	return *n
}

func (s *stand) flowPath(rest string) string {
	return "/api/v1/connection-units/" + s.memory.FlowID + rest
}

// exampleFlow finds the remembered flow; one that somebody deleted is made again.
func (s *stand) exampleFlow(ctx context.Context) (f flow, err error) {
	if s.memory.FlowID != "" {
		err = s.panel.get(ctx, s.flowPath(""), &f)
		if !refused(err, http.StatusNotFound) {
			return f, err
		}
	}
	body := map[string]any{
		"name":        s.freshName("Example flow"),
		"description": "Made by make run: one server, REALITY, a page behind it",
	}
	err = s.panel.post(ctx, "/api/v1/connection-units", body, &f)
	s.memory.FlowID = f.ID
	return f, errors.Join(err, s.save())
}

// freshName keeps a second example flow from meeting the name of one that was left behind.
func (s *stand) freshName(name string) string {
	if s.memory.FlowID == "" {
		return name
	}
	return name + " " + time.Now().UTC().Format("15:04:05")
}

// saveDraft draws client -> entry -> exit on the one server; the exit may reach this machine, where the page is.
func (s *stand) saveDraft(ctx context.Context, f flow) error {
	port, err := s.port("flow", "agent", 10443)
	if err != nil {
		return err
	}
	listener := map[string]any{
		"protocol": "vless", "listen_ip": "0.0.0.0", "port": port, "transport": "raw", "security": "reality",
		"reality": map[string]any{
			"target": local(s.memory.Ports["target"]), "server_names": []string{targetName},
			"allow_private_target": true,
		},
	}
	graph := map[string]any{
		"nodes": []map[string]any{
			{
				"key": "entry", "kind": "entry", "title": "Clients", "node_id": s.memory.NodeID,
				"params": map[string]any{"listener": listener}, "position": map[string]int{"x": 80, "y": 120},
			},
			{
				"key": "exit", "kind": "exit", "title": "Internet", "node_id": s.memory.NodeID,
				"params": map[string]any{"private": "allow"}, "position": map[string]int{"x": 420, "y": 120},
			},
		},
		"edges": []map[string]any{{"from": "entry", "to": "exit"}},
	}
	return s.panel.put(ctx, s.flowPath("/draft"), map[string]any{"revision": f.DraftRevision, "graph": graph}, nil)
}

type readiness struct {
	Key    string `json:"key"`
	Group  string `json:"group"`
	Status string `json:"status"`
}

type plan struct {
	ID        string      `json:"id"`
	Revision  int         `json:"revision"`
	Readiness []readiness `json:"readiness"`
}

func (p plan) unconfirmed() []readiness {
	var open []readiness
	for _, check := range p.Readiness {
		if check.Status != "confirmed" {
			open = append(open, check)
		}
	}
	return open
}

// compileAndApply waits for the evidence that a plan needs. It never forces: the example shows the ordinary way.
func (s *stand) compileAndApply(ctx context.Context, id string) error {
	var p plan
	if err := s.panel.post(ctx, s.flowPath("/plan/compile"), nil, &p); err != nil {
		return err
	}
	err := eventually(ctx, 60*time.Second, func(ctx context.Context) error {
		if err := s.panel.get(ctx, s.flowPath("/plans/"+p.ID), &p); err != nil {
			return err
		}
		if open := p.unconfirmed(); len(open) > 0 {
			return fmt.Errorf("readiness is not confirmed: %v", open)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return s.apply(ctx, p)
}

type application struct {
	ID     string `json:"apply_id"`
	State  string `json:"state"`
	Detail string `json:"detail"`
}

func (s *stand) apply(ctx context.Context, p plan) error {
	var a application
	if err := s.panel.post(ctx, s.flowPath("/apply"), map[string]any{"id": p.ID, "revision": p.Revision},
		&a); err != nil {
		return err
	}
	return eventually(ctx, 2*time.Minute, func(ctx context.Context) error {
		if a.State == "applying" {
			if err := s.panel.get(ctx, s.flowPath("/applies/"+a.ID), &a); err != nil {
				return err
			}
		}
		switch a.State {
		case "applied":
			return nil
		case "applying":
			return fmt.Errorf("the apply goes on: %s", a.Detail)
		}
		return fmt.Errorf("the apply is %s: %s (%w)", a.State, a.Detail, errRefused)
	})
}

// inSync waits until the agent reports the installed revision.
func (s *stand) inSync(ctx context.Context, f *flow) error {
	return eventually(ctx, 45*time.Second, func(ctx context.Context) error {
		if err := s.panel.get(ctx, s.flowPath(""), f); err != nil {
			return err
		}
		if f.State != "applied" || f.Drift.State != "in_sync" {
			return fmt.Errorf("the flow is %s, drift %s", f.State, f.Drift.State)
		}
		return nil
	})
}

func (s *stand) issueLink(ctx context.Context) error {
	var link struct {
		URI string `json:"uri"`
	}
	err := s.panel.post(ctx, s.flowPath("/connection-link"), map[string]any{}, &link)
	s.memory.Link = link.URI
	return err
}
