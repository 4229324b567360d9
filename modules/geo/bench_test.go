package geo

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"panel/platform/agentapi"
	"panel/platform/app"
	"panel/platform/database"
	"panel/platform/database/dbtest"
	"panel/platform/paneltest"
	"panel/platform/testneed/geofiles"
)

// ofTwoMB is how many names a list of 2 MB has.
const ofTwoMB = 62_000

// pieces counts who reads the first piece of a file from the database.
type pieces struct{ first atomic.Int64 }

// TraceQueryStart is called by the driver for every statement.
func (p *pieces) TraceQueryStart(ctx context.Context, _ *pgx.Conn, q pgx.TraceQueryStartData) context.Context {
	if strings.Contains(q.SQL, "from file_pieces p join") && strings.Contains(q.SQL, "number = 0") {
		p.first.Add(1)
	}
	return ctx
}

// TraceQueryEnd belongs to what the driver asks for.
func (p *pieces) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// fleet is many agents that take what they shall hold, each over its own requests.
type fleet struct {
	b      *testing.B
	url    string
	tokens []string
	client *http.Client
}

func (s *stage) fleet(b *testing.B, n int) *fleet {
	b.Helper()
	transport := &http.Transport{MaxIdleConnsPerHost: 64, MaxConnsPerHost: 64}
	f := &fleet{b: b, url: s.URL, client: &http.Client{Transport: transport}}
	b.Cleanup(f.client.CloseIdleConnections)
	for i := range n {
		f.tokens = append(f.tokens, fmt.Sprintf("pna_bench-%06d-%s", i, strings.Repeat("x", 26)))
		hash, id := sha256.Sum256([]byte(f.tokens[i])), database.NewID()
		name := fmt.Sprintf("bench-%05d", i)
		_, err := s.DB.ExecContext(b.Context(), `insert into nodes (id, name, name_key, enrolled_at, agent_access,
			created_at, updated_at) values (?, ?, ?, now(), 'granted', now(), now())`, id, name, name)
		require.NoError(b, err)
		_, err = s.DB.ExecContext(b.Context(), `insert into agent_tokens (id, node_id, token_hash, created_at)
			values (?, ?, ?, now())`, database.NewID(), id, hash[:])
		require.NoError(b, err)
	}
	f.each(func(token string) { f.beat(token, agentapi.DocumentStatus{Name: agentapi.DocumentAssets}) })
	return f
}

// each does something for every agent, some at the same time.
func (f *fleet) each(do func(token string)) {
	var all sync.WaitGroup
	slots := make(chan struct{}, 32)
	for _, token := range f.tokens {
		slots <- struct{}{}
		all.Go(func() { do(token); <-slots })
	}
	all.Wait()
}

// call answers nothing where there is nothing.
func (f *fleet) call(method, path, token string, in any) []byte {
	var body io.Reader
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			f.b.Error(err)
		}
		body = strings.NewReader(string(text))
	}
	request, err := http.NewRequestWithContext(f.b.Context(), method, f.url+path, body)
	if err != nil {
		f.b.Error(err)
		return nil
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	answer, err := f.client.Do(request)
	if err != nil {
		f.b.Error(err)
		return nil
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		return nil
	}
	return content
}

func (f *fleet) beat(token string, held agentapi.DocumentStatus) {
	report := paneltest.Heartbeat()
	report.Capabilities = append(report.Capabilities, capabilityOf(agentapi.DocumentAssets))
	report.Documents = []agentapi.DocumentStatus{held}
	if f.call(http.MethodPost, agentapi.PathHeartbeat, token, report) == nil {
		f.b.Error("a heartbeat was not taken")
	}
}

// takes looks whether the agent shall hold a file, and then fetches it, checks it and says so.
func (f *fleet) takes(token, sum string) bool {
	var document agentapi.Document
	var content agentapi.Assets
	answer := f.call(http.MethodGet, "/agent/v1/desired/assets", token, nil)
	if answer == nil || json.Unmarshal(answer, &document) != nil || json.Unmarshal(document.Content, &content) != nil {
		return false
	}
	if !slices.ContainsFunc(content.Files, func(a agentapi.AssetFile) bool { return a.SHA256 == sum }) {
		return false
	}
	got := sha256.Sum256(f.call(http.MethodGet, "/agent/v1/assets/"+sum, token, nil))
	if hex.EncodeToString(got[:]) != sum {
		f.b.Error("another file came")
	}
	f.beat(token, agentapi.DocumentStatus{
		Name: agentapi.DocumentAssets, Revision: document.Revision, Hash: document.Hash,
	})
	return true
}

