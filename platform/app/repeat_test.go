package app_test

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/database"
	"panel/platform/httpapi"
	"panel/platform/idempotency"
	"panel/platform/paneltest/bodies"
	"panel/platform/vault"
)

const keyHeader = "Idempotency-Key"

// anew are the POSTs of a session that take no Idempotency-Key, each with its reviewed reason.
func anew(t *testing.T) map[string]string {
	t.Helper()
	reasons := map[string]string{}
	for _, row := range reviewed(t, "testdata/anew.csv") {
		require.NotEmpty(t, row[1], "%s has no reason", row[0])
		require.NotContains(t, reasons, row[0], "two lines for one operation")
		reasons[row[0]] = row[1]
	}
	return reasons
}

// Every POST of a session takes an Idempotency-Key, but for those that the reviewed list gives a reason, and the
// description says so. What shows a secret is on the list: it would be stored, and shown again.
func TestEveryPostOfASessionTakesAKeyButTheListed(t *testing.T) {
	t.Parallel()
	b := newMatrix(t, newOutside(t))
	known, reasons, lines := b.described(), anew(t), policies(t)
	for _, op := range b.App.Server().Routes() {
		line := lines[op.Method+" "+op.Path]
		if op.Method != http.MethodPost || line.access != "session" {
			require.False(t, op.Repeatable(), op.Path)
			continue
		}
		_, listed := reasons[op.Path]
		require.Equal(t, !listed, op.Repeatable(), "%s: httpapi.Anew and testdata/anew.csv say different things",
			op.Path)
		if op.Repeatable() {
			secret := secretIn(op.Answer(), map[reflect.Type]bool{})
			require.Empty(t, secret, "%s answers with a secret: say httpapi.Anew", op.Path)
		}
		named := slices.ContainsFunc(known.of(line).Parameters,
			func(p bodies.Parameter) bool { return p.Name == keyHeader })
		require.Equal(t, op.Repeatable(), named, "%s in the description", op.Path)
		delete(reasons, op.Path)
	}
	require.Empty(t, reasons, "the list names operations that do not exist")
}

// Each of them answers a key that has an answer with this answer, refuses one that is at work or was sent with another
// request, and does nothing in all three cases. paneltest.PostOnce shows the first answer of a key in tests of modules.
func TestEveryRepeatablePostAnswersFromItsKey(t *testing.T) {
	t.Parallel()
	outside := newOutside(t)
	b := newMatrix(t, outside)
	known, lines, admin := b.described(), policies(t), b.Admin()
	keys := keysOf(t, b)
	before, asked := b.picture(), 0
	for _, op := range b.App.Server().Routes() {
		if op.Repeatable() {
			asked++
			line := lines[op.Method+" "+op.Path]
			b.repeats(t, keys, op, call{
				method: op.Method, path: line.somewhere(), body: b.fitting(known, line),
				headers: append(bearer(admin.Token), keyHeader, database.NewID()),
			}, admin.AccountID)
		}
	}
	require.Greater(t, asked, 30)
	before["idempotency_keys"] = b.picture()["idempotency_keys"]
	b.untouched(before, outside)
}

// keysOf is the store in which the panel looks keys up.
func keysOf(t *testing.T, b *matrix) *idempotency.Store {
	t.Helper()
	key, _, err := vault.MasterKey("a master key that only tests know", t.TempDir())
	require.NoError(t, err)
	secrets, err := vault.New(key)
	require.NoError(t, err)
	return idempotency.NewStore(b.DB, secrets)
}

// fitting is a body that the operation's declaration allows; nothing where it takes none.
func (b *matrix) fitting(known *described, line policy) string {
	body := known.body(line)
	if body == nil {
		return ""
	}
	return known.Document(b.t, body, bodies.Change{})
}

// repeats reserves the key of a request as if its first sending was at work, then stores an answer, and sends the
// request.
func (b *matrix) repeats(t *testing.T, keys *idempotency.Store, op httpapi.Operation, c call, account string) {
	t.Helper()
	run, _, err := keys.Begin(t.Context(), idempotency.Request{
		AccountID: account, Operation: op.Method + " " + op.Path, Key: c.headers[3],
		Digest: sha256.Sum256([]byte(c.path + "\x00\x00" + c.body + "\x00")), Within: time.Minute,
	})
	require.NoError(t, err)
	require.NotNil(t, run)
	other := c
	other.headers = append(slices.Clone(c.headers), "If-Match", "77")
	refused := func(c call, code string) {
		got := b.wire.send(c)
		require.Equal(t, verdict{http.StatusConflict, code}, verdict{got.status, got.code}, "%s: %s", op.Path, got.body)
	}
	refused(c, "idempotency_in_progress")
	refused(other, "idempotency_mismatch")
	answer := fmt.Sprintf(`{"stored":%q}`, op.Path)
	stored := idempotency.Answer{Status: http.StatusAccepted, ContentType: "application/json", Body: []byte(answer)}
	require.NoError(t, run.End(t.Context(), stored))
	got := b.wire.send(c)
	require.Equal(t, http.StatusAccepted, got.status, "%s: %s", op.Path, got.body)
	require.Equal(t, answer, got.body)
	refused(other, "idempotency_mismatch")
}
