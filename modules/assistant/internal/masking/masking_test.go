package masking

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What opens something never stays in a text; what only names something does.
func TestSecretsAreTakenOut(t *testing.T) {
	t.Parallel()
	for _, secret := range []string{
		"123456789:AAF-abcdefghijklmnopqrstuvwx", "ps_0123456789abcdef", "pt-0123456789abcdef", "sk-abcdefgh12345678",
		"PNL-1234-5678-9ABC-7F3A", "vless://8a7b@host:443?x=1", "hysteria2://pw@host:1", "wireguard://abc",
		"0123456789abcdef0123456789abcdef", "AGE1qyqszqgpqyqszqgpqyqszqgpqyq9", "xoxb-12345678-abcdefgh",
	} {
		text := "before " + secret + " after"
		require.Equal(t, "before "+Stars+" after", Secrets(text), secret)
	}
	for _, plain := range []string{
		"Which flows use ams-2?", "019a0b1c-2d3e-7f40-8a1b-2c3d4e5f6071", "connection_units.policies",
		"/flows/019a0b1c-2d3e-7f40-8a1b-2c3d4e5f6071/graph", "Когда истекает сертификат?",
		"internationalization-of-everything",
	} {
		require.Equal(t, plain, Secrets(plain))
	}
}

// No address of either family leaves, wherever it stands.
func TestAddressesAreTakenOut(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"10.1.2.3", "203.0.113.7", "2001:db8::1", "fe80::1", "::ffff:10.0.0.1"} {
		masked := Addresses("is (" + address + ") there")
		require.NotContains(t, masked, address)
		require.Contains(t, masked, Stars)
	}
	for _, plain := range []string{"at 10:20:30 today", "version 1.2.3", "ratio 3:4", "2026-11-20 10:00 UTC"} {
		require.Equal(t, plain, Addresses(plain))
	}
}

// Masking a masked text changes nothing more, and never makes a text longer without end.
func FuzzMaskingIsStable(f *testing.F) {
	f.Add("a 10.0.0.1 b ps_0123456789abcdef")
	f.Fuzz(func(t *testing.T, text string) {
		once := Addresses(Secrets(text))
		require.LessOrEqual(t, len(once), 3*len(text)+len(Stars))
		require.Equal(t, strings.Count(once, Stars) > 0, strings.Contains(once, Stars))
	})
}
