package statuspage

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	cdndns "panel/modules/cdn-dns"
	"panel/modules/clients"
	"panel/modules/domains"
	"panel/modules/flows"
	"panel/modules/health"
	"panel/modules/nodes"
	"panel/modules/pools"
	"panel/modules/proxypanel"
	"panel/platform/config"
	"panel/platform/module"
	"panel/platform/paneltest"
)

type fields = map[string]any

func features() []module.Module {
	return []module.Module{
		nodes.Module(), domains.Module(), clients.Module(), flows.Module(), cdndns.Module(), pools.Module(),
		proxypanel.Module(), health.Module(), Module(),
	}
}

const (
	base   = "/api/v1/statuspage"
	within = 60 * time.Second
	every  = 50 * time.Millisecond
)

// stage is a panel with a page.
type stage struct {
	*paneltest.Panel

	t      testing.TB
	admin  *paneltest.Client
	own    *service
	enters *entered

	deployer *deployer
	folder   string
	page     Page
}

func newStage(t testing.TB, options ...paneltest.Setting) *stage {
	t.Helper()
	s := &stage{t: t, folder: t.TempDir(), enters: &entered{}}
	all := features()
	manifest := Module()
	manifest.Attach = func(h *handlers, own *service, d *deployer, p *pusher) module.Parts {
		s.own, s.deployer = own, d
		s.enters.Flows, own.flows = own.flows, s.enters
		return attach(h, own, d, p)
	}
	all[len(all)-1] = manifest
	usual := []paneltest.Setting{paneltest.Modules(all...), paneltest.Env(map[string]string{
		config.OutboundAllow.Name: "127.0.0.1", folderKey.Name: s.folder, config.AgentHeartbeat.Name: "3600",
	})}
	s.Panel = paneltest.Start(t, append(usual, options...)...)
	s.admin = s.Admin()
	s.admin.Post(base+"/pages", fields{"slug": "service", "titles": fields{"en": "Our service", "ru": "Наш сервис"}}).
		Is(http.StatusCreated).JSON(&s.page)
	return s
}

func (s *stage) at(path string) string { return base + "/pages/" + s.page.ID + path }

// read reads the page anew.
func (s *stage) read() Page {
	s.t.Helper()
	s.page = Page{}
	s.admin.Get(s.pagesPath()).Is(http.StatusOK).JSON(&s.page)
	return s.page
}

func (s *stage) pagesPath() string {
	var all Pages
	s.admin.Get(base + "/pages").Is(http.StatusOK).JSON(&all)
	return base + "/pages/" + all.Items[0].ID
}

// compose gives the page its components.
func (s *stage) compose(components ...fields) Page {
	s.t.Helper()
	s.admin.Put(s.at("/components"), fields{
		"revision": s.read().Revision, "groups": []fields{}, "components": components,
	}).Is(http.StatusOK)
	return s.read()
}

func byHandOf(name, status string) fields {
	return fields{
		"group_id": "", "names": fields{"en": name}, "source": "manual", "source_id": "", "visible": true,
		"show_bars": false, "manual_status": status,
	}
}

func standsFor(name, source, id string) fields {
	return fields{
		"group_id": "", "names": fields{"en": name}, "source": source, "source_id": id, "visible": true, "show_bars": true,
	}
}

// target adds a place and gives its id.
func (s *stage) target(kind string, config fields, secret ...string) string {
	s.t.Helper()
	order := fields{"kind": kind, "label": kind, "config": config}
	if len(secret) > 0 {
		order["secret"] = secret[0]
	}
	return s.admin.Post(s.at("/targets"), order).Is(http.StatusCreated).Text("id")
}

// deploy publishes the draft and waits for the end.
func (s *stage) deploy() Deploy {
	s.t.Helper()
	var d Deploy
	s.admin.Post(s.at("/deploy"), fields{"revision": s.read().Revision}).Is(http.StatusAccepted).JSON(&d)
	return s.ended(d.ID)
}

func (s *stage) ended(id string) (d Deploy) {
	s.t.Helper()
	require.Eventually(s.t, func() bool {
		d = Deploy{}
		s.admin.Get(base + "/deploys/" + id).Is(http.StatusOK).JSON(&d)
		return d.FinishedAt != nil
	}, within, every)
	return d
}

func (s *stage) targets() []Target {
	s.t.Helper()
	var all Targets
	s.admin.Get(s.at("/targets")).Is(http.StatusOK).JSON(&all)
	return all.Items
}
