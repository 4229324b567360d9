package paneltest

import (
	"encoding/json"
	"net/http"

	"github.com/stretchr/testify/require"

	"panel/platform/audit"
	"panel/platform/database"
)

const requestKey = "Idempotency-Key"

// PostOnce posts with an Idempotency-Key and requires everything that a key promises: repeated, the request gets the
// same answer; another request with the key is refused; and one whose answer was lost, because the panel was killed
// after the commit, is not done again. Whatever comes, the journal has the act once. It gives the first answer, a
// success.
func (c *Client) PostOnce(path string, body any) *Answer {
	t := c.panel.t
	t.Helper()
	var text any
	other := []string{requestKey, database.NewID(), "If-Match", "77"} // another request even where there is no body
	if body != nil {
		raw, err := json.Marshal(body)
		require.NoError(t, err)
		text = raw
	}
	key := other[:2]
	first := c.Do(http.MethodPost, path, text, key...)
	require.Less(t, first.Status, http.StatusMultipleChoices, "POST %s: %s", path, first.Body)
	require.Empty(t, first.Header.Get("Idempotency-Replayed"), "the first answer of a key")
	done := c.acts()
	again := c.Do(http.MethodPost, path, text, key...).Is(first.Status)
	require.Equal(t, string(first.Body), string(again.Body), "the answer of the repeated POST %s", path)
	require.Equal(t, first.Header.Get("Content-Type"), again.Header.Get("Content-Type"))
	require.Equal(t, "true", again.Header.Get("Idempotency-Replayed"))
	c.Do(http.MethodPost, path, text, other...).Refused(http.StatusConflict, "idempotency_mismatch")
	if raw, sent := text.([]byte); sent {
		c.Do(http.MethodPost, path, append(raw, ' '), key...).Refused(http.StatusConflict, "idempotency_mismatch")
	}
	c.loseAnswer(key[1])
	c.Do(http.MethodPost, path, text, key...).Refused(http.StatusConflict, "idempotency_answer_lost")
	require.Equal(t, done, c.acts(), "POST %s did something more than once", path)
	return first
}

// acts counts what requests of people have done, by the journal. What goes on behind them in the name of who began it
// is none of theirs, and an earlier refused request may be written down later.
func (c *Client) acts() (n int) {
	c.panel.t.Helper()
	require.NoError(c.panel.t,
		c.panel.DB.NewRaw("select count(*) from journal where actor_kind = 'admin' and request_id <> '' and result <> ?",
			audit.Denied).Scan(c.panel.t.Context(), &n))
	return n
}

// loseAnswer makes the key look as one of a panel that was killed between its commit and its answer.
func (c *Client) loseAnswer(key string) {
	c.panel.t.Helper()
	_, err := c.panel.DB.ExecContext(c.panel.t.Context(), `update idempotency_keys
		set status = null, sealed_answer = '', held_until = now() - interval '1 second' where key = ?`, key)
	require.NoError(c.panel.t, err)
}
