package imports_test

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/clients"
	"panel/modules/domains"
	"panel/modules/flows"
	"panel/modules/imports"
	"panel/modules/nodes"
	"panel/modules/subscriptions"
	"panel/platform/httpapi"
	"panel/platform/paneltest"
)

const (
	path  = "/api/v1/flow-imports"
	units = "/api/v1/connection-units"
)

func features() paneltest.Setting {
	return paneltest.Modules(imports.Module(), flows.Module(), clients.Module(), domains.Module(), nodes.Module(),
		subscriptions.Module())
}

// stage is a panel with somebody who may do everything.
type stage struct {
	t     *testing.T
	panel *paneltest.Panel
	admin *paneltest.Client
}

func setup(t *testing.T, more ...paneltest.Setting) *stage {
	t.Helper()
	p := paneltest.Start(t, append([]paneltest.Setting{features()}, more...)...)
	return &stage{t, p, p.Admin()}
}

// upload sends a file.
func (s *stage) upload(file []byte) *paneltest.Answer {
	s.t.Helper()
	return s.admin.Do("POST", path, file, "Content-Type", "application/octet-stream")
}

func (s *stage) read(file []byte) (read imports.Import) {
	s.t.Helper()
	s.upload(file).Is(201).JSON(&read)
	return read
}

// all chooses every entry.
func all(read imports.Import) imports.Take {
	out := imports.Take{}
	for _, e := range read.Entries {
		out.Entries = append(out.Entries, imports.Taken{Key: e.Key, Name: e.Name})
	}
	return out
}

func (s *stage) take(read imports.Import, choice imports.Take) (taken imports.Import) {
	s.t.Helper()
	s.admin.Post(path+"/"+read.ID+"/flows", choice).Is(201).JSON(&taken)
	return taken
}

func xray(t *testing.T) []byte {
	t.Helper()
	text, err := os.ReadFile("internal/xray/testdata/server.json")
	require.NoError(t, err)
	return text
}

// secretsOf are the texts of a configuration that nobody may be shown.
func secretsOf(t *testing.T) []string {
	t.Helper()
	return []string{
		"0d1f5a52-6c0e-4b33-8a06-5a2a2b1c9b10", "c0rrect-horse", "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY",
		"MDEyMzQ1Njc4OWFiY2RlZg==",
	}
}

// database is one of 3x-ui.
func database(t *testing.T) []byte {
	t.Helper()
	packed, err := os.Open("internal/xui/testdata/x-ui.db.gz")
	require.NoError(t, err)
	defer packed.Close()
	unpacked, err := gzip.NewReader(packed)
	require.NoError(t, err)
	raw, err := io.ReadAll(unpacked)
	require.NoError(t, err)
	return raw
}

// A database is read by a process beside the panel; a broken one is told, and the panel goes on.
func TestADatabaseIsReadBesideThePanel(t *testing.T) {
	t.Parallel()
	s, raw := setup(t), database(t)
	s.upload(raw[:len(raw)/2]).Refused(422, "import_broken")
	s.upload(raw[:40]).Refused(422, "import_broken")
	read := s.read(raw)
	require.Equal(t, "3x-ui", read.Format)
	require.Len(t, read.Entries, 6)
	require.Equal(t, 308, read.Clients)
	require.Contains(t, read.Findings, imports.Finding{
		Path: "inbounds[id=5]", Code: "switched_off", Reason: "it was switched off there", Entry: "in-8081-tcp",
		What: "Old VMess",
	})
}

// A configuration becomes drafts with its clients; nothing of what is secret is shown on the way.
func TestAConfigurationOfXrayBecomesDrafts(t *testing.T) {
	t.Parallel()
	s := setup(t)
	answer := s.upload(xray(t)).Is(201)
	var read imports.Import
	answer.JSON(&read)
	require.Equal(t, "xray", read.Format)
	require.Len(t, read.Entries, 3)
	require.Equal(t, 4, read.Clients)
	for _, secret := range secretsOf(t) {
		require.NotContains(t, string(answer.Body), secret)
	}
	require.Empty(t, s.names(), "nothing is a flow yet")

	taken := s.take(read, all(read))
	require.Len(t, taken.Flows, 3)
	require.Equal(t, []string{"flow.created", "flow.clients_imported", "flow.imported"}, sorted(s.panel, taken.Flows[0].ID))
	for _, made := range taken.Flows {
		var draft struct {
			Graph struct {
				Nodes []struct {
					Kind   string
					Params struct {
						Listener map[string]any `json:"listener"`
					}
				}
			}
		}
		text := s.admin.Get(units + "/" + made.ID + "/draft").Is(200)
		text.JSON(&draft)
		require.Equal(t, "entry", draft.Graph.Nodes[0].Kind)
		require.NotContains(t, draft.Graph.Nodes[0].Params.Listener, "secret")
		for _, secret := range secretsOf(t) {
			require.NotContains(t, string(text.Body), secret)
		}
	}
	var people struct {
		Items []struct {
			Label string
			Note  string
			Flows []struct{ FlowName string }
		}
	}
	s.admin.Get("/api/v1/clients").Is(200).JSON(&people)
	require.Len(t, people.Items, 3, "anna is one client with two flows")
}

