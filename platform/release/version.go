package release

import (
	"strings"

	"golang.org/x/mod/semver"

	"panel/platform/pattern"
)

// described is how a build between two releases calls itself: so many commits after the release it begins with.
var described = pattern.Of(`^(v?\d+\.\d+\.\d+)-(\d+-g[0-9a-f]+(-dirty)?|dirty)$`)

// Valid tells whether a version has the form 1.2.3, also v1.2.3 and 1.2.3-rc.1.
func Valid(version string) bool { return semver.IsValid(canonical(version)) }

// Compare orders two versions: -1, 0 or +1. A build between releases comes after the release it follows, and a version
// of no known form, a build without a release, before everything.
func Compare(a, b string) int {
	baseA, laterA := base(a)
	baseB, laterB := base(b)
	if order := semver.Compare(baseA, baseB); order != 0 {
		return order
	}
	switch {
	case laterA && !laterB:
		return 1
	case laterB && !laterA:
		return -1
	}
	return 0
}

func base(version string) (text string, later bool) {
	if found := described().FindStringSubmatch(version); found != nil {
		return canonical(found[1]), true
	}
	return canonical(version), false
}

// canonical is the form that semver compares; nothing for a version without all three numbers, such as a commit whose
// short name has digits only.
func canonical(version string) string {
	version = strings.TrimPrefix(version, "v")
	if numbers, _, _ := strings.Cut(version, "-"); strings.Count(numbers, ".") < 2 {
		return ""
	}
	return "v" + version
}
