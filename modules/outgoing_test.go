package modules

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var ownClient = regexp.MustCompile(
	`http\.(Client|Transport)\{|http\.(Get|Head|Post|PostForm)\(|http\.Default(Client|Transport)\b`)

// Calls to other services go through platform/outbound, which bounds them and judges their addresses. What has a client
// of its own is in testdata/outgoing.txt, with the reason.
func TestCallsToOtherServicesGoThroughOneClient(t *testing.T) {
	t.Parallel()
	var found []string
	eachFile(t, ".go", func(path, content string) {
		file := strings.TrimPrefix(filepath.ToSlash(path), "../")
		if ownClient.MatchString(content) && calls(file) {
			found = append(found, file)
		}
	})
	require.ElementsMatch(t, reviewed(t, "testdata/outgoing.txt"), found)
}

// calls leaves out the one client itself, tests, and programs that never run beside a panel of an operator.
func calls(file string) bool {
	for _, folder := range []string{
		"platform/outbound/", "platform/paneltest/", "cmd/panel-bench/", "cmd/panel-up/",
		"e2e/",
	} {
		if strings.HasPrefix(file, folder) {
			return false
		}
	}
	return !strings.HasSuffix(file, "_test.go")
}
