package system

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/jonboulle/clockwork"

	"panel/platform/access"
	"panel/platform/events"
	"panel/platform/httpapi"
	"panel/platform/version"
)

type handlers struct {
	monitor      *monitor
	bus          *events.Bus
	streams      *httpapi.Streams
	sessions     httpapi.Sessions
	installation httpapi.Installation
	clock        clockwork.Clock
}

func newHandlers(m *monitor, b *events.Bus, st *httpapi.Streams, s httpapi.Sessions, i httpapi.Installation,
	c clockwork.Clock,
) *handlers {
	return &handlers{monitor: m, bus: b, streams: st, sessions: s, installation: i, clock: c}
}

func (h *handlers) routes() httpapi.Routes {
	return httpapi.Join(
		httpapi.Under("", "",
			httpapi.Get("/health", "Tell whether the panel is healthy", access.Public(), h.health, httpapi.Lenient()),
			httpapi.Get("/livez", "Tell whether the process lives", access.Public(), h.live, httpapi.Lenient()),
			httpapi.Get("/readyz", "Tell whether the panel can take requests", access.Public(), h.health,
				httpapi.Lenient()),
		),
		httpapi.Under("/api/v1", "",
			httpapi.Get("/system/status", "Show the status of the panel", access.Session(), h.status),
			httpapi.Raw(http.MethodGet, "/stream", "Follow live changes (server-sent events)", access.Session(),
				h.stream, httpapi.Lasts(),
				httpapi.Takes("topics", "What to follow, such as node,flow:ID; all news without it. "+
					"Figures come only to who names them: metrics, metrics:ID.ID or metrics:*")),
			httpapi.Raw(http.MethodGet, "/openapi.json", "Show this description", access.Session(), description),
		),
	)
}

type none struct{}

// healthDocument has exactly the fields of the specification.
type healthDocument struct {
	Status    string    `json:"status" enum:"ok,unavailable"`
	Timestamp time.Time `json:"timestamp"`
	Version   string    `json:"version"`
}

type healthOutput struct {
	Status int
	Body   healthDocument
}

// health never waits for the database: the monitor looked at it less than two seconds ago.
func (h *handlers) health(context.Context, *none) (*healthOutput, error) {
	out := &healthOutput{Status: http.StatusOK, Body: healthDocument{
		Status: "ok", Timestamp: h.clock.Now().UTC(),
		Version: version.Version,
	}}
	if h.monitor.status() != Running {
		out.Status, out.Body.Status = http.StatusServiceUnavailable, "unavailable"
	}
	return out, nil
}

func (h *handlers) live(context.Context, *none) (*healthOutput, error) {
	return &healthOutput{Status: http.StatusOK, Body: healthDocument{
		Status: "ok", Timestamp: h.clock.Now().UTC(),
		Version: version.Version,
	}}, nil
}

type statusOutput struct {
	Body struct {
		Status        string `json:"status" enum:"running,starting,stopping,database_unavailable,restoring"`
		Version       string `json:"version"`
		Database      string `json:"database" enum:"connected,unavailable"`
		SetupDone     bool   `json:"setup_done"`
		Uptime        string `json:"uptime" doc:"Duration text, 12d4h31m"`
		UptimeSeconds int64  `json:"uptime_seconds"`
	}
}

func (h *handlers) status(ctx context.Context, _ *none) (*statusOutput, error) {
	_, finished, err := h.installation.Progress(ctx)
	if err != nil {
		return nil, err
	}
	out := &statusOutput{}
	out.Body.Status, out.Body.Version, out.Body.Database = h.monitor.status(), version.Version, h.monitor.database()
	out.Body.SetupDone = finished
	out.Body.Uptime, out.Body.UptimeSeconds = short(h.monitor.uptime()), int64(h.monitor.uptime().Seconds())
	return out, nil
}

// short writes a duration in its two or three largest units: 12d4h31m, 4h31m, 31m5s, 5s.
func short(d time.Duration) string {
	units := []struct {
		name string
		size time.Duration
	}{{"d", 24 * time.Hour}, {"h", time.Hour}, {"m", time.Minute}, {"s", time.Second}}
	var text strings.Builder
	for i, unit := range units {
		if text.Len() == 0 && d < unit.size && i < len(units)-1 || unit.name == "s" && d.Seconds() >= 0 &&
			strings.Contains(text.String(), "h") {
			continue
		}
		fmt.Fprintf(&text, "%d%s", d/unit.size, unit.name)
		d %= unit.size
	}
	return text.String()
}
