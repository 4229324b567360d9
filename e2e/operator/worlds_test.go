package operator

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"panel/e2e/rig"
	"panel/platform/database"
	"panel/platform/release"
)

// The three worlds that every command is asked in.
const (
	up   = "up"   // a panel that runs, a caller with every right
	down = "down" // nothing listens, neither panel nor database
	// a panel that runs, a caller without a permission, neither root nor owner of the installation
	noRights = "no-rights"
)

var worlds = []string{up, down, noRights}

// place is one world as a command meets it: its settings, and the words that are other ones in each run.
type place struct {
	folder string
	env    []string
	words  [][2]string // what is written there, what stands for it in the golden text
}

func (p place) with(env ...string) place {
	p.env = append(append([]string{}, p.env...), env...)
	return p
}

func (p place) called(written, stands string) place {
	p.words = append(append([][2]string{}, p.words...), [2]string{written, stands})
	return p
}

// installation is what stands for the folder of a place. The folder's path is as long, so that columns stay where they
// are.
const installation = "/opt/panel"

// settle makes the folder of a place with the logs of a panel.
func settle() (place, error) {
	for {
		folder := "/tmp/" + strings.ToLower(rand.Text()[:len(installation)-len("/tmp/")])
		err := os.Mkdir(folder, 0o755)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		p := place{folder: folder, env: []string{"PANEL_DATA_DIR=" + folder + "/data", "HOME=" + folder}}
		return p.called(folder, installation), errors.Join(err, p.furnish())
	}
}

func (p place) data() string { return filepath.Join(p.folder, "data") }

// furnish makes the data folder, logs that stay as they are, and an /etc and /opt for those who come as root.
func (p place) furnish() error {
	all := os.Mkdir(p.data(), 0o755)
	for name, text := range map[string]string{
		"data/logs/panel.log": logLines, "fixed/logs/panel.log": logLines, "opt/none": "", "etc/group": "panel:x:0:\n",
		"etc/passwd": "root:x:0:0::/root:/bin/sh\npanel:x:0:0::/opt/panel:/bin/false\n",
	} {
		path := filepath.Join(p.folder, name)
		all = errors.Join(all, os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644))
	}
	return all
}

// install writes the file of settings where root finds it.
func (p place) install(env []string) error {
	folder := filepath.Join(p.folder, "etc", "panel")
	return errors.Join(
		os.MkdirAll(folder, 0o755),
		os.WriteFile(filepath.Join(folder, "panel.env"), []byte(strings.Join(env, "\n")+"\n"), 0o640),
		os.MkdirAll(filepath.Join(p.folder, "opt", "panel"), 0o755),
	)
}

const logLines = `{"level":"info","time":"2026-01-20T11:00:00.000Z","component":"http","msg":"request","method":"GET","route":"/health","status":200}
{"level":"info","time":"2026-01-20T11:01:58.000Z","component":"worker","msg":"backup.run","profile":"daily","size":"412MB"}
{"level":"warn","time":"2026-01-20T11:02:01.000Z","component":"scheduler","msg":"schedule.late","by":"2s"}
{"level":"error","time":"2026-01-20T11:02:03.000Z","component":"worker","msg":"notify.send","channel":"messenger","err":"timeout"}
`

// nowhere is an address that refuses connections.
const nowhere = "127.0.0.1:1"

func placeDown() (place, error) {
	p, err := settle()
	p = p.with(
		"PANEL_API_URL=http://"+nowhere,
		"PANEL_API_TOKEN=token",
		"PANEL_DB_URL=postgres://panel:secret@"+nowhere+"/panel",
		"PANEL_SECRET_KEY=the master key of a panel that is down",
		"PANEL_PORT=1",
	)
	return p.called(nowhere, "127.0.0.1:8080"), err
}

// installed is a real panel for scripts, with its administrator and somebody who may nothing.
type installed struct {
	place
	dsn      string
	stand    *rig.Stand // nil: nobody has set the panel up
	panel    *rig.Panel
	key      string // of the license
	stranger string // token of an account without permissions
	end      func() error
}

func (i *installed) close() error {
	if i == nil || i.end == nil {
		return nil
	}
	return i.end()
}

// install brings up a panel beside a license authority, as its operator does, with two nodes, of which one is silent.
// The panel starts again as the executable of this test, so that it has the version of the scripts.
func install(ctx context.Context, program, dsn string, env ...string) (*installed, error) {
	p, err := settle()
	i := &installed{place: p, dsn: dsn, end: func() error { return os.RemoveAll(p.folder) }}
	if err != nil {
		return i, err
	}
	i.stand, err = rig.Install(
		ctx,
		rig.PanelSettings{Folder: p.folder, DSN: dsn, Env: append([]string{masterKey}, env...)},
	)
	if err != nil {
		return i, err
	}
	i.panel, i.end = i.stand.Panel, func() error { return errors.Join(i.stand.Close(), os.RemoveAll(p.folder)) }
	i.panel.Spec.Path = program
	i.described()
	i.key = i.stand.Key
	i.place = i.place.with("PANEL_API_TOKEN="+i.stand.API.Token).
		called(i.key, "PNL-XXXX-XXXX-XXXX").
		called(i.key[len(i.key)-4:], "XXXX")
	return i, errors.Join(i.panel.Stop(), i.panel.Up(ctx), i.place.install(i.panel.Spec.Env), i.enroll(ctx),
		i.hire(ctx))
}

const masterKey = "PANEL_SECRET_KEY=the master key of a panel for scripts"

