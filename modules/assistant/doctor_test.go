package assistant

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/assistant/modeltest"
	"panel/platform/database"
	"panel/platform/doctor"
	"panel/platform/paneltest"
)

// diagnosed is what Doctor finds of a panel now, with its sentence filled in.
func diagnosed(t *testing.T, p *paneltest.Panel) (doctor.Finding, string) {
	t.Helper()
	found := check().Run(t.Context(), doctor.Env{
		Now: time.Now,
		Getenv: func(name string) string {
			return map[string]string{"PANEL_DB_URL": p.DB.Pool.Config().ConnString()}[name]
		},
	})
	return found, fmt.Sprintf(found.Found.Format, found.Found.Args...)
}

// concluded puts an answer of the model there that ended a while ago with an error code, or well.
func concluded(t *testing.T, p *paneltest.Panel, ago time.Duration, code string) {
	t.Helper()
	_, err := p.DB.NewRaw(`insert into assistant_questions (id, account_id, text, language, page, engine, state, asked_at,
			finished_at, beat_at, error_code, tokens, answer)
		select ?0, id, 'x', 'en', '/', 'model', case ?2::text when '' then 'answered' else 'failed' end, ?1::timestamptz,
			?1, ?1, ?2, 0, '{}' from accounts limit 1`, database.NewID(), time.Now().Add(-ago), code).Exec(t.Context())
	require.NoError(t, err)
}

// Without a model there is nothing to find; one that is connected is judged by its answers since the settings were
// changed last.
func TestDoctorJudgesTheModelByItsLastAnswers(t *testing.T) {
	t.Parallel()
	_, said := diagnosed(t, paneltest.New(t, Module()))
	require.Equal(t, "no language model is connected", said)

	p := connected(t, modeltest.New(t, modeltest.Says("yes")), nil)
	_, err := p.DB.ExecContext(t.Context(), "update settings_documents set updated_at = now() - interval '1 hour'")
	require.NoError(t, err)
	concluded(t, p, 2*time.Hour, failReach)
	found, said := diagnosed(t, p)
	require.Equal(t, doctor.OK, found.Status, "what was before the change does not count")
	require.Equal(t, "the language model is connected", said)
	for _, ago := range []time.Duration{9, 8, 7} {
		found, _ = diagnosed(t, p)
		require.Equal(t, doctor.OK, found.Status, "one or two failures are no finding")
		concluded(t, p, ago*time.Minute, failReach)
	}
	found, said = diagnosed(t, p)
	require.Equal(t, doctor.Warning, found.Status)
	require.Equal(t, "the language model gave no answer 3 times in a row: model_unreachable", said)
	require.NotEmpty(t, found.Do.Format)
	concluded(t, p, 6*time.Minute, "")
	found, _ = diagnosed(t, p)
	require.Equal(t, doctor.OK, found.Status, "it answers again")
	concluded(t, p, 5*time.Minute, failKey)
	_, said = diagnosed(t, p)
	require.Equal(t, "the language model refuses the key", said, "which never mends itself, so that once is enough")
}

// A reached cap is told on its day and not on the next one.
func TestDoctorTellsOfTheCapOfTheDay(t *testing.T) {
	t.Parallel()
	p := connected(t, modeltest.New(t, modeltest.Says("yes")), nil)
	_, err := p.DB.ExecContext(t.Context(), "update settings_documents set updated_at = now() - interval '3 days'")
	require.NoError(t, err)
	concluded(t, p, 25*time.Hour, failBudget)
	found, _ := diagnosed(t, p)
	require.Equal(t, doctor.OK, found.Status)
	concluded(t, p, 0, failBudget)
	_, said := diagnosed(t, p)
	require.Equal(t, "the cap of the day for the language model is reached", said)
}

// A helper session that goes on for an hour keeps everybody else from it, and says who has it.
func TestDoctorTellsOfAHelperSessionThatIsHeldLong(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	held := user(p).Post(path+"/helper", english).Is(http.StatusCreated)
	found, _ := diagnosed(t, p)
	require.Equal(t, doctor.OK, found.Status, "a session that has just begun is no finding")
	_, err := p.DB.ExecContext(t.Context(), "update assistant_helper set since = now() - interval '95 minutes'")
	require.NoError(t, err)
	found, said := diagnosed(t, p)
	require.Equal(t, doctor.Warning, found.Status)
	require.Equal(t, held.Text("holder.name")+" has held the one session that sets up notifications for 95 minutes", said)
	_, err = p.DB.ExecContext(t.Context(), "update assistant_helper set idle_at = now() - interval '1 second'")
	require.NoError(t, err)
	found, _ = diagnosed(t, p)
	require.Equal(t, doctor.OK, found.Status, "it has ended")
}

// Without the panel's schema, and without a database, the check says that it was not made.
func TestDoctorSkipsWhatItCannotSee(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t) // without this module
	found, _ := diagnosed(t, p)
	require.Equal(t, doctor.Skipped, found.Status)
	nowhere := check().Run(t.Context(), doctor.Env{Now: time.Now, Getenv: func(string) string {
		return "postgres://panel@127.0.0.1:1/panel"
	}})
	require.Equal(t, doctor.Skipped, nowhere.Status)
}
