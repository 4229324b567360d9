package rig

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// Flow is a flow as far as the tests look at it.
type Flow struct {
	ID    string `json:"id"`
	State string `json:"state"`
	Drift struct {
		State string `json:"state"`
	} `json:"drift"`
	DraftRevision     int  `json:"draft_revision"`
	InstalledRevision *int `json:"installed_revision"`
}

// Plan is a compiled flow as far as the tests look at it.
type Plan struct {
	ID        string  `json:"id"`
	Revision  int     `json:"revision"`
	Readiness []Check `json:"readiness"`
}

// Check is one piece of evidence.
type Check struct {
	Key      string `json:"key"`
	NodeID   string `json:"node_id"`
	Status   string `json:"status"`
	Evidence string `json:"evidence"`
}

// Applied is the record of an apply.
type Applied struct {
	ID    string          `json:"apply_id"`
	State string          `json:"state"`
	Steps json.RawMessage `json:"steps"`
}

func flowPath(id, rest string) string { return "/api/v1/connection-units/" + id + rest }

// Draw makes a flow with the drawing as its draft.
func (a *API) Draw(ctx context.Context, name string, graph any) (Flow, error) {
	var f Flow
	if err := a.Post(ctx, "/api/v1/connection-units", map[string]any{"name": name}, &f); err != nil {
		return f, err
	}
	return f, a.Put(ctx, flowPath(f.ID, "/draft"), map[string]any{"revision": f.DraftRevision, "graph": graph}, nil)
}

// Compile compiles the draft and waits until all its readiness is confirmed.
func (a *API) Compile(ctx context.Context, flow string) (Plan, error) {
	return a.CompileWith(ctx, flow, nil)
}

// CompileWith is Compile with a body, which may ask for a canary.
func (a *API) CompileWith(ctx context.Context, flow string, body any) (Plan, error) {
	var p Plan
	if err := a.Post(ctx, flowPath(flow, "/plan/compile"), body, &p); err != nil {
		return p, err
	}
	return p, Eventually(ctx, 90*time.Second, func(ctx context.Context) error {
		if err := a.Get(ctx, flowPath(flow, "/plans/"+p.ID), &p); err != nil {
			return err
		}
		for _, check := range p.Readiness {
			if check.Status != "confirmed" {
				return fmt.Errorf("readiness of %s is %s: %s", check.Key, check.Status, check.Evidence)
			}
		}
		return nil
	})
}

// Apply installs the plan and waits for the end.
func (a *API) Apply(ctx context.Context, flow string, p Plan) (Applied, error) {
	var done Applied
	if err := a.Post(ctx, flowPath(flow, "/apply"), map[string]any{"id": p.ID, "revision": p.Revision},
		&done); err != nil {
		return done, err
	}
	return done, a.Finished(ctx, flow, &done)
}

// Finished waits until an apply has ended well.
func (a *API) Finished(ctx context.Context, flow string, done *Applied) error {
	return Eventually(ctx, 2*time.Minute, func(ctx context.Context) error {
		if done.State != "applied" {
			if err := a.Get(ctx, flowPath(flow, "/applies/"+done.ID), done); err != nil {
				return err
			}
		}
		switch done.State {
		case "applied":
			return nil
		case "apply_failed":
			return fmt.Errorf("%w: the apply has failed: %s", ErrHopeless, done.Steps)
		}
		return fmt.Errorf("the apply is %s", done.State)
	})
}

// InSync waits until the servers serve what is installed.
func (a *API) InSync(ctx context.Context, flow string) error {
	return Eventually(ctx, 90*time.Second, func(ctx context.Context) error {
		var f Flow
		if err := a.Get(ctx, flowPath(flow, ""), &f); err != nil {
			return err
		}
		if f.State != "applied" || f.Drift.State != "in_sync" {
			return fmt.Errorf("the flow is %s, drift %s", f.State, f.Drift.State)
		}
		return nil
	})
}

// Link issues the connection link of the flow's first client.
func (a *API) Link(ctx context.Context, flow string) (string, error) {
	var link struct {
		URI string `json:"uri"`
	}
	err := a.Post(ctx, flowPath(flow, "/connection-link"), map[string]any{}, &link)
	return link.URI, err
}

// OneServer draws clients -> entry -> exit on one server of this machine; the exit may reach the site.
func OneServer(nodeID string, port int, site *Site) map[string]any {
	listener := map[string]any{
		"protocol": "vless", "listen_ip": "127.0.0.1", "port": port, "transport": "raw", "security": "reality",
		"reality": map[string]any{
			"target": site.Target, "server_names": []string{SiteName},
			"allow_private_target": true,
		},
	}
	return map[string]any{
		"nodes": []map[string]any{
			{"key": "entry", "kind": "entry", "node_id": nodeID, "params": map[string]any{"listener": listener}},
			{"key": "exit", "kind": "exit", "node_id": nodeID, "params": map[string]any{"private": "allow"}},
		},
		"edges": []map[string]any{{"from": "entry", "to": "exit"}},
	}
}
