// Package remnawave lets journeys of the web interface start the stand-in for a proxy panel that the tests of the
// module use.
package remnawave_test

import (
	"encoding/json"
	"net/http"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/proxypanel/remnawavetest"
)

// listenOn names the address, as 127.0.0.1:4000, at which a journey tells the stand-in what to be.
const listenOn = "PANEL_TEST_REMNAWAVE_CONTROL"

// TestServe serves the stand-in until the journey ends it.
func TestServe(t *testing.T) {
	address := os.Getenv(listenOn)
	if address == "" {
		t.Skip("a journey starts this with " + listenOn)
	}
	panel := remnawavetest.New(t)
	server := http.Server{Addr: address, Handler: control(panel), ReadHeaderTimeout: 5 * time.Second}
	require.NoError(t, server.ListenAndServe())
}

// control is what a journey may ask of the stand-in; everything is in the query.
func control(panel *remnawavetest.Panel) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /", func(w http.ResponseWriter, _ *http.Request) {
		tell(w, map[string]any{"url": panel.URL, "direct": panel.Direct, "tokens": panel.Tokens()})
	})
	mux.HandleFunc("POST /token", func(w http.ResponseWriter, r *http.Request) {
		days, err := strconv.Atoi(r.URL.Query().Get("days"))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		token := panel.Token(time.Duration(days)*24*time.Hour, r.URL.Query()["scope"]...)
		tell(w, map[string]any{"token": token})
	})
	mux.HandleFunc("POST /version", func(_ http.ResponseWriter, r *http.Request) {
		panel.Be(r.URL.Query().Get("is"))
	})
	mux.HandleFunc("POST /gate", func(_ http.ResponseWriter, r *http.Request) {
		panel.Gate(gate(panel, r.URL.Query().Get("header")))
	})
	return mux
}

// gate answers a page to everybody without the header; without a name there is none.
func gate(panel *remnawavetest.Panel, header string) http.HandlerFunc {
	if header == "" {
		return nil
	}
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get(header) != "" {
			panel.Pass(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<html>who are you</html>"))
	}
}

func tell(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(value)
}
