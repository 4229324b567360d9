package pressure

import (
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/e2e/rig"
	"panel/e2e/rig/rigtest"
	"panel/platform/paneltest/bodies"
)

// The rule is five seconds, and a tenth of one for the health of the panel; the rest is what a busy machine adds. That
// the panel itself gives no request more is asked of every declaration where the operations are put together.
const (
	promised       = 5 * time.Second
	promisedHealth = 100 * time.Millisecond

	endsWithin   = promised + 5*time.Second
	healthWithin = promisedHealth + 2*time.Second
)

// With a database that is frozen every request ends, whatever it would do, and the panel says at once that it is not
// well; when the database goes on, so does the panel. Only what testdata/longer.csv of the operations lets last or wait
// is not asked.
func TestWithAFrozenDatabaseEveryRequestEnds(t *testing.T) {
	t.Parallel()
	estate := prepare(t)
	asked := estate.operations(t)
	require.Greater(t, len(asked), 100)
	thaw := freeze(t, estate.Panel)
	health := make(chan error, 1)
	go func() { health <- healthOf(t.Context(), estate.Stand) }()
	var all sync.WaitGroup
	slots := make(chan struct{}, 24)
	for _, op := range asked {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			for _, wrong := range op.ask(t.Context(), estate.Panel.API) {
				t.Errorf("%s %s %s", op.method, op.path, wrong)
			}
		})
	}
	all.Wait()
	require.NoError(t, <-health)
	thaw()
	require.NoError(t, estate.Panel.Healthy(t.Context()))
	works := func(ctx context.Context) error { return estate.API.Get(ctx, "/api/v1/accounts", nil) }
	require.NoError(t, rig.Eventually(t.Context(), time.Minute, works))
}

// healthOf asks until the panel says that it is not well, and some more times; no answer may wait for the database. On
// a busy machine one may be late, most are not.
func healthOf(ctx context.Context, stand *rig.Stand) error {
	pause := time.NewTicker(20 * time.Millisecond)
	defer pause.Stop()
	var all []time.Duration
	for ill := 0; ill < 20; <-pause.C {
		took, err := timed(func() error { return stand.Panel.API.Get(ctx, "/health", nil) })
		all = append(all, took)
		switch {
		case took > healthWithin:
			return fmt.Errorf("/health took %s: %w", took, err)
		case rig.Refused(err, http.StatusServiceUnavailable):
			ill++
		case err != nil:
			return err
		}
	}
	slices.Sort(all)
	if half := all[len(all)/2]; half > promisedHealth {
		return fmt.Errorf("half of the answers of /health took longer than %s", half)
	}
	return nil
}

func timed(do func() error) (time.Duration, error) {
	began := time.Now()
	err := do()
	return time.Since(began), err
}

// estate is a panel with things that requests can be about.
type estate struct {
	*rig.Stand
	agent   string // the token of an agent
	bodies  map[string]any
	objects map[string]string // by the word that stands before the identifier in a path
	second  string            // another session, for the request that ends it
}

// prepare makes a node, a flow, and the bodies of requests whose declaration alone does not say what works.
func prepare(t *testing.T) *estate {
	t.Helper()
	e := &estate{Stand: rigtest.Install(t, rig.PanelSettings{}), objects: map[string]string{}}
	signIn := map[string]string{"username": rig.Username, "password": rig.Password}
	var session, issued, joined struct {
		Token      string `json:"token"`
		AgentToken string `json:"agent_token"`
		NodeID     string `json:"node_id"`
	}
	require.NoError(t, e.Panel.API.Post(t.Context(), "/api/v1/auth/login", signIn, &session))
	issue := func() {
		require.NoError(t, e.API.Post(t.Context(), "/api/v1/nodes/enrollment-tokens", map[string]any{}, &issued))
	}
	order := func() map[string]any {
		return map[string]any{"token": issued.Token, "hostname": "one", "os": "linux", "arch": "amd64", "protocol": 1}
	}
	issue()
	require.NoError(t, e.Panel.API.Post(t.Context(), "/install/enroll", order(), &joined))
	issue()
	graph := rig.OneServer(joined.NodeID, 443, &rig.Site{Target: "www.example.org:443"})
	flow, err := e.API.Draw(t.Context(), "flow", graph)
	require.NoError(t, err)
	e.second, e.agent = session.Token, joined.AgentToken
	e.objects["nodes"], e.objects["connection-units"] = joined.NodeID, flow.ID
	e.bodies = map[string]any{
		"POST /api/v1/auth/login": signIn, "POST /install/enroll": order(),
		"PUT /api/v1/connection-units/{id}/draft": map[string]any{"revision": flow.DraftRevision +
			1, "graph": graph},
		"POST /api/v1/connection-units":                   map[string]any{"name": "another", "graph": graph},
		"POST /api/v1/connection-units/{id}/plan/preview": map[string]any{"graph": graph},
	}
	return e
}

