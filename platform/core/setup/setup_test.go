package setup_test

import (
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/paneltest"
)

var anna = map[string]string{"username": "anna", "password": "correct horse"}

// Specification, Endpoints rule 1: creating an administrator is rejected after the first administrator exists.
func TestFirstAdministratorIsMadeOnceAndSetupClosesAfterFinish(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t)
	guest := p.Anonymous()
	require.Equal(t, false, guest.Get("/api/v1/setup/state").Is(http.StatusOK).Value("administrator"))

	made := guest.Post("/api/v1/setup/admin", anna).Is(http.StatusCreated)
	require.Equal(t, "anna", made.Text("account.username"))
	require.Equal(t, []any{"*"}, made.Value("account.permissions"))
	guest.Post("/api/v1/setup/admin", anna).Refused(http.StatusConflict, "setup_closed")

	guest.Post("/api/v1/setup/finish", nil).Refused(http.StatusUnauthorized, "no_session")
	p.As("nodes.view").Post("/api/v1/setup/finish", nil).Refused(http.StatusForbidden, "permission_denied")
	admin := p.Bearer(made.Text("token"))
	admin.Post("/api/v1/setup/finish", nil).Is(http.StatusOK)
	admin.Post("/api/v1/setup/finish", nil).Refused(http.StatusConflict, "setup_closed")
	require.Equal(t, true, guest.Get("/api/v1/setup/state").Is(http.StatusOK).Value("finished"))
}

// Domain decision 4: a set-up token, where one is configured, is demanded, and 409 is decided before it.
func TestSetupTokenIsDemandedAndClosedIsDecidedFirst(t *testing.T) {
	t.Parallel()
	p := paneltest.Start(t, paneltest.Env(map[string]string{"PANEL_SETUP_TOKEN": "open-sesame"}))
	guest := p.Anonymous()
	guest.Post("/api/v1/setup/admin", anna).Refused(http.StatusUnauthorized, "setup_token_invalid")
	right := map[string]string{"username": "anna", "password": "correct horse", "setup_token": "open-sesame"}
	guest.Post("/api/v1/setup/admin", right).Is(http.StatusCreated)
	guest.Post("/api/v1/setup/admin", anna).Refused(http.StatusConflict, "setup_closed")
}

// Fifty first-administrator calls at once: exactly one wins; the others are closed or throttled.
func TestOfFiftyFirstAdministratorsOneWins(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t)
	var won atomic.Int32
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			answer := p.Anonymous().Post("/api/v1/setup/admin", anna)
			if answer.Status == http.StatusCreated {
				won.Add(1)
			}
			if answer.Status >= http.StatusInternalServerError {
				t.Errorf("a losing call got %d: %s", answer.Status, answer.Body)
			}
		})
	}
	all.Wait()
	require.EqualValues(t, 1, won.Load())
}

func TestWrongFirstAdministratorsAreRefusedWithTheField(t *testing.T) {
	t.Parallel()
	guest := paneltest.New(t).Anonymous()
	short := guest.Post("/api/v1/setup/admin", map[string]string{"username": "anna", "password": "secret7"})
	short.Refused(http.StatusUnprocessableEntity, "invalid_value")
	require.NotContains(t, string(short.Body), "secret7")
	guest.Post("/api/v1/setup/admin", map[string]string{"username": "anna"}).
		Refused(http.StatusBadRequest, "missing_field")
	guest.Post("/api/v1/setup/admin", `{"username":1,"password":"long enough"}`).
		Refused(http.StatusBadRequest, "bad_json")
	guest.Post("/api/v1/setup/admin", `{"username":"a`).Refused(http.StatusBadRequest, "bad_json")
}
