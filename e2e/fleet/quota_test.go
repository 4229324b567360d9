package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/e2e/rig"
	"panel/platform/agentapi"
)

const (
	quota        = 64 << 20
	lastsDays    = 30
	countsWithin = 4 * time.Minute // the panel counts once a minute
)

// quota ends in the middle of a download while the panel is down: the entry's agent cuts it, and lets the client in no
// more, also when agent and core are killed. Told is what the panel says when it is back.
func (w *crossing) quota(t *testing.T) (told func(t *testing.T)) {
	id, link := w.person(t, "Gleb")
	path := "/api/v1/clients/" + id
	limit := map[string]any{
		"revision": 1, "quota": map[string]any{"bytes": quota, "reset": "never"}, "lasts_days": lastsDays,
	}
	require.NoError(t, w.stand.API.Call(t.Context(), http.MethodPatch, path, limit, nil))
	require.NoError(t, rig.Eventually(t.Context(), answersWithin, func(context.Context) error {
		shares, err := os.ReadFile(filepath.Join(w.stand.Folder, "entry", "core", "shares.json"))
		if err == nil && !strings.Contains(string(shares), id) {
			err = errors.New("the entry has no share of the quota")
		}
		return err
	}))
	require.NoError(t, w.fetches(t.Context(), link))

	w.stand.Panel.Kill()
	_, err := rig.Fetch(t.Context(), agentapi.ThroughProbe{
		Link: link, URL: w.site.Page + fmt.Sprint("/bytes?n=", 16*quota), MaxBytes: 16 * quota, Timeout: 60,
	})
	require.Error(t, err, "it is cut")
	require.Error(t, w.fetches(t.Context(), link))
	require.NoError(t, rig.Eventually(t.Context(), answersWithin, func(context.Context) error { return w.noted(id) }))
	w.entry.Kill()
	for _, pid := range cores(t, w.stand.Folder, "entry") {
		kill(t, pid)
	}
	require.NoError(t, w.entry.Launch())
	require.NoError(t, rig.Eventually(t.Context(), answersWithin, func(ctx context.Context) error {
		return w.fetches(ctx, w.link)
	}), "others are let in")
	require.Error(t, w.fetches(t.Context(), link), "the agent has counted what the core before carried")
	require.NoError(t, w.stand.Panel.Up(t.Context()))
	w.whole(t)
	return func(t *testing.T) { w.spent(t, id, link) }
}

// noted looks whether the agent of the entry has written down, with a sample, that the client has used its quota.
func (w *crossing) noted(id string) error {
	files, err := filepath.Glob(filepath.Join(w.stand.Folder, "entry", "telemetry", "*"))
	if err != nil {
		return err
	}
	var most int64
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(text)) {
			var written struct {
				Bases map[string]map[string]int64 `json:"bases"`
			}
			_, record, _ := strings.Cut(line, " ")               // behind its checksum
			if json.Unmarshal([]byte(record), &written) == nil { // the last line may be half written
				most = max(most, written.Bases["shares"][id])
			}
		}
	}
	if most < quota {
		return fmt.Errorf("the agent has written down %d bytes", most)
	}
	return nil
}

// spent waits until the panel has counted what was used, and tells of it once. By that use the client's time has begun.
func (w *crossing) spent(t *testing.T, id, link string) {
	var client struct {
		State     string
		Used      struct{ Up, Down int64 }
		ExpiresAt time.Time `json:"expires_at"`
	}
	require.NoError(t, rig.Eventually(t.Context(), countsWithin, func(ctx context.Context) error {
		err := w.stand.API.Get(ctx, "/api/v1/clients/"+id, &client)
		if err == nil && (client.State != "spent" || client.ExpiresAt.IsZero()) {
			err = fmt.Errorf("the client is %+v", client)
		}
		return err
	}))
	used := client.Used.Up + client.Used.Down
	t.Logf("beyond a quota of %d bytes: %d", quota, used-quota)
	require.Less(t, used, int64(quota+100<<20), "at most 100 MB beyond it")
	require.WithinDuration(t, time.Now().AddDate(0, 0, lastsDays), client.ExpiresAt, time.Hour)
	var journal struct {
		Items []struct{ Object struct{ ID string } }
	}
	require.NoError(t, w.stand.API.Get(t.Context(), "/api/v1/audit?action=client.quota_reached", &journal))
	require.Len(t, journal.Items, 1)
	require.Equal(t, id, journal.Items[0].Object.ID)
	require.Error(t, w.fetches(t.Context(), link))
}
