package vault

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/uptrace/bun"
)

const canaryWord = "the secret store opens"

func canaryRef(keyID string) Ref {
	return Ref{Table: "vault_canaries", ID: keyID, Column: "sealed"}
}

// Guard leaves a sealed sample in the database at the first start and opens it at every later one, before anything else
// is sealed. A panel whose key is not the one that the database was sealed with gets ErrWrongKey.
func (v *Vault) Guard(ctx context.Context, db bun.IDB) error {
	newest, err := v.openNewest(ctx, db)
	if err != nil || newest == v.current {
		return err
	}
	_, err = db.ExecContext(ctx, "insert into vault_canaries (key_id, sealed) values (?, ?) on conflict (key_id) do update set sealed = excluded.sealed, created_at = now()",
		v.current, v.Seal(canaryRef(v.current), []byte(canaryWord)))
	if err != nil {
		return fmt.Errorf("keeping a sample of the secret store: %w", err)
	}
	return nil
}

// Check opens the newest sample without writing; Doctor and a restore use it. No sample yet is no error.
func (v *Vault) Check(ctx context.Context, db bun.IDB) error {
	_, err := v.openNewest(ctx, db)
	return err
}

// openNewest demands that the newest sample opens; older ones may belong to keys that were given up.
func (v *Vault) openNewest(ctx context.Context, db bun.IDB) (keyID string, err error) {
	var sealed string
	err = db.NewRaw("select key_id, sealed from vault_canaries order by created_at desc limit 1").
		Scan(ctx, &keyID, &sealed)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("reading the sample of the secret store: %w", err)
	}
	if _, err := v.Open(canaryRef(keyID), sealed); err != nil {
		return "", fmt.Errorf("opening the sample of the secret store: %w", err)
	}
	return keyID, nil
}
