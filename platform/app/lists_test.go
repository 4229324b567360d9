package app_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A list of a panel that has nothing yet is an empty list and never null, in every answer that needs no id. The test
// panel looks for null in all answers that any test gets; here it gets those of an empty database.
func TestTheListsOfAnEmptyPanelAreEmptyLists(t *testing.T) {
	t.Parallel()
	p := everything(t)
	admin, answered := p.Admin(), 0
	for _, op := range p.App.Server().Routes() {
		if op.Method != http.MethodGet || op.Answer() == nil || op.Waits || op.Lasting ||
			strings.Contains(op.Path, "{") {
			continue
		}
		if admin.Get(op.Path).Status == http.StatusOK {
			answered++
		}
	}
	require.Greater(t, answered, 40)
}
