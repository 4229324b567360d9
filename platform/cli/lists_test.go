package cli_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/cli"
)

// Flags that say nothing narrow nothing down; what the others say arrives as it was written.
func TestAListIsAskedForWhatFlagsSay(t *testing.T) {
	t.Parallel()
	const path = "/api/v1/clients"
	require.Equal(t, path, cli.Asked(path, nil))
	require.Equal(t, path, cli.Asked(path, map[string]string{"q": "", "state": ""}))
	require.Equal(t, path+"?q=a%26b+%2F%D0%90&state=active", cli.Asked(path, map[string]string{
		"state": "active", "q": "a&b /А", "tag": "",
	}))
}
