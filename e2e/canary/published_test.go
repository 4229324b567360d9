package canary

import (
	"context"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules"
	"panel/modules/health/healthapi"
	"panel/platform/app"
	"panel/platform/database"
	"panel/platform/entitlement"
	"panel/platform/events"
	"panel/platform/paneltest"
)

type object = map[string]any

// shownFleet is a panel with a status page about all that it has.
type shownFleet struct {
	*paneltest.Panel
	*testing.T

	admin      *paneltest.Client
	book       *book
	components []object
}

func (f *shownFleet) component(source, id string) {
	f.components = append(f.components, object{
		"group_id": "", "names": object{"en": fmt.Sprintf("Place %d", len(f.components))}, "source": source,
		"source_id": id, "visible": true, "show_bars": true,
	})
}

// plants a node with its name, address, tag and note, and a flow through it with its name and SNI; gives the node's id.
func (f *shownFleet) plants(number int) string {
	f.Helper()
	named := func(what, pattern string) string { return f.book.plant(f.T, what, fmt.Sprintf(pattern, number)) }
	node := f.admin.AddNode(named("name of a node", "planted-node-%02d"), "address",
		named("address of a node", "203.0.113.1%02d"), "region", "planted-region", "tags",
		[]string{named("tag of a node", "planted-tag-%02d")}, "note", named("note of a node", "planted note %02d"))
	flow := f.admin.Post("/api/v1/connection-units", object{
		"name": named("name of a flow", "planted-flow-%02d"), "graph": object{
			"nodes": []object{{"key": "in", "kind": "entry", "node_id": node, "params": object{"listener": object{
				"protocol": "vless", "port": 443, "reality": object{
					"target": named("SNI of a flow", "planted-sni-%02d.example.org") + ":443",
				},
			}}}, {"key": "out", "kind": "exit", "node_id": node}},
			"edges": []object{{"from": "in", "to": "out"}},
		},
	}).Is(http.StatusCreated).Text("id")
	pool := f.admin.Post("/api/v1/transit-pools", object{
		"name": named("name of a pool", "planted-pool-%02d"), "strategy": "ordered",
		"members": []object{{"node_id": node}},
	}).Is(http.StatusCreated).Text("id")
	for source, id := range map[string]string{"node": node, "flow": flow, "pool": pool} {
		f.component(source, f.book.plant(f.T, "id of a "+source, id))
	}
	return node
}

// suffers lets health tell of an incident of a node, in its own words.
func (f *shownFleet) suffers(node string) {
	f.Helper()
	id, hint := database.NewID(), f.book.plant(f.T, "hint of an incident", "planted hint of an incident")
	for _, query := range []string{
		`insert into health_incidents (id, kind, subject_id, name, class, hint, severity, began_at, opened_at, joined_at)
			values (?0, 'node', ?1, 'planted-node-00', 'silent', ?2, 'critical', now(), now(), now())`,
		`insert into health_incident_subjects (incident_id, kind, subject_id, name, state, reason, hint, joined_at)
			values (?0, 'node', ?1, 'planted-node-00', 'down', ?2, ?2, now())`,
	} {
		_, err := f.DB.NewRaw(query, id, node, hint).Exec(f.Context())
		require.NoError(f, err)
	}
	require.NoError(f, f.DB.InTx(f.Context(), func(ctx context.Context) error {
		return f.Bus().Emit(ctx, events.Event{
			Kind: healthapi.EventIncidentOpened, SubjectID: id, Data: healthapi.IncidentNews{IncidentID: id},
		})
	}))
}

// publish deploys the page to a folder and to the panel itself.
func (f *shownFleet) publish(page, folder string) {
	f.Helper()
	at := pages + "/" + page
	f.admin.Put(at+"/components", object{"revision": 2, "groups": []object{}, "components": f.components}).
		Is(http.StatusOK)
	for kind, config := range map[string]object{"local": {"folder": folder}, "panel": {}} {
		f.admin.Post(at+"/targets", object{"kind": kind, "label": kind, "config": config}).Is(http.StatusCreated)
	}
	deploy := f.admin.Post(at+"/deploy", object{"revision": 3}).Is(http.StatusAccepted).Text("id")
	require.Eventually(f, func() bool {
		return f.admin.Get("/api/v1/statuspage/deploys/"+deploy).Is(http.StatusOK).Text("state") == "live"
	}, time.Minute, 100*time.Millisecond)
}

// Never an address, node name, SNI or flow id in what is published: a page about ten nodes, flows and pools each, and a
// notice that was drafted from an incident and published by rule, hold none of their names, in no file and no spelling.
func TestNothingOfTheFleetIsPublished(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	full := entitlement.Fixed{State: entitlement.Active, Reason: "ok", Enabled: app.Features(modules.All())}
	p := paneltest.Start(t, paneltest.Modules(modules.All()...), paneltest.License(full),
		paneltest.Env(map[string]string{"PANEL_STATUSPAGE_DIR": folder}))
	f := &shownFleet{Panel: p, T: t, admin: p.Admin(), book: &book{}}
	page := f.admin.Post(pages, object{"slug": "service", "titles": object{"en": "Our service"}}).
		Is(http.StatusCreated).Text("id")
	f.admin.Patch(pages+"/"+page, object{"revision": 1, "auto": object{
		"draft": true, "publish": "at_once", "min_severity": "warning",
	}}).Is(http.StatusOK)
	f.component("region", f.book.plant(t, "region", "planted-region"))
	first := f.plants(0)
	for number := 1; number < 10; number++ {
		f.plants(number)
	}
	f.publish(page, "www")
	f.suffers(first)
	require.Eventually(t, func() bool {
		content, err := os.ReadFile(filepath.Join(folder, "www", "index.html"))
		return err == nil && strings.Contains(string(content), "Problems with Place")
	}, time.Minute, 100*time.Millisecond)
	require.GreaterOrEqual(t, len(f.book.secrets), 100)
	f.scan(folder)
}

// scan looks into every file of the folder, and into what the panel itself serves.
func (f *shownFleet) scan(folder string) {
	f.Helper()
	files := 0
	require.NoError(f, filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		require.NoError(f, err)
		require.Empty(f, f.book.found(content), path)
		inside, err := filepath.Rel(filepath.Join(folder, "www"), path)
		require.NoError(f, err)
		served := f.Anonymous().Get("/status/service/" + filepath.ToSlash(inside)).Is(http.StatusOK)
		require.Empty(f, f.book.found(served.Body), path)
		files++
		return nil
	}))
	require.Greater(f, files, 8)
}
