package plan

import (
	"crypto/ecdh"
	"encoding/base64"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestThePublicKeyBelongsToThePrivateOneWhetherRememberedOrNot(t *testing.T) {
	t.Parallel()
	memory := rememberKeys(2)
	var all sync.WaitGroup
	for i := range 40 {
		all.Go(func() {
			for j := range byte(5) {
				private := [32]byte{j + 1, byte(i % 3)}
				key, err := ecdh.X25519().NewPrivateKey(private[:])
				if err != nil {
					t.Errorf("read a key: %v", err)
					return
				}
				if got := memory.of(private); got != base64.RawURLEncoding.EncodeToString(key.PublicKey().Bytes()) {
					t.Errorf("the public key of %d is another: %s", j, got)
				}
			}
		})
	}
	all.Wait()
	require.LessOrEqual(t, memory.known.Len(), 2, "the memory has an end")
}

func TestEachListenerHasKeysOfItsOwn(t *testing.T) {
	t.Parallel()
	root, other := []byte("root of one flow"), []byte("root of another")
	first := realityPublic(root, "entry")
	require.Equal(t, first, realityPublic(root, "entry"))
	require.NotEqual(t, first, realityPublic(root, "exit"))
	require.NotEqual(t, first, realityPublic(other, "entry"))
}
