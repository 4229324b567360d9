package fleet

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/e2e/rig"
	"panel/platform/agentapi"
)

// person adds a client to the flow and gives its id with its link, as soon as the entry lets it in.
func (w *crossing) person(t *testing.T, label string) (id, link string) {
	t.Helper()
	id = w.add(t, label)
	return id, w.linkOf(t, id)
}

func (w *crossing) add(t *testing.T, label string) (id string) {
	t.Helper()
	var added struct {
		ID string `json:"id"`
	}
	path := "/api/v1/connection-units/" + w.flow + "/clients"
	require.NoError(t, w.stand.API.Post(t.Context(), path, map[string]any{"label": label}, &added))
	return added.ID
}

// linkOf waits for the link of a client, which is given as soon as the entry lets it in.
func (w *crossing) linkOf(t *testing.T, id string) (link string) {
	t.Helper()
	path := "/api/v1/connection-units/" + w.flow + "/connection-link"
	require.NoError(t, rig.Eventually(t.Context(), answersWithin, func(ctx context.Context) error {
		var issued struct {
			URI string `json:"uri"`
		}
		err := w.stand.API.Post(ctx, path, map[string]any{"client_id": id}, &issued)
		link = issued.URI
		return err
	}))
	return link
}

func (w *crossing) revoke(t *testing.T, id string) {
	t.Helper()
	require.NoError(t, w.stand.API.Call(t.Context(), http.MethodDelete, "/api/v1/clients/"+id, nil, nil))
}

func (w *crossing) fetches(ctx context.Context, link string) error {
	_, err := rig.Fetch(ctx, agentapi.ThroughProbe{
		Link: link, URL: w.site.Page + "/", Expect: `"page":"ok"`, Timeout: 10,
	})
	return err
}

// refused waits until a link works no more.
func (w *crossing) refused(t *testing.T, link string) {
	t.Helper()
	require.NoError(t, rig.Eventually(t.Context(), answersWithin, func(ctx context.Context) error {
		if w.fetches(ctx, link) == nil {
			return errors.New("the link still works")
		}
		return nil
	}))
}

// clients are let in and put out of the cores that serve; the streams of others go on.
func (w *crossing) clients(t *testing.T) {
	serving, finish := cores(t, w.stand.Folder, "entry"), w.stream(t)
	id, link := w.person(t, "Anna")
	require.NoError(t, w.fetches(t.Context(), link), "a link is given when it works")
	opened, ended := w.site.Held(), make(chan error, 1)
	go func() {
		_, err := rig.Fetch(t.Context(), agentapi.ThroughProbe{
			Link: link, URL: w.site.Page + "/held", Expect: "ended", Timeout: 60,
		})
		ended <- err
	}()
	require.Eventually(t, func() bool { return w.site.Held() > opened }, answersWithin, glance)
	began := time.Now()
	w.revoke(t, id)
	require.Error(t, <-ended, "its stream is cut")
	t.Logf("the stream of a revoked client ended after %s", time.Since(began))
	require.Less(t, time.Since(began), 30*time.Second, "and not by its own limit")
	w.refused(t, link)
	finish()
	require.Equal(t, serving, cores(t, w.stand.Folder, "entry"), "the core that served serves on")
	require.NoError(t, w.stand.API.InSync(t.Context(), w.flow))
}

// revocation is written down when it is answered: whoever dies after that, the client is out when all are back, and
// those who stay are in, also in an agent that has not heard of the panel yet.
func (w *crossing) revocation(t *testing.T) {
	gone, lost := w.person(t, "Boris")
	_, kept := w.person(t, "Vera")
	w.entry.Kill()
	w.revoke(t, gone)
	w.stand.Panel.Kill()
	for _, pid := range cores(t, w.stand.Folder, "entry") {
		kill(t, pid)
	}
	require.NoError(t, w.entry.Launch())
	require.NoError(t, rig.Eventually(t.Context(), answersWithin, func(ctx context.Context) error {
		return w.fetches(ctx, kept)
	}), "the agent has its clients from the disk")
	require.NoError(t, w.stand.Panel.Up(t.Context()))
	w.refused(t, lost)
	require.NoError(t, w.fetches(t.Context(), kept))
	w.whole(t)
}

// addition is written down when it is answered: whoever dies after that, the panel right behind its answer, the agent
// or its core, the client is in when all are back, once, and nobody applies anything.
func (w *crossing) addition(t *testing.T) {
	for _, dies := range []struct{ panel, agent, core bool }{
		{panel: true}, {agent: true}, {agent: true, core: true}, {panel: true, agent: true, core: true},
	} {
		id := w.add(t, "Added before a kill")
		if dies.panel {
			w.stand.Panel.Kill()
		}
		if dies.agent {
			w.entry.Kill()
		}
		if dies.core {
			for _, pid := range cores(t, w.stand.Folder, "entry") {
				kill(t, pid)
			}
		}
		if dies.panel {
			require.NoError(t, w.stand.Panel.Up(t.Context()))
		}
		if dies.agent {
			require.NoError(t, w.entry.Launch())
		}
		require.NoError(t, w.fetches(t.Context(), w.linkOf(t, id)), "%+v", dies)
		var listed struct{ Total int }
		require.NoError(t, w.stand.API.Get(t.Context(), "/api/v1/clients?q=before+a+kill&state=active", &listed))
		require.Equal(t, 1, listed.Total)
		w.revoke(t, id)
	}
	w.whole(t)
}
