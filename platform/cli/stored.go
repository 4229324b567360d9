package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"panel/platform/durable"
)

// StoredSession is a session that `panelctl login` opened, as it lies in the user's configuration folder, one file for
// each panel.
type StoredSession struct {
	Address   string    `json:"address"`
	Username  string    `json:"username"`
	Token     string    `json:"token"`
	ExpiresAt time.Time `json:"expires_at"`
}

// Address is the address of the panel that commands ask.
func (env Env) Address() (string, error) { return env.apiURL() }

// sessionFile is panelctl/sessions/ADDRESS.json below XDG_CONFIG_HOME or ~/.config; empty where there is neither.
func (env Env) sessionFile(address string) string {
	folder := env.Getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(folder) {
		home := env.Getenv("HOME")
		if !filepath.IsAbs(home) {
			return ""
		}
		folder = filepath.Join(home, ".config")
	}
	return filepath.Join(folder, "panelctl", "sessions", url.PathEscape(address)+".json")
}

// Stored gives the session that was stored for a panel; nil where there is none. A file that others may read is not
// used.
func (env Env) Stored(address string) *StoredSession {
	path := env.sessionFile(address)
	if path == "" {
		return nil
	}
	stored, err := readSession(path, address)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		env.Warn(Say("the session in %s is not used: %s", path, English(reasonOf(err))))
	}
	return stored
}

var (
	errReadable   = errors.New("others may read the file; sign in again")
	errUnreadable = errors.New("it is not what panelctl has written")
)

func reasonOf(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return err.Error()
}

func readSession(path, address string) (*StoredSession, error) {
	const byOthers = 0o077
	about, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if about.Mode().Perm()&byOthers != 0 {
		return nil, errReadable
	}
	content, err := durable.ReadFile(path)
	if err != nil {
		return nil, err
	}
	stored := new(StoredSession)
	if json.Unmarshal(content, stored) != nil || stored.Token == "" || stored.Address != address {
		return nil, errUnreadable
	}
	return stored, nil
}

// Store writes a session where Stored finds it, readable by its owner alone.
func (env Env) Store(session StoredSession) error {
	path := env.sessionFile(session.Address)
	if path == "" {
		return Failed(Say("there is no place for the session: neither HOME nor XDG_CONFIG_HOME is set")).
			Advise(Plain("PANEL_API_TOKEN"))
	}
	content, err := json.Marshal(session)
	if err != nil {
		return fmt.Errorf("encode the session: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return cannotStore(path, err)
	}
	if err := durable.Write(path, 0o600, append(content, '\n')); err != nil {
		return cannotStore(path, err)
	}
	return nil
}

func cannotStore(path string, err error) error {
	return Failed(Say("the session cannot be stored in %s", path)).Because(English(reasonOf(err))).
		Advise(Plain("PANEL_API_TOKEN"))
}

// Forget removes the session that was stored for a panel.
func (env Env) Forget(address string) error {
	path := env.sessionFile(address)
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Failed(Say("the session in %s cannot be removed", path)).Because(English(reasonOf(err)))
	}
	return nil
}

// ClientWith is Client with a token of its own; an empty one asks as nobody.
func (env Env) ClientWith(token string) (*Client, error) {
	client, err := env.Client()
	if err != nil {
		return nil, err
	}
	client.token = token
	return client, nil
}

// Refusal is the failure of an answer that Client.Answer gave.
func (c *Client) Refusal(status int, answer []byte) error { return c.refusal(status, answer) }

// Ask asks a question at the terminal.
func (env Env) Ask(question Message) string {
	fmt.Fprint(env.Err, env.Text(question), " ")
	return env.Answer()
}

// AskSecret is Ask without the echo of a terminal, which comes back whatever ends the question.
func (env Env) AskSecret(ctx context.Context, question Message) (string, error) {
	fmt.Fprint(env.Err, env.Text(question), " ")
	return env.typedSecret(ctx)
}
