package buffer

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/agentapi"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == "produce" {
		produce(os.Args[2], os.Args[3])
	}
	os.Exit(m.Run())
}

// produce adds numbered samples and sends them until it is killed; it prints each number after Add has returned.
func produce(dir, url string) {
	b, err := Open(dir)
	if err != nil {
		panic(err)
	}
	var count int64
	_ = json.Unmarshal(b.Bases(), &count)
	go deliverForever(b, url)
	for {
		count++
		if err := b.Add(agentapi.Sample{UptimeSeconds: count}, json.RawMessage(strconv.FormatInt(count, 10))); err != nil {
			panic(err)
		}
		fmt.Println(count)
	}
}

func deliverForever(b *Buffer, url string) {
	for {
		batch, found, err := b.Next()
		if err != nil || !found {
			continue
		}
		raw, _ := json.Marshal(batch)
		resp, err := http.Post(url, "application/json", bytes.NewReader(raw))
		if err != nil {
			continue
		}
		resp.Body.Close()
		if resp.StatusCode == http.StatusOK {
			if err := b.Ack(batch.Seq); err != nil {
				panic(err)
			}
		}
	}
}

// store is a panel that acknowledges after storing and stores a repeated batch once.
type store struct {
	mu      sync.Mutex
	batches map[string]bool
	samples map[int64]int
	repeats int
}

func (s *store) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var batch agentapi.MetricsBatch
	if json.NewDecoder(r.Body).Decode(&batch) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	key := fmt.Sprint(batch.StreamID, "/", batch.Seq)
	if s.batches[key] {
		s.repeats++
		return
	}
	s.batches[key] = true
	for _, sample := range batch.Samples {
		s.samples[sample.UptimeSeconds]++
	}
	if len(s.batches)%7 == 0 { // stored, but the answer is lost
		panic(http.ErrAbortHandler)
	}
}

func TestKillMinusNineLosesNothingAndDoublesNothing(t *testing.T) {
	t.Parallel()
	panel := &store{batches: map[string]bool{}, samples: map[int64]int{}}
	server := httptest.NewServer(panel)
	defer server.Close()
	dir := t.TempDir()
	var promised int64
	for round := range 25 {
		promised = max(promised, killAfter(t, dir, server.URL, 5+round*3))
	}
	drainInto(t, dir, panel)
	require.Greater(t, promised, int64(25), "too few to say anything")
	for number := int64(1); number <= promised; number++ {
		require.Equal(t, 1, panel.samples[number], "sample %d of %d", number, promised)
	}
	require.Positive(t, panel.repeats, "no batch was ever sent twice, so the test shows nothing")
}

func killAfter(t *testing.T, dir, url string, lines int) int64 {
	t.Helper()
	exe, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(exe, "produce", dir, url)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	var last int64
	scanner := bufio.NewScanner(out)
	for range lines {
		require.True(t, scanner.Scan())
		last, err = strconv.ParseInt(scanner.Text(), 10, 64)
		require.NoError(t, err)
	}
	require.NoError(t, cmd.Process.Kill())
	for scanner.Scan() {
		if number, err := strconv.ParseInt(scanner.Text(), 10, 64); err == nil {
			last = number
		}
	}
	_ = cmd.Wait()
	return last
}

func drainInto(t *testing.T, dir string, panel *store) {
	t.Helper()
	b, err := Open(dir)
	require.NoError(t, err)
	for {
		batch, found, err := b.Next()
		require.NoError(t, err)
		if !found {
			return
		}
		raw, err := json.Marshal(batch)
		require.NoError(t, err)
		func() {
			defer func() { _ = recover() }()
			panel.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(raw)))
		}()
		require.NoError(t, b.Ack(batch.Seq))
	}
}

