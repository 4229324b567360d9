package buffer

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

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
		if err := b.Add(json.RawMessage(strconv.FormatInt(count, 10)), item(count)); err != nil {
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
	items   map[int64]int
	repeats int
}

func (s *store) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var batch Batch
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
	for _, raw := range batch.Items {
		s.items[numberOf(raw)]++
	}
	if len(s.batches)%7 == 0 { // stored, but the answer is lost
		panic(http.ErrAbortHandler)
	}
}

func TestKillMinusNineLosesNothingAndDoublesNothing(t *testing.T) {
	t.Parallel()
	panel := &store{batches: map[string]bool{}, items: map[int64]int{}}
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
		require.Equal(t, 1, panel.items[number], "item %d of %d", number, promised)
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
	require.EqualValues(t, 2, numberOf(second.Items[0]))
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

// A log whose successor cannot be made stays open and is numbered later: no sample gets into a batch that is on its
// way.
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
	require.Len(t, batch.Items, 2)
	add(t, b, 3)
	again, _, err := b.Next()
	require.NoError(t, err)
	require.Equal(t, batch, again)
	require.NoError(t, b.Ack(batch.Seq))
	next, found, err := b.Next()
	require.NoError(t, err)
	require.True(t, found)
	require.Len(t, next.Items, 1)
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
	b, err := open(t.TempDir(), 3*agentapi.MaxBatchItems)
	require.NoError(t, err)
	for number := range int64(5 * agentapi.MaxBatchItems) {
		add(t, b, number)
	}
	require.LessOrEqual(t, b.Held(), 3*agentapi.MaxBatchItems)
	batch, _, err := b.Next()
	require.NoError(t, err)
	require.Equal(t, 5*agentapi.MaxBatchItems, int(batch.Dropped)+b.Held())
	require.Equal(t, batch.Dropped, numberOf(batch.Items[0]))
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
	require.Len(t, batch.Items, 2)
}

// The items of one call become durable together, and a batch that is full in between is numbered on the way.
func TestManyItemsAtOnceFillBatchesInTheirSequence(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b, err := Open(dir)
	require.NoError(t, err)
	add(t, b, 0)
	many := make([]json.RawMessage, 2*agentapi.MaxBatchItems)
	for i := range many {
		many[i] = item(int64(i + 1))
	}
	require.NoError(t, b.Add(nil, many...))
	require.NoError(t, b.Close())
	b, err = Open(dir)
	require.NoError(t, err)
	require.Equal(t, len(many)+1, b.Held())
	want := int64(0)
	for {
		batch, found, err := b.Next()
		require.NoError(t, err)
		if !found {
			break
		}
		require.LessOrEqual(t, len(batch.Items), agentapi.MaxBatchItems)
		for _, raw := range batch.Items {
			require.Equal(t, want, numberOf(raw))
			want++
		}
		require.NoError(t, b.Ack(batch.Seq))
	}
	require.EqualValues(t, want, len(many)+1)
}

// Compatibility: what an agent of the release before has not delivered is delivered by this one.
func TestALogOfTheReleaseBeforeIsRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	raw := []byte(`{"tick":4,"sample":{"observed_at":"2026-01-02T03:04:05Z","uptime_s":7},"bases":{"a":1}}`)
	line := fmt.Sprintf("%08x %s\n", crc32.ChecksumIEEE(raw), raw)
	require.NoError(t, os.WriteFile(filepath.Join(dir, openFile), []byte(line), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, stateFile),
		[]byte(`{"stream_id":"old","acked":3,"dropped":0,"tick":3}`), 0o600))
	b, err := Open(dir)
	require.NoError(t, err)
	require.JSONEq(t, `{"a":1}`, string(b.Bases()))
	batch, found, err := b.Next()
	require.NoError(t, err)
	require.True(t, found)
	require.Equal(t, "old", batch.StreamID)
	require.EqualValues(t, 4, batch.Seq)
	require.JSONEq(t, `{"observed_at":"2026-01-02T03:04:05Z","uptime_s":7}`, string(batch.Items[0]))
}

func item(number int64) json.RawMessage { return fmt.Appendf(nil, `{"number":%d}`, number) }

func numberOf(raw json.RawMessage) int64 {
	var read struct{ Number int64 }
	if err := json.Unmarshal(raw, &read); err != nil {
		return -1
	}
	return read.Number
}

func add(t *testing.T, b *Buffer, number int64) {
	t.Helper()
	require.NoError(t, b.Add(json.RawMessage(strconv.FormatInt(number, 10)), item(number)))
}
