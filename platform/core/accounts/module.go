// Package accounts is the panel's administrators: who they are, how they sign in and which sessions they hold.
//
// Session tokens and API tokens are proved from memory; what is in memory is dropped at once when this process changes
// it and over LISTEN/NOTIFY when another process does. While that connection is down every request reads the database.
package accounts

import (
	"context"
	"embed"
	"time"

	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/core/accounts/internal/throttle"
	"panel/platform/fault"
	"panel/platform/jobs"
	"panel/platform/module"
	"panel/platform/owners"
	"panel/platform/vault"
)

//go:embed migrations
var files embed.FS

// Permission keys of this module.
const (
	View   access.Key = "accounts.view"
	Manage access.Key = "accounts.manage"
)

//go:embed russian.txt
var russian string

// Module is the manifest.
func Module() module.Module {
	return module.Module{
		Name:    "accounts",
		Summary: "Accounts, their permissions and sessions",
		Russian: russian,
		Faults:  faults(),
		Permissions: []access.Permission{
			{Key: View, Summary: "See accounts and their permissions"},
			{Key: Manage, Summary: "Create, change and delete accounts"},
		},
		Journal: audit.Kinds{
			Actions: []string{
				"account.created", "account.deleted", "account.factor_changed", "account.login_failed",
				"account.login_ok", "account.login_throttled", "account.logout", "account.password_reset",
				"account.permissions_changed", factorsLocked, "account.session_ended", "account.token_created",
				"account.token_revoked", "account.updated",
			},
			Objects: []string{"account", "api_token", "session"},
		},
		Secrets: []vault.Column{
			{Table: "totp_factors", ID: "account_id", Column: "sealed_secret"},
		},
		Events:     eventKinds(),
		Migrations: module.SQL(files),
		Tidy: []jobs.Tidy{
			{Table: "sessions", Column: "expires_at", Age: rememberEnded},
			{Table: "challenges", Column: "expires_at", Age: factorWindow},
			{Table: "api_tokens", Column: "expires_at", Age: rememberExpired},
		},
		Commands: commands,
		Private:  []any{newStore, throttle.New, newCatalogue, newCeremonies, newService, newHandlers},
		Exports:  []any{newDirectory, exportSessions, exportFirst, exportAccounts, owners.NewRegistry},
		Attach:   attach,
	}
}

// What has ended is remembered for a while, so that a late caller hears that it has ended, rather than that there never
// was one.
const (
	rememberEnded   = 24 * time.Hour
	rememberExpired = 30 * 24 * time.Hour
)

func attach(h *handlers, d *directory) module.Parts {
	return module.Parts{
		Routes: h.routes(), Loops: []func(context.Context) error{d.keepTouching},
		Ready: []func(context.Context) error{h.service.keyUsernames},
	}
}

// faults are the codes that this module alone answers with.
func faults() []fault.Declared {
	return []fault.Declared{
		{Kind: fault.KindConflict, Code: "account_in_use", Summary: "The account owns something; hand it over first"},
		{
			Kind: fault.KindUnauthenticated, Code: "api_token_expired",
			Summary: "The API token has expired; create another one",
		},
		{Kind: fault.KindUnauthenticated, Code: "bad_credentials", Summary: "The username or the password is wrong"},
		{Kind: fault.KindConflict, Code: "last_admin", Summary: "It is the last account with full access"},
		{
			Kind: fault.KindConflict, Code: "own_account",
			Summary: "It is the own account; its password is changed with the current one",
		},
		{
			Kind: fault.KindUnauthenticated, Code: "second_factor_required",
			Summary: "A second factor is needed; the answer carries the challenge",
		},
		{Kind: fault.KindUnauthenticated, Code: "session_expired", Summary: "The session has ended"},
		{
			Kind: fault.KindConflict, Code: "too_many_tokens",
			Summary: "The account has as many API tokens as it may have",
		},
		{Kind: fault.KindConflict, Code: "totp_enabled", Summary: "An authenticator app is set up already"},
		{Kind: fault.KindConflict, Code: "totp_missing", Summary: "No authenticator app is set up"},
		{Kind: fault.KindConflict, Code: "totp_not_begun", Summary: "Setting up the authenticator app was not begun"},
	}
}
