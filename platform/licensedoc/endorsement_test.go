package licensedoc

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAPanelThatKnowsTheOldKeyFollowsTwoRotations(t *testing.T) {
	t.Parallel()
	first, second, third := newSigningKey(t), newSigningKey(t), newSigningKey(t)
	chain := []Endorsement{Endorse(first, second.Public()), Endorse(second, third.Public())}
	text := signed(t, sample(), third, chain...)
	for _, trusted := range []SigningKey{first, second, third} {
		_, err := Verify(text, trusted.Public())
		require.NoError(t, err)
	}
}

func TestADocumentOfTheOldKeyStaysGoodAfterARotation(t *testing.T) {
	t.Parallel()
	first, second := newSigningKey(t), newSigningKey(t)
	kept := signed(t, sample(), first)
	_, err := Verify(kept, first.Public())
	require.NoError(t, err)
	_, err = Verify(kept, second.Public(), first.Public())
	require.NoError(t, err, "a panel that moved to the new key lists both")
	_, err = Verify(kept, second.Public())
	require.ErrorIs(t, err, ErrUntrusted, "the successor does not speak for the past")
}

func TestABrokenChainLeadsNowhere(t *testing.T) {
	t.Parallel()
	first, second, third, thief := newSigningKey(t), newSigningKey(t), newSigningKey(t), newSigningKey(t)
	forged := Endorse(thief, thief.Public())
	forged.signer = first.Public().ID()
	for name, chain := range map[string][]Endorsement{
		"no chain":                  nil,
		"a link is missing":         {Endorse(second, third.Public())},
		"wrong order":               {Endorse(second, third.Public()), Endorse(first, second.Public())},
		"signed by a stranger":      {Endorse(thief, third.Public())},
		"signer's name is borrowed": {forged},
	} {
		text := signed(t, sample(), third, chain...)
		_, err := Verify(text, first.Public())
		require.ErrorIs(t, err, ErrUntrusted, name)
	}
}

func TestAnEndorsementIsNoDocumentSignature(t *testing.T) {
	t.Parallel()
	key := newSigningKey(t)
	message := []byte(key.Public())
	require.False(t, key.Public().verifies(documentWord, message, Endorse(key, key.Public()).signature))
}

func TestKeysAreReadAsTheyAreWritten(t *testing.T) {
	t.Parallel()
	key, other := newSigningKey(t), newSigningKey(t)
	again, err := SigningKeyFromSeed(key.Seed())
	require.NoError(t, err)
	require.Equal(t, key.Public(), again.Public())
	keys, err := ParsePublicKeys(key.Public().String() + ", " + other.Public().String())
	require.NoError(t, err)
	require.Equal(t, []PublicKey{key.Public(), other.Public()}, keys)
	for _, bad := range []string{"x", key.Public().String() + "A", "!" + key.Public().String()[1:]} {
		_, err := ParsePublicKeys(bad)
		require.Error(t, err)
		require.NotContains(t, err.Error(), bad)
	}
	_, err = SigningKeyFromSeed([]byte("short"))
	require.Error(t, err)
	require.NotContains(t, key.String(), string(key.Seed()))
}
