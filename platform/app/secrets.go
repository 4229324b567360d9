package app

import (
	"context"
	"slices"

	"panel/platform/config"
	"panel/platform/database"
	"panel/platform/idempotency"
	"panel/platform/module"
	"panel/platform/settings"
	"panel/platform/vault"
)

// OpenVault makes the secret store of a panel and refuses a master key that does not open what is already sealed.
func OpenVault(ctx context.Context, cfg *config.Config, db *database.DB) (*vault.Vault, error) {
	key, _, err := vault.MasterKey(cfg.Secret(config.SecretKey).Reveal(), cfg.DataDir())
	if err != nil {
		return nil, err
	}
	opened, err := vault.New(key, cfg.List(config.SecretKeyPrevious)...)
	if err != nil {
		return nil, err
	}
	return opened, opened.Guard(ctx, db)
}

// SealedColumns are all columns of a panel that hold sealed secrets.
func SealedColumns(modules []module.Module) []vault.Column {
	all := slices.Concat(settings.Columns, idempotency.Columns)
	for _, m := range modules {
		all = append(all, m.Secrets...)
	}
	return all
}