func TestABatchKeepsItsNumberAndContentUntilItIsAcknowledged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b, err := Open(dir)
	require.NoError(t, err)
	add(t, b, 1)
	first, found, err := b.Next()
	require.NoError(t, err)
	require.True(t, found)
	require.EqualValues(t, 1, first.Seq)
	add(t, b, 2)
	require.NoError(t, b.Close())

	b, err = Open(dir)
	require.NoError(t, err)
	again, _, err := b.Next()
	require.NoError(t, err)
	require.Equal(t, first, again)
	require.NoError(t, b.Ack(1))
	second, _, err := b.Next()
	require.NoError(t, err)
	require.EqualValues(t, 2, second.Seq)
	require.EqualValues(t, 2, second.Samples[0].UptimeSeconds)
}

func TestNumbersGoOnWhenEverythingWasAcknowledged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for want := int64(1); want <= 3; want++ {
		b, err := Open(dir)
		require.NoError(t, err)
		add(t, b, want)
		batch, _, err := b.Next()
		require.NoError(t, err)
		require.Equal(t, want, batch.Seq)
		require.NoError(t, b.Ack(batch.Seq))
		require.JSONEq(t, strconv.FormatInt(want, 10), string(b.Bases()))
		require.NoError(t, b.Close())
	}
}

// A log whose successor cannot be made stays open and is numbered later: no sample gets into a batch that is on its way.
func TestALogThatCannotBeFollowedIsNumberedLater(t *testing.T) {
	t.Parallel()
	b, err := Open(t.TempDir())
	require.NoError(t, err)
	add(t, b, 1)
	require.NoError(t, os.Mkdir(b.path(freshFile), 0o700))
	_, _, err = b.Next()
	require.Error(t, err)
	add(t, b, 2)
	require.NoError(t, os.Remove(b.path(freshFile)))
	batch, found, err := b.Next()
	require.NoError(t, err)
	require.True(t, found)
	require.EqualValues(t, 1, batch.Seq)
	require.Len(t, batch.Samples, 2)
	add(t, b, 3)
	again, _, err := b.Next()
	require.NoError(t, err)
	require.Equal(t, batch, again)
	require.NoError(t, b.Ack(batch.Seq))
	next, found, err := b.Next()
	require.NoError(t, err)
	require.True(t, found)
	require.Len(t, next.Samples, 1)
}

func TestALostFolderBeginsAnotherStream(t *testing.T) {
	t.Parallel()
	one, err := Open(t.TempDir())
	require.NoError(t, err)
	two, err := Open(t.TempDir())
	require.NoError(t, err)
	require.NotEqual(t, one.state.StreamID, two.state.StreamID)
}

func TestAFullBufferDropsTheOldestAndSaysSo(t *testing.T) {
	t.Parallel()
	b, err := open(t.TempDir(), 3*agentapi.MaxBatchSamples)
	require.NoError(t, err)
	for number := range int64(5 * agentapi.MaxBatchSamples) {
		add(t, b, number)
	}
	require.LessOrEqual(t, b.Held(), 3*agentapi.MaxBatchSamples)
	batch, _, err := b.Next()
	require.NoError(t, err)
	require.Equal(t, 5*agentapi.MaxBatchSamples, int(batch.Dropped)+b.Held())
	require.Equal(t, batch.Dropped, int64(batch.Samples[0].UptimeSeconds))
}

func TestACutLastLineIsDropped(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b, err := Open(dir)
	require.NoError(t, err)
	add(t, b, 1)
	_, err = b.log.WriteString("deadbeef {\"tick\":2")
	require.NoError(t, err)
	require.NoError(t, b.Close())
	b, err = Open(dir)
	require.NoError(t, err)
	add(t, b, 2)
	batch, _, err := b.Next()
	require.NoError(t, err)
	require.Len(t, batch.Samples, 2)
}

func add(t *testing.T, b *Buffer, number int64) {
	t.Helper()
	sample := agentapi.Sample{UptimeSeconds: number, ObservedAt: time.Unix(number, 0).UTC()}
	require.NoError(t, b.Add(sample, json.RawMessage(strconv.FormatInt(number, 10))))
}