// follow has all agents take a file as soon as they are told to, and gives how long each took since the roll-out began.
func (f *fleet) follow(sum string, began time.Time) (took []time.Duration) {
	var mu sync.Mutex
	left := slices.Clone(f.tokens)
	for len(left) > 0 && time.Since(began) < 5*time.Minute {
		var still []string
		waiting := &fleet{b: f.b, url: f.url, tokens: left, client: f.client}
		waiting.each(func(token string) {
			taken := f.takes(token, sum)
			mu.Lock()
			defer mu.Unlock()
			if taken {
				took = append(took, time.Since(began))
			} else {
				still = append(still, token)
			}
		})
		left = still
	}
	return took
}

// BenchmarkRollOut rolls a list of 2 MB out, in all its rings and without their pauses. Its time is that of the agent
// which stands at the 99th percentile, from the update to its report. The panel reads the file from its database once.
func BenchmarkRollOut(b *testing.B) {
	for _, n := range []int{250, 500, 1000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			reads := &pieces{}
			dsn := dbtest.DSN(b, app.Migrations(app.With(features()))...)
			db, err := database.Open(b.Context(), dsn, database.Options{Tracer: reads})
			require.NoError(b, err)
			b.Cleanup(func() { require.NoError(b, db.Close()) })
			s := newStage(b, paneltest.On(db))
			f := s.fleet(b, n)
			sum := s.origin.publish("geosite.dat", geofiles.ManySites(ofTwoMB))
			id := s.geosite()
			reads.first.Store(0)
			for b.Loop() {
				began := time.Now()
				s.update(id, true)
				took := f.follow(sum, began)
				require.Len(b, took, n, "agents that have the file")
				slices.Sort(took)
				b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds()), "ns/op")
			}
			s.until(id, inState(stateCurrent))
			require.LessOrEqual(b, reads.first.Load(), int64(1), "the panel reads the file more than once")
		})
	}
}

// fetches reads the same file again and again, by so many at the same time.
func fetches(b *testing.B, client *http.Client, path, token string) {
	b.Helper()
	b.SetParallelism(4)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			request, err := http.NewRequestWithContext(b.Context(), http.MethodGet, path, nil)
			if err != nil {
				b.Error(err)
				return
			}
			request.Header.Set("Authorization", "Bearer "+token)
			answer, err := client.Do(request)
			if err != nil {
				b.Error(err)
				return
			}
			_, err = io.Copy(io.Discard, answer.Body)
			_ = answer.Body.Close()
			if err != nil || answer.StatusCode != http.StatusOK {
				b.Error(answer.StatusCode, err)
				return
			}
		}
	})
}

// BenchmarkAsset fetches a list of 2 MB as agents do.
func BenchmarkAsset(b *testing.B) {
	s := newStage(b)
	f := s.fleet(b, 1)
	raw := geofiles.ManySites(ofTwoMB)
	sum := s.origin.publish("geosite.dat", raw)
	s.update(s.geosite(), true)
	require.Eventually(b, func() bool { return f.takes(f.tokens[0], sum) }, within, every)
	b.Run("2", func(b *testing.B) {
		b.SetBytes(int64(len(raw)))
		fetches(b, f.client, s.URL+"/agent/v1/assets/"+sum, f.tokens[0])
	})
}

// BenchmarkBareFile fetches the same bytes from a file behind a server that knows nothing else: what serving is
// compared with.
func BenchmarkBareFile(b *testing.B) {
	raw := geofiles.ManySites(ofTwoMB)
	path := b.TempDir() + "/geosite.dat"
	require.NoError(b, os.WriteFile(path, raw, 0o600))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.ServeFile(w, r, path)
	}))
	b.Cleanup(server.Close)
	b.Run("2", func(b *testing.B) {
		b.SetBytes(int64(len(raw)))
		fetches(b, server.Client(), server.URL, "")
	})
}
