package destination_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/backups/internal/artefact"
	"panel/modules/backups/internal/destination"
)

// service stands in for the messenger: it takes documents, and sometimes asks for patience.
type service struct {
	mu        sync.Mutex
	documents map[string][]byte
	chats     []string
	busy      int // that many answers ask for patience first
	refuses   bool
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.URL.Path != "/bot1:token/sendDocument" || s.refuses {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, `{"ok":false,"description":"Unauthorized"}`)
		return
	}
	file, header, err := r.FormFile("document")
	if err != nil || r.ContentLength <= 0 {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	if s.busy > 0 {
		s.busy--
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = io.WriteString(w, `{"ok":false,"parameters":{"retry_after":1}}`)
		return
	}
	text, _ := io.ReadAll(file)
	s.documents[header.Filename] = text
	s.chats = append(s.chats, r.FormValue("chat_id")+"/"+r.FormValue("message_thread_id"))
	_, _ = io.WriteString(w, `{"ok":true,"result":{"message_id":5}}`)
}

func messenger(t *testing.T) (*service, artefact.Destination) {
	t.Helper()
	s := &service{documents: map[string][]byte{}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return s, opened(t, spec(t, destination.Messenger, destination.MessengerConfig{
		ChatID: "-100", ThreadID: 7, APIRoot: server.URL,
	}, "1:token"))
}

func TestADocumentIsSentToTheChatAndAskedForPatienceAgain(t *testing.T) {
	t.Parallel()
	s, at := messenger(t)
	s.busy = 1
	text := random(t, 3<<20)
	require.NoError(t, at.Put(t.Context(), "panel.database.0001", bytes.NewReader(text)))
	require.True(t, bytes.Equal(text, s.documents["panel.database.0001"]))
	require.Equal(t, []string{"-100/7"}, s.chats)
	require.NoError(t, at.Check(t.Context()))
}

func TestAMessengerTakesOnlyWhatIsEncryptedAndGivesNothingBack(t *testing.T) {
	t.Parallel()
	_, at := messenger(t)
	require.True(t, at.Limits().Encrypted)
	require.LessOrEqual(t, at.Limits().PartBytes, int64(45<<20))
	_, err := at.Files(t.Context())
	require.ErrorIs(t, err, artefact.ErrWriteOnly)
	_, err = at.Open(t.Context(), "x")
	require.ErrorIs(t, err, artefact.ErrWriteOnly)
	require.ErrorIs(t, at.Remove(t.Context(), "x"), artefact.ErrWriteOnly)
	require.Error(t, at.Put(t.Context(), "x", bytes.NewReader(make([]byte, at.Limits().PartBytes+1))))
}

func TestARefusalOfTheMessengerCarriesNoToken(t *testing.T) {
	t.Parallel()
	s, at := messenger(t)
	s.refuses = true
	err := at.Put(t.Context(), "x", bytes.NewReader([]byte("x")))
	require.ErrorContains(t, err, "401")
	require.NotContains(t, err.Error(), "1:token")
}
