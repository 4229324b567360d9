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
	path := "/api/v1/connection-units/" + w.flow
	var added struct {
		ID string `json:"id"`
	}
	require.NoError(t, w.stand.API.Post(t.Context(), path+"/clients", map[string]any{"label": label}, &added))
	require.NoError(t, rig.Eventually(t.Context(), answersWithin, func(ctx context.Context) error {
		var issued struct {
			URI string `json:"uri"`
		}
		err := w.stand.API.Post(ctx, path+"/connection-link", map[string]any{"client_id": added.ID}, &issued)
		link = issued.URI
		return err
	}))
	return added.ID, link
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
