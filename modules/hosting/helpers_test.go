package hosting

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/clients"
	"panel/modules/domains"
	"panel/modules/flows"
	"panel/modules/hosting/hostingtest"
	"panel/modules/nodes"
	"panel/modules/pools"
	"panel/platform/paneltest"
)

type fields = map[string]any

// bench is a panel beside a stand-in for a provider on this machine.
type bench struct {
	*paneltest.Panel
	t     *testing.T
	cloud *hostingtest.Cloud
	kind  string
}

func panelOf(more ...paneltest.Setting) []paneltest.Setting {
	return append([]paneltest.Setting{
		paneltest.Modules(nodes.Module(), domains.Module(), clients.Module(), flows.Module(), pools.Module(), Module()),
		paneltest.Env(map[string]string{"PANEL_OUTBOUND_ALLOW": "127.0.0.1"}),
	}, more...)
}

func newBench(t *testing.T, kind string, more ...paneltest.Setting) *bench {
	t.Helper()
	return &bench{paneltest.Start(t, panelOf(more...)...), t, hostingtest.New(t, kind), kind}
}

func (b *bench) wanted(label string) fields {
	return fields{
		"kind": b.kind, "label": label, "base_url": b.cloud.URL, "credentials": fields{"api_token": b.cloud.Token},
	}
}

// add adds an account at the stand-in.
func (b *bench) add() (added Account) {
	b.t.Helper()
	b.Admin().Post(accountsPath, b.wanted("main")).Is(http.StatusCreated).JSON(&added)
	return added
}

// byHand adds an account whose provider is not called.
func (b *bench) byHand() (added Account) {
	b.t.Helper()
	b.Admin().Post(accountsPath, fields{"kind": "custom", "label": "other"}).Is(http.StatusCreated).JSON(&added)
	return added
}

func (b *bench) enter(accountID, name string, more fields) (added Server) {
	b.t.Helper()
	body := fields{"name": name}
	for key, value := range more {
		body[key] = value
	}
	b.Admin().Post(accountsPath+"/"+accountID+"/entries", body).Is(http.StatusCreated).JSON(&added)
	return added
}

func (b *bench) get(id string) (shown Account) {
	b.t.Helper()
	b.Admin().Get(accountsPath + "/" + id).Is(http.StatusOK).JSON(&shown)
	return shown
}

// sync reads an account and waits for the end of the operation, whose state it gives.
func (b *bench) sync(id string) (state string) {
	b.t.Helper()
	var started SyncStarted
	require.Eventually(b.t, func() bool { // an operation that failed is told a moment before its job has ended
		answer := b.Admin().Post(accountsPath+"/"+id+"/sync", nil)
		return answer.Status == http.StatusAccepted && answer.JSON(&started) != nil
	}, 30*time.Second, 20*time.Millisecond)
	require.Eventually(b.t, func() bool {
		state = b.Admin().Get("/api/v1/operations/" + started.OperationID).Is(http.StatusOK).Text("state")
		return state == "succeeded" || state == "failed"
	}, 30*time.Second, 20*time.Millisecond)
	return state
}

func (b *bench) servers(id string) []Server {
	b.t.Helper()
	var page struct{ Items []Server }
	b.Admin().Get(accountsPath + "/" + id + "/servers?limit=200").Is(http.StatusOK).JSON(&page)
	return page.Items
}

func machine(id int, address string) hostingtest.Machine {
	return hostingtest.Machine{
		ID: id, Name: fmt.Sprintf("m-%04d", id), Region: "fsn1", Plan: "cx22", Status: "running", IPv4: address,
		IPv6: fmt.Sprintf("2001:db8:%x::/64", id),
	}
}

// file puts a text into a file of the test.
func file(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}
