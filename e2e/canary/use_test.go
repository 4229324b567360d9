package canary

import (
	"crypto/ecdh"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pquerna/otp/totp"
	"github.com/stretchr/testify/require"

	"panel/e2e/rig"
	"panel/e2e/rig/rigtest"
	"panel/platform/testneed/freeport"
)

// use does what administrators, agents and their clients do, and plants a value for every secret that comes up.
func (w *installation) use() {
	w.Helper()
	w.signIn()
	w.secondFactor()
	w.join()
	w.connect()
	w.takeOver()
	w.reach()
	w.commandLine()
	w.read()
}

const (
	second = "canary-password-two-6Yh2"
	third  = "canary-password-three-9Lm4"
)

func (w *installation) signIn() {
	w.Helper()
	admin := w.stand.API.Token
	w.book.plant(w.T, "administrator's password", second)
	w.do(admin, "POST /api/v1/accounts", "/api/v1/accounts", map[string]any{"username": "vera", "password": second})
	opened := w.do(
		"",
		"POST /api/v1/auth/login",
		"/api/v1/auth/login",
		map[string]string{"username": "vera", "password": second},
	)
	token := w.book.plant(w.T, "session token", opened.text(w.T, "token"))
	w.book.plant(w.T, "administrator's password", third)
	w.do(
		token,
		"POST /api/v1/auth/password",
		"/api/v1/auth/password",
		map[string]string{"current_password": second, "new_password": third},
	)
	w.tokens = append(w.tokens, token)
}

// secondFactor sets an authenticator up, renews the recovery codes, is refused with a code and signs in with a renewed
// one.
func (w *installation) secondFactor() {
	w.Helper()
	token := w.tokens[1]
	begun := w.do(token, "POST /api/v1/auth/totp", "/api/v1/auth/totp", map[string]string{"password": third})
	shared := w.book.plant(w.T, "TOTP secret", begun.text(w.T, "secret"))
	code, err := totp.GenerateCode(shared, time.Now())
	require.NoError(w, err)
	confirmed := w.do(
		token,
		"POST /api/v1/auth/totp/confirm",
		"/api/v1/auth/totp/confirm",
		map[string]string{"code": code},
	)
	w.recoveryCodes(confirmed.body)
	renewed := w.do(
		token,
		"POST /api/v1/auth/totp/recovery-codes",
		"/api/v1/auth/totp/recovery-codes",
		map[string]string{"password": third},
	)
	codes := w.recoveryCodes(renewed.body)
	half := w.call(
		"",
		"POST /api/v1/auth/login",
		"/api/v1/auth/login",
		map[string]string{"username": "vera", "password": third},
	)
	require.Equal(w, http.StatusUnauthorized, half.status)
	challenge := half.text(w.T, "challenge")
	w.call(
		"",
		"POST /api/v1/auth/second-factor",
		"/api/v1/auth/second-factor",
		map[string]string{"challenge": challenge, "code": "000000"},
	)
	opened := w.do(
		"",
		"POST /api/v1/auth/second-factor",
		"/api/v1/auth/second-factor",
		map[string]string{"challenge": challenge, "recovery_code": codes[0]},
	)
	w.tokens = append(w.tokens, w.book.plant(w.T, "session token", opened.text(w.T, "token")))
}

func (w *installation) recoveryCodes(answer []byte) []string {
	w.Helper()
	var codes struct {
		Recovery []string `json:"recovery_codes"`
	}
	require.NoError(w, json.Unmarshal(answer, &codes))
	require.NotEmpty(w, codes.Recovery)
	for _, one := range codes.Recovery {
		w.book.plant(w.T, "recovery code", one)
	}
	return codes.Recovery
}

