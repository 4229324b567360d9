package health

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/e2e/rig"
)

const statusPages = "/api/v1/statuspage"

type object = map[string]any

// readers are those of a status page about the flow, in a folder for a server of files.
type readers struct {
	*trial

	page   string
	folder string
	secret []string // names and addresses of the fleet, which no reader may learn
}

// shows makes a page that tells readers of incidents by itself, and deploys it.
func (w *trial) shows(t *testing.T) *readers {
	t.Helper()
	r := &readers{trial: w, folder: filepath.Join(w.stand.Panel.DataDir, "statuspage", "www")}
	r.plant(t)
	var made struct{ ID string }
	require.NoError(t, w.stand.API.Post(t.Context(), statusPages+"/pages", object{
		"slug": "service", "titles": object{"en": "Our service"},
	}, &made))
	r.page = statusPages + "/pages/" + made.ID
	require.NoError(t, w.stand.API.Patch(t.Context(), r.page, object{"revision": 1, "auto": object{
		"draft": true, "publish": "at_once", "min_severity": "critical",
	}}, nil))
	require.NoError(t, w.stand.API.Put(t.Context(), r.page+"/components", object{
		"revision": 2, "groups": []object{}, "components": []object{
			component("Amsterdam", "flow", w.flow), component("Servers", "region", "planted-region"),
			component("Entrance", "node", w.nodes[0].NodeID),
		},
	}, nil))
	require.NoError(t, w.stand.API.Post(t.Context(), r.page+"/targets", object{
		"kind": "local", "label": "www", "config": object{"folder": "www"},
	}, nil))
	require.NoError(t, w.stand.API.Post(t.Context(), r.page+"/deploy", object{"revision": 3}, nil))
	r.until(t, func(page string) error { return has(page, "Amsterdam", `class="state operational"`) })
	return r
}

func component(name, source, id string) object {
	return object{
		"group_id": "", "names": object{"en": name}, "source": source, "source_id": id, "visible": true, "show_bars": true,
	}
}

// plant adds nodes that are in no flow, and notes all that names the fleet.
func (r *readers) plant(t *testing.T) {
	t.Helper()
	for i := range 12 {
		name, address := fmt.Sprintf("planted-node-%02d", i), fmt.Sprintf("203.0.113.1%02d", i)
		require.NoError(t, r.stand.API.Post(t.Context(), "/api/v1/nodes", object{
			"name": name, "address": address, "region": "planted-region",
		}, nil))
		r.secret = append(r.secret, name, address)
	}
	for _, agent := range r.nodes {
		r.secret = append(r.secret, agent.Spec.Name, agent.NodeID)
	}
	r.secret = append(r.secret, "planted-region", watched, r.flow, rig.SiteName, "127.0.0.1")
}

// until waits for what readers see.
func (r *readers) until(t *testing.T, holds func(page string) error) {
	t.Helper()
	require.NoError(t, rig.Eventually(t.Context(), within, func(context.Context) error {
		content, err := os.ReadFile(filepath.Join(r.folder, "index.html"))
		return errors.Join(err, holds(string(content)))
	}))
}

func has(page string, words ...string) error {
	for _, word := range words {
		if !strings.Contains(page, word) {
			return fmt.Errorf("the page does not say %q", word)
		}
	}
	return nil
}

// areTold waits until the page says by itself what has happened.
func (r *readers) areTold(t *testing.T) {
	r.until(t, func(page string) error {
		return has(page, "Problems with", "We see a problem and are looking into it.", `class="state major_outage"`)
	})
	r.learnNothing(t)
}

// areToldOfTheEnd waits until the page says that it is over.
func (r *readers) areToldOfTheEnd(t *testing.T) {
	r.until(t, func(page string) error { return has(page, "The problem is solved.", "Resolved") })
	r.learnNothing(t)
	var list struct {
		Items []struct {
			State       string `json:"state"`
			DraftedFrom string `json:"drafted_from"`
		} `json:"items"`
	}
	path := statusPages + "/incidents?state=all&published=true"
	require.NoError(t, r.stand.API.Get(t.Context(), path, &list))
	require.Len(t, list.Items, 1, "one notice for one incident")
	require.Equal(t, "resolved", list.Items[0].State)
	require.NotEmpty(t, list.Items[0].DraftedFrom)
}

// learnNothing looks for what was planted in every file.
func (r *readers) learnNothing(t *testing.T) {
	t.Helper()
	require.GreaterOrEqual(t, len(r.secret), 30)
	files := 0
	require.NoError(t, filepath.WalkDir(r.folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, word := range r.secret {
			require.False(t, bytes.Contains(content, []byte(word)), "%s says %s", path, word)
		}
		files++
		return nil
	}))
	require.Greater(t, files, 8)
}

// dies ends an agent and the core that it watches over by kill -9, the agent first: it would start the core anew.
func dies(t *testing.T, agent *rig.Agent) {
	t.Helper()
	agent.Kill()
	folder := strings.TrimSuffix(agent.Spec.Log, ".log") + "/"
	processes, err := filepath.Glob("/proc/[0-9]*/cmdline")
	require.NoError(t, err)
	for _, path := range processes {
		line, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(line, []byte(folder)) {
			continue // it has ended, or is another
		}
		var pid int
		_, err = fmt.Sscanf(path, "/proc/%d/", &pid)
		require.NoError(t, err)
		_ = syscall.Kill(pid, syscall.SIGKILL) // one that has ended meanwhile needs no signal
	}
}