func sorted(p *paneltest.Panel, flowID string) []string {
	var out []string
	for _, action := range p.Recorded("flow", flowID) {
		for _, wanted := range []string{"flow.created", "flow.clients_imported", "flow.imported"} {
			if action == wanted {
				out = append(out, action)
			}
		}
	}
	return []string{out[0], out[2], out[1]}
}

func (s *stage) names() (out []string) {
	s.t.Helper()
	var page struct{ Items []struct{ Name string } }
	s.admin.Get(units + "?limit=200").Is(200).JSON(&page)
	for _, f := range page.Items {
		out = append(out, f.Name)
	}
	return out
}

// Who repeats a choice, because the answer was lost, gets the same flows; another choice is refused.
func TestAnImportIsTakenOnce(t *testing.T) {
	t.Parallel()
	s := setup(t)
	read := s.read(xray(t))
	first := s.take(read, all(read))
	require.Equal(t, first.Flows, s.take(read, all(read)).Flows)
	other := all(read)
	other.Entries = other.Entries[:1]
	s.admin.Post(path+"/"+read.ID+"/flows", other).Refused(409, "import_taken")
	require.Len(t, s.names(), 3)
	again := s.read(xray(t))
	require.NotEqual(t, read.Entries[0].Name, again.Entries[0].Name, "a name that is free is offered")
	taken := all(again)
	taken.Entries[2].Name = read.Entries[0].Name
	s.admin.Post(path+"/"+again.ID+"/flows", taken).Refused(409, "name_taken")
	require.Len(t, s.names(), 3, "all of them are made or none")
	s.admin.Delete(path + "/" + again.ID).Is(204)
	s.admin.Get(path+"/"+again.ID).Refused(404, "not_found")
}

// What somebody has read is nobody else's.
func TestAnImportIsItsReadersAlone(t *testing.T) {
	t.Parallel()
	s := setup(t)
	read := s.read(xray(t))
	other := s.panel.As("connection_units.*")
	other.Get(path+"/"+read.ID).Refused(404, "not_found")
	other.Post(path+"/"+read.ID+"/flows", all(read)).Refused(404, "not_found")
	other.Delete(path+"/"+read.ID).Refused(404, "not_found")
}

func TestWhatIsNoConfigurationIsRefused(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for file, code := range map[string]string{
		"hello":                      "import_unknown_format",
		`{"inbounds": [`:             "import_broken",
		`{"a": 1}`:                   "import_unknown_format",
		`[1, 2]`:                     "import_unknown_format",
		"SQLite format 3\x00 broken": "import_broken",
		`{"schema":"panel.flow/v1"}`: "import_broken",
	} {
		s.upload([]byte(file)).Refused(422, code)
	}
	s.admin.Do("POST", path, nil).Refused(400, "missing_field")
	s.upload(make([]byte, httpapi.MaxUpload+1)).Refused(413, "body_too_large")
}

// A flow is given out without what is secret, and comes in again, here or elsewhere.
func TestAFlowIsExportedAndImported(t *testing.T) {
	t.Parallel()
	s := setup(t)
	read := s.read(xray(t))
	taken := s.take(read, all(read))
	other := setup(t)
	for _, made := range taken.Flows {
		answer := s.admin.Get(units + "/" + made.ID + "/export").Is(200)
		for _, secret := range append(secretsOf(t), "secret_ref", "public_key", "anna") {
			require.NotContains(t, string(answer.Body), secret)
		}
		there := other.read(answer.Body)
		require.Equal(t, "flow", there.Format)
		require.True(t, there.Entries[0].Whole)
		require.Equal(t, made.Name, there.Entries[0].Name)
		back := other.take(there, all(there))
		again := other.admin.Get(units + "/" + back.Flows[0].ID + "/export").Is(200)
		require.JSONEq(t, string(answer.Body), string(again.Body))
	}
	s.admin.Get(units+"/0199a0de-0000-7000-8000-00000000000a/export").Refused(404, "not_found")
}

