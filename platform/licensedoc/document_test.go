package licensedoc

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var issued = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

const (
	instance = "0197f3a0-0000-7000-8000-000000000001"
	license  = "0197f3a0-0000-7000-8000-000000000002"
)

func sample() Document {
	return Document{
		LicenseID: license, KeyHash: strings.Repeat("ab", 32), InstanceID: instance,
		Plan: "Fleet 50", Features: []string{"backups", "flows"},
		ValidUntil: issued.AddDate(1, 0, 0), IssuedAt: issued, Verdict: Active, Nonce: "0123456789abcdef",
	}
}

func newSigningKey(t testing.TB) SigningKey {
	t.Helper()
	key, err := GenerateSigningKey()
	require.NoError(t, err)
	return key
}

func signed(t testing.TB, d Document, key SigningKey, chain ...Endorsement) string {
	t.Helper()
	text, err := Sign(d, key, chain...)
	require.NoError(t, err)
	return text
}

func TestASignedDocumentComesBackAsItWasWritten(t *testing.T) {
	t.Parallel()
	key := newSigningKey(t)
	got, err := Verify(signed(t, sample(), key), key.Public())
	require.NoError(t, err)
	want := sample()
	want.Version, want.KeyID = Version, key.Public().ID()
	require.Equal(t, want, got)
}

func TestOneChangedCharacterAnywhereIsRefused(t *testing.T) {
	t.Parallel()
	key := newSigningKey(t)
	text := signed(t, sample(), key)
	for i := range text {
		changed := []byte(text)
		changed[i] = swap(changed[i])
		_, err := Verify(string(changed), key.Public())
		require.Error(t, err, "position %d", i)
	}
}

func swap(c byte) byte {
	if c == 'A' {
		return 'B'
	}
	return 'A'
}

func TestAStrangersSignatureIsRefused(t *testing.T) {
	t.Parallel()
	text := signed(t, sample(), newSigningKey(t))
	_, err := Verify(text, newSigningKey(t).Public())
	require.ErrorIs(t, err, ErrUntrusted)
	_, err = Verify(text)
	require.ErrorIs(t, err, ErrUntrusted)
}

func TestOnlyTheCanonicalSpellingIsRead(t *testing.T) {
	t.Parallel()
	key := newSigningKey(t)
	d := sample()
	d.Version, d.KeyID = Version, key.Public().ID()
	plain, err := json.Marshal(d)
	require.NoError(t, err)
	for name, payload := range map[string]string{
		"unknown member": strings.Replace(string(plain), `{`, `{"extra":1,`, 1),
		"doubled member": strings.Replace(string(plain), `{`, `{"plan":"Pro",`, 1),
		"other case":     strings.Replace(string(plain), `"plan"`, `"Plan"`, 1),
		"white space":    " " + string(plain),
		"trailing text":  string(plain) + "{}",
		"other zone":     strings.Replace(string(plain), `12:00:00Z`, `12:00:00+00:00`, 1),
		"other version":  strings.Replace(string(plain), `"version":1`, `"version":2`, 1),
		"null":           "null",
		"deep":           strings.Repeat("[", 10_000),
	} {
		text := strings.Join(
			[]string{
				mark,
				plain64.EncodeToString([]byte(payload)),
				plain64.EncodeToString(key.sign(documentWord, []byte(payload))),
			},
			".",
		)
		_, err := Verify(text, key.Public())
		require.ErrorIs(t, err, ErrMalformed, name)
	}
}

func TestTextsOfTheWrongFormAreRefused(t *testing.T) {
	t.Parallel()
	key := newSigningKey(t)
	text := signed(t, sample(), key)
	for _, bad := range []string{
		"", ".", "PNLDOC1", "PNLDOC1..", "PNLDOC2" + text[7:], text + ".", text + ".AAAA", text[:len(text)-1],
		text + strings.Repeat("."+Endorse(key, key.Public()).String(), MaxEndorsements+1),
		strings.Replace(text, ".", ".\n", 1), text + strings.Repeat("A", maxText),
	} {
		_, err := Verify(bad, key.Public())
		require.ErrorIs(t, err, ErrMalformed)
	}
}

func TestADocumentThatBreaksARuleIsNotSigned(t *testing.T) {
	t.Parallel()
	key := newSigningKey(t)
	for name, change := range map[string]func(*Document){
		"no instance":              func(d *Document) { d.InstanceID = "" },
		"no license":               func(d *Document) { d.LicenseID = "" },
		"no hash":                  func(d *Document) { d.KeyHash = "" },
		"no plan":                  func(d *Document) { d.Plan = "" },
		"markup in the plan":       func(d *Document) { d.Plan = "<b>" },
		"features absent":          func(d *Document) { d.Features = nil },
		"features unsorted":        func(d *Document) { d.Features = []string{"flows", "backups"} },
		"features doubled":         func(d *Document) { d.Features = []string{"flows", "flows"} },
		"too many features":        func(d *Document) { d.Features = make([]string, maxFeatures+1) },
		"valid before it is made":  func(d *Document) { d.ValidUntil = d.IssuedAt },
		"local time":               func(d *Document) { d.IssuedAt = d.IssuedAt.In(time.FixedZone("x", 3600)) },
		"microseconds":             func(d *Document) { d.IssuedAt = d.IssuedAt.Add(time.Microsecond) },
		"no verdict":               func(d *Document) { d.Verdict = "" },
		"reason on active":         func(d *Document) { d.Reason = ReasonRevoked },
		"refused without a reason": func(d *Document) { d.Verdict, d.Features = Refused, []string{} },
		"refused with features":    func(d *Document) { d.Verdict, d.Reason = Refused, ReasonRevoked },
		"refused offline": func(d *Document) {
			d.Verdict, d.Reason, d.Features, d.Nonce = Refused,
				ReasonRevoked, []string{}, ""
		},
	} {
		d := sample()
		change(&d)
		_, err := Sign(d, key)
		require.ErrorIs(t, err, ErrMalformed, name)
	}
}

func TestARefusalNeedsNoLicense(t *testing.T) {
	t.Parallel()
	key := newSigningKey(t)
	refusal := Document{
		KeyHash: strings.Repeat("ab", 32), InstanceID: instance, Features: []string{}, IssuedAt: issued,
		Verdict: Refused, Reason: ReasonUnknownKey, Nonce: "0123456789abcdef",
	}
	got, err := Verify(signed(t, refusal, key), key.Public())
	require.NoError(t, err)
	require.Equal(t, ReasonUnknownKey, got.Reason)
}

func TestFeaturesOfThePlan(t *testing.T) {
	t.Parallel()
	d := sample()
	require.True(t, d.Allows("flows"))
	require.False(t, d.Allows("assistant"))
	d.Features = []string{EveryFeature}
	require.True(t, d.Allows("assistant"))
}
