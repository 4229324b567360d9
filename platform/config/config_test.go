package config

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Specification, Configuration: the panel is "configured only by environment variables", read once at process start.
func TestLoadReadsTheEnvironmentOnceAndFallsBackToDefaults(t *testing.T) {
	t.Setenv("PANEL_PORT", "9000")
	t.Setenv("PANEL_BIND", "")
	t.Setenv("PANEL_TEST_DB_URL", "postgres://somewhere")
	read, warnings, err := Load()
	require.NoError(t, err)
	require.Empty(t, warnings)
	require.Equal(t, 9000, read.Int(Port))
	require.True(t, read.Given(Port))
	require.Equal(t, "127.0.0.1", read.String(Bind))
	require.False(t, read.Given(Bind))
}

func TestAnUnknownNameIsAWarningAndNotAnError(t *testing.T) {
	t.Setenv("PANEL_PROT", "9000")
	t.Setenv("OTHER_NAME", "1")
	_, warnings, err := Load()
	require.NoError(t, err)
	require.Len(t, warnings, 1)
	require.Contains(t, string(warnings[0]), "PANEL_PROT")
}

func TestABadValueNamesKeyFormAndMeaningButNeverTheValue(t *testing.T) {
	t.Parallel()
	_, err := Of(map[string]string{"PANEL_PORT": "sesame", "PANEL_LOG_LEVEL": "loudly"})
	require.ErrorContains(t, err, "PANEL_PORT")
	require.ErrorContains(t, err, "1 to 65535")
	require.ErrorContains(t, err, "port of the panel")
	require.ErrorContains(t, err, "debug, info, warn, error")
	require.NotContains(t, err.Error(), "sesame")
	require.NotContains(t, err.Error(), "loudly")
}

func TestFormsAcceptAndRefuse(t *testing.T) {
	t.Parallel()
	for form, cases := range map[Form]struct{ good, bad []string }{
		Number:          {[]string{"0", "72"}, []string{"-1", "1.5", "x"}},
		PortForm:        {[]string{"1", "65535"}, []string{"0", "65536"}},
		Switch:          {[]string{"true", "false", "1", "0"}, []string{"maybe"}},
		URL:             {[]string{"https://panel.example", "http://[::1]:8080"}, []string{"panel.example", "ftp://x", "http://"}},
		Listen:          {[]string{"127.0.0.1:9464", ":0"}, []string{"9464", "a:b"}},
		Host:            {[]string{"0.0.0.0", "::1", "panel.example"}, []string{"http://x", "a b"}},
		OneOf("a", "b"): {[]string{"a", "b"}, []string{"c", "a, b"}},
		Text:            {[]string{"anything at all"}, nil},
	} {
		for _, value := range cases.good {
			require.True(t, form.accepts(value), "%q as %s", value, form)
		}
		for _, value := range cases.bad {
			require.False(t, form.accepts(value), "%q as %s", value, form)
		}
	}
}

func TestASecretPrintsAsStarsEverywhere(t *testing.T) {
	t.Parallel()
	read, err := Of(map[string]string{"PANEL_SECRET_KEY": "canary"})
	require.NoError(t, err)
	secret := read.Secret(SecretKey)
	encoded, err := json.Marshal(struct{ Key Secret }{secret})
	require.NoError(t, err)
	shown := fmt.Sprintf("%s %v %+v %#v %x %q %s %v", secret, secret, secret, secret, secret, secret, encoded, read.String(SecretKey))
	require.NotContains(t, shown, "canary")
	require.NotContains(t, shown, fmt.Sprintf("%x", "canary"))
	require.Equal(t, "canary", secret.Reveal())
	require.False(t, secret.Empty())
	for _, value := range read.Values() {
		require.NotContains(t, value.Shown, "canary")
	}
}

func TestValuesComeInTheTypeTheCallerNeeds(t *testing.T) {
	t.Parallel()
	read, err := Of(map[string]string{"PANEL_LICENSE_URLS": " https://a , ,https://b", "PANEL_DATA_DIR": "somewhere", "PANEL_PROXYPANEL_BOOTSTRAP": "true"})
	require.NoError(t, err)
	require.Equal(t, []string{"https://a", "https://b"}, read.List(LicenseURLs))
	require.True(t, filepath.IsAbs(read.DataDir()))
	require.True(t, read.Bool(ProxypanelBootstrap))
	require.Equal(t, 72*time.Hour, read.Duration(LicenseGrace, time.Hour))
	require.Empty(t, read.Path(BackupDir))
	require.Zero(t, read.Int(Lang))
}

func TestAModuleKeyMustBeginWithThePrefixAndMeanOneThing(t *testing.T) {
	t.Parallel()
	_, err := Of(nil, Key{Name: "OTHER"})
	require.ErrorContains(t, err, "PANEL_")
	_, err = Of(nil, Key{Name: "PANEL_PORT", Summary: "something else"})
	require.ErrorContains(t, err, "declared twice")
	_, err = Of(nil, Port, Key{Name: "PANEL_OWN", Default: "7"})
	require.NoError(t, err)
}

func TestTheExampleListsEveryKeyAndParsesToTheDefaults(t *testing.T) {
	t.Parallel()
	text := Example(Platform())
	for _, key := range Platform() {
		require.Contains(t, text, "#"+key.Name+"="+key.Default+"\n")
		require.Contains(t, text, key.Summary)
		require.NoError(t, key.check(key.Default), "the default of %s must have its own form", key.Name)
	}
}
