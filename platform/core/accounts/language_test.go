package accounts_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/paneltest"
)

// The language of the web interface is kept with the account, so that another browser shows it, too. It is nobody
// else's, and a revision that somebody has read stays good.
func TestTheLanguageIsKeptWithTheAccount(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t)
	anna := signUp(t, p)
	me := func() *paneltest.Answer { return anna.Get("/api/v1/auth/me").Is(http.StatusOK) }
	require.Empty(t, me().Value("account.language"))
	revision := me().Value("account.revision")

	anna.Put("/api/v1/auth/language", object{"language": "ru"}).Is(http.StatusNoContent)
	require.Equal(t, "ru", me().Value("account.language"))
	require.Equal(t, revision, me().Value("account.revision"))
	require.Empty(t, p.Admin().Get("/api/v1/auth/me").Value("account.language"))

	anna.Put("/api/v1/auth/language", object{"language": "tlh"}).
		Refused(http.StatusUnprocessableEntity, "invalid_value")
	anna.Put("/api/v1/auth/language", object{}).Refused(http.StatusBadRequest, "missing_field")
	require.Equal(t, "ru", me().Value("account.language"))
}
