package pressure

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/e2e/rig"
	"panel/e2e/rig/rigtest"
)

// The rule is five seconds, and a tenth of one for the health of the panel; the rest is what a busy machine adds.
const (
	endsWithin   = 5*time.Second + 5*time.Second
	healthWithin = 100*time.Millisecond + 2*time.Second
)

// lasting are the operations that may take longer by their nature: streams, long polls, downloads, the wait that an
// apply asks for.
var lasting = regexp.MustCompile(`stream$|/commands$|/export$|/support-bundle|/connection-units/\{id\}/apply$`)

// With a database that is frozen every request ends, and the panel says at once that it is not well; when the database
// goes on, so does the panel.
func TestWithAFrozenDatabaseEveryRequestEnds(t *testing.T) {
	t.Parallel()
	stand := rigtest.Install(t, rig.PanelSettings{})
	asked := operations(t, stand.API)
	require.Greater(t, len(asked), 50)
	thaw := freeze(t, stand.Panel)
	health := make(chan error, 1)
	go func() { health <- healthOf(t.Context(), stand) }()
	var all sync.WaitGroup
	slots := make(chan struct{}, 24)
	for _, op := range asked {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			took, err := timed(func() error { return stand.API.Call(t.Context(), op.method, op.path, op.body(), nil) })
			var refused *rig.Refusal
			if err != nil && !errors.As(err, &refused) {
				t.Errorf("%s %s: %v", op.method, op.path, err)
			}
			if took > endsWithin {
				t.Errorf("%s %s took %s: %v", op.method, op.path, took, err)
			}
		})
	}
	all.Wait()
	require.NoError(t, <-health)
	thaw()
	require.NoError(t, stand.Panel.Healthy(t.Context()))
	require.NoError(
		t,
		rig.Eventually(
			t.Context(),
			time.Minute,
			func(ctx context.Context) error { return stand.API.Get(ctx, "/api/v1/accounts", nil) },
		),
	)
}

// healthOf asks until the panel says that it is not well, and some more times; no answer may wait for the database.
func healthOf(ctx context.Context, stand *rig.Stand) error {
	pause := time.NewTicker(20 * time.Millisecond)
	defer pause.Stop()
	for ill := 0; ill < 20; <-pause.C {
		took, err := timed(func() error { return stand.Panel.API.Get(ctx, "/health", nil) })
		switch {
		case took > healthWithin:
			return fmt.Errorf("/health took %s: %w", took, err)
		case rig.Refused(err, http.StatusServiceUnavailable):
			ill++
		case err != nil:
			return err
		}
	}
	return nil
}

func timed(do func() error) (time.Duration, error) {
	began := time.Now()
	err := do()
	return time.Since(began), err
}

type operation struct{ method, path string }

func (o operation) body() any {
	if o.method == http.MethodGet || o.method == http.MethodDelete {
		return nil
	}
	return map[string]any{}
}

var parameter = regexp.MustCompile(`\{[^}]+\}`)

// operations are all that the panel describes and that shall end, and what it does not describe.
func operations(t *testing.T, api *rig.API) []operation {
	t.Helper()
	var described struct {
		Paths map[string]map[string]json.RawMessage
	}
	require.NoError(t, api.Get(t.Context(), "/api/v1/openapi.json", &described))
	asked := []operation{
		{http.MethodGet, "/s/no-such-token"},
		{http.MethodGet, "/readyz"},
		{http.MethodGet, "/agent/v1/config"},
	}
	for path, methods := range described.Paths {
		for method := range methods {
			if !lasting.MatchString(path) && !strings.HasSuffix(path, "/logout") {
				asked = append(
					asked,
					operation{
						strings.ToUpper(method),
						parameter.ReplaceAllString(path, "01900000-0000-7000-8000-000000000000"),
					},
				)
			}
		}
	}
	return asked
}

// freeze stops all processes of the private database.
func freeze(t *testing.T, panel *rig.Panel) (thaw func()) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(panel.DataDir, "postgres", "postmaster.pid"))
	if errors.Is(err, os.ErrNotExist) {
		found, globErr := filepath.Glob(filepath.Join(panel.DataDir, "postgres", "*", "postmaster.pid"))
		require.NoError(t, globErr)
		require.Len(t, found, 1)
		text, err = os.ReadFile(found[0])
	}
	require.NoError(t, err)
	first, _, _ := strings.Cut(string(text), "\n")
	postmaster, err := strconv.Atoi(first)
	require.NoError(t, err)
	processes := append([]int{postmaster}, childrenOf(t, postmaster)...)
	for _, process := range processes {
		_ = syscall.Kill(process, syscall.SIGSTOP) // one that has just ended needs no signal
	}
	thaw = sync.OnceFunc(func() {
		for _, process := range processes {
			_ = syscall.Kill(process, syscall.SIGCONT)
		}
	})
	t.Cleanup(thaw)
	return thaw
}

func childrenOf(t *testing.T, parent int) (children []int) {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", parent, parent))
	require.NoError(t, err)
	for _, word := range strings.Fields(string(text)) {
		child, err := strconv.Atoi(word)
		require.NoError(t, err)
		children = append(children, child)
	}
	return children
}
