package fleet

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/e2e/rig"
	"panel/platform/agentapi"
)

// tunnels lets clients of WireGuard through two servers by their links alone. They come and go while the core runs,
// each is counted by itself, and whoever is put out gets nothing more.
func (w *crossing) tunnels(t *testing.T) {
	g := w.drawing(443)
	entry := g["nodes"].([]map[string]any)[0]
	entry["params"] = map[string]any{"listener": map[string]any{"protocol": "wireguard", "port": 51820}}
	flow, err := w.stand.API.Draw(t.Context(), "tunnels", g)
	require.NoError(t, err)
	in := *w
	in.T, in.flow = t, flow.ID
	in.apply()
	in.link, err = w.stand.API.Link(t.Context(), in.flow)
	require.NoError(t, err)
	in.carries(t)

	serving := cores(t, w.stand.Folder, "entry")
	anna, hers := in.person(t, "Anna in a tunnel")
	require.NoError(t, in.fetches(t.Context(), hers), "a link is given when it works")
	require.NoError(t, rig.Eventually(t.Context(), answersWithin, func(ctx context.Context) error {
		var shown struct {
			Used struct {
				Down int64 `json:"down"`
			} `json:"used"`
		}
		if err := w.stand.API.Get(ctx, "/api/v1/clients/"+anna, &shown); err != nil {
			return err
		}
		if shown.Used.Down == 0 {
			return errors.New("what she has read is not counted yet")
		}
		return nil
	}))
	opened, ended := w.site.Held(), make(chan error, 1)
	go func() {
		_, err := rig.Fetch(t.Context(), agentapi.ThroughProbe{
			Link: hers, URL: w.site.Page + "/held", Expect: "ended", Timeout: 60,
		})
		ended <- err
	}()
	require.Eventually(t, func() bool { return w.site.Held() > opened }, answersWithin, glance)
	in.revoke(t, anna)
	in.refused(t, hers)
	w.site.Release()
	require.Error(t, <-ended, "her stream is cut")
	in.carries(t)
	require.Subset(t, serving, cores(t, w.stand.Folder, "entry"), "no core has begun; one that drained may have ended")
	require.NoError(t, w.stand.API.InSync(t.Context(), in.flow))
}
