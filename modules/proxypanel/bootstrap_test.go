package proxypanel

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/proxypanel/remnawavetest"
	"panel/platform/entitlement"
	"panel/platform/paneltest"
)

func (b *bench) fresh(more ...fields) fields {
	body := fields{"label": "main", "base_url": b.there.URL}
	for _, one := range more {
		for name, value := range one {
			body[name] = value
		}
	}
	return body
}

// Specification, Conflict cases 2: POST /api/v1/setup/proxypanel/bootstrap while PANEL_PROXYPANEL_BOOTSTRAP is not
// enabled is 409, whoever asks, whatever he sends and however far the installation is.
func TestBootstrapIsRefusedWithoutTheVariable(t *testing.T) {
	t.Parallel()
	for _, value := range []string{"false", ""} {
		b := newBench(t, paneltest.Env(map[string]string{"PANEL_PROXYPANEL_BOOTSTRAP": value}))
		everybody := []*paneltest.Client{
			b.Anonymous(), b.Bearer("sesame"), b.As("nodes.view"), b.As("settings.manage"), b.Admin(),
		}
		for _, who := range everybody {
			for _, body := range []any{b.fresh(), nil, "{", fields{"more": 1}} {
				answer := who.Post(bootstrapPath, body).Refused(http.StatusConflict, "bootstrap_disabled")
				require.Equal(t, "PANEL_PROXYPANEL_BOOTSTRAP=true", answer.Value("variable"))
				require.Equal(t, "systemctl restart panel", answer.Value("restart"))
			}
		}
		b.Admin().Post("/api/v1/setup/finish", nil).Is(http.StatusOK)
		b.Admin().Post(bootstrapPath, b.fresh()).Refused(http.StatusConflict, "bootstrap_disabled")
		require.Empty(t, b.there.Calls())
	}
}

// With the variable it is Session with settings.manage, and over with the installation.
func TestBootstrapNeedsASessionAndAnOpenInstallation(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.Anonymous().Post(bootstrapPath, b.fresh()).Refused(http.StatusUnauthorized, "no_session")
	b.As("proxypanel.manage").Post(bootstrapPath, b.fresh()).Refused(http.StatusForbidden, "permission_denied")
	admin := b.As("settings.manage")
	admin.Post(bootstrapPath, fields{"label": "main"}).Refused(http.StatusBadRequest, "missing_field")
	admin.Post(bootstrapPath, b.fresh(fields{"more": 1})).Refused(http.StatusBadRequest, "unknown_field")
	admin.Post(bootstrapPath, b.fresh(fields{"base_url": "sesame"})).
		Refused(http.StatusUnprocessableEntity, "invalid_value")
	admin.Post("/api/v1/setup/finish", nil).Is(http.StatusOK)
	admin.Post(bootstrapPath, b.fresh()).Refused(http.StatusConflict, "setup_closed")
	require.Empty(t, b.there.Calls())
}

// It works before there is a license.
func TestBootstrapNeedsNoLicense(t *testing.T) {
	t.Parallel()
	b := newBench(t, paneltest.License(entitlement.Fixed{}))
	b.As("settings.manage").Post(bootstrapPath, b.fresh()).Is(http.StatusCreated)
}

// A fresh panel gets its administrator and a token of exactly the scopes that are needed; the credentials are shown
// once, work, and stand nowhere afterwards.
func TestAFreshPanelIsEnteredAndConnected(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	var result BootstrapResult
	b.As("settings.manage").Post(bootstrapPath, b.fresh(fields{"base_url": b.there.Direct, "direct": true})).
		Is(http.StatusCreated).JSON(&result)
	require.Equal(t, [2]string{"ok", ""}, found(result.Connection), result.Connection.Detail)
	require.True(t, result.Connection.Direct)
	require.True(t, b.there.Signs(result.Username, result.Password))
	require.Equal(t, map[string][]string{tokenName: allScopes()}, b.there.Tokens())
	require.WithinDuration(t, time.Now().AddDate(0, 0, tokenDays), *result.Connection.TokenExpiresAt, time.Hour)
	require.Equal(t, []string{connectionAdded, bootstrapped}, b.Recorded(object, result.Connection.ID))
	require.Zero(t, b.begun())
	var all string
	require.NoError(t, b.DB.NewRaw(`select (select string_agg(c::text, '') from proxypanel_connections c) ||
		(select string_agg(j::text, '') from journal j)`).Scan(t.Context(), &all))
	require.NotContains(t, all, result.Password)
	require.Equal(t, "ok", b.test(result.Connection.ID).State)
}

func (b *bench) begun() (many int) {
	b.t.Helper()
	require.NoError(b.t, b.DB.NewRaw("select count(*) from proxypanel_bootstraps").Scan(b.t.Context(), &many))
	return many
}

// An administrator exists there: 422 already_registered, and nothing is changed or kept.
func TestAPanelWithAnAdministratorIsNotEntered(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.there.Administer("anna", "a password of theirs")
	b.Admin().Post(bootstrapPath, b.fresh()).Refused(http.StatusUnprocessableEntity, "already_registered")
	require.True(t, b.there.Signs("anna", "a password of theirs"))
	require.Empty(t, b.there.Tokens())
	require.Zero(t, b.begun())
	require.Empty(t, b.Admin().Get(connectionsPath).Value("items"))
}