// join enrols a real agent with a token that was planted before it was used.
func (w *installation) join() {
	w.Helper()
	issued := w.do(
		w.stand.API.Token,
		"POST /api/v1/nodes/enrollment-tokens",
		"/api/v1/nodes/enrollment-tokens",
		map[string]any{"kind": "reusable"},
	)
	enrolment := w.book.plant(w.T, "enrolment token", issued.text(w.T, "token"))
	joined := w.do(
		"",
		"POST /install/enroll",
		"/install/enroll",
		map[string]any{"token": enrolment, "hostname": "spare", "os": "linux", "arch": "amd64", "protocol": 1},
	)
	w.book.plant(w.T, "agent token", joined.text(w.T, "agent_token"))
	var err error
	w.agent, err = w.stand.Enroll(w.Context(), "carrier")
	require.NoError(w, err)
	rigtest.Run(w, w.stand, w.agent)
	raw, err := os.ReadFile(filepath.Join(w.stand.Folder, "carrier", "identity.json"))
	require.NoError(w, err)
	var identity struct {
		Token string `json:"agent_token"`
	}
	require.NoError(w, json.Unmarshal(raw, &identity))
	w.book.plant(w.T, "agent token", identity.Token)
	w.do(identity.Token, "GET /agent/v1/reflect", "/agent/v1/reflect", nil)
}

// connect applies a flow, issues its client's links and reads everything about it.
func (w *installation) connect() {
	w.Helper()
	admin, ctx := w.stand.API, w.Context()
	port, err := freeport.Find()
	require.NoError(w, err)
	drawing := rig.OneServer(w.agent.NodeID, port, w.site)
	w.ownKey(drawing)
	flow, err := admin.Draw(ctx, "carries", drawing)
	require.NoError(w, err)
	plan, err := admin.Compile(ctx, flow.ID)
	require.NoError(w, err)
	_, err = admin.Apply(ctx, flow.ID, plan)
	require.NoError(w, err)
	path := "/api/v1/connection-units/" + flow.ID
	name := "/api/v1/connection-units/{id}"
	link := w.do(admin.Token, "POST "+name+"/connection-link", path+"/connection-link", map[string]any{}).
		text(w.T, "uri")
	address, err := url.Parse(link)
	require.NoError(w, err)
	w.book.plant(w.T, "client secret", address.User.Username())
	w.agentsLists(flow.ID)
	w.privateKey()
	var clients struct{ Items []struct{ ID string } }
	require.NoError(w, json.Unmarshal(w.do(admin.Token, "GET "+name+"/clients", path+"/clients", nil).body, &clients))
	public := w.do(
		admin.Token,
		"POST "+name+"/clients/{client_id}/public-link",
		path+"/clients/"+clients.Items[0].ID+"/public-link",
		map[string]any{},
	)
	shared, err := url.Parse(public.text(w.T, "url"))
	require.NoError(w, err)
	w.book.plant(w.T, "public link token", strings.TrimPrefix(shared.Path, "/s/"))
	w.do("", "GET /s/{token}", shared.Path, nil)
	for _, rest := range []string{"", "/draft", "/clients", "/versions", "/applies", "/rendered?node_id=" +
		w.agent.NodeID, "/plans/" + plan.ID} {
		w.do(admin.Token, "GET "+name+strings.Split(rest, "?")[0], path+rest, nil)
	}
	w.do(admin.Token, "POST /api/v1/nodes/{id}/logs", "/api/v1/nodes/"+w.agent.NodeID+"/logs", map[string]any{})
}

// takeOver brings a client of 3x-ui with its password and its subscription, whose program goes on with its address.
func (w *installation) takeOver() {
	w.Helper()
	admin := w.stand.API.Token
	password := w.book.plant(w.T, "client secret", "canary-of-3x-ui-4Rt8")
	subscription := w.book.plant(w.T, "public link token", "canary3x8k2m4qa7")
	inbounds := []map[string]any{{
		"id": 1, "enable": true, "port": 4443, "protocol": "trojan", "tag": "brought",
		"settings": map[string]any{"clients": []map[string]any{
			{"email": "brought", "password": password, "subId": subscription},
		}},
		"streamSettings": map[string]any{"network": "tcp", "security": "tls"},
	}}
	name := "/api/v1/flow-imports"
	id := w.do(admin, "POST "+name, name, inbounds).text(w.T, "id")
	w.do(admin, "GET "+name+"/{id}", name+"/"+id, nil)
	w.do(admin, "POST "+name+"/{id}/flows", name+"/"+id+"/flows",
		map[string]any{"entries": []map[string]string{{"key": "brought", "name": "Brought"}}})
	w.do("", "GET /sub/{token}", "/sub/"+subscription, nil)
}