// Nodes of an exported flow are found by their names; those that are not there are left out, and told.
func TestNodesOfAnExportedFlowAreFoundByTheirNames(t *testing.T) {
	t.Parallel()
	s := setup(t)
	node := s.admin.AddNode("fra-01")
	const gone, elsewhere = "0199a0de-0000-7000-8000-00000000000a", "0199a0de-0000-7000-8000-00000000000b"
	file := fmt.Sprintf(`{"schema":"panel.flow/v1","name":"Two","tags":["a"],"graph":{"nodes":[
		{"key":"a","kind":"entry","node_id":%q,"params":{"listener":{"protocol":"shadowsocks2022","port":4000}}},
		{"key":"b","kind":"exit","node_id":%q}],"edges":[{"from":"a","to":"b"}]},
		"nodes":{%[1]q:"fra-01",%[2]q:"ams-01"}}`, elsewhere, gone)
	read := s.read([]byte(file))
	codes := []string{}
	for _, f := range read.Findings {
		codes = append(codes, f.Code)
	}
	require.Contains(t, codes, "node_unknown")
	taken := s.take(read, all(read))
	draft := string(s.admin.Get(units + "/" + taken.Flows[0].ID + "/draft").Is(200).Body)
	require.Contains(t, draft, node)
	require.NotContains(t, draft, gone)
	require.NotContains(t, draft, elsewhere)
}

// Ten thousand clients are stored at once; an import whose database session ends in the middle has made everything or
// nothing, and the same choice again makes what is missing.
func TestAnImportThatIsCutOffIsAllOrNothing(t *testing.T) {
	t.Parallel()
	s := setup(t)
	const many = 10_000
	type one struct {
		ID    string `json:"id"`
		Email string `json:"email"`
		Flow  string `json:"flow"`
	}
	people := make([]one, many)
	for i := range people {
		people[i] = one{fmt.Sprintf("0d1f5a52-6c0e-4b33-8a06-%012x", i), fmt.Sprintf("client %05d", i), "xtls-rprx-vision"}
	}
	var config map[string]any
	require.NoError(t, json.Unmarshal(xray(t), &config))
	first := config["inbounds"].([]any)[0].(map[string]any)
	first["settings"].(map[string]any)["clients"] = people
	config["inbounds"] = []any{first}
	file, err := json.Marshal(config)
	require.NoError(t, err)
	read := s.read(file)
	require.Equal(t, many, read.Clients)

	ended := make(chan *paneltest.Answer, 1)
	go func() { ended <- s.admin.Post(path+"/"+read.ID+"/flows", all(read)) }()
	cut := 0
	for cut == 0 && len(ended) == 0 {
		require.NoError(t, s.panel.DB.NewRaw(`select count(pg_terminate_backend(l.pid)) from pg_locks l
			join pg_class c on c.oid = l.relation where c.relname = 'client_flows' and l.mode = 'RowExclusiveLock'
			and l.database = (select oid from pg_database where datname = current_database())`).Scan(t.Context(), &cut))
	}
	if answer := <-ended; answer.Status != 201 {
		require.Empty(t, s.names(), "a part of it is there: %s", answer.Body)
	}
	taken := s.take(read, all(read))
	require.Equal(t, many, taken.Flows[0].Clients)
	var page struct{ Total int }
	s.admin.Get(units + "/" + taken.Flows[0].ID + "/clients?limit=1").Is(200).JSON(&page)
	require.Equal(t, many, page.Total)
	require.Len(t, s.names(), 1)
}

// The same request with one key is answered once, whatever became of the first answer.
func TestAnImportIsRepeatableByItsKey(t *testing.T) {
	t.Parallel()
	s := setup(t)
	read := s.read(xray(t))
	s.admin.PostOnce(path+"/"+read.ID+"/flows", all(read)).Is(201)
	require.Len(t, s.names(), 3)
}

// Names from elsewhere may hold anything: they are made fit to be shown, and never end up as parts of something else.
func TestHostileNamesAreMadeFitToBeShown(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for _, name := range []string{
		"a\u0000b", "line\nbreak", "\u202eevil", strings.Repeat("я", 500), "<script>alert(1)</script>", "'; drop table flows; --",
		"=cmd|' /C calc'!A0", "  ", "\"quoted\"", "ok\ufffe",
	} {
		config := map[string]any{
			"outbounds": []any{map[string]any{"protocol": "freedom"}},
			"inbounds": []any{map[string]any{
				"tag": name, "port": 443, "protocol": "shadowsocks",
				"settings": map[string]any{
					"method": "2022-blake3-aes-128-gcm", "password": "MDEyMzQ1Njc4OWFiY2RlZg==",
					"clients": []any{map[string]any{"email": name, "password": "MDEyMzQ1Njc4OWFiY2RlZg=="}},
				},
			}},
		}
		text, err := json.Marshal(config)
		require.NoError(t, err)
		read := s.read(text)
		require.Len(t, read.Entries, 1, "%q", name)
		s.take(read, all(read))
	}
	for _, name := range s.names() {
		require.LessOrEqual(t, len([]rune(name)), 64)
		require.NotContains(t, name, "\n")
		require.NotContains(t, name, "\u202e")
	}
}

func TestConformance(t *testing.T) {
	paneltest.Check(t, imports.Module(), flows.Module(), clients.Module(), domains.Module(), nodes.Module())
}
