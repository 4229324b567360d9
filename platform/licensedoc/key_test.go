package licensedoc

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func newKey(t testing.TB) Key {
	t.Helper()
	key, err := NewKey()
	require.NoError(t, err)
	return key
}

func TestAKeyIsReadHoweverItIsTyped(t *testing.T) {
	t.Parallel()
	key := newKey(t)
	plain := key.Reveal()
	require.Regexp(t, `^PNL-[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4}$`, plain)
	confused := "PNL" + strings.NewReplacer("1", "l", "0", "o").Replace(plain[3:])
	for _, typed := range []string{plain, strings.ToLower(plain), "  " + plain + "\n", strings.ReplaceAll(plain, "-",
		""), strings.ReplaceAll(plain, "-", " "), confused} {
		got, err := ParseKey(typed)
		require.NoError(t, err)
		require.Equal(t, key, got)
	}
}

func TestEverySingleMistypedCharacterAndEverySwapIsCaught(t *testing.T) {
	t.Parallel()
	key := newKey(t)
	for i := range keySymbols {
		for _, wrong := range []byte(alphabet) {
			typed := []byte(key.symbols)
			typed[i] = wrong
			requireRefusedUnlessSame(t, key, typed)
		}
		for j := range i {
			typed := []byte(key.symbols)
			typed[i], typed[j] = typed[j], typed[i]
			requireRefusedUnlessSame(t, key, typed)
		}
	}
}

func requireRefusedUnlessSame(t *testing.T, key Key, typed []byte) {
	t.Helper()
	if string(typed) == key.symbols {
		return
	}
	_, err := ParseKey("PNL" + string(typed))
	require.ErrorIs(t, err, ErrKeyForm)
}

func TestTextsThatAreNoKeyAreRefusedWithoutAnEcho(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{
		"XXX-0000-0000-0000", "PNL-UUUU-UUUU-UUUU", "PNL-0000-0000-000\x00",
		"PNL-0000-0000-0000-0000", "PNL-éééé-0000-0000", strings.Repeat("P", 1<<20),
	} {
		_, err := ParseKey(bad)
		require.ErrorIs(t, err, ErrKeyForm)
		require.NotContains(t, err.Error(), bad[3:])
	}
}

// Specification, License: "The key is masked whenever it is displayed."
func TestAKeyIsMaskedHoweverItIsPrinted(t *testing.T) {
	t.Parallel()
	key := newKey(t)
	form := regexp.MustCompile(`^PNL-••••-••••-[0-9A-Z]{4}$`)
	require.Regexp(t, form, key.Masked())
	for _, printed := range []string{
		fmt.Sprint(key), fmt.Sprintf("%v", key), fmt.Sprintf("%+v", key),
		fmt.Sprintf("%#v", key),
	} {
		require.Regexp(t, form, printed)
	}
	require.Empty(t, Key{}.Masked())
}

func TestTheHashDiffersPerInstallation(t *testing.T) {
	t.Parallel()
	key := newKey(t)
	require.Regexp(t, hashForm(), key.Hash(instance))
	again := key.Hash(instance)
	require.Equal(t, again, key.Hash(instance))
	require.NotEqual(t, key.Hash(instance), key.Hash(license))
}
