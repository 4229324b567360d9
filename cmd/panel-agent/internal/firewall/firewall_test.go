package firewall

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"panel/platform/agentapi"
)

func TestReportsWhatIsThereAndWhetherItIsInForce(t *testing.T) {
	t.Parallel()
	root := t.TempDir() + "/"
	put(t, root+"etc/ufw/ufw.conf", "# x\nENABLED=yes\n")
	put(t, root+"proc/net/ip_tables_names", "nat\nfilter\n")
	reader := &Reader{clock: clockwork.NewFakeClock(), root: root, rules: func(context.Context) (string, error) {
		return "table inet f {\n chain in {\n  type filter hook input priority 0; policy drop;\n }\n}\n", nil
	}}
	require.Equal(t, []agentapi.Firewall{
		{Kind: "ufw", Active: true},
		{Kind: "iptables", Active: true, Detail: "tables: nat, filter"},
		{Kind: "nftables", Active: true, Detail: "1 input chains, 1 of them drop by default"},
	}, reader.Read(context.Background()))
}

func TestABareHostHasNone(t *testing.T) {
	t.Parallel()
	reader := &Reader{
		clock: clockwork.NewFakeClock(), root: t.TempDir() + "/",
		rules: func(context.Context) (string, error) {
			return "", errors.New("not installed")
		},
	}
	require.Empty(t, reader.Read(context.Background()))
}

func put(t *testing.T, path, content string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
}
