package accounts_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"
	"golang.org/x/crypto/argon2"

	"panel/platform/paneltest"
)

const replacement = "battery staple"

// overtaken holds anna's account until two requests wait for it in turn, so that the second one has looked at the
// password before the first one replaces it.
func overtaken(t *testing.T, p *paneltest.Panel, first, second func() *paneltest.Answer) (one, two *paneltest.Answer) {
	t.Helper()
	ones, twos := make(chan *paneltest.Answer, 1), make(chan *paneltest.Answer, 1)
	err := p.DB.WithTx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
		if _, err := tx.ExecContext(ctx, "select from accounts where username = 'anna' for update"); err != nil {
			return err
		}
		go func() { ones <- first() }()
		requireWaiting(t, p, 1)
		go func() { twos <- second() }()
		requireWaiting(t, p, 2)
		return nil
	})
	require.NoError(t, err)
	return <-ones, <-twos
}

func requireWaiting(t *testing.T, p *paneltest.Panel, wanted int) {
	t.Helper()
	require.Eventually(t, func() bool {
		var waiting int
		err := p.DB.NewRaw("select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'").
			Scan(t.Context(), &waiting)
		return err == nil && waiting == wanted
	}, 60*time.Second, 5*time.Millisecond)
}

// replacements are the ways in which a password, or the right to use it, ends.
func replacements(p *paneltest.Panel, admin *paneltest.Client, id string) map[string]func() *paneltest.Answer {
	return map[string]func() *paneltest.Answer{
		"reset": func() *paneltest.Answer {
			return admin.Post("/api/v1/accounts/"+id+"/password", object{"password": replacement})
		},
		"disabled": func() *paneltest.Answer {
			revision := admin.Get("/api/v1/accounts/" + id).Value("revision")
			return admin.Patch("/api/v1/accounts/"+id, object{"revision": revision, "state": "disabled"})
		},
	}
}

func done(t *testing.T, answer *paneltest.Answer) {
	t.Helper()
	require.Contains(t, []int{http.StatusOK, http.StatusNoContent}, answer.Status, "%s", answer.Body)
}

// Specification, Password reset rule 6 and Authentication 5: "The old password stops working immediately", also for a
// sign-in that has proved it and not opened its session yet.
func TestASignInThatIsOvertakenByAResetOpensNoSession(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"reset", "disabled"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			p := paneltest.New(t)
			id := signUp(t, p).Get("/api/v1/auth/me").Text("account.id")
			replaced, opened := overtaken(t, p, replacements(p, p.Admin(), id)[how],
				func() *paneltest.Answer { return login(p, "anna", secret) })
			done(t, replaced)
			opened.Refused(http.StatusUnauthorized, "bad_credentials")
			require.Zero(t, sessionsOf(t, p, id))
		})
	}
}

func sessionsOf(t *testing.T, p *paneltest.Panel, id string) (n int) {
	t.Helper()
	require.NoError(t, p.DB.NewRaw("select count(*) from sessions where account_id = ?", id).Scan(t.Context(), &n))
	return n
}

// Specification, Password reset rule 6: it "cannot be restored", also not by a sign-in that hashes it anew at today's
// cost.
func TestASignInThatHashesAnewDoesNotBringTheOldPasswordBack(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t)
	id := signUp(t, p).Get("/api/v1/auth/me").Text("account.id")
	storeCheaply(t, p, secret)
	replaced, opened := overtaken(t, p, replacements(p, p.Admin(), id)["reset"],
		func() *paneltest.Answer { return login(p, "anna", secret) })
	done(t, replaced)
	opened.Refused(http.StatusUnauthorized, "bad_credentials")
	login(p, "anna", secret).Refused(http.StatusUnauthorized, "bad_credentials")
	login(p, "anna", replacement).Is(http.StatusOK)
}

// Of two sign-ins at once that both hash the password anew none is refused; the wish for another password stays.
func TestAPasswordIsHashedAnewWithoutTurningAnybodyAway(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t)
	signUp(t, p)
	storeCheaply(t, p, secret)
	again := func() *paneltest.Answer { return login(p, "anna", secret) }
	one, two := overtaken(t, p, again, again)
	require.Equal(t, true, one.Is(http.StatusOK).Value("account.must_change_password"))
	two.Is(http.StatusOK)
	login(p, "anna", secret).Is(http.StatusOK)
	var hash string
	require.NoError(t, p.DB.NewRaw("select password_hash from accounts where must_change_password").Scan(t.Context(),
		&hash))
	require.NotContains(t, hash, "m=64,")
}

// storeCheaply puts the hash of an earlier cost into anna's account.
func storeCheaply(t *testing.T, p *paneltest.Panel, plain string) {
	t.Helper()
	salt := []byte("some salt of old")
	key := argon2.IDKey([]byte(plain), salt, 1, 64, 1, 32)
	hash := fmt.Sprintf("$argon2id$v=%d$m=64,t=1,p=1$%s$%s", argon2.Version,
		base64.RawStdEncoding.EncodeToString(salt), base64.RawStdEncoding.EncodeToString(key))
	_, err := p.DB.ExecContext(t.Context(),
		"update accounts set password_hash = ?, must_change_password = true where username = 'anna'", hash)
	require.NoError(t, err)
}

