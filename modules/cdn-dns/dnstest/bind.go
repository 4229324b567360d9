package dnstest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/testneed"
)

// BIND is a running server that takes signed updates.
type BIND struct {
	Address string
	KeyName string
	Secret  string
}

const (
	bindKey    = "panel"
	bindSecret = "c2VjcmV0IG9mIHRoZSB0ZXN0cywgbm90aGluZyBlbHNl"

	bindConfig = `
options { directory "FOLDER"; listen-on port PORT { 127.0.0.1; }; listen-on-v6 { none; }; pid-file none;
	recursion no; dnssec-validation no; session-keyfile none; notify no; };
controls { };
key "KEY." { algorithm hmac-sha256; secret "SECRET"; };
`
	bindZone = `
zone "ZONE" { type primary; file "ZONE.db"; allow-update { key "KEY."; }; };
`
	bindContent = `$TTL 60
@ IN SOA ns1 hostmaster 1 3600 600 86400 60
@ IN NS ns1
ns1 IN A 127.0.0.1
taken IN A 192.0.2.99
*.wild IN A 192.0.2.98
`
)

// NewBIND starts a server that holds the zones, each with an address at "taken" and a wildcard below "wild".
func NewBIND(t testing.TB, zones ...string) *BIND {
	t.Helper()
	folder := t.TempDir()
	at := ports(t, 1)[0]
	config := strings.NewReplacer("FOLDER", folder, "PORT", port(at), "KEY", bindKey, "SECRET", bindSecret).
		Replace(bindConfig)
	for _, zone := range zones {
		config += strings.NewReplacer("ZONE", zone, "KEY", bindKey).Replace(bindZone)
		require.NoError(t, os.WriteFile(filepath.Join(folder, zone+".db"), []byte(bindContent), 0o600))
	}
	require.NoError(t, os.WriteFile(filepath.Join(folder, "named.conf"), []byte(config), 0o600))
	run(t, folder, testneed.Program(t, "named"), "-g", "-n", "1", "-c", filepath.Join(folder, "named.conf"))
	for _, zone := range zones {
		Answers(t, at, zone)
	}
	return &BIND{Address: at, KeyName: bindKey, Secret: bindSecret}
}
