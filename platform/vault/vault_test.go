package vault_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"panel/platform/database/dbtest"
	"panel/platform/vault"
)

const (
	keyA = "key-a-0123456789abcdef"
	keyB = "key-b-0123456789abcdef"
)

var place = vault.Ref{Table: "nodes", ID: "1", Column: "token"}

func made(t require.TestingT, current string, previous ...string) *vault.Vault {
	v, err := vault.New(current, previous...)
	require.NoError(t, err)
	return v
}

func TestWhatIsSealedOpensAgain(t *testing.T) {
	t.Parallel()
	v := made(t, keyA)
	rapid.Check(t, func(r *rapid.T) {
		plain := rapid.SliceOf(rapid.Byte()).Draw(r, "plain")
		sealed := v.Seal(place, plain)
		opened, err := v.Open(place, sealed)
		require.NoError(r, err)
		require.Equal(r, string(plain), string(opened))
		require.NotEqual(r, sealed, v.Seal(place, plain))
	})
}

func TestASealedTextMovedToAnotherPlaceDoesNotOpen(t *testing.T) {
	t.Parallel()
	v := made(t, keyA)
	sealed := v.Seal(place, []byte("canary"))
	for _, other := range []vault.Ref{{"nodes", "2", "token"}, {"flows", "1", "token"}, {"nodes", "1", "other"}} {
		_, err := v.Open(other, sealed)
		require.ErrorIs(t, err, vault.ErrDamaged)
	}
}

func TestAWrongKeyIsToldApartFromDamage(t *testing.T) {
	t.Parallel()
	sealed := made(t, keyA).Seal(place, []byte("canary"))
	_, err := made(t, keyB).Open(place, sealed)
	require.ErrorIs(t, err, vault.ErrWrongKey)
	require.NotContains(t, err.Error(), "canary")
}

func TestADamagedTextNeverOpens(t *testing.T) {
	t.Parallel()
	v := made(t, keyA)
	sealed := v.Seal(place, []byte("canary"))
	head := sealed[:strings.LastIndexByte(sealed, '.')+1]
	for at := len(head); at < len(sealed)-1; at++ {
		bad := []byte(sealed)
		bad[at] = 'A' + (bad[at]-'A'+1)%26
		if string(bad) == sealed {
			continue
		}
		_, err := v.Open(place, string(bad))
		require.Error(t, err)
	}
	for _, bad := range []string{"", "v1", "v1.x", "v2" + sealed[2:], head, head + "AAAA", head + "!!", sealed + ".x"} {
		_, err := v.Open(place, bad)
		require.Error(t, err, bad)
	}
}

func TestRotationOpensOldSecretsAndSealsWithTheNewKey(t *testing.T) {
	t.Parallel()
	old := made(t, keyA).Seal(place, []byte("canary"))
	v := made(t, keyB, keyA)
	opened, err := v.Open(place, old)
	require.NoError(t, err)
	require.Equal(t, "canary", string(opened))
	require.True(t, v.Stale(old))
	require.False(t, v.Stale(v.Seal(place, opened)))
	require.NotEqual(t, made(t, keyA).KeyID(), v.KeyID())
}

func TestAShortMasterKeyIsRefused(t *testing.T) {
	t.Parallel()
	_, err := vault.New("short")
	require.ErrorContains(t, err, "PANEL_SECRET_KEY")
}

func TestTheMasterKeyIsMadeOnceAndReadableByItsOwnerOnly(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	keys := make(chan string, 8)
	var starters sync.WaitGroup
	for range 8 {
		starters.Go(func() {
			key, _, err := vault.MasterKey("", dir)
			if err == nil {
				keys <- key
			}
		})
	}
	starters.Wait()
	close(keys)
	first, generated, err := vault.MasterKey("", dir)
	require.NoError(t, err)
	require.True(t, generated)
	require.Len(t, keys, 8)
	for key := range keys {
		require.Equal(t, first, key)
	}
	info, err := os.Stat(filepath.Join(dir, "secret.key"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 1)
	given, generated, err := vault.MasterKey(keyA, dir)
	require.NoError(t, err)
	require.False(t, generated)
	require.Equal(t, keyA, given)
}

func TestAPanelWithAnotherKeyIsStoppedByTheSample(t *testing.T) {
	t.Parallel()
	db := dbtest.New(t)
	require.NoError(t, made(t, keyA).Check(t.Context(), db))
	require.NoError(t, made(t, keyA).Guard(t.Context(), db))
	require.NoError(t, made(t, keyA).Guard(t.Context(), db))
	require.ErrorIs(t, made(t, keyB).Guard(t.Context(), db), vault.ErrWrongKey)
	require.ErrorIs(t, made(t, keyB).Check(t.Context(), db), vault.ErrWrongKey)
	require.NoError(t, made(t, keyB, keyA).Guard(t.Context(), db), "rotation knows the earlier key")
	require.NoError(t, made(t, keyB).Guard(t.Context(), db), "after rotation the new key is enough")
}
