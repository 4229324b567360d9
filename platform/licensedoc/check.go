package licensedoc

import (
	"fmt"
	"slices"
	"time"

	"panel/platform/pattern"
)

const (
	maxFeatures = 128
	maxYear     = 9999
)

var (
	keyIDForm    = pattern.Of(`^[0-9a-f]{16}$`)
	hashForm     = pattern.Of(`^[0-9a-f]{64}$`)
	uuidForm     = pattern.Of(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)
	featureForm  = pattern.Of(`^(\*|[a-z][a-z0-9_]{0,39})$`)
	planForm     = pattern.Of(`^[\p{L}\p{N}][\p{L}\p{N} ._+-]{0,63}$`)
	reasonForm   = pattern.Of(`^[a-z][a-z_]{0,39}$`)
	nonceForm    = pattern.Of(`^([A-Za-z0-9_-]{16,64})?$`)
	instanceForm = uuidForm
)

// ValidInstanceID tells whether the text can name an installation.
func ValidInstanceID(id string) bool { return instanceForm().MatchString(id) }

// ValidNonce tells whether the text can be the one-time word of a request.
func ValidNonce(nonce string) bool { return nonce != "" && nonceForm().MatchString(nonce) }

// ValidFeature tells whether the text can name a feature.
func ValidFeature(key string) bool { return featureForm().MatchString(key) }

// ValidPlan tells whether the text can name a plan.
func ValidPlan(name string) bool { return planForm().MatchString(name) }

func (d Document) check() error {
	for _, rule := range d.rules() {
		if !rule.holds {
			return fmt.Errorf("%w: %s", ErrMalformed, rule.name)
		}
	}
	return nil
}

type rule struct {
	name  string
	holds bool
}

func (d Document) rules() []rule {
	return append(d.commonRules(), d.verdictRules()...)
}

func (d Document) commonRules() []rule {
	return []rule{
		{"version", d.Version == Version},
		{"key_id", keyIDForm().MatchString(d.KeyID)},
		{"key_hash", hashForm().MatchString(d.KeyHash)},
		{"instance_id", instanceForm().MatchString(d.InstanceID)},
		{"nonce", nonceForm().MatchString(d.Nonce)},
		{"issued_at", plainTime(d.IssuedAt)},
		{"features", plainFeatures(d.Features)},
	}
}

func (d Document) verdictRules() []rule {
	switch d.Verdict {
	case Active:
		return []rule{
			{"license_id", uuidForm().MatchString(d.LicenseID)},
			{"plan", planForm().MatchString(d.Plan)},
			{"valid_until", plainTime(d.ValidUntil) && d.ValidUntil.After(d.IssuedAt)},
			{"reason", d.Reason == ""},
		}
	case Refused:
		return []rule{
			{"license_id", d.LicenseID == "" || uuidForm().MatchString(d.LicenseID)},
			{"plan", d.Plan == "" || planForm().MatchString(d.Plan)},
			{"valid_until", d.ValidUntil.IsZero() || plainTime(d.ValidUntil)},
			{"features", len(d.Features) == 0},
			{"reason", reasonForm().MatchString(d.Reason)},
			{"nonce", d.Nonce != ""},
		}
	}
	return []rule{{"verdict", false}}
}

// plainTime keeps times to whole milliseconds of UTC, which every reader writes alike.
func plainTime(t time.Time) bool {
	return !t.IsZero() && t.Year() > 1970 && t.Year() <= maxYear && t.Location() == time.UTC &&
		t.Equal(t.Truncate(time.Millisecond))
}

// plainFeatures wants a sorted list without doubles, present even when empty.
func plainFeatures(features []string) bool {
	if features == nil || len(features) > maxFeatures {
		return false
	}
	sorted := slices.Compact(slices.Sorted(slices.Values(features)))
	return slices.Equal(sorted, features) &&
		!slices.ContainsFunc(features, func(f string) bool { return !ValidFeature(f) })
}
