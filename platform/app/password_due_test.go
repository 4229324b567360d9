package app_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// beforePasswordChange is the reviewed list of what an account may do that must change its password first.
func beforePasswordChange(t *testing.T) []string {
	return listed(t, "testdata/before_password_change.txt")
}

// An account whose password must be changed is kept out of every operation that a session opens, whatever it holds and
// whatever the license says, but for those of the reviewed list.
func TestAnAccountThatMustChangeItsPasswordDoesNothingElse(t *testing.T) {
	t.Parallel()
	m := newMatrix(t, newOutside(t))
	allowed := beforePasswordChange(t)
	for _, holds := range [][]string{{}, {"*"}} {
		due := m.As(holds...)
		m.write("update accounts set must_change_password = true where id = ?", due.AccountID)
		for _, l := range licenses() {
			m.gate.turn(l)
			for name, line := range policies(t) {
				if line.guarded(stage{administrator: true}) != "session" {
					continue
				}
				path := line.somewhere() + "?x=" + unreadable
				got := m.wire.send(call{
					method: line.method, path: path, headers: bearer(due.Token),
					ip: m.address(line), body: "{}",
				})
				if slices.Contains(allowed, name) {
					require.Equal(t, http.StatusBadRequest, got.status, "%s, license %s: %s", name, l.name, got.body)
					continue
				}
				want := verdict{http.StatusForbidden, "password_change_required"}
				require.Equal(t, want, verdict{got.status, got.code}, "%s, license %s", name, l.name)
			}
		}
	}
}

// The declarations say what the list says, and every line of the list is an operation that a session opens.
func TestWhatPassesBeforeAPasswordChangeIsReviewed(t *testing.T) {
	t.Parallel()
	var declared []string
	for _, op := range everything(t).App.Server().Routes() {
		if op.BeforePasswordChange {
			declared = append(declared, op.Method+" "+op.Path)
		}
	}
	require.ElementsMatch(t, beforePasswordChange(t), declared)
	for _, name := range declared {
		require.Equal(t, "session", policies(t)[name].access, name)
	}
}
