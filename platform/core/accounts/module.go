// Package accounts is the panel's administrators: who they are, how they sign in and which sessions they hold.
//
// A session token is proved from memory; what is in memory is dropped at once when this process changes it and over
// LISTEN/NOTIFY when another process does. While that connection is down every request reads the database.
package accounts

import (
	"context"
	"embed"

	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/module"
	"panel/platform/notice"
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

// Module is the manifest.
func Module() module.Module {
	return module.Module{
		Name:    "accounts",
		Summary: "Accounts, their permissions and sessions",
		Permissions: []access.Permission{
			{Key: View, Summary: "See accounts and their permissions"},
			{Key: Manage, Summary: "Create, change and delete accounts"},
		},
		Journal: audit.Kinds{
			Actions: []string{
				"account.created", "account.deleted", "account.factor_changed", "account.login_failed",
				"account.login_ok", "account.login_throttled", "account.logout", "account.password_reset",
				"account.permissions_changed", factorsLocked, "account.session_ended", "account.updated",
			},
			Objects: []string{"account", "session"},
		},
		Secrets: []vault.Column{
			{Table: "totp_factors", ID: "account_id", Column: "sealed_secret"},
		},
		Notices: []notice.Kind{
			{Key: factorsLocked, Summary: "Somebody who knows the password guesses second factors", Severity: "warning"},
		},
		Migrations: module.SQL(files),
		Commands:   commands,
		Private:    []any{newStore, newThrottle, newCatalogue, newCeremonies, newService, newHandlers},
		Exports:    []any{newDirectory, exportSessions, exportFirst, exportAccounts, owners.NewRegistry},
		Attach:     attach,
	}
}

func attach(h *handlers, d *directory) module.Parts {
	return module.Parts{Routes: h.routes(), Loops: d.loops(), Ready: []func(context.Context) error{h.service.keyUsernames}}
}
