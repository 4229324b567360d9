// Package upgrade starts the panel on the database and the data folder of an earlier release, which testdata holds.
//
// scripts/record-release.sh has made them with the executables of that release: an operator with a license, a flow that
// is applied on one node, clients, shared links and a journal, and a second node whose agent's requests were written
// down, so that an agent of that release can be played here.
package upgrade

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"panel/e2e/rig"
	"panel/e2e/rig/rigtest"
	"panel/platform/database/dbtest"
)

// release is what is known of the recorded installation.
type release struct {
	Instance string    `json:"instance"`
	Flow     string    `json:"flow"`
	Node     string    `json:"node"`
	Link     string    `json:"link"`
	Shared   string    `json:"shared"`
	Entries  int       `json:"entries"`
	Old      string    `json:"old_node"`
	OldToken string    `json:"old_token"`
	Env      []string  `json:"env"`
	Requests []request `json:"requests"`
}

// request is one of an agent of that release.
type request struct {
	Method string          `json:"method"`
	Path   string          `json:"path"`
	Body   json.RawMessage `json:"body"`
	Status int             `json:"status"`
}

// upgraded is this build on the state of the release.
type upgraded struct {
	*testing.T
	release
	stand *rig.Stand
}

func upgrade(t *testing.T) *upgraded {
	t.Helper()
	u := &upgraded{T: t}
	text, err := os.ReadFile("testdata/release.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &u.release))
	dsn := dbtest.Empty(t)
	load(t, dsn)
	folder := rigtest.Folder(t)
	unpack(t, "testdata/data.tar.gz", folder)
	panel := rigtest.Panel(t, rig.PanelSettings{
		Folder: folder, DSN: dsn, Env: append(u.Env, "PANEL_LICENSE_URLS=http://127.0.0.1:9"),
	})
	require.NoError(t, panel.Up(t.Context()))
	u.stand = &rig.Stand{Folder: folder, Panel: panel}
	var session struct{ Token string }
	login := map[string]string{"username": rig.Username, "password": rig.Password}
	require.NoError(t, panel.API.Post(t.Context(), "/api/v1/auth/login", login, &session))
	u.stand.API = panel.API.As(session.Token)
	return u
}

// load brings the recorded database into an empty one. Results of commands are deleted after some days, however old the
// recording is: those of the release count as fresh.
func load(t *testing.T, dsn string) {
	t.Helper()
	packed, err := os.Open("testdata/database.sql.gz")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, packed.Close()) })
	unpacked, err := gzip.NewReader(packed)
	require.NoError(t, err)
	text, err := io.ReadAll(unpacked)
	require.NoError(t, err)
	conn, err := pgx.Connect(t.Context(), dsn)
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(t.Context())) }()
	_, err = conn.PgConn().Exec(t.Context(), string(text)).ReadAll()
	require.NoError(t, err)
	fresh, err := conn.Exec(t.Context(), "update public.node_commands set ended_at = now() where ended_at is not null")
	require.NoError(t, err)
	require.Positive(t, fresh.RowsAffected())
}

func unpack(t *testing.T, archive, folder string) {
	t.Helper()
	packed, err := os.Open(archive)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, packed.Close()) })
	unpacked, err := gzip.NewReader(packed)
	require.NoError(t, err)
	for files := tar.NewReader(unpacked); ; {
		about, err := files.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(t, err)
		path := filepath.Join(folder, filepath.Clean("/"+about.Name))
		if about.Typeflag == tar.TypeDir {
			require.NoError(t, os.MkdirAll(path, about.FileInfo().Mode()))
			continue
		}
		content, err := io.ReadAll(files)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, content, about.FileInfo().Mode()))
	}
}

func (u *upgraded) get(path string, into any) {
	u.Helper()
	require.NoError(u, u.stand.API.Get(u.Context(), path, into))
}

// agent is one of this build in the data folder of the release's agent.
func (u *upgraded) agent() *rig.Agent {
	u.Helper()
	unpack(u.T, "testdata/agent.tar.gz", u.stand.Folder)
	folder := filepath.Join(u.stand.Folder, "agent")
	identity := filepath.Join(folder, "identity.json")
	text, err := os.ReadFile(identity)
	require.NoError(u, err)
	var known map[string]any
	require.NoError(u, json.Unmarshal(text, &known))
	known["panel_url"] = u.stand.Panel.URL
	text, err = json.Marshal(known)
	require.NoError(u, err)
	require.NoError(u, os.WriteFile(identity, text, 0o600))
	a := &rig.Agent{NodeID: u.Node, Spec: rig.Spec{
		Name: "the agent", Log: filepath.Join(u.stand.Folder, "agent.log"),
		Path: rigtest.Executable(u.T, rig.AgentProgram), Args: []string{"run", "--data", folder, "--sampling", "1s"},
	}}
	require.NoError(u, a.Launch())
	u.Cleanup(func() {
		require.NoError(u, a.Stop())
		rigtest.ShowLog(u.T, a.Process)
	})
	return a
}

