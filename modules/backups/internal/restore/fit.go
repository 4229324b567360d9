package restore

import (
	"context"
	"fmt"
	"slices"

	"panel/modules/backups/internal/artefact"
	"panel/platform/vault"
)

// fits proves, before anything is touched, that this panel can use the artefact: seal, schema, master key.
func fits(ctx context.Context, from From, p Panel, progress func(artefact.Progress)) (keys artefact.Keys, err error) {
	keys = from.Keys
	if p.Master != "" {
		keys.Masters = append([]string{p.Master}, keys.Masters...)
	}
	listed, err := artefact.Find(ctx, from.At, from.Manifest.Name, keys)
	if err != nil {
		return keys, err
	}
	if !listed.Authentic {
		return keys, ErrKeyMismatch
	}
	if err := knows(p.Steps, listed.Manifest.Schema); err != nil {
		return keys, err
	}
	return keys, artefact.Prove(ctx, from.At, listed.Manifest, progress)
}

func knows(ours, theirs []string) error {
	for _, step := range theirs {
		if !slices.Contains(ours, step) {
			return ErrNewerSchema
		}
	}
	return nil
}

// vaultOf opens what the artefact's panel sealed; nil where its key was not given.
func vaultOf(keyID string, keys artefact.Keys) (*vault.Vault, string) {
	for _, master := range keys.Masters {
		if safe, err := vault.New(master, keys.Masters...); err == nil && safe.KeyID() == keyID {
			return safe, master
		}
	}
	return nil, ""
}

func otherKey(p Panel, keyID string) (bool, error) {
	safe, err := vault.New(p.Master)
	if err != nil {
		return false, fmt.Errorf("read the panel's master key: %w", err)
	}
	return safe.KeyID() != keyID, nil
}
