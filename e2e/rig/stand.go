package rig

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"panel/platform/testneed/freeport"
)

// Stand is a panel that an operator has installed: license authority, administrator, license, set-up finished.
type Stand struct {
	Folder    string
	program   string // of the authority
	Authority *Process
	Panel     *Panel
	API       *API   // signed in as the administrator
	Key       string // of the license
	settings  PanelSettings
}

// Login of the administrator of a Stand.
const (
	Username = "admin"
	Password = "correct horse battery"
)

// Install brings up a stand in the folder.
func Install(ctx context.Context, s PanelSettings) (*Stand, error) {
	stand := &Stand{Folder: s.Folder}
	if err := os.MkdirAll(s.Folder, 0o755); err != nil {
		return nil, fmt.Errorf("make the folder of the stand: %w", err)
	}
	if err := stand.bringUp(ctx, s); err != nil {
		return nil, errors.Join(err, stand.Close())
	}
	return stand, nil
}

func (s *Stand) bringUp(ctx context.Context, settings PanelSettings) (err error) {
	if settings.Program == "" {
		settings.Program = PanelProgram
	}
	if settings.Executable, err = Executable(ctx, settings.Program); err != nil {
		return err
	}
	if s.program, err = Executable(ctx, AuthorityProgram); err != nil {
		return err
	}
	key, license, err := s.startAuthority(ctx, settings.LicenseFront)
	if err != nil {
		return err
	}
	settings.Env = append(settings.Env, license...)
	s.Key, s.settings = key, settings
	if s.Panel, err = NewPanel(settings); err != nil {
		return err
	}
	if err := s.Panel.Up(ctx); err != nil {
		return err
	}
	return s.setUp(ctx, key)
}

// startAuthority gives a license key and the settings that let a panel use it.
func (s *Stand) startAuthority(
	ctx context.Context,
	front func(string) string,
) (key string, settings []string, err error) {
	issued, err := s.Vendor(ctx, "issue", "--json", "--plan", "Test", "--features", "*", "--activations", "5")
	if err != nil {
		return "", nil, err
	}
	var license struct {
		Key string `json:"key"`
	}
	if err := json.Unmarshal([]byte(issued), &license); err != nil {
		return "", nil, fmt.Errorf("read the license key: %w", err)
	}
	public, err := s.Vendor(ctx, "public-key")
	if err != nil {
		return "", nil, err
	}
	port, err := freeport.Find()
	if err != nil {
		return "", nil, err
	}
	address := fmt.Sprintf("127.0.0.1:%d", port)
	s.Authority, err = Start(Spec{
		Name: "the license authority", Log: filepath.Join(s.Folder, "authority.log"), Path: s.program,
		Args: []string{"serve", "--data", s.authorityData(), "--listen", address},
	})
	asked := "http://" + address
	if front != nil {
		asked = front(asked)
	}
	return license.Key, []string{"PANEL_LICENSE_URLS=" + asked, "PANEL_LICENSE_PUBLIC_KEY=" + public}, err
}

func (s *Stand) authorityData() string { return filepath.Join(s.Folder, "authority") }

// Vendor runs one command of the license authority beside its server and gives what it printed.
func (s *Stand) Vendor(ctx context.Context, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.program, append(args, "--data", s.authorityData())...)
	cmd.Env = Environment()
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("panel-licensed %s: %w", args[0], err)
	}
	return strings.TrimSpace(string(out)), nil
}

func (s *Stand) setUp(ctx context.Context, key string) error {
	var session struct {
		Token string `json:"token"`
	}
	if err := s.Panel.API.Post(ctx, "/api/v1/setup/admin", map[string]string{
		"username": Username,
		"password": Password,
	},
		&session); err != nil {
		return err
	}
	s.API = s.Panel.API.As(session.Token)
	err := Eventually(ctx, 20*time.Second, func(ctx context.Context) error {
		return s.API.Post(ctx, "/api/v1/license/activate", map[string]string{"license_key": key}, nil)
	})
	if err != nil {
		return err
	}
	return s.API.Post(ctx, "/api/v1/setup/finish", nil, nil)
}

// Beside describes another panel on the same database, which has its own folder and shares all other settings. The
// stand must have been installed with a DSN and a PANEL_SECRET_KEY.
func (s *Stand) Beside(folder string) (*Panel, error) {
	settings := s.settings
	settings.Folder, settings.Port = folder, 0
	return NewPanel(settings)
}

// Close stops panel and authority.
func (s *Stand) Close() error {
	var failures []error
	if s.Panel != nil {
		failures = append(failures, s.Panel.Process.Stop())
	}
	return errors.Join(append(failures, s.Authority.Stop())...)
}