// What is taken is refused before the other panel is touched.
func TestBootstrapOfWhatIsTaken(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.add()
	calls := len(b.there.Calls())
	b.Admin().Post(bootstrapPath, b.fresh()).Refused(http.StatusConflict, "name_taken")
	b.Admin().Post(bootstrapPath, b.fresh(fields{"label": "other"})).Refused(http.StatusConflict, "panel_connected")
	require.Len(t, b.there.Calls(), calls)
}

// Specification, Errors: 502 where the other panel refuses or cannot be used, with the cause.
func TestAPanelThatCannotBeUsedIsABadGateway(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for cause, base := range map[string]string{
		"no_reverse_proxy": b.there.Direct, "connection_refused": "http://127.0.0.1:1", "gate_page": b.there.URL,
	} {
		if b.there.Gate(nil); cause == "gate_page" {
			b.there.Gate(gate)
		}
		answer := b.Admin().Post(bootstrapPath, b.fresh(fields{"base_url": base})).
			Refused(http.StatusBadGateway, "proxypanel_error")
		require.Equal(t, cause, answer.Value("cause"))
	}
	require.Zero(t, b.begun())
}

// Specification, Errors: 504 where it does not answer in time.
func TestAPanelThatDoesNotAnswerIsAGatewayTimeout(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	b.there.Gate(func(http.ResponseWriter, *http.Request) { <-release })
	b.Admin().Post(bootstrapPath, b.fresh()).Refused(http.StatusGatewayTimeout, "proxypanel_timeout")
}

// Whatever breaks off, and wherever: the next call comes to the end, with one administrator, one connection, and the
// credentials that open the panel.
func TestBootstrapIsContinuedWhereverItBrokeOff(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/api/auth/status", "/api/auth/register", "/api/tokens"} {
		for _, answered := range []bool{false, true} {
			b := newBench(t)
			broken := false
			b.there.Gate(func(w http.ResponseWriter, r *http.Request) {
				if !broken && r.URL.Path == path {
					broken = true
					if answered {
						b.there.Pass(&lostAnswer{header: http.Header{}}, r)
					}
					remnawavetest.Destroy(w)
					return
				}
				b.there.Pass(w, r)
			})
			b.Admin().Post(bootstrapPath, b.fresh()).Refused(http.StatusBadGateway, "proxypanel_error")
			var result BootstrapResult
			b.Admin().Post(bootstrapPath, b.fresh()).Is(http.StatusCreated).JSON(&result)
			require.True(t, b.there.Signs(result.Username, result.Password), "%s answered: %v", path, answered)
			require.Equal(t, "ok", result.Connection.State)
			require.Zero(t, b.begun())
		}
	}
}

// lostAnswer takes an answer that reaches nobody.
type lostAnswer struct{ header http.Header }

func (d *lostAnswer) Header() http.Header       { return d.header }
func (*lostAnswer) WriteHeader(int)             {}
func (*lostAnswer) Write(b []byte) (int, error) { return len(b), nil }

// Somebody else was first while an earlier call had only noted its credentials: they are forgotten.
func TestCredentialsThatDoNotOpenAreForgotten(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.there.Gate(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/auth/register" {
			remnawavetest.Destroy(w)
			return
		}
		b.there.Pass(w, r)
	})
	b.Admin().Post(bootstrapPath, b.fresh()).Refused(http.StatusBadGateway, "proxypanel_error")
	require.Equal(t, 1, b.begun())
	b.there.Gate(nil)
	b.there.Administer("anna", "a password of theirs")
	b.Admin().Post(bootstrapPath, b.fresh()).Refused(http.StatusUnprocessableEntity, "already_registered")
	require.Zero(t, b.begun())
}

// Of calls at the same time one makes the connection, and no token stays that nothing uses.
func TestTwoBootstrapsAtOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	admin := b.Admin()
	codes := make([]string, 3)
	var calls sync.WaitGroup
	for i := range codes {
		calls.Go(func() {
			answer := admin.Post(bootstrapPath, b.fresh(fields{"label": "main" + strings.Repeat("x", i)}))
			if answer.Status == http.StatusCreated {
				codes[i] = "made"
				return
			}
			codes[i] = answer.Text("code")
		})
	}
	calls.Wait()
	slices.Sort(codes)
	require.Equal(t, "made", codes[0])
	require.Len(t, b.there.Tokens(), 1)
	require.Len(t, admin.Get(connectionsPath).Value("items"), 1)
}

// The password keeps the rule of the proxy panel.
func TestCredentialsAreStrong(t *testing.T) {
	t.Parallel()
	for range 100 {
		made := newCredentials()
		require.GreaterOrEqual(t, len(made.Password), 24)
		require.Regexp(t, "[A-Z]", made.Password)
		require.Regexp(t, "[a-z]", made.Password)
		require.Regexp(t, "[0-9]", made.Password)
	}
}
