package licensedoc

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// fuzzKey is fixed, so that signed seeds in the corpus stay signed.
func fuzzKey() SigningKey {
	key, _ := SigningKeyFromSeed(bytes.Repeat([]byte{7}, 32))
	return key
}

func FuzzVerify(f *testing.F) {
	key := fuzzKey()
	other, _ := SigningKeyFromSeed(bytes.Repeat([]byte{9}, 32))
	f.Add(signed(f, sample(), key))
	f.Add(signed(f, sample(), other, Endorse(key, other.Public())))
	f.Add("PNLDOC1.e30.AAAA")
	f.Fuzz(func(t *testing.T, text string) {
		d, err := Verify(text, key.Public())
		if err != nil {
			require.Equal(t, Document{}, d)
			return
		}
		again, err := Verify(signed(t, d, key), key.Public())
		require.NoError(t, err)
		d.KeyID = key.Public().ID()
		require.Equal(t, d, again)
	})
}

func FuzzPayload(f *testing.F) {
	d := sample()
	d.Version, d.KeyID = Version, fuzzKey().Public().ID()
	payload, err := d.encode()
	require.NoError(f, err)
	f.Add(payload)
	f.Add([]byte(`{"version":1}`))
	f.Fuzz(func(t *testing.T, payload []byte) {
		d, err := decode(payload)
		if err != nil {
			return
		}
		again, err := d.encode()
		require.NoError(t, err)
		require.Equal(t, payload, again, "one document has one spelling")
	})
}

func FuzzParseKey(f *testing.F) {
	f.Add("PNL-0000-0000-0000")
	f.Add("pnl 0000 0000 0000")
	f.Fuzz(func(t *testing.T, text string) {
		key, err := ParseKey(text)
		if err != nil {
			return
		}
		again, err := ParseKey(key.Reveal())
		require.NoError(t, err)
		require.Equal(t, key, again)
	})
}
