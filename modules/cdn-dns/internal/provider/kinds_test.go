package provider

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/fault"
)

func TestEveryKindDeclaresItsFields(t *testing.T) {
	t.Parallel()
	p := providers(t, "https://api.cloudflare.com/client/v4")
	for _, kind := range Kinds() {
		secrets := 0
		for _, field := range kind.Fields {
			require.NotEmpty(t, field.Help, "%s %s", kind.Name, field.Name)
			if field.Secret() {
				secrets++
			}
		}
		require.Positive(t, secrets, "%s has a secret", kind.Name)
		require.Equal(t, kind.Title, p.Kind(kind.Name).Title)
		require.NotEmpty(t, kind.Title)
		require.Positive(t, kind.LeastTTL)
	}
	require.Nil(t, p.Kind("unknown"))
}

func TestValuesAreCheckedBeforeTheyAreUsedAndNeverRepeated(t *testing.T) {
	t.Parallel()
	p := providers(t, "https://api.cloudflare.com/client/v4")
	for field, values := range map[string]Values{
		"fields.api_token": {},
		"fields":           {"api_token": "x", "sesame": "x"},
		"fields.zone_id":   {"api_token": "x", "zone_id": "sesame\nopen"},
	} {
		_, err := p.Open(Cloudflare, values, "fields")
		wrong, ok := fault.As(err)
		require.True(t, ok)
		require.Equal(t, field, wrong.Fields[0].Field)
		require.NotContains(t, err.Error(), "sesame")
	}
	for field, value := range map[string]string{
		"api_root":     "ftp://sesame.example",
		"server_id":    strings.Repeat("x", longestValue+1),
		"name_servers": "a\x00b",
	} {
		_, err := p.Open("powerdns", Values{"api_root": "http://10.0.0.1", "api_key": "k", field: value}, "fields")
		wrong, ok := fault.As(err)
		require.True(t, ok, field)
		require.Equal(t, "fields."+field, wrong.Fields[0].Field)
	}
	_, err := p.Open("rfc2136", Values{
		"server": "ns.example", "zones": "example.com", "key_name": "k", "key_secret": "no base64!",
	}, "fields")
	require.Equal(t, "invalid_value", fault.Code(err))
	_, err = p.Open("rfc2136", Values{
		"server": "ns.example", "zones": "example.com", "key_name": "k", "key_secret": "eA==", "key_algorithm": "md5",
	}, "fields")
	require.Equal(t, "invalid_value", fault.Code(err))
	_, err = p.Open("nobody", nil, "fields")
	require.Equal(t, "invalid_value", fault.Code(err))
}

func TestSecretsArePartedFromWhatMayBeShown(t *testing.T) {
	t.Parallel()
	p := providers(t, "https://api.cloudflare.com/client/v4")
	shown, secret := p.Kind("selectel").Split(Values{"account_id": "1", "username": "u", "password": "sesame"})
	require.Equal(t, Values{"account_id": "1", "username": "u"}, shown)
	require.Equal(t, Values{"password": "sesame"}, secret)
}
