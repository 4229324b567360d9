package vault

import (
	"context"

	"panel/platform/config"
	"panel/platform/database"
)

// Open makes the panel's vault from its settings and proves with the sample in the database that the key is the right
// one.
func Open(ctx context.Context, cfg *config.Config, db *database.DB) (*Vault, error) {
	master, _, err := MasterKey(cfg.Secret(config.SecretKey).Reveal(), cfg.DataDir())
	if err != nil {
		return nil, err
	}
	v, err := New(master, cfg.Secret(config.SecretKeyPrevious).List()...)
	if err != nil {
		return nil, err
	}
	return v, v.Guard(ctx, db)
}
