package config

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
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
	require.ErrorContains(t, err, "a whole number from 1 to 65535")
	require.ErrorContains(t, err, "port of the panel")
	require.ErrorContains(t, err, "debug, info, warn, error")
	require.NotContains(t, err.Error(), "sesame")
	require.NotContains(t, err.Error(), "loudly")
}

func TestFormsAcceptAndRefuse(t *testing.T) {
	t.Parallel()
	for form, cases := range map[Form]struct{ good, bad []string }{
		Switch: {[]string{"true", "false", "1", "0"}, []string{"maybe"}},
		URL: {[]string{"https://panel.example", "http://[::1]:8080"}, []string{
			"panel.example", "ftp://x",
			"http://",
		}},
		URLs: {[]string{"https://a", " https://a , http://b:1,"}, []string{"https://a,b", ",", "ftp://x"}},
		Networks: {[]string{"127.0.0.1, ::1", "10.0.0.0/8"}, []string{
			"10.0.0.0/33", "proxy", "1.2.3.4,x",
			" , ",
		}},
		Listen:          {[]string{"127.0.0.1:9464", ":1"}, []string{"9464", "a:b", "127.0.0.1:0", ":65536"}},
		Host:            {[]string{"0.0.0.0", "::1", "panel.example"}, []string{"http://x", "a b"}},
		OneOf("a", "b"): {[]string{"a", "b"}, []string{"c", "a, b"}},
	} {
		for _, value := range cases.good {
			require.NoError(t, Key{Form: form}.Check(value), "%q as %s", value, form)
		}
		for _, value := range cases.bad {
			require.Error(t, Key{Form: form}.Check(value), "%q as %s", value, form)
		}
	}
}

// Every setting has a least and a largest value, or a longest length: what lies outside stops the start, and the
// sentence holds the name, the form and the meaning, but not the value.
func TestEverySettingHasBounds(t *testing.T) {
	t.Parallel()
	declared := map[string]bounds{}
	for _, key := range Platform() {
		require.NoError(t, key.declarable())
		require.NoError(t, key.Check(""), "%s: empty is unset", key.Name)
		for _, value := range outside(key) {
			_, err := Of(map[string]string{key.Name: value})
			require.ErrorContains(t, err, key.Name+" is not usable: it must be "+key.Wanted())
			require.ErrorContains(t, err, key.Summary)
			require.NotContains(t, err.Error(), "canary")
		}
		if key.Form == Number || key.Form == Text && key.Min > 0 {
			declared[key.Name] = bounds{key.Min, key.Longest()}
		}
	}
	require.Equal(t, reviewed(t), declared)
}

// bounds are the least and the largest value of a number, or the lengths of a text in bytes.
type bounds struct{ least, most int }

// reviewed are the bounds of testdata/bounds.csv, which is kept by hand and gives the reasons: what a declaration says
// of itself is always so.
func reviewed(t *testing.T) map[string]bounds {
	t.Helper()
	file, err := os.Open("testdata/bounds.csv")
	require.NoError(t, err)
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	require.NoError(t, err)
	all := map[string]bounds{}
	for _, row := range rows[1:] {
		least, err := strconv.Atoi(row[1])
		require.NoError(t, err)
		most, err := strconv.Atoi(row[2])
		require.NoError(t, err)
		all[row[0]] = bounds{least, most}
	}
	return all
}

// outside lists values next to the bounds of a key and far from them.
func outside(key Key) []string {
	long := "canary" + strings.Repeat("y", key.Longest())
	switch key.Form {
	case Number:
		return []string{
			strconv.Itoa(key.Min - 1), strconv.Itoa(key.Max + 1), "-1", "1e3", "1.5", "canary",
			"99999999999999999999", long,
		}
	case Text:
		if key.Min > 1 {
			return []string{"x", long}
		}
		return []string{long}
	case Host:
		return []string{"canary/x", long}
	default:
		return []string{"canary", long}
	}
}

func TestANumberWithoutBoundsCannotBeDeclared(t *testing.T) {
	t.Parallel()
	_, err := Of(nil, Key{Name: "PANEL_OWN", Form: Number})
	require.ErrorContains(t, err, "least and its largest value")
	_, err = Of(nil, Key{Name: "PANEL_OWN", Form: Number, Min: 1, Max: 9, Default: "0"})
	require.ErrorContains(t, err, "its default is not a whole number from 1 to 9")
}

func TestASecretPrintsAsStarsEverywhere(t *testing.T) {
	t.Parallel()
	read, err := Of(map[string]string{"PANEL_SECRET_KEY": "canary-of-sixteen"})
	require.NoError(t, err)
	secret := read.Secret(SecretKey)
	encoded, err := json.Marshal(struct{ Key Secret }{secret})
	require.NoError(t, err)
	shown := fmt.Sprintf("%s %v %+v %#v %x %q %s %v", secret, secret, secret, secret, secret, secret, encoded,
		read.String(SecretKey))
	require.NotContains(t, shown, "canary")
	require.NotContains(t, shown, fmt.Sprintf("%x", "canary"))
	require.Equal(t, "canary-of-sixteen", secret.Reveal())
	require.False(t, secret.Empty())
	for _, value := range read.Values() {
		require.NotContains(t, value.Shown, "canary")
	}
}

func TestValuesComeInTheTypeTheCallerNeeds(t *testing.T) {
	t.Parallel()
	read, err := Of(map[string]string{
		"PANEL_LICENSE_URLS": " https://a , ,https://b", "PANEL_DATA_DIR": "somewhere",
		"PANEL_PROXYPANEL_BOOTSTRAP": "true",
	})
	require.NoError(t, err)
	require.Equal(t, []string{"https://a", "https://b"}, read.List(LicenseURLs))
	require.True(t, filepath.IsAbs(read.DataDir()))
	require.True(t, read.Bool(ProxypanelBootstrap))
	require.Equal(t, 72*time.Hour, read.Duration(LicenseGrace, time.Hour))
	require.Empty(t, read.Path(PGBin))
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
		require.NoError(t, key.Check(key.Default), "the default of %s must have its own form", key.Name)
	}
}
