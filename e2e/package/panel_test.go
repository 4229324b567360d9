package package_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
)

// signIn proves that the data is there.
func (l *life) signIn() {
	l.t.Helper()
	status, body := l.call(
		http.MethodPost,
		"/api/v1/auth/login",
		map[string]string{"username": "anna", "password": "correct horse"},
	)
	require.Equal(l.t, http.StatusOK, status, string(body))
	var signed struct {
		Token string `json:"token"`
	}
	require.NoError(l.t, json.Unmarshal(body, &signed))
	l.token = signed.Token
}

func (l *life) call(method, path string, body any) (int, []byte) {
	text, err := json.Marshal(body)
	require.NoError(l.t, err)
	if body == nil {
		text = nil
	}
	request, err := http.NewRequestWithContext(l.t.Context(), method, panelHome+path, bytes.NewReader(text))
	require.NoError(l.t, err)
	request.Header.Set("Authorization", "Bearer "+l.token)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := (&http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}).Do(
		request,
	)
	if err != nil {
		return 0, []byte(err.Error())
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, []byte(err.Error())
	}
	return response.StatusCode, answer
}

type run struct {
	ID     string `json:"id"`
	To     string `json:"to"`
	State  string `json:"state"`
	Reason string `json:"reason"`
}

type view struct {
	Available *struct {
		Version string `json:"version"`
	} `json:"available"`
	Checks []struct {
		ID      string `json:"id"`
		OK      bool   `json:"ok"`
		Finding string `json:"finding"`
	} `json:"checks"`
	Run      *run `json:"run"`
	Rollback struct {
		Possible bool   `json:"possible"`
		Version  string `json:"version"`
		Reason   string `json:"reason"`
	} `json:"rollback"`
	History []run `json:"history"`
}

func (l *life) view() view {
	l.t.Helper()
	status, body := l.call(http.MethodGet, "/api/v1/system/updates", nil)
	require.Equal(l.t, http.StatusOK, status, string(body))
	var v view
	require.NoError(l.t, json.Unmarshal(body, &v))
	return v
}

// apply asks the panel, which has no license and is read-only, for the update and waits for the end of its run.
func (l *life) apply(version, state string) time.Duration {
	l.t.Helper()
	began := l.ask(version)
	l.ended(state)
	return time.Since(began)
}

func (l *life) ask(version string) time.Time {
	l.t.Helper()
	status, body := l.call(http.MethodPost, "/api/v1/system/updates/check", nil)
	require.Equal(l.t, http.StatusOK, status, string(body))
	v := l.view()
	require.NotNil(l.t, v.Available, string(body))
	require.Equal(l.t, version, v.Available.Version)
	for _, check := range v.Checks {
		require.True(l.t, check.OK, "%s: %s", check.ID, check.Finding)
	}
	began := time.Now()
	status, body = l.call(http.MethodPost, "/api/v1/system/updates/apply", map[string]string{"version": version})
	require.Equal(l.t, http.StatusAccepted, status, string(body))
	status, _ = l.call(http.MethodPost, "/api/v1/system/updates/apply", map[string]string{"version": version})
	require.NotEqual(l.t, http.StatusAccepted, status, "one update at a time")
	return began
}

// ended waits for the end of a run.
func (l *life) ended(state string) {
	l.t.Helper()
	require.Contains(l.t, l.end(), `"state":"`+state+`"`)
}

// end is the last line of the journal on disk, which is there while the panel itself comes and goes, when nothing is
// going on.
func (l *life) end() string {
	l.t.Helper()
	var last string
	require.Eventually(l.t, func() bool {
		_, waiting := os.Stat(inside("/opt/panel/data/update-request.json"))
		_, going := os.Stat(inside("/opt/panel/updates/run.json"))
		raw, _ := os.ReadFile(inside("/opt/panel/data/update-journal.jsonl")) // after them: it is written before they go
		lines := strings.Split(strings.TrimSpace(string(raw)), "\n")
		last = lines[len(lines)-1]
		return waiting != nil && going != nil
	}, 70*time.Second, 100*time.Millisecond, late{&last})
	return last
}

// late is a message that is read when it is printed.
type late struct{ text *string }

func (m late) String() string { return *m.text }

func (l *life) journalHolds(action string) {
	l.t.Helper()
	require.Eventually(l.t, func() bool {
		_, body := l.call(http.MethodGet, "/api/v1/audit?action="+action, nil)
		return strings.Contains(string(body), `"action":"`+action+`"`)
	}, within, 200*time.Millisecond)
}