// operation is one request about things that are there, with a body that the panel would take.
type operation struct {
	method, path, token string
	body                any
	certain             bool // it is known to need the database
}

// formCodes refuse what does not even have the form of a request: such a one would say nothing about the database.
var formCodes = []string{"bad_json", "missing_field", "unknown_field", "bad_parameter"}

// ask says what is wrong with an answer.
func (o operation) ask(ctx context.Context, api *rig.API) (wrong []string) {
	took, err := timed(func() error { return api.As(o.token).Call(ctx, o.method, o.path, o.body, nil) })
	var refused *rig.Refusal
	switch isRefused := errors.As(err, &refused); {
	case err != nil && !isRefused:
		wrong = append(wrong, err.Error())
	case isRefused && slices.Contains(formCodes, refused.Code):
		wrong = append(wrong, "was refused for its form: "+refused.Body)
	case o.certain && (!isRefused || refused.Code != "unavailable"):
		wrong = append(wrong, fmt.Sprintf("is not unavailable: %v", err))
	}
	if took > endsWithin {
		wrong = append(wrong, fmt.Sprintf("took %s, and %s are promised: %v", took, promised, err))
	}
	return wrong
}

var parameter = regexp.MustCompile(`([^/]+)/\{[^}]+\}`)

// operations are all that the panel describes but those that may last, and what it does not describe. Those that
// certainly need the database come first, before the panel knows that it is silent.
func (e *estate) operations(t *testing.T) (asked []operation) {
	t.Helper()
	var described bodies.API
	require.NoError(t, e.API.Get(t.Context(), "/api/v1/openapi.json", &described))
	lasting := mayLast(t)
	for path, methods := range described.Paths {
		for method, declared := range methods {
			name := strings.ToUpper(method) + " " + path
			if lasting[name] {
				continue
			}
			op := operation{
				method: strings.ToUpper(method), path: e.filled(path), token: e.tokenFor(path),
				body: e.bodies[name],
			}
			op.certain = op.body != nil
			if of := declared.Body(); op.body == nil && of != nil {
				op.body = json.RawMessage(described.Document(t, of, bodies.Change{Path: "nowhere"}))
			}
			op.path += required(t, &described, declared)
			asked = append(asked, op)
		}
	}
	asked = append(asked, operation{method: http.MethodGet, path: "/s/no-such-token"}, operation{
		method: http.MethodGet,
		path:   "/readyz",
	})
	slices.SortStableFunc(asked, func(a, b operation) int { return cmp.Compare(b.rank(), a.rank()) })
	return asked
}

func (o operation) rank() int {
	if o.certain {
		return 1
	}
	return 0
}

func (e *estate) tokenFor(path string) string {
	switch {
	case strings.HasPrefix(path, "/agent/"):
		return e.agent
	case strings.HasSuffix(path, "/logout"):
		return e.second
	}
	return e.API.Token
}

// filled puts identifiers into a path, of things that are there where there are any.
func (e *estate) filled(path string) string {
	return parameter.ReplaceAllStringFunc(path, func(part string) string {
		word, _, _ := strings.Cut(part, "/")
		return word + "/" + cmp.Or(e.objects[word], bodies.ID)
	})
}

// required is the query with the parameters that an operation demands.
func required(t *testing.T, described *bodies.API, op bodies.Operation) string {
	t.Helper()
	values := url.Values{}
	for _, p := range op.Parameters {
		switch {
		case p.In != "query" || !p.Required:
		case p.Name == "at": // a moment that is looked back at
			values.Set(p.Name, time.Now().Add(-time.Hour).UTC().Format(time.RFC3339))
		default:
			values.Set(p.Name, strings.Trim(bodies.Sample(t, described.Solved(p.Schema)), `"`))
		}
	}
	if len(values) == 0 {
		return ""
	}
	return "?" + values.Encode()
}

// mayLast are the operations whose answer lasts or waits because its caller asks for that.
func mayLast(t *testing.T) map[string]bool {
	t.Helper()
	file, err := os.Open("../../platform/app/testdata/longer.csv")
	require.NoError(t, err)
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	require.NoError(t, err)
	lasting := map[string]bool{}
	for _, row := range rows {
		lasting[row[0]] = row[1] == "lasts" || row[1] == "waits"
	}
	return lasting
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
