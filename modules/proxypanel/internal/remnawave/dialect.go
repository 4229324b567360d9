package remnawave

import (
	"context"
	"strconv"

	"panel/platform/pattern"
)

// dialect is what differs between major versions of Remnawave. Another major is another file with one of these.
type dialect interface {
	// major is the first number of the versions that it speaks with, tested the last second number that was tried.
	major() int
	tested() int
	// survey asks how it is.
	survey(ctx context.Context, c *Client) (Figures, beats, error)
	// probes are the scopes that a token needs, each with a question that changes nothing and shows that it is there.
	probes() []probe
}

var dialects = []dialect{v3{}}

// Compatibility of a version.
const (
	Unknown     = "unknown"
	Supported   = "supported"
	Untested    = "untested"
	Unsupported = "unsupported"
)

// Range is which versions are supported, in words of version ranges.
const Range = ">=3.0 <4"

var numbers = pattern.Of(`^v?(\d{1,4})\.(\d{1,4})(\.|-|\+|$)`)

// Compatible says whether the panel speaks with a version; a minor that was never tried is untested.
func Compatible(version string) string {
	if version == "" {
		return Unknown
	}
	spoken, minor := dialectOf(version)
	switch {
	case spoken == nil:
		return Unsupported
	case minor > spoken.tested():
		return Untested
	}
	return Supported
}

// dialectOf gives the dialect of a version, nil where there is none, and the second number of the version.
func dialectOf(version string) (spoken dialect, minor int) {
	found := numbers().FindStringSubmatch(version)
	if found == nil {
		return nil, 0
	}
	major, _ := strconv.Atoi(found[1])
	minor, _ = strconv.Atoi(found[2])
	for _, one := range dialects {
		if one.major() == major {
			return one, minor
		}
	}
	return nil, minor
}
