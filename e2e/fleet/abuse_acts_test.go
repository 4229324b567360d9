package fleet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/e2e/rig"
)

// caseOf gives the id of the case of a person.
func (w *misused) caseOf(t *testing.T, name string) string {
	t.Helper()
	var found struct {
		Items []struct {
			ID string `json:"id"`
		} `json:"items"`
	}
	path := "/api/v1/abuse/cases?user_ref=c:" + w.ids[name]
	require.NoError(t, w.stand.API.Get(t.Context(), path, &found))
	require.Len(t, found.Items, 1)
	return found.Items[0].ID
}

// fetches says whether a person reaches the page.
func (w *misused) fetches(t *testing.T, of *people, name string) bool {
	t.Helper()
	conn, err := of.dial(t, name, w.pageAddress())
	if err != nil {
		return false
	}
	defer conn.Close()
	require.NoError(t, conn.SetDeadline(time.Now().Add(2*time.Second)))
	if _, err := fmt.Fprint(conn, "GET / HTTP/1.0\r\n\r\n"); err != nil {
		return false
	}
	_, err = conn.Read(make([]byte, 1))
	return err == nil
}

// held opens a stream of a person and says when it has ended.
func (w *misused) held(t *testing.T, name string) (ended <-chan struct{}) {
	t.Helper()
	opened, over := w.site.Held(), make(chan struct{})
	conn, err := w.people.dial(t, name, w.pageAddress())
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() }) // it may have ended
	_, err = fmt.Fprint(conn, "GET /held HTTP/1.0\r\n\r\n")
	require.NoError(t, err)
	require.Eventually(t, func() bool { return w.site.Held() > opened }, answersWithin, glance)
	go func() {
		defer close(over)
		_, _ = io.Copy(io.Discard, conn) // until the end, whatever it is
	}()
	return over
}

// dropped ends the streams of one user and of nobody else, who may come again.
func (w *misused) dropped(t *testing.T) {
	mine, others := w.held(t, "scanner"), w.held(t, guest(0))
	path := "/api/v1/abuse/cases/" + w.caseOf(t, "scanner") + "/actions"
	require.NoError(t, w.stand.API.Post(t.Context(), path, object{"kind": "drop_sessions", "reason": "a scan"}, nil))
	select {
	case <-mine:
	case <-time.After(answersWithin):
		t.Fatal("the stream goes on")
	}
	select {
	case <-others:
		t.Fatal("the stream of somebody else ended")
	default:
	}
	require.True(t, w.fetches(t, &w.people, "scanner"), "nothing keeps the user from coming again")
	w.site.Release()
	<-others
}

// block has all nodes not answer an address, and waits until they do not.
func (w *misused) block(t *testing.T, address string, minutes int) (id string) {
	t.Helper()
	var made struct {
		ID string `json:"id"`
	}
	order := object{"network": address, "minutes": minutes, "reason": "a flood"}
	require.NoError(t, w.stand.API.Post(t.Context(), "/api/v1/abuse/blocks", order, &made))
	require.NoError(t, rig.Eventually(t.Context(), answersWithin, func(ctx context.Context) error {
		var listed struct {
			Items []struct {
				ID        string `json:"id"`
				NodesHeld int    `json:"nodes_held"`
				Errors    any    `json:"errors"`
			} `json:"items"`
		}
		if err := w.stand.API.Get(ctx, "/api/v1/abuse/blocks", &listed); err != nil {
			return err
		}
		for _, b := range listed.Items {
			if b.ID == made.ID && b.NodesHeld == 1 {
				return nil
			}
		}
		return fmt.Errorf("no node holds the block: %+v", listed.Items)
	}))
	return made.ID
}

// blocked keeps an address from the listeners and from nothing else of the server, while neither panel nor agent lives,
// and ends by itself.
func (w *misused) blocked(t *testing.T) {
	showPage(t, w.enter) // as any other service of the server, such as its SSH
	require.True(t, w.fetches(t, &w.other, "flooder"))
	began := time.Now()
	w.block(t, flooderHome, 1)
	w.stand.Panel.Kill()
	w.entry.Kill()
	require.False(t, w.fetches(t, &w.other, "flooder"), "new connections are not answered")
	require.True(t, w.fetches(t, &w.people, "spammer"), "others are served")
	command(t, append(slices.Clone(w.away), "timeout", "5", "bash", "-c", "</dev/tcp/"+misuseNode+"/"+pagePort)...)
	require.Less(t, time.Since(began), 50*time.Second, "the block is over before it was looked at")
	require.Eventually(t, func() bool { return w.fetches(t, &w.other, "flooder") }, 2*time.Minute, time.Second,
		"nobody lives that could lift it: the kernel does")
	require.GreaterOrEqual(t, time.Since(began), 55*time.Second)
	require.NoError(t, w.stand.Panel.Up(t.Context()))
	require.NoError(t, w.entry.Launch())
	require.NoError(t, w.stand.Online(t.Context(), w.entry))
}

// lifted serves an address again as soon as somebody wants it.
func (w *misused) lifted(t *testing.T) {
	id := w.block(t, flooderHome, 60)
	require.False(t, w.fetches(t, &w.other, "flooder"))
	require.NoError(t, w.stand.API.Post(t.Context(), "/api/v1/abuse/blocks/"+id+"/unblock", nil, nil))
	require.NoError(t, rig.Eventually(t.Context(), answersWithin, func(context.Context) error {
		if !w.fetches(t, &w.other, "flooder") {
			return errors.New("the address is still blocked")
		}
		return nil
	}))
	err := w.stand.API.Post(t.Context(), "/api/v1/abuse/blocks",
		object{"network": misuseNode, "minutes": 1, "reason": "a mistake"}, nil)
	require.ErrorContains(t, err, "422", "a node's own address is never blocked")
	require.NoError(t, w.stand.Online(t.Context(), w.entry), "the link to the panel lives on")
}
