// Package drain ends real panels by signals while they are in use, and lets thousands of viewers come and go: whatever
// the panel began it finishes, and whoever has left takes nothing of it along.
package drain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"panel/e2e/rig"
	"panel/e2e/rig/rigtest"
	"panel/platform/database/dbtest"
)

const (
	viewers = 200
	writers = 8

	// stopsWithin is the ten seconds that an operator waits at most, and what a busy machine adds.
	stopsWithin = 20 * time.Second
)

// drains of one run; PANEL_TEST_KILLS asks for a long one.
func drains() int {
	if os.Getenv("PANEL_TEST_KILLS") != "" {
		return 50
	}
	return 3
}

// Rule R10: a panel that is asked to stop under load ends with 0 and in time; every live stream ends in good order, no
// answer is cut off, and nothing is stored whose sender got no answer.
func TestAStopUnderLoadCutsNobodyOff(t *testing.T) {
	t.Parallel()
	l := newLoad(t)
	for number := range drains() {
		l.begin()
		l.progress()
		began := time.Now()
		require.NoError(t, syscall.Kill(l.stand.Panel.PID(), syscall.SIGTERM))
		ctx, cancel := context.WithTimeout(t.Context(), stopsWithin)
		code, err := l.stand.Panel.Exit(ctx)
		cancel()
		require.NoError(t, err, l.stand.Panel.LastWords())
		require.Zero(t, code, l.stand.Panel.LastWords())
		took := time.Since(began)
		l.end()
		l.compare()
		t.Logf("stop %d took %s; %d nodes acknowledged so far", number, took, len(l.acked))
		require.NoError(t, l.stand.Panel.Up(t.Context()))
	}
}

// load is a panel in use: viewers of live changes, readers of pages, and writers that note what was acknowledged.
type load struct {
	*testing.T
	stand    *rig.Stand
	db       string
	sessions []*rig.API // each an account of its own, because the streams of one account are bounded

	running sync.WaitGroup
	stop    context.CancelFunc

	mu     sync.Mutex
	number int
	acked  map[string]bool // names of nodes
	fresh  int             // acknowledged since begin
	cut    []error         // streams and answers that did not end in good order
}

func newLoad(t *testing.T) *load {
	t.Helper()
	l := &load{T: t, db: dbtest.Empty(t), acked: map[string]bool{}}
	l.stand = rigtest.Install(t, rig.PanelSettings{
		DSN: l.db,
		Env: []string{"PANEL_SECRET_KEY=a master key of this test"},
	})
	l.sessions = accounts(t, l.stand, 4)
	return l
}

// accounts makes so many people who may look at nodes, and signs them in.
func accounts(t *testing.T, stand *rig.Stand, count int) (sessions []*rig.API) {
	t.Helper()
	for i := range count {
		credentials := map[string]any{"username": fmt.Sprintf("viewer%d", i), "password": rig.Password}
		account := maps.Clone(credentials)
		account["permissions"] = []string{"nodes.view"}
		require.NoError(t, stand.API.Post(t.Context(), "/api/v1/accounts", account, nil))
		var opened struct{ Token string }
		require.NoError(t, stand.Panel.API.Post(t.Context(), "/api/v1/auth/login", credentials, &opened))
		sessions = append(sessions, stand.Panel.API.As(opened.Token))
	}
	return sessions
}

// begin lets everybody come; it returns when all streams are open.
func (l *load) begin() {
	l.Helper()
	ctx, cancel := context.WithCancel(l.Context())
	l.stop, l.fresh = cancel, 0
	l.Cleanup(cancel)
	for i := range viewers {
		stream, err := open(ctx, l.sessions[i%len(l.sessions)])
		require.NoError(l, err)
		l.running.Go(func() { l.follow(stream) })
	}
	for range writers {
		l.running.Go(func() { l.write(ctx) })
		l.running.Go(func() { l.read(ctx) })
	}
}

// open begins a live stream and waits for the beginning of its answer.
func open(ctx context.Context, api *rig.API) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, api.Base+"/api/v1/stream?topics=node", nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+api.Token)
	answer, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(request)
	if err != nil {
		return nil, fmt.Errorf("open a stream: %w", err)
	}
	if answer.StatusCode != http.StatusOK {
		answer.Body.Close()
		return nil, fmt.Errorf("open a stream: the panel answered %s", answer.Status)
	}
	return answer, nil
}

// follow reads a stream to its end, which comes in good order when the panel stops.
func (l *load) follow(stream *http.Response) {
	defer stream.Body.Close()
	if _, err := io.Copy(io.Discard, stream.Body); err != nil {
		l.note(fmt.Errorf("a stream was cut off: %w", err))
	}
}

// write adds nodes under names that are used once, each on its own connection or a kept one, until the panel is gone.
func (l *load) write(ctx context.Context) {
	for ctx.Err() == nil {
		l.mu.Lock()
		l.number++
		name := fmt.Sprintf("node %06d", l.number)
		l.mu.Unlock()
		err := l.stand.API.Post(ctx, "/api/v1/nodes", map[string]any{"name": name}, nil)
		if gone(err) {
			return
		}
		l.mu.Lock()
		if err == nil {
			l.acked[name] = true
			l.fresh++
		}
		l.mu.Unlock()
		if errors.Is(err, io.ErrUnexpectedEOF) {
			l.note(fmt.Errorf("an answer was cut off: %w", err))
		}
	}
}

// read looks at a page that is larger than one packet.
func (l *load) read(ctx context.Context) {
	for ctx.Err() == nil {
		err := l.sessions[0].Get(ctx, "/api/v1/nodes?limit=200", nil)
		if gone(err) {
			return
		}
		if errors.Is(err, io.ErrUnexpectedEOF) {
			l.note(fmt.Errorf("an answer was cut off: %w", err))
		}
	}
}

// gone says that nobody listens any more.
func gone(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }

func (l *load) note(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut = append(l.cut, err)
}

// progress waits until the load is really there.
func (l *load) progress() {
	l.Helper()
	require.NoError(l, rig.Eventually(l.Context(), time.Minute, func(context.Context) error {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.fresh < 5*writers {
			return fmt.Errorf("%d writes acknowledged", l.fresh)
		}
		return nil
	}))
}

// end waits until everybody has noticed that the panel is gone.
func (l *load) end() {
	l.Helper()
	left := make(chan struct{})
	go func() { l.running.Wait(); close(left) }()
	select {
	case <-left:
	case <-time.After(time.Minute):
		require.Fail(l, "a client still waits for a panel that has ended")
	}
	l.stop()
	require.Empty(l, l.cut)
}

// compare holds the database against what was acknowledged: the same, neither less nor more.
func (l *load) compare() {
	l.Helper()
	conn, err := pgx.Connect(l.Context(), l.db)
	require.NoError(l, err)
	defer func() { _ = conn.Close(context.WithoutCancel(l.Context())) }()
	rows, err := conn.Query(l.Context(), "select name from nodes")
	require.NoError(l, err)
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(l, err)
	for _, name := range names {
		require.True(l, l.acked[name], "%s is stored, and its sender got no answer", name)
	}
	require.Len(l, names, len(l.acked), "what was acknowledged is stored")
}
