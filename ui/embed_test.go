package ui_test

import (
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/ui"
)

func TestThereIsAlwaysAPageToServe(t *testing.T) {
	t.Parallel()
	page, err := fs.ReadFile(ui.FS(), "index.html")
	require.NoError(t, err)
	require.Contains(t, string(page), "<!doctype html>")
	if ui.Built() {
		require.Contains(t, string(page), `nonce="__CSP_NONCE__"`)
	}
}
