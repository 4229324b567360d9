package accounts

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/url"
	"slices"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"panel/platform/access"
	"panel/platform/config"
	"panel/platform/database"
	"panel/platform/fault"
)

// ceremonies run the passkey protocol for the address under which browsers see the panel.
type ceremonies struct{ protocol *webauthn.WebAuthn }

// newCeremonies takes the site from PANEL_PUBLIC_URL; without it passkeys work on localhost alone.
func newCeremonies(cfg *config.Config) (*ceremonies, error) {
	site := cfg.String(config.PublicURL)
	if site == "" {
		site = "http://" + net.JoinHostPort("localhost", cfg.String(config.Port))
	}
	parsed, err := url.Parse(site)
	if err != nil {
		return nil, fmt.Errorf("read %s for passkeys: %w", config.PublicURL.Name, err)
	}
	domain := parsed.Hostname()
	if net.ParseIP(domain) != nil {
		domain = "localhost" // browsers make no passkey for a bare address, yet the panel must start there
	}
	made, err := webauthn.New(&webauthn.Config{
		RPID: domain, RPDisplayName: issuer, RPOrigins: []string{parsed.Scheme + "://" + parsed.Host},
	})
	if err != nil {
		return nil, fmt.Errorf("prepare passkeys: %w", err)
	}
	return &ceremonies{protocol: made}, nil
}

// holder is an account as the protocol wants to see it.
type holder struct {
	account *accountRow
	keys    []webauthn.Credential
}

func (h holder) WebAuthnID() []byte                         { return []byte(h.account.ID) }
func (h holder) WebAuthnName() string                       { return h.account.Username }
func (h holder) WebAuthnDisplayName() string                { return h.account.Username }
func (h holder) WebAuthnCredentials() []webauthn.Credential { return h.keys }

func held(account *accountRow, rows []passkeyRow) (holder, error) {
	h := holder{account: account}
	for _, row := range rows {
		var credential webauthn.Credential
		if err := json.Unmarshal(row.Credential, &credential); err != nil {
			return h, fmt.Errorf("read a stored passkey: %w", err)
		}
		h.keys = append(h.keys, credential)
	}
	return h, nil
}

func (c *ceremonies) beginSignIn(account *accountRow, rows []passkeyRow) (any, json.RawMessage, error) {
	who, err := held(account, rows)
	if err != nil {
		return nil, nil, err
	}
	options, session, err := c.protocol.BeginLogin(who)
	if err != nil {
		return nil, nil, fmt.Errorf("begin a passkey sign-in: %w", err)
	}
	kept, err := json.Marshal(session)
	return options, kept, err
}

// spendPasskey verifies the browser's answer; a wrong one is no error but false.
func (s *service) spendPasskey(ctx context.Context, owner *accountRow, ceremony, answer json.RawMessage) (bool, error) {
	rows, err := s.store.passkeys(ctx, owner.ID)
	if err != nil {
		return false, err
	}
	who, err := held(owner, rows)
	if err != nil {
		return false, err
	}
	var session webauthn.SessionData
	if err := json.Unmarshal(ceremony, &session); err != nil {
		return false, fmt.Errorf("read a stored passkey challenge: %w", err)
	}
	parsed, err := protocol.ParseCredentialRequestResponseBody(bytes.NewReader(answer))
	if err != nil {
		return false, nil //nolint:nilerr // an unreadable answer is a wrong factor
	}
	used, err := s.ceremonies.protocol.ValidateLogin(who, session, parsed)
	if err != nil || used.Authenticator.CloneWarning {
		return false, nil //nolint:nilerr // a refused answer is a wrong factor
	}
	return true, s.notePasskey(ctx, rows, used)
}

func (s *service) notePasskey(ctx context.Context, rows []passkeyRow, used *webauthn.Credential) error {
	at := slices.IndexFunc(rows, func(r passkeyRow) bool { return bytes.Equal(r.CredentialID, used.ID) })
	if at < 0 {
		return errNoPasskey
	}
	stored, err := json.Marshal(used)
	if err != nil {
		return fmt.Errorf("encode a passkey: %w", err)
	}
	now := s.clock.Now().UTC()
	rows[at].Credential, rows[at].LastUsedAt = stored, &now
	return s.store.usedPasskey(ctx, &rows[at])
}

// registration is what a browser needs to make a passkey.
type registration struct {
	Challenge string `json:"challenge" doc:"Send it back with the browser's answer"`
	Options   any    `json:"options" doc:"For navigator.credentials.create"`
}