// ownKey gives the entry of a drawing a private key of its own.
func (w *installation) ownKey(drawing map[string]any) {
	w.Helper()
	key, err := ecdh.X25519().GenerateKey(rand.Reader)
	require.NoError(w, err)
	entry := drawing["nodes"].([]map[string]any)[0]["params"].(map[string]any)["listener"].(map[string]any)
	entry["reality"].(map[string]any)["private_key"] = w.book.plant(w.T, "REALITY private key",
		base64.RawURLEncoding.EncodeToString(key.Bytes()))
}

var privateKey = regexp.MustCompile(`"privateKey":\s*"([A-Za-z0-9_-]{40,})"`)

// agentsLists asks for the clients of a flow as the agent of its entry does.
func (w *installation) agentsLists(flowID string) {
	w.Helper()
	for _, s := range w.book.secrets {
		if s.name == "agent token" {
			w.call(s.value, "GET /agent/v1/client-lists/{id}", "/agent/v1/client-lists/"+flowID, nil)
		}
	}
}

// privateKey takes the flow's own key from where it belongs: the configuration on the server.
func (w *installation) privateKey() {
	w.Helper()
	found := false
	_ = filepath.Walk(filepath.Join(w.stand.Folder, "carrier"), func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return nil //nolint:nilerr // files come and go while the agent works
		}
		content, _ := os.ReadFile(path)
		for _, match := range privateKey.FindAllSubmatch(content, -1) {
			w.book.plant(w.T, "REALITY private key", string(match[1]))
			found = true
		}
		return nil
	})
	require.True(w, found, "the agent's folder holds the configuration that it serves")
}

// commandLine asks with the most talkative flags; its token is in the environment.
func (w *installation) commandLine() {
	w.Helper()
	for _, args := range [][]string{
		{"status", "--debug"},
		{"license", "status", "--verbose"},
		{"license", "refresh", "--debug"},
		{"doctor", "--debug"},
		{"doctor", "--json"},
		{"version", "--debug"},
		{"logs", "--tail", "500", "--debug"},
		{"license", "activate", "PNL-0000-0000-0000", "--debug"},
		{"help"},
	} {
		said, err := w.stand.Panel.Command(w.Context(), w.stand.API.Token, args...)
		require.NoError(w, err)
		w.keep("output of panelctl", []byte(said.Out+said.Err))
	}
	said, err := w.stand.Panel.Command(
		w.Context(),
		"",
		"admin",
		"reset-password",
		"--username",
		"vera",
		"--yes",
		"--json",
		"--debug",
	)
	require.NoError(w, err)
	var printed struct{ Password string }
	require.NoError(w, json.Unmarshal([]byte(said.Out), &printed))
	w.book.plant(w.T, "password of a reset", printed.Password)
	w.keep("output of panelctl admin reset-password", []byte(said.Out+said.Err))
}

// read looks at every list and document that has no parameter.
func (w *installation) read() {
	w.Helper()
	var description struct{ Paths map[string]map[string]any }
	for _, file := range []string{"openapi.json", "hidden.json"} {
		raw, err := os.ReadFile(filepath.Join(mustRoot(w.T), "ui", file))
		require.NoError(w, err)
		require.NoError(w, json.Unmarshal(raw, &description))
	}
	for path, methods := range description.Paths {
		if _, reads := methods["get"]; reads && !strings.Contains(path, "{") && path != "/api/v1/stream" &&
			strings.HasPrefix(path, "/api/") {
			w.call(w.stand.API.Token, "GET "+path, path, nil)
		}
	}
	w.call(w.stand.API.Token, "GET /api/v1/nodes/{id}", "/api/v1/nodes/"+w.agent.NodeID, nil)
}

