package modules

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/app"
	"panel/platform/fault"
)

var (
	madeFault = regexp.MustCompile(
		`\b(Malformed|Unauthenticated|Forbidden|Conflict|Invalid|Upstream|UpstreamTimeout)\(\s*"([a-z_]+)",`)
	faultKinds = map[string]fault.Kind{
		"Malformed": fault.KindMalformed, "Unauthenticated": fault.KindUnauthenticated, "Forbidden": fault.KindForbidden,
		"Conflict": fault.KindConflict, "Invalid": fault.KindInvalid, "Upstream": fault.KindUpstream,
		"UpstreamTimeout": fault.KindUpstreamTimeout,
	}
)

// A code word is declared by the module whose folder makes it, or is common to all; its status is the declared one.
func TestEveryErrorCodeInTheSourceIsDeclaredWhereItIsMade(t *testing.T) {
	t.Parallel()
	declared := app.Faults(app.With(All()))
	made := map[string]bool{}
	eachFile(t, ".go", func(path, content string) {
		if strings.HasSuffix(path, "_test.go") {
			return
		}
		for _, match := range madeFault.FindAllStringSubmatch(content, -1) {
			made[match[2]] = true
			require.True(t, slices.ContainsFunc(declared, func(f app.Fault) bool {
				return f.Code == match[2] && f.Kind == faultKinds[match[1]] && (f.Module == "" || mayMake(f.Module, path))
			}), "%s makes %s(%q), which Faults of its manifest does not declare", path, match[1], match[2])
		}
	})
	codes := map[string]bool{}
	for _, f := range declared {
		require.False(t, codes[f.Code], "%s is declared twice", f.Code)
		codes[f.Code] = true
		require.NotEmpty(t, f.Summary, f.Code)
		if f.Module != "" {
			require.True(t, made[f.Code], "nothing makes %s", f.Code)
		}
	}
}

// mayMake tells whether a file belongs to a module. Packages of the platform that no manifest stands for, such as
// platform/support, are spoken for by a module of the core.
func mayMake(owner, path string) bool {
	folder := filepath.ToSlash(path)
	switch {
	case strings.Contains(folder, "modules/"):
		return strings.Contains(folder, "modules/"+owner+"/")
	case strings.Contains(folder, "platform/core/"):
		return strings.Contains(folder, "platform/core/"+owner+"/")
	}
	return true
}
