package masking

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
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

// A key in base64 may hold slashes and is no path for that; a path is none for holding digits.
func TestKeysWithSlashesAreNoPaths(t *testing.T) {
	t.Parallel()
	for _, key := range []string{
		"wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLE1KEY", "yAnz5TF/lXXJte14tji3zlMNq/hd2rYUIgJBgB3fBmk=",
		"/yAnz5TFlXXJte14tji3zlMNqhd2rYUIgJBgB3fBmk=", "aaaa/bbbb/cccc/dddd/1234==",
	} {
		require.Equal(t, "key "+Stars+".", Secrets("key "+key+"."), key)
	}
	for _, path := range []string{
		"/flows/019a0b1c-2d3e-7f40-8a1b-2c3d4e5f6071/Graph", "/monitoring/incidents/page2/of/all", "api/v1/connection-units/bulk",
		"/Documents/Of/Whatever/Kind",
	} {
		require.Equal(t, path, Secrets(path))
	}
}

// What stands around an address neither hides it nor goes with it.
func TestAddressesAreFoundInAnyCompany(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"10.0.0.1:443":                          Stars + ":443",
		"[2001:db8::1]:443":                     "[" + Stars + "]:443",
		"listen:443:10.20.30.40":                "listen:443:" + Stars,
		"de:ad:10.20.30.40":                     "de:ad:" + Stars,
		"at 12:30:45:10.20.30.40":               "at 12:30:45:" + Stars,
		"10.0.0.0/8, fe80::/10":                 Stars + "/8, " + Stars + "/10",
		"http://192.0.2.7/x":                    "http://" + Stars + "/x",
		"2001:DB8:0:0:8:800:200C:417A from ::1": Stars + " from " + Stars,
		"1.2.3.4.5":                             Stars + ".5",
		"999.1.1.1 and 1.2.3":                   "999.1.1.1 and 1.2.3",
		"aa:bb:cc:dd:ee:ff":                     "aa:bb:cc:dd:ee:ff",
		"a::b::c at 10:20":                      "a::b::c at 10:20",
	} {
		require.Equal(t, want, Addresses(text))
	}
}

// In a text of any words each secret and each address is taken out, and every other word stays where it was.
func TestEveryWordIsMaskedForItself(t *testing.T) {
	t.Parallel()
	secret := []string{
		"10.0.0.1", "::1", "2001:db8::1", "ps_0123456789ab", "vless://x", "0123456789abcdef01234567", "sk-abcdefgh12345678",
		"123456789:AAF-abcdefghijklmnopqrstuvwx", "yAnz5TF/lXXJte14tji3zlMNq/hd2rYUIgJBgB3fBmk=",
	}
	open := []string{"10:20:30", "1.2.3", "ams-2", "поток", "019a0b1c-2d3e-7f40-8a1b-2c3d4e5f6071", "/flows/x", Stars, "ps_1", "a.b"}
	rapid.Check(t, func(t *rapid.T) {
		var text, want strings.Builder
		for range rapid.IntRange(0, 8).Draw(t, "words") {
			word := rapid.SampledFrom(slices.Concat(secret, open)).Draw(t, "word")
			between := rapid.SampledFrom([]string{" ", "\n", " («"}).Draw(t, "between")
			text.WriteString(word + between)
			if slices.Contains(secret, word) {
				word = Stars
			}
			want.WriteString(word + between)
		}
		once := Addresses(Secrets(text.String()))
		require.Equal(t, want.String(), once)
		require.Equal(t, once, Addresses(Secrets(once)), "a stored question is masked again before it leaves")
	})
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
