package checks

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/database/dbtest"
	"panel/platform/doctor"
	"panel/platform/vault"
)

// Doctor counts the secrets that an earlier master key sealed, as long as there are any.
func TestDoctorCountsSecretsOfAnEarlierMasterKey(t *testing.T) {
	t.Parallel()
	const earlier, current = "0123456789abcdef0123456789abcdef", "fedcba9876543210fedcba9876543210"
	db := dbtest.New(t)
	_, err := db.ExecContext(t.Context(), "create table tokens (id text primary key, sealed text not null)")
	require.NoError(t, err)
	sealed, err := vault.New(earlier)
	require.NoError(t, err)
	for _, id := range []string{"a", "b"} {
		text := sealed.Seal(vault.Ref{Table: "tokens", ID: id, Column: "sealed"}, []byte("secret"))
		_, err := db.ExecContext(t.Context(), "insert into tokens values (?, ?)", id, text)
		require.NoError(t, err)
	}
	opened, err := vault.New(current, earlier)
	require.NoError(t, err)
	require.NoError(t, opened.Guard(t.Context(), db))

	env := world(map[string]string{
		"PANEL_DB_URL": db.Pool.Config().ConnString(), "PANEL_SECRET_KEY": current,
		"PANEL_SECRET_KEY_PREVIOUS": earlier,
	})
	env.Known.Sealed = []vault.Column{{Table: "tokens", ID: "id", Column: "sealed"}}
	found := secretsOpen(t.Context(), env)
	require.Equal(t, doctor.Warning, found.Status)
	require.Equal(t, []any{2}, found.Found.Args)
	require.Equal(t, map[string]any{"left": map[string]int{"tokens.sealed": 2}}, found.Data)

	_, err = vault.NewRotation(opened, env.Known.Sealed).Reseal(t.Context(), db)
	require.NoError(t, err)
	require.Equal(t, doctor.OK, secretsOpen(t.Context(), env).Status)

	env.Known.Sealed = []vault.Column{{Table: "of_a_newer_panel", ID: "id", Column: "sealed"}}
	require.Equal(t, doctor.OK, secretsOpen(t.Context(), env).Status, "a table that is not there yet has no secrets")

	_, err = db.ExecContext(t.Context(), "create table odd (id text primary key, sealed integer)")
	require.NoError(t, err)
	env.Known.Sealed = []vault.Column{{Table: "odd", ID: "id", Column: "sealed"}}
	found = secretsOpen(t.Context(), env)
	require.Equal(t, doctor.Unknown, found.Status, "what cannot be counted is not fine")
	require.Contains(t, fmt.Sprint(found.Found.Args...), "integer")
}