// Specification, Password reset rule 6: what the old password was proved for before the reset does not undo it.
func TestAnOwnPasswordChangeThatIsOvertakenByAResetSetsNothing(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t)
	me := signUp(t, p)
	id := me.Get("/api/v1/auth/me").Text("account.id")
	mine := object{"current_password": secret, "new_password": "a third password"}
	replaced, changed := overtaken(t, p, replacements(p, p.Admin(), id)["reset"],
		func() *paneltest.Answer { return me.Post("/api/v1/auth/password", mine) })
	done(t, replaced)
	changed.Refused(http.StatusConflict, "revision_conflict")
	login(p, "anna", "a third password").Refused(http.StatusUnauthorized, "bad_credentials")
	login(p, "anna", replacement).Is(http.StatusOK)
}

// Specification, Password reset rule 6: a challenge that the old password has earned ends with it, however it ends.
func TestAChallengeOfTheOldPasswordEndsWithIt(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"reset", "disabled and enabled", "own change", "command"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			p := paneltest.New(t)
			me, _, recovery := withTOTP(t, p)
			challenge := challenged(t, p).Text("challenge")
			endThePassword(t, p, me, how)
			second(p, challenge, "recovery_code", recovery[0]).Refused(http.StatusUnauthorized, "bad_credentials")
		})
	}
}

func endThePassword(t *testing.T, p *paneltest.Panel, me *paneltest.Client, how string) {
	t.Helper()
	admin, path := p.Admin(), "/api/v1/accounts/"+me.Get("/api/v1/auth/me").Text("account.id")
	switch how {
	case "reset":
		admin.Post(path+"/password", object{"password": replacement}).Is(http.StatusNoContent)
	case "disabled and enabled":
		for _, state := range []string{"disabled", "active"} {
			admin.Patch(path, object{"revision": admin.Get(path).Value("revision"), "state": state}).Is(http.StatusOK)
		}
	case "own change":
		me.Post("/api/v1/auth/password", object{"current_password": secret, "new_password": replacement}).
			Is(http.StatusNoContent)
	case "command":
		ran := panelctl(t, onDatabase(t, p), "", "admin", "reset-password", "--yes", "--username", "anna")
		require.Zero(t, ran.exit, ran.err)
	}
}

// The same for a challenge that is on its way, and for a second factor that is shown while the password is replaced.
func TestASecondStepThatIsOvertakenByAResetOpensNoSession(t *testing.T) {
	t.Parallel()
	clock := clockwork.NewFakeClockAt(time.Now())
	p := paneltest.Start(t, paneltest.Clock(clock))
	me, _, recovery := withTOTP(t, p)
	id := me.Get("/api/v1/auth/me").Text("account.id")
	reset := replacements(p, p.Admin(), id)["reset"]
	challenge := challenged(t, p).Text("challenge")
	_, opened := overtaken(t, p, reset, func() *paneltest.Answer {
		return second(p, challenge, "recovery_code",
			recovery[0])
	})
	opened.Refused(http.StatusUnauthorized, "bad_credentials")
	require.Zero(t, sessionsOf(t, p, id))
	p.Admin().Post("/api/v1/accounts/"+id+"/password", object{"password": secret}).Is(http.StatusNoContent)
	_, asked := overtaken(t, p, reset, func() *paneltest.Answer { return login(p, "anna", secret) })
	asked.Refused(http.StatusUnauthorized, "bad_credentials")
}

// A passkey that is on its way in while the password is replaced is not registered.
func TestARegistrationEndsWithThePassword(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t)
	me := signUp(t, p)
	begun := me.Post("/api/v1/auth/passkeys", object{"password": secret}).Is(http.StatusOK)
	me.Post("/api/v1/auth/password", object{"current_password": secret, "new_password": replacement}).
		Is(http.StatusNoContent)
	finish := object{"challenge": begun.Text("challenge"), "name": "laptop", "credential": object{}}
	me.Post("/api/v1/auth/passkeys/finish", finish).Refused(http.StatusUnprocessableEntity, "invalid_value")
	require.Zero(t, challenges(t, p))
}

func challenges(t *testing.T, p *paneltest.Panel) (n int) {
	t.Helper()
	require.NoError(t, p.DB.NewRaw("select count(*) from challenges").Scan(t.Context(), &n))
	return n
}

// A set-up that begins again while the first one is confirmed does not switch the confirmed app off.
func TestAConfirmedAppSurvivesASetUpThatBeginsMeanwhile(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t)
	me := signUp(t, p)
	key := me.Post("/api/v1/auth/totp", object{"password": secret}).Is(http.StatusOK).Text("secret")
	confirmed, begun := overtaken(t, p,
		func() *paneltest.Answer { return me.Post("/api/v1/auth/totp/confirm", object{"code": code(t, p, key)}) },
		func() *paneltest.Answer { return me.Post("/api/v1/auth/totp", object{"password": secret}) })
	confirmed.Is(http.StatusOK)
	begun.Refused(http.StatusConflict, "totp_enabled")
	challenged(t, p)
}

// The command that takes the second factor off says so in the journal, like the panel.
func TestTheCommandJournalsThatTheSecondFactorIsOff(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t)
	withTOTP(t, p)
	ran := panelctl(t, onDatabase(t, p), "", "admin", "reset-password", "--yes", "--username", "anna",
		"--remove-second-factor", "--password", replacement)
	require.Zero(t, ran.exit, ran.err)
	login(p, "anna", replacement).Is(http.StatusOK)
	require.Equal(t, 1, factorEntries(t, p, "second_factor"))
}