func (s *service) beginPasskey(ctx context.Context, password string) (*registration, error) {
	owner, err := s.confirmed(ctx, "password", password)
	if err != nil {
		return nil, err
	}
	rows, err := s.store.passkeys(ctx, owner.ID)
	if err != nil {
		return nil, err
	}
	who, err := held(owner, rows)
	if err != nil {
		return nil, err
	}
	options, session, err := s.ceremonies.protocol.BeginRegistration(who,
		webauthn.WithExclusions(webauthn.Credentials(who.keys).CredentialDescriptors()))
	if err != nil {
		return nil, fmt.Errorf("begin a passkey: %w", err)
	}
	kept, err := json.Marshal(session)
	if err != nil {
		return nil, fmt.Errorf("encode a passkey challenge: %w", err)
	}
	token, err := s.issue(ctx, owner, &challengeRow{AccountID: owner.ID, Purpose: purposeRegister, Ceremony: kept})
	return &registration{Challenge: token, Options: options}, err
}

var errPasskey = fault.Invalid("invalid_value", "the browser's answer does not fit the challenge; begin again").
	Field("credential", "invalid_value", "does not fit the challenge")

// finishPasskey stores the passkey that the browser made. Fault: invalid_value (422).
func (s *service) finishPasskey(ctx context.Context, token, name string, answer json.RawMessage) (*passkeyRow, error) {
	caller := access.From(ctx)
	row, err := s.store.tryChallenge(ctx, digestOf(token), purposeRegister, challengeAttempts, s.clock.Now())
	if fault.KindOf(err) == fault.KindMissing || err == nil && row.AccountID != caller.AccountID {
		return nil, errPasskey
	}
	if err != nil {
		return nil, err
	}
	owner, err := s.store.account(ctx, caller.AccountID)
	if err != nil {
		return nil, err
	}
	made, err := s.ceremonies.made(owner, row.Ceremony, answer)
	if err != nil {
		return nil, err
	}
	made.ID, made.AccountID, made.Name, made.CreatedAt = database.NewID(), owner.ID, name, s.clock.Now().UTC()
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if err := s.hold(ctx, owner); err != nil {
			return err
		}
		if alone, err := s.store.endChallenge(ctx, row.TokenHash); err != nil || !alone {
			return cmp.Or(err, error(errPasskey))
		}
		if err := s.store.insertPasskey(ctx, made); err != nil {
			return err
		}
		return s.factorChanged(ctx, owner, "passkey", nil, name)
	})
	return made, err
}

func (c *ceremonies) made(owner *accountRow, ceremony, answer json.RawMessage) (*passkeyRow, error) {
	var session webauthn.SessionData
	if err := json.Unmarshal(ceremony, &session); err != nil {
		return nil, fmt.Errorf("read a stored passkey challenge: %w", err)
	}
	parsed, err := protocol.ParseCredentialCreationResponseBody(bytes.NewReader(answer))
	if err != nil {
		return nil, errPasskey.Wrap(err)
	}
	credential, err := c.protocol.CreateCredential(holder{account: owner}, session, parsed)
	if err != nil {
		return nil, errPasskey.Wrap(err)
	}
	stored, err := json.Marshal(credential)
	return &passkeyRow{CredentialID: credential.ID, Credential: stored}, err
}

// renamePasskey changes the name alone, which tells one passkey from another and proves nothing. Fault: not_found
// (404).
func (s *service) renamePasskey(ctx context.Context, id, name string) (*passkeyRow, error) {
	owner, err := s.store.account(ctx, access.From(ctx).AccountID)
	if err != nil {
		return nil, err
	}
	var renamed *passkeyRow
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		row, err := s.store.lockPasskey(ctx, owner.ID, id)
		if err != nil {
			return err
		}
		former := row.Name
		row.Name, renamed = name, row
		if former == name {
			return nil
		}
		if err := s.store.renamePasskey(ctx, row); err != nil {
			return err
		}
		return s.factorChanged(ctx, owner, "passkey", former, name)
	})
	return renamed, err
}

// removePasskey takes one of the caller's passkeys off. Faults: not_found (404), invalid_value (422), throttled (429).
func (s *service) removePasskey(ctx context.Context, id, password string) error {
	own, err := s.store.passkeys(ctx, access.From(ctx).AccountID)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(own, func(row passkeyRow) bool { return row.ID == id }) {
		return errNoPasskey
	}
	owner, err := s.confirmed(ctx, "password", password)
	if err != nil {
		return err
	}
	return s.db.InTx(ctx, func(ctx context.Context) error {
		if err := s.hold(ctx, owner); err != nil {
			return err
		}
		if err := s.store.deletePasskey(ctx, owner.ID, id); err != nil {
			return err
		}
		return s.factorChanged(ctx, owner, "passkey", "set", "unset")
	})
}