// fail sends every secret where it is refused, with a working panel and with one whose database or license server is
// gone.
func (w *installation) fail() {
	w.Helper()
	w.refusals()
	require.NoError(w, w.stand.Authority.Stop())
	activation := w.call(
		w.stand.API.Token,
		"POST /api/v1/license/activate",
		"/api/v1/license/activate",
		map[string]string{"license_key": w.stand.Key},
	)
	require.GreaterOrEqual(w, activation.status, http.StatusInternalServerError)
	w.call(w.stand.API.Token, "POST /api/v1/license/refresh", "/api/v1/license/refresh", nil)
	w.withoutDatabase(w.refusals)
}

// refusals are the same wrong requests with each secret in turn: broken JSON, wrong types, unknown fields, wrong
// places.
func (w *installation) refusals() {
	for _, s := range w.book.secrets {
		quoted, _ := json.Marshal(s.value)
		v := string(quoted)
		for operation, body := range map[string]string{
			"POST /api/v1/auth/login":               `{"username":` + v + `,"password":` + v + `}`,
			"POST /api/v1/auth/second-factor":       `{"challenge":` + v + `,"code":` + v + `}`,
			"POST /api/v1/auth/totp/recovery-codes": `{"password":` + v + `}`,
			"POST /api/v1/setup/admin":              `{"username":"x","password":` + v + `,"setup_token":` + v + `}`,
			"POST /api/v1/license/activate":         `{"license_key":` + v + `,"surplus":` + v + `}`,
			"POST /api/v1/accounts":                 `{"username":[` + v + `],"password":` + v,
			"POST /api/v1/nodes":                    `{"name":` + v + `,"address":{"x":` + v + `}}`,
			"POST /api/v1/connection-units":         `{"name":"x","graph":` + v + `}`,
			"POST /install/enroll":                  `{"token":` + v + `}`,
			"POST /agent/v1/heartbeat":              `{"protocol":` + v + `}`,
			"POST /api/v1/nodes/enrollment-tokens":  v,
			"POST /api/v1/statuspage/pages":         `{"slug":` + v + `,"titles":{"en":[` + v + `]}}`,
			"POST /api/v1/assistant/questions":      `{"text":` + v + `,"language":` + v + `,"page":"/"}`,
			"PUT /api/v1/assistant/settings":        `{"revision":0,"settings":{"key":` + v + `,"kind":` + v + `}}`,
		} {
			_, path, _ := strings.Cut(operation, " ")
			w.call(w.stand.API.Token, operation, path, body)
			w.call(s.value, operation, path, body)
		}
		w.call(s.value, "GET /api/v1/auth/me", "/api/v1/auth/me", nil)
		w.call(s.value, "GET /agent/v1/config", "/agent/v1/config", nil)
		w.call(s.value, "GET /agent/v1/desired/{name}", "/agent/v1/desired/clients", nil)
		w.call("", "GET /api/v1/nodes", "/api/v1/nodes?token="+url.QueryEscape(s.value)+"&q=%00", nil)
		w.call(w.stand.API.Token, "GET /api/v1/nodes/{id}", "/api/v1/nodes/"+url.PathEscape(s.value), nil)
	}
}

// withoutDatabase does the work while no connection to the database is let in.
func (w *installation) withoutDatabase(do func()) {
	w.Helper()
	address, err := url.Parse(w.dsn)
	require.NoError(w, err)
	name := strings.TrimPrefix(address.Path, "/")
	address.Path = "/postgres"
	conn, err := pgx.Connect(w.Context(), address.String())
	require.NoError(w, err)
	defer func() { _ = conn.Close(w.Context()) }()
	shut := func(open string) {
		_, err := conn.Exec(w.Context(), "alter database "+name+" allow_connections "+open)
		require.NoError(w, err)
	}
	shut("false")
	_, err = conn.Exec(w.Context(), "select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", name)
	require.NoError(w, err)
	down := w.call(w.stand.API.Token, "GET /api/v1/auth/me", "/api/v1/auth/me", nil)
	require.GreaterOrEqual(w, down.status, http.StatusInternalServerError)
	do()
	shut("true")
	require.NoError(w, w.stand.Panel.Healthy(w.Context()))
}
