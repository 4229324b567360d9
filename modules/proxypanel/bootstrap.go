package proxypanel

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"go.uber.org/zap"

	"panel/modules/proxypanel/internal/remnawave"
	"panel/platform/audit"
	"panel/platform/config"
	"panel/platform/fault"
)

// Bootstrap names a proxy panel that nobody has entered yet.
type Bootstrap struct {
	Label        string            `json:"label" minLength:"1" maxLength:"64"`
	BaseURL      string            `json:"base_url" minLength:"1" maxLength:"500"`
	Direct       bool              `json:"direct,omitempty" default:"false"`
	ExtraHeaders map[string]string `json:"extra_headers,omitempty" doc:"Headers that a gate in front wants; write-only"`
}

// BootstrapResult is the connection, and the administrator of the proxy panel, who is shown this once.
type BootstrapResult struct {
	Connection Connection `json:"connection"`
	Username   string     `json:"username"`
	Password   string     `json:"password" doc:"Shown this once and not kept"`
}

const (
	tokenName = "panel"
	tokenDays = 365
)

// bootstrap enters a fresh proxy panel: its first administrator, a token of exactly the scopes that are needed, and the
// connection.
//
// The credentials are noted, sealed, before they are used, and forgotten with the commit of the connection: whoever is
// killed in between is continued by the next call, which finds them and signs in.
type bootstrap struct {
	connections *connections
	closed      *fault.Fault
	log         *zap.Logger
}

func newBootstrap(c *connections, cfg *config.Config, log *zap.Logger) *bootstrap {
	b := &bootstrap{connections: c, log: log}
	if !cfg.Bool(config.ProxypanelBootstrap) {
		b.closed = errDisabled
	}
	return b
}

var (
	errDisabled = fault.Conflict("bootstrap_disabled", "write PANEL_PROXYPANEL_BOOTSTRAP=true into /etc/panel/panel.env "+
		"and restart the panel, then try again").
		With("variable", "PANEL_PROXYPANEL_BOOTSTRAP=true").With("restart", "systemctl restart panel")
	errRegistered = fault.Invalid("already_registered", "the proxy panel has an administrator already; "+
		"make an API token there and add the connection with it")
)

// credentials are those of the first administrator there.
type credentials struct {
	Username string `json:"username"`
	Password string `json:"password"`
}

// run makes the administrator, the token and the connection. Faults: name_taken, panel_connected (409), invalid_value,
// already_registered (422), proxypanel_error (502), proxypanel_timeout (504).
func (b *bootstrap) run(ctx context.Context, in Bootstrap) (result BootstrapResult, err error) {
	ctx, cancel := context.WithTimeout(ctx, bootstrapWithin)
	defer cancel()
	c := b.connections
	access := &remnawave.Access{BaseURL: in.BaseURL, Direct: in.Direct, Headers: in.ExtraHeaders}
	client, err := c.door.open(access)
	if err != nil {
		return result, err
	}
	defer client.Close()
	if err := c.store.free(ctx, in.Label, access.BaseURL); err != nil {
		return result, err
	}
	who, session, err := b.enter(ctx, client, access.BaseURL)
	if err != nil {
		return result, asFault(err)
	}
	made, err := client.MakeToken(ctx, session, tokenName, tokenDays, scopeNames())
	if err != nil {
		return result, asFault(err)
	}
	access.Token = made.Token
	row := c.newRow(in.Label)
	if err = c.reach(ctx, row, access); err == nil {
		err = b.commit(ctx, row)
	}
	if err != nil {
		b.takeBack(ctx, client, session, made.ID)
		return result, err
	}
	return BootstrapResult{Connection: row.shown(), Username: who.Username, Password: who.Password}, nil
}

func scopeNames() (names []string) {
	for _, scope := range remnawave.Scopes() {
		names = append(names, scope.Name)
	}
	return names
}

// enter makes the first administrator, or signs in as the one that an earlier call has made. Fault: already_registered.
func (b *bootstrap) enter(
	ctx context.Context, client *remnawave.Client, base string,
) (who credentials, session string, err error) {
	fresh, err := client.Fresh(ctx)
	if err != nil {
		return who, "", err
	}
	who, known, err := b.noted(ctx, base)
	switch {
	case err != nil:
		return who, "", err
	case !known && !fresh:
		return who, "", errRegistered
	case !known:
		if who, err = b.note(ctx, base); err != nil {
			return who, "", err
		}
	}
	if fresh {
		session, err = client.Register(ctx, who.Username, who.Password)
		if err == nil || !remnawave.Is(err, http.StatusForbidden, "") {
			return who, session, err
		}
	}
	session, err = client.Login(ctx, who.Username, who.Password)
	if remnawave.CauseOf(err) == remnawave.ScopeMissing && err != nil {
		return who, "", b.giveUp(ctx, base)
	}
	return who, session, err
}

// noted gives the credentials that an earlier call has begun with.
func (b *bootstrap) noted(ctx context.Context, base string) (who credentials, known bool, err error) {
	row, err := b.connections.store.begun(ctx, base)
	if err != nil || row == nil {
		return who, false, err
	}
	text, err := b.connections.vault.Open(row.place(), row.Sealed)
	if err != nil {
		return who, false, fmt.Errorf("open the credentials of a proxy panel: %w", err)
	}
	if err := json.Unmarshal(text, &who); err != nil {
		return who, false, fmt.Errorf("read the credentials of a proxy panel: %w", err)
	}
	return who, true, nil
}

// note makes credentials and keeps them until the connection stands; those of a call at the same time are taken over.
func (b *bootstrap) note(ctx context.Context, base string) (who credentials, err error) {
	text, err := json.Marshal(newCredentials())
	if err != nil {
		return who, fmt.Errorf("write the credentials of a proxy panel: %w", err)
	}
	row := &bootstrapRow{BaseURL: base, CreatedAt: b.connections.now()}
	row.Sealed = b.connections.vault.Seal(row.place(), text)
	if err := b.connections.store.begin(ctx, row); err != nil {
		return who, err
	}
	who, _, err = b.noted(ctx, base)
	return who, err
}

// newCredentials keep the rule of the proxy panel: 24 characters at least, of both cases, and a digit.
func newCredentials() credentials {
	return credentials{
		Username: "panel_" + strings.ToLower(rand.Text()[:6]),
		Password: rand.Text() + strings.ToLower(rand.Text()[:8]) + "aZ7",
	}
}

// giveUp forgets credentials that do not open the panel: somebody else was first.
func (b *bootstrap) giveUp(ctx context.Context, base string) error {
	if err := b.connections.store.forget(ctx, base); err != nil {
		return err
	}
	return errRegistered
}

// commit stores the connection and forgets the credentials.
func (b *bootstrap) commit(ctx context.Context, row *connectionRow) error {
	c := b.connections
	return c.store.db.InTx(ctx, func(ctx context.Context) error {
		if err := c.insert(ctx, row); err != nil {
			return err
		}
		if err := c.store.forget(ctx, row.BaseURL); err != nil {
			return err
		}
		return c.journal.Record(ctx, c.store.db.In(ctx), audit.Entry{
			Action: bootstrapped, Object: row.object(), Changes: map[string]audit.Change{"base_url": {To: row.BaseURL}},
		})
	})
}

// takeBack removes a token that nothing uses. What fails here leaves one more token there, which ends by itself.
func (b *bootstrap) takeBack(ctx context.Context, client *remnawave.Client, session, id string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerWithin/2)
	defer cancel()
	if err := client.DropToken(ctx, session, id); err != nil {
		b.log.Warn("a token that is not used stays at the proxy panel", zap.Error(err))
	}
}
