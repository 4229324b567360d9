package accounts_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/paneltest"
)

const accountsPath = "/api/v1/accounts"

// A POST that is repeated with its key, through another panel too, gets the same answer and makes nothing twice.
func TestARepeatedPostMakesNothingTwice(t *testing.T) {
	t.Parallel()
	one := paneltest.New(t)
	two := paneltest.Start(t, paneltest.On(one.DB))
	admin := one.Admin()
	order := object{"username": "boris", "password": secret}
	key := []string{"Idempotency-Key", "order-1"}
	first := admin.Do(http.MethodPost, accountsPath, order, key...).Is(http.StatusCreated)
	require.Empty(t, first.Header.Get("Idempotency-Replayed"))
	again := two.Bearer(admin.Token).Do(http.MethodPost, accountsPath, order, key...).Is(http.StatusCreated)
	require.JSONEq(t, string(first.Body), string(again.Body))
	require.Equal(t, "true", again.Header.Get("Idempotency-Replayed"))
	require.Equal(t, first.Header.Get("Content-Type"), again.Header.Get("Content-Type"))
	admin.Post(accountsPath, order).Refused(http.StatusConflict, "name_taken")

	order["username"] = "clara"
	admin.Do(http.MethodPost, accountsPath, order, key...).Refused(http.StatusConflict, "idempotency_mismatch")
	one.Admin().Do(http.MethodPost, accountsPath, order, key...).Is(http.StatusCreated) // keys of accounts do not meet
}

// A refused request leaves its key free; a key that no header may hold is refused.
func TestARefusedPostLeavesItsKeyFree(t *testing.T) {
	t.Parallel()
	admin := paneltest.New(t).Admin()
	key := []string{"Idempotency-Key", "order-1"}
	admin.Do(http.MethodPost, accountsPath, object{"username": "b"}, key...).
		Refused(http.StatusBadRequest, "missing_field")
	admin.Do(http.MethodPost, accountsPath, object{
		"username": "boris", "password": secret,
		"permissions": []string{"moon.view"},
	}, key...).
		Refused(http.StatusUnprocessableEntity, "invalid_value")
	admin.Do(http.MethodPost, accountsPath, object{"username": "boris", "password": secret}, key...).
		Is(http.StatusCreated)
	for _, bad := range []string{"two words", strings.Repeat("x", 129), "ключ"} {
		admin.Do(http.MethodPost, accountsPath, object{"username": "clara", "password": secret}, "Idempotency-Key",
			bad).Refused(http.StatusBadRequest, "bad_parameter")
	}
}

// Twins that come at once make one account; whoever does not get the answer is told to come again.
func TestTwinsAtOnceMakeOneAccount(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t)
	admin := p.Admin()
	order := object{"username": "boris", "password": secret}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			answer := admin.Do(http.MethodPost, accountsPath, order, "Idempotency-Key", "order-1")
			if answer.Status != http.StatusCreated && answer.Text("code") != "idempotency_in_progress" {
				t.Errorf("%d %s", answer.Status, answer.Body)
			}
		})
	}
	all.Wait()
	require.EqualValues(t, 1, admin.Get(accountsPath+"?q=boris").Value("total"))
}

// An API token is shown this once: its creation takes no key, and a second one of the same name is refused.
func TestAnAPITokenIsNotShownAgain(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t)
	me := signUp(t, p)
	key := []string{"Idempotency-Key", "order-1"}
	me.Do(http.MethodPost, "/api/v1/auth/tokens", tokenNamed("deploy"), key...).Is(http.StatusCreated)
	me.Do(http.MethodPost, "/api/v1/auth/tokens", tokenNamed("deploy"), key...).
		Refused(http.StatusConflict, "name_taken")
	var stored int
	require.NoError(t, p.DB.NewRaw("select count(*) from idempotency_keys").Scan(t.Context(), &stored))
	require.Zero(t, stored)
}
