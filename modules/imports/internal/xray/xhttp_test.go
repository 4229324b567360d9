package xray_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/imports/internal/foreign"
)

// overXHTTP reads the settings of xhttp.
func overXHTTP(t *testing.T, settings any) (*foreign.Listener, []string) {
	t.Helper()
	e, c := one(t, vless(object{
		"network": "xhttp", "security": "reality", "realitySettings": realityOf(nil), "xhttpSettings": settings,
	}))
	return e.Listener, told(c)
}

// Further settings of xhttp are read in every form of the core, beside the others or in a member of their own.
func TestFurtherSettingsOfXHTTP(t *testing.T) {
	t.Parallel()
	further := object{
		"xPaddingBytes": "100-1000", "noGRPCHeader": true, "noSSEHeader": true,
		"scMaxEachPostBytes": 1000000, "scMinPostsIntervalMs": object{"from": 10, "to": 50}, "scMaxBufferedPosts": 30,
		"scStreamUpServerSecs": "20-80", "xmux": object{"maxConcurrency": 16}, "headers": object{}, "host": "a.example",
	}
	wanted := &foreign.Extra{
		PaddingBytes: "100-1000", NoGRPCHeader: true, NoSSEHeader: true, MaxEachPostBytes: "1000000",
		MinPostsIntervalMs: "10-50", MaxBufferedPosts: 30, StreamUpServerSecs: "20-80",
	}
	l, lines := overXHTTP(t, with(further, object{"path": "/x?a=b", "mode": "stream-up"}))
	require.Empty(t, lines)
	require.Equal(t, "/x", l.Path)
	require.Equal(t, "stream-up", l.Mode)
	require.Equal(t, wanted, l.Extra)
	l, lines = overXHTTP(t, object{"path": "/x", "mode": "auto", "extra": further})
	require.Empty(t, lines)
	require.Equal(t, wanted, l.Extra)
	l, lines = overXHTTP(t, object{"xPaddingBytes": "1-2", "extra": object{"xPaddingBytes": "3-4"}})
	require.Empty(t, lines)
	require.Equal(t, "3-4", l.Extra.PaddingBytes, "the core takes those of the member")
	for _, none := range []any{nil, object{}, object{"extra": nil}, object{"xPaddingBytes": "0", "noSSEHeader": false}} {
		l, lines = overXHTTP(t, none)
		require.Empty(t, lines)
		require.Nil(t, l.Extra)
	}
}

func TestSettingsOfXHTTPThatAreNotReadAreTold(t *testing.T) {
	t.Parallel()
	const at = "inbounds[0].streamSettings.xhttpSettings"
	for name, value := range map[string]any{
		"headers": object{"X-A": "b"}, "downloadSettings": object{"address": "a"}, "xPaddingObfsMode": true,
		"xPaddingBytes": "many", "scMaxEachPostBytes": object{"from": -1, "to": 2}, "noGRPCHeader": "yes",
		"scMaxBufferedPosts": 5000, "scMinPostsIntervalMs": []any{1}, "scStreamUpServerSecs": "1-2-3",
	} {
		l, lines := overXHTTP(t, object{"path": "/x", name: value})
		require.Equal(t, []string{at + " setting_left_out " + name}, lines)
		require.Nil(t, l.Extra, name)
	}
	l, lines := overXHTTP(t, object{"mode": "sideways"})
	require.Empty(t, l.Mode)
	require.Equal(t, []string{at + ".mode setting_left_out mode"}, lines)
	_, lines = overXHTTP(t, object{"extra": "text"})
	require.Contains(t, lines, at+".extra not_readable")
	_, lines = overXHTTP(t, []any{1})
	require.Equal(t, []string{at + " not_readable"}, lines)
	_, lines = overXHTTP(t, object{"path": 5})
	require.Equal(t, []string{at + " not_readable"}, lines)
}
