package clients_test

import (
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"panel/modules/clients"
	"panel/modules/domains"
	"panel/modules/flows"
	"panel/modules/nodes"
	"panel/modules/subscriptions"
	"panel/platform/module"
	"panel/platform/paneltest"
)

const (
	path  = "/api/v1/clients"
	units = "/api/v1/connection-units"
	none  = "0199a0de-0000-7000-8000-000000000001"
)

func features() []module.Module {
	return []module.Module{
		nodes.Module(), domains.Module(), flows.Module(), clients.Module(), subscriptions.Module(),
	}
}

// stage is a panel with one flow, which nobody has installed.
type stage struct {
	t     *testing.T
	panel *paneltest.Panel
	clock *clockwork.FakeClock // nil: that of the machine
	admin *paneltest.Client
	flow  string
}

func setup(t *testing.T) *stage {
	t.Helper()
	clock := clockwork.NewFakeClockAt(time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC))
	return start(t, clock, paneltest.Clock(clock))
}

func start(t *testing.T, clock *clockwork.FakeClock, more ...paneltest.Setting) *stage {
	t.Helper()
	s := &stage{t: t, clock: clock}
	s.panel = paneltest.Start(t, append(more, paneltest.Modules(features()...))...)
	s.admin = s.panel.Admin()
	s.flow = s.newFlow("Europe main")
	return s
}

func (s *stage) newFlow(name string) string {
	s.t.Helper()
	return s.admin.Post(units, map[string]any{"name": name}).Is(201).Text("id")
}

// add makes a client with what the body says beside its label.
func (s *stage) add(label string, more ...any) string {
	s.t.Helper()
	body := map[string]any{"label": label}
	for i := 0; i+1 < len(more); i += 2 {
		body[more[i].(string)] = more[i+1]
	}
	return s.admin.Post(path, body).Is(201).Text("id")
}

func (s *stage) get(id string) clients.Client {
	s.t.Helper()
	var c clients.Client
	s.admin.Get(path + "/" + id).Is(200).JSON(&c)
	return c
}

// labels are those of a list, in its order.
func (s *stage) labels(of string) []string {
	s.t.Helper()
	var page struct {
		Items []struct{ Label string }
		Total int
	}
	s.admin.Get(of).Is(200).JSON(&page)
	out := []string{}
	for _, one := range page.Items {
		out = append(out, one.Label)
	}
	return out
}