// Rule R15: what an earlier release has stored is served by this one: license, flow, links, shared pages and journal.
func TestTheStateOfAnEarlierReleaseIsServed(t *testing.T) {
	t.Parallel()
	u := upgrade(t)
	var license struct {
		State      string `json:"state"`
		Plan       string `json:"plan"`
		InstanceID string `json:"instance_id"`
	}
	u.get("/api/v1/license/status", &license)
	require.Equal(t, "active", license.State)
	require.Equal(t, "Test", license.Plan)
	require.Equal(t, u.Instance, license.InstanceID)

	link, err := u.stand.API.Link(t.Context(), u.Flow)
	require.NoError(t, err)
	require.Equal(t, u.Link, link)
	require.NoError(t, u.stand.Panel.API.Get(t.Context(), u.Shared, nil), "the shared link opens")
	var clients struct{ Items []struct{ Label string } }
	u.get("/api/v1/connection-units/"+u.Flow+"/clients", &clients)
	require.Len(t, clients.Items, 3)
	u.servesClients()

	var proof struct {
		Intact bool `json:"intact"`
		Last   int  `json:"last_seq"`
	}
	u.get("/api/v1/audit/verify", &proof)
	require.True(t, proof.Intact, "the chain of the journal")
	require.Greater(t, proof.Last, u.Entries, "what was written since continues the chain")
}

// servesClients looks at the clients of the release as what they are now: each of its own, with the flow that it had.
func (u *upgraded) servesClients() {
	u.Helper()
	var all struct {
		Items []struct {
			ID, Label, State string
			OwnerID          string `json:"owner_id"`
			HasPublicLink    bool   `json:"has_public_link"`
			Flows            []struct {
				FlowID    string `json:"flow_id"`
				Installed bool   `json:"installed"`
			}
		}
	}
	u.get("/api/v1/clients?sort=created_at", &all)
	require.Len(u, all.Items, 3)
	first, shared := all.Items[0], 0
	require.Equal(u, "active", first.State)
	require.NotEmpty(u, first.OwnerID)
	require.Equal(u, u.Flow, first.Flows[0].FlowID)
	require.True(u, first.Flows[0].Installed, "its link goes on working")
	for _, one := range all.Items {
		if one.HasPublicLink {
			shared++
		}
	}
	require.Positive(u, shared, "the subscription is that of its client")
}

// The node of that release comes back with its flow in place, and nothing is installed again.
func TestTheNodeOfAnEarlierReleaseGoesOnServing(t *testing.T) {
	t.Parallel()
	u := upgrade(t)
	revision := func() string {
		var n struct{ Revision json.RawMessage }
		u.get("/api/v1/nodes/"+u.Node, &n)
		return string(n.Revision)
	}
	before := revision()
	agent := u.agent()
	require.NoError(t, u.stand.Online(t.Context(), agent))
	require.NoError(t, u.stand.API.InSync(t.Context(), u.Flow))
	require.Equal(t, before, revision())
	logs := map[string]any{}
	require.NoError(t, u.stand.API.Post(t.Context(), "/api/v1/nodes/"+u.Node+"/logs", map[string]any{}, &logs))
	require.NotEmpty(t, logs, "and takes orders")
}

// An agent of that release is understood: what it says is answered as the release answered it, and its node is online.
func TestAnAgentOfAnEarlierReleaseIsUnderstood(t *testing.T) {
	t.Parallel()
	u := upgrade(t)
	require.NotEmpty(t, u.Requests)
	for _, r := range u.Requests {
		require.Equal(t, r.Status, u.play(r), "%s %s", r.Method, r.Path)
	}
	require.NoError(t, rig.Eventually(t.Context(), time.Minute, func(ctx context.Context) error {
		var node struct{ State string }
		if err := u.stand.API.Get(ctx, "/api/v1/nodes/"+u.Old, &node); err != nil || node.State == "online" {
			return err
		}
		return errors.New("the node is " + node.State)
	}))
}

func (u *upgraded) play(r request) int {
	u.Helper()
	path := strings.ReplaceAll(r.Path, "wait=25", "wait=0")
	sent, err := http.NewRequestWithContext(u.Context(), r.Method, u.stand.Panel.URL+path, bytes.NewReader(r.Body))
	require.NoError(u, err)
	sent.Header.Set("Authorization", "Bearer "+u.OldToken)
	if len(r.Body) > 0 {
		sent.Header.Set("Content-Type", "application/json")
	}
	answer, err := u.stand.API.HTTP.Do(sent)
	require.NoError(u, err)
	defer answer.Body.Close()
	return answer.StatusCode
}