// unpack brings up a panel that nobody has set up.
func unpack(ctx context.Context, program, dsn string, env ...string) (*installed, error) {
	p, err := settle()
	i := &installed{place: p, dsn: dsn, end: func() error { return os.RemoveAll(p.folder) }}
	if err != nil {
		return i, err
	}
	i.panel, err = rig.NewPanel(
		rig.PanelSettings{Executable: program, Folder: p.folder, DSN: dsn, Env: append([]string{masterKey}, env...)},
	)
	if err != nil {
		return i, err
	}
	i.end = func() error { return errors.Join(i.panel.Stop(), os.RemoveAll(p.folder)) }
	i.described()
	return i, i.panel.Up(ctx)
}

// described gives a place the settings of its panel, and its ports and database fixed names of the same length.
func (i *installed) described() {
	known := slices.DeleteFunc(slices.Clone(i.panel.Spec.Env), func(setting string) bool {
		return strings.HasPrefix(setting, "PANEL_DNS_RESOLVERS=") // the tool of some scripts knows no module that reads it
	})
	i.place = i.place.with(known...).with("PANEL_API_URL=" + i.panel.URL)
	for name, stands := range map[string]string{
		"PANEL_API_URL": "127.0.0.1:18080", "PANEL_LICENSE_URLS": "127.0.0.1:18081",
		"PANEL_METRICS_ADDR": "127.0.0.1:18082",
		"PANEL_UPDATE_URL":   "127.0.0.1:18083",
	} {
		if parsed, err := url.Parse(i.setting(name)); err == nil && parsed.Host != "" {
			i.place = i.called(parsed.Host, stands)
		}
	}
	if parsed, err := url.Parse(i.dsn); err == nil {
		i.place = i.called(strings.TrimPrefix(parsed.Path, "/"), "panel")
	}
}

// setting is what a place says last.
func (p place) setting(name string) (value string) {
	for _, pair := range p.env {
		if rest, is := strings.CutPrefix(pair, name+"="); is {
			value = rest
		}
	}
	return value
}

func (i *installed) enroll(ctx context.Context) error {
	db, err := database.Open(ctx, i.dsn, database.Options{MaxConns: 1})
	if err != nil {
		return err
	}
	defer db.Close()
	for name, silent := range map[string]time.Duration{"nl-1": -24 * time.Hour, "nl-2": time.Hour} {
		id := database.NewID()
		_, node := db.ExecContext(
			ctx,
			"insert into nodes (id, name, name_key, created_at, updated_at) values (?, ?, ?, now(), now())",
			id,
			name,
			name,
		)
		_, report := db.ExecContext(
			ctx,
			"insert into node_reports (node_id, seen_at) values (?, now() - ? * interval '1 second')",
			id,
			silent.Seconds(),
		)
		err = errors.Join(err, node, report)
	}
	return errors.Join(
		err,
		i.stand.API.Post(ctx, "/api/v1/connection-units", map[string]any{"name": "Through Helsinki"}, nil),
	)
}

func (i *installed) hire(ctx context.Context) error {
	account := map[string]any{"username": "boris", "password": rig.Password, "permissions": []string{}}
	if err := i.stand.API.Post(ctx, "/api/v1/accounts", account, nil); err != nil {
		return err
	}
	var session struct {
		Token string `json:"token"`
	}
	delete(account, "permissions")
	err := i.stand.Panel.API.Post(ctx, "/api/v1/auth/login", account, &session)
	i.stranger = session.Token
	return err
}

// closed is the panel as somebody on its machine meets it who has no permission, and may read neither its settings nor
// its data.
func (i *installed) closed() (p place, end func() error, err error) {
	p, err = settle()
	data, folder := p.data(), p.folder
	end = func() error { return errors.Join(os.Chmod(data, 0o700), os.RemoveAll(folder)) }
	p.words = append(p.words, i.words...)
	for _, name := range []string{"PANEL_API_URL", "PANEL_BIND", "PANEL_PORT"} {
		p = p.with(name + "=" + i.setting(name))
	}
	settings := filepath.Join(p.folder, ".env")
	p = p.with("PANEL_API_TOKEN=" + i.stranger)
	return p, end, errors.Join(err, os.WriteFile(settings, nil, 0o600), os.Chmod(settings, 0), os.Chmod(p.data(), 0))
}

// requestFile is where a panel of the scripts hands an update over.
const requestFile = "update-request.json"

// releases serves one release, signed with a key of its own, to a panel that hands updates over.
func releases(version string) (settings []string, end func() error, err error) {
	folder, err := os.MkdirTemp("", "releases")
	if err != nil {
		return nil, nil, err
	}
	file := filepath.Join(folder, "panelctl")
	m := release.Manifest{
		Channel:    "stable",
		Version:    version,
		Notes:      "what is new",
		ReleasedAt: time.Date(2026, 1, 20, 0, 0, 0, 0, time.UTC),
	}
	key, failed := release.NewKey()
	if err := errors.Join(failed, os.WriteFile(file, []byte("an executable"), 0o600),
		m.Add(release.Panel, release.Platform(), file)); err != nil {
		return nil, nil, err
	}
	_, err = key.Write(folder, m)
	server := httptest.NewServer(http.FileServer(http.Dir(folder)))
	settings = []string{
		"PANEL_UPDATE_URL=" + server.URL + "/manifest.json",
		"PANEL_UPDATE_PUBLIC_KEY=" + key.Public(),
		"PANEL_UPDATE_REQUEST=" + filepath.Join(folder, requestFile),
	}
	return settings, func() error { server.Close(); return os.RemoveAll(folder) }, err
}
