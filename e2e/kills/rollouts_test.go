package kills

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/e2e/rig"
	"panel/e2e/rig/rigtest"
	"panel/platform/agentapi"
	"panel/platform/testneed/geofiles"
)

// holders are enough nodes for more than two rings.
const holders = 5

// Rule: kill -9 of the panel at each question to the source of a geo file and at each node that takes it: the roll-out
// goes on by itself, all nodes come to the new file, and it is begun and told once. PANEL_TEST_KILLS asks for all.
func TestKillsInTheMiddleOfARollOutBringAllNodesToOneFile(t *testing.T) {
	t.Parallel()
	r := beginRollOuts(t)
	before := r.update("first", 0)
	questions := int64(2) // the checksum and the file
	moments := questions + holders
	number := min(int64(max(kills(t)/4, 3)), moments)
	for i := range number {
		now := r.update(fmt.Sprintf("n%d", i), 1+(i*moments+moments/2)/number)
		require.Equal(t, before, r.asset().Previous.SHA256)
		before = now
	}
	for _, action := range []string{"geo.updated", "geo.distribution_started"} {
		require.Equal(t, int(number)+1, r.journal(action), action)
	}
	t.Logf("killed at %d of %d moments", number, moments)
}

// rollOuts is a panel with a source of files and nodes that take them.
type rollOuts struct {
	*testing.T
	stand  *rig.Stand
	path   string
	killAt atomic.Int64 // 0: never
	passed atomic.Int64 // moments of this update

	mu   sync.Mutex
	body []byte
	held [holders]string
}

type assetState struct {
	ID, State         string
	Version, Previous *struct{ SHA256 string }
	Nodes             struct{ Current int }
}

func beginRollOuts(t *testing.T) *rollOuts {
	t.Helper()
	r := &rollOuts{T: t}
	source := httptest.NewServer(http.HandlerFunc(r.give))
	t.Cleanup(source.Close)
	r.stand = rigtest.Install(t, rig.PanelSettings{Env: []string{
		"PANEL_OUTBOUND_ALLOW=127.0.0.1", "PANEL_GEO_RING_SECONDS=0",
	}})
	ctx, cancel := context.WithCancel(t.Context())
	var agents sync.WaitGroup
	t.Cleanup(func() { cancel(); agents.Wait() })
	for i := range holders {
		api, _ := rigtest.Enrolled(t, r.stand.API, fmt.Sprintf("holder %d", i))
		one := &holder{r: r, api: api, at: i, status: agentapi.DocumentStatus{Name: agentapi.DocumentAssets}}
		require.NoError(t, one.beat(ctx))
		agents.Go(func() { one.live(ctx) })
	}
	var made assetState
	require.NoError(t, r.stand.API.Post(t.Context(), "/api/v1/geo-assets", map[string]any{
		"file": "geosite", "preset": "custom", "source_url": source.URL + "/geosite.dat",
		"checksum_url": source.URL + "/geosite.dat.sha256sum",
	}, &made))
	r.path = "/api/v1/geo-assets/" + made.ID
	return r
}

// moment kills the panel when it is the one that was chosen.
func (r *rollOuts) moment() {
	if r.passed.Add(1) == r.killAt.Load() {
		_ = syscall.Kill(r.stand.Panel.PID(), syscall.SIGKILL)
	}
}

func (r *rollOuts) give(w http.ResponseWriter, asked *http.Request) {
	r.moment()
	r.mu.Lock()
	body := r.body
	r.mu.Unlock()
	if strings.HasSuffix(asked.URL.Path, ".sha256sum") {
		body = []byte(digestOf(body) + "  geosite.dat\n")
	}
	_, _ = w.Write(body)
}

func digestOf(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}

// update has the source give another file, rolls it out while the panel is killed at a moment, and waits until all
// nodes hold it.
func (r *rollOuts) update(category string, killAt int64) string {
	r.Helper()
	body := geofiles.File(geofiles.Site(category, category+".example"))
	digest := digestOf(body)
	r.mu.Lock()
	r.body = body
	r.mu.Unlock()
	r.passed.Store(0)
	r.killAt.Store(killAt)
	r.until(func(ctx context.Context) bool {
		return r.stand.API.Post(ctx, r.path+"/update", map[string]any{}, nil) == nil
	})
	if killAt > 0 {
		r.until(func(context.Context) bool { return !r.stand.Panel.Running() })
		r.killAt.Store(0)
		require.NoError(r, r.stand.Panel.Up(r.Context()))
	}
	r.until(func(context.Context) bool {
		a := r.asset()
		return a.State == "current" && a.Version.SHA256 == digest && a.Nodes.Current == holders
	})
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, held := range r.held {
		require.Equal(r, digest, held)
	}
	return digest
}

func (r *rollOuts) asset() (a assetState) {
	r.Helper()
	require.NoError(r, r.stand.API.Get(r.Context(), r.path, &a))
	return a
}

func (r *rollOuts) journal(action string) int {
	r.Helper()
	var page struct{ Total int }
	require.NoError(r, r.stand.API.Get(r.Context(), "/api/v1/audit?action="+action, &page))
	return page.Total
}

func (r *rollOuts) until(holds func(context.Context) bool) {
	r.Helper()
	const most = 4 * time.Minute
	require.Eventually(r, func() bool { return holds(r.Context()) }, most, 100*time.Millisecond,
		r.stand.Panel.LastWords())
}

// holder is the agent of a node that takes files.
type holder struct {
	r      *rollOuts
	api    *rig.API
	at     int
	status agentapi.DocumentStatus
}

func (h *holder) beat(ctx context.Context) error {
	return h.api.Post(ctx, agentapi.PathHeartbeat, agentapi.Heartbeat{
		AgentVersion: "e2e", Protocol: agentapi.Protocol, OS: "linux", Arch: "amd64", BootID: "b", SessionID: "s",
		SentAt: time.Now(), Capabilities: []agentapi.Capability{agentapi.DocumentAssets.Capability()},
		Core: agentapi.CoreReport{State: agentapi.CoreStopped}, Documents: []agentapi.DocumentStatus{h.status},
	}, nil)
}

// live asks what to hold and reports, also while the panel is away.
func (h *holder) live(ctx context.Context) {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for ctx.Err() == nil {
		if h.take(ctx) == nil {
			_ = h.beat(ctx) // the next one tells it
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
}

// take fetches the file that the node shall hold, if it is another one.
func (h *holder) take(ctx context.Context) error {
	var document agentapi.Document
	if err := h.api.Get(ctx, strings.ReplaceAll(agentapi.PathDesired, "{name}", string(agentapi.DocumentAssets)),
		&document); err != nil {
		return err
	}
	if document.Revision == h.status.Revision {
		return nil
	}
	var content agentapi.Assets
	if err := json.Unmarshal(document.Content, &content); err != nil {
		return err
	}
	for _, file := range content.Files {
		body, err := h.fetch(ctx, file.SHA256)
		if err != nil {
			return err
		}
		h.r.mu.Lock()
		h.r.held[h.at] = digestOf(body)
		h.r.mu.Unlock()
	}
	h.r.moment()
	h.status.Revision, h.status.Hash = document.Revision, document.Hash
	return nil
}

func (h *holder) fetch(ctx context.Context, digest string) ([]byte, error) {
	address := h.api.Base + strings.ReplaceAll(agentapi.PathAsset, "{sha256}", digest)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+h.api.Token)
	answer, err := h.api.HTTP.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the panel answered %d", answer.StatusCode)
	}
	return io.ReadAll(answer.Body)
}
