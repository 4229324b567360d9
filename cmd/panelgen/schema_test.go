package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules"
	"panel/platform/app"
	"panel/platform/database/dbtest"
)

func TestTheWrittenSchemaDoesNotKnowTheHourOfItsRun(t *testing.T) {
	db := dbtest.New(t, app.Migrations(app.With(modules.All()))...)
	before, err := schemaOf(t.Context(), db)
	require.NoError(t, err)
	require.Contains(t, string(before), "create table node_samples")

	_, err = db.ExecContext(t.Context(), `create table node_samples_1999010100 partition of node_samples
		for values from ('1999-01-01 00:00+00') to ('1999-01-01 01:00+00')`)
	require.NoError(t, err)
	after, err := schemaOf(t.Context(), db)
	require.NoError(t, err)
	require.Equal(t, string(before), string(after))
}
