package envfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParse(t *testing.T) {
	t.Parallel()
	values, err := Parse(strings.NewReader("\ufeff# settings\n\nPANEL_PORT=8080\nexport PANEL_LANG='ru'\nPANEL_DB_URL=\"postgres://a:b=c@h/d\"\nEMPTY=\n; old\n"))
	require.NoError(t, err)
	require.Equal(t, map[string]string{
		"PANEL_PORT": "8080", "PANEL_LANG": "ru", "PANEL_DB_URL": "postgres://a:b=c@h/d",
		"EMPTY": "",
	}, values)
}

// A broken line does not hide the others, and its content is not echoed.
func TestBrokenLine(t *testing.T) {
	t.Parallel()
	values, err := Parse(strings.NewReader("PANEL_PORT=8080\nsecret canary\nPANEL_LANG=ru\n"))
	require.ErrorContains(t, err, "line 2")
	require.NotContains(t, err.Error(), "canary")
	require.Equal(t, "ru", values["PANEL_LANG"])
}

// Rule: the DSN is looked for in ./.env, /opt/panel/.env, /var/lib/panel/.env and ~/.panel/.env, in this order.
// Specification, Command-line interface: the DSN is found "in env PANEL_DB_URL or in a .env file" of four places.
func TestPlaces(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"./.env", "/opt/panel/.env", "/var/lib/panel/.env", "/home/ann/.panel/.env"},
		Places("/home/ann"))
}

// Rule: of several files the first with PANEL_DB_URL wins and is named.
func TestFirstWithTheNameWins(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	places := []string{
		filepath.Join(dir, "none"), filepath.Join(dir, "a"), filepath.Join(dir, "b"),
		filepath.Join(dir, "c"),
	}
	for name, content := range map[string]string{
		"a": "PANEL_PORT=1\n", "b": "PANEL_DB_URL=x\n",
		"c": "PANEL_DB_URL=y\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	require.Equal(t, places[2], Find(places, "PANEL_DB_URL").Path)
	require.Equal(t, places[1], Find(places[:2], "PANEL_DB_URL").Path)
	require.Nil(t, Find(places[:1], "PANEL_DB_URL"))
}

func FuzzParse(f *testing.F) {
	f.Add("PANEL_PORT=8080\n# x\nA='b'")
	f.Add("=\n==\nexport \n\x00=1")
	f.Fuzz(func(t *testing.T, text string) {
		values, _ := Parse(strings.NewReader(text))
		for name := range values {
			require.True(t, isName(name))
		}
	})
}
