package artefact_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"testing"
	"time"

	"filippo.io/age"
	"github.com/stretchr/testify/require"

	"panel/modules/backups/internal/artefact"
	"panel/modules/backups/internal/destination"
	"panel/platform/database"
	"panel/platform/database/dbtest"
	"panel/platform/outbound"
	"panel/platform/testneed"
)

const master = "a master key of the tests, long enough"

// source is a panel's database with some rows of every kind.
func source(t testing.TB, statements ...string) artefact.Source {
	t.Helper()
	dsn := dbtest.DSN(t)
	execute(t, dsn, append([]string{
		"create table things (id int primary key, word text, content bytea, at timestamptz, share double precision, doc jsonb)",
		`insert into things select n, 'Wort ' || n || E'\n\t"ü', decode(md5(n::text), 'hex'),
			timestamptz '2026-01-01 00:00:00+00' + n * interval '1 hour', n / 3.0, jsonb_build_object('n', n)
			from generate_series(1, 2000) n`,
		"create table void (id int)",
	}, statements...)...)
	return artefact.Source{DSN: dsn, Master: master, Version: "1.2.3"}
}

func execute(t testing.TB, dsn string, statements ...string) {
	t.Helper()
	conn, err := database.Connect(t.Context(), dsn)
	require.NoError(t, err)
	defer func() { _ = conn.Close(context.Background()) }()
	for _, statement := range statements {
		_, err := conn.Exec(t.Context(), statement)
		require.NoError(t, err, statement)
	}
}

// folder is a destination in a folder of the test.
func folder(t testing.TB) (string, artefact.Destination) {
	t.Helper()
	network, err := outbound.Through("")
	require.NoError(t, err)
	path := t.TempDir()
	opened, err := destination.Env{Network: network, Folder: path}.Open(destination.Spec{Kind: destination.Local})
	require.NoError(t, err)
	return path, opened
}

func target(name string, at artefact.Destination) artefact.Target {
	return artefact.Target{Name: name, Destination: at}
}

// secured is an encryption and the keys that open it.
func secured(t testing.TB, mode artefact.Mode) (artefact.Encryption, artefact.Keys) {
	t.Helper()
	keys := artefact.Keys{Masters: []string{master}}
	switch mode {
	case artefact.ByRecipient:
		identity, err := age.GenerateX25519Identity()
		require.NoError(t, err)
		keys.Identity = identity.String()
		return artefact.Encryption{Mode: mode, Recipient: identity.Recipient().String()}, keys
	case artefact.ByPassphrase:
		keys.Passphrase = "correct horse battery staple"
		return artefact.Encryption{Mode: mode, Passphrase: keys.Passphrase}, keys
	case artefact.Plain:
	}
	return artefact.Encryption{Mode: artefact.Plain}, keys
}

// made is a small artefact of several parts in a folder.
func made(t testing.TB, mode artefact.Mode) (path string, at artefact.Destination, m *artefact.Manifest,
	keys artefact.Keys,
) {
	t.Helper()
	path, at = folder(t)
	encryption, keys := secured(t, mode)
	result, err := artefact.Create(t.Context(), source(t), artefact.Options{
		Encryption: encryption, PartBytes: 64 << 10, SecretStore: mode != artefact.Plain,
	}, []artefact.Target{target("folder", at)})
	require.NoError(t, err)
	require.Equal(t, artefact.Succeeded, result.State)
	require.Greater(t, len(result.Manifest.Entries[0].Parts), 1, "the dump has more than one part")
	return path, at, result.Manifest, keys
}

func content(t testing.TB, at artefact.Destination, m *artefact.Manifest, entry artefact.Entry,
	keys artefact.Keys,
) ([]byte, error) {
	t.Helper()
	opened, err := artefact.Open(t.Context(), at, m, entry, keys)
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	return io.ReadAll(opened)
}

func files(t testing.TB, path string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(path, "*"))
	require.NoError(t, err)
	return found
}

// proves reads everything as a restore does before it writes.
func proves(t testing.TB, at artefact.Destination, name string, keys artefact.Keys) error {
	t.Helper()
	found, err := artefact.Find(t.Context(), at, name, keys)
	if err != nil {
		return err
	}
	return artefact.Prove(t.Context(), at, found.Manifest, nil)
}

// broken is a destination that fails, or hangs, at the n-th file.
type broken struct {
	artefact.Destination
	at    int
	hang  bool
	count int
}

var errBroken = errors.New("the place is gone")

// Put fails in the middle of the file.
func (b *broken) Put(ctx context.Context, file string, content io.Reader) error {
	b.count++
	if b.count < b.at {
		return b.Destination.Put(ctx, file, content)
	}
	if _, err := io.CopyN(io.Discard, content, 100); err != nil {
		return err
	}
	if b.hang {
		<-ctx.Done()
		return context.Cause(ctx)
	}
	return errBroken
}

// programs is a folder whose pg_dump is a script, and whose other programs are the real ones.
func programs(t testing.TB, script string) string {
	t.Helper()
	path := t.TempDir()
	text := "#!/bin/sh\n[ \"$1\" = --version ] && { echo 'pg_dump (PostgreSQL) 99.0'; exit; }\n" + script
	testneed.Script(t, filepath.Join(path, "pg_dump"), text)
	testneed.Script(t, filepath.Join(path, "pg_restore"), "#!/bin/sh\n")
	return path
}

const patience = time.Minute

func encodedOf(t testing.TB, value any) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, json.NewEncoder(&out).Encode(value))
	return out.String()
}
