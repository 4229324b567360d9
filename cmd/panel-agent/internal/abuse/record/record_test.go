package record

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var began = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func opened(t *testing.T, dir string, limits Limits) *Record {
	t.Helper()
	r, err := Open(dir)
	require.NoError(t, err)
	t.Cleanup(func() { _ = r.Close() })
	require.NoError(t, r.Limit(limits, began))
	return r
}

func line(minute int, client, dest string, port uint16) Line {
	return Line{
		Minute: began.Add(time.Duration(minute) * time.Minute), Client: client, Flow: "f1", Dest: dest, Port: port, Count: 1,
	}
}

func found(t *testing.T, r *Record, q Query) []Line {
	t.Helper()
	if q.From.IsZero() {
		q.From, q.To = began.Add(-time.Hour), began.Add(100*time.Hour)
	}
	if q.Most == 0 {
		q.Most = 100
	}
	lines, _, err := r.Find(&q)
	require.NoError(t, err)
	return lines
}

var day = Limits{Hours: 24, MB: 16}

func TestWhoReachedForSomethingIsFoundByAddressNetworkNamePortAndTime(t *testing.T) {
	t.Parallel()
	r := opened(t, t.TempDir(), day)
	require.NoError(t, r.Add([]Line{
		line(0, "anna", "198.51.100.1", 443), line(5, "boris", "198.51.100.2", 25), line(9, "anna", "a.shop.example", 443),
		{Minute: began, Client: "anna", Flow: "f2", UDP: true, Dest: "2001:db8::1", Port: 53, Count: 7},
	}, `{"a":1}`, began))
	require.Equal(t, "anna", found(t, r, Query{Dest: "198.51.100.1"})[0].Client)
	require.Len(t, found(t, r, Query{Dest: "198.51.100.0/24"}), 2)
	require.Len(t, found(t, r, Query{Dest: "198.51.100.0/31"}), 1)
	require.Len(t, found(t, r, Query{Dest: "Shop.Example"}), 1, "with all that is below a name")
	require.Empty(t, found(t, r, Query{Dest: "hop.example"}))
	require.Len(t, found(t, r, Query{Port: 25}), 1)
	require.Len(t, found(t, r, Query{Client: "anna"}), 3)
	udp := found(t, r, Query{Flows: []string{"f2"}})
	require.Len(t, udp, 1)
	require.True(t, udp[0].UDP)
	require.Equal(t, 7, udp[0].Count)
	require.Len(t, found(t, r, Query{From: began.Add(4 * time.Minute), To: began.Add(6 * time.Minute)}), 1)
	require.Equal(t, []int{9, 5, 0, 0}, minutes(found(t, r, Query{})), "the newest first")
	limited, more, err := r.Find(&Query{From: began, To: began.Add(time.Hour), Most: 2})
	require.NoError(t, err)
	require.True(t, more)
	require.Equal(t, []int{9, 5}, minutes(limited))
}

func minutes(lines []Line) (all []int) {
	for _, l := range lines {
		all = append(all, int(l.Minute.Sub(began)/time.Minute))
	}
	return all
}

func TestPartsOfAMinuteAreOneLine(t *testing.T) {
	t.Parallel()
	r := opened(t, t.TempDir(), day)
	for range 6 {
		require.NoError(t, r.Add([]Line{line(0, "anna", "198.51.100.1", 443)}, "{}", began))
	}
	lines := found(t, r, Query{})
	require.Len(t, lines, 1)
	require.Equal(t, 6, lines[0].Count)
}

// filled writes enough lines for several files.
func filled(t *testing.T, r *Record, minutes int) {
	t.Helper()
	for minute := range minutes {
		lines := make([]Line, 2000)
		for n := range lines {
			lines[n] = line(minute, fmt.Sprint("client", n), fmt.Sprintf("198.%d.%d.7", n%250, minute), 443)
		}
		require.NoError(t, r.Add(lines, fmt.Sprintf(`{"a":%d}`, minute), began.Add(time.Duration(minute)*time.Minute)))
	}
}

func sizeOf(t *testing.T, dir string) (files int, bytes int64) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, entry := range entries {
		info, err := entry.Info()
		require.NoError(t, err)
		files, bytes = files+1, bytes+info.Size()
	}
	return files, bytes
}

func TestARecordIsNeverLargerThanItMay(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := opened(t, dir, Limits{Hours: 1000, MB: 1})
	for range 3 {
		filled(t, r, 40)
		files, size := sizeOf(t, dir)
		require.Greater(t, files, 2)
		require.LessOrEqual(t, size, int64(1<<20))
	}
	require.NotEmpty(t, found(t, r, Query{Client: "client7"}))
}

func TestARecordIsNeverOlderThanItMay(t *testing.T) {
	t.Parallel()
	r := opened(t, t.TempDir(), Limits{Hours: 1, MB: 64})
	filled(t, r, 90)
	since, there := r.Since()
	require.True(t, there)
	require.GreaterOrEqual(t, since, began.Add(89*time.Minute-time.Hour-fileAge), "files go as a whole")
	require.Less(t, since, began.Add(50*time.Minute))
	at := began.Add(80 * time.Minute)
	require.Len(t, found(t, r, Query{Dest: "198.7.80.7", From: at, To: at}), 8)
}

func TestARecordThatIsSwitchedOffIsGone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := opened(t, dir, day)
	filled(t, r, 20)
	require.NoError(t, r.Limit(Limits{}, began))
	_, size := sizeOf(t, dir)
	require.Zero(t, size)
	_, there := r.Since()
	require.False(t, there)
	require.NoError(t, r.Add([]Line{line(0, "anna", "198.51.100.1", 443)}, "{}", began))
	require.Empty(t, found(t, r, Query{}))
	require.Empty(t, r.Mark())
}

// A process that is killed at any moment leaves whole lines and how far they go.
func TestWhatWasWrittenOutlivesAKill(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := opened(t, dir, day)
	filled(t, r, 3)
	before := found(t, r, Query{Client: "client7"})
	file, err := os.OpenFile(filepath.Join(dir, openName), os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = file.WriteString("29527200\tclient7\thalf a li")
	require.NoError(t, err)
	require.NoError(t, file.Close())
	next := opened(t, dir, day)
	require.Equal(t, before, found(t, next, Query{Client: "client7"}))
	require.Equal(t, `{"a":2}`, next.Mark())
	require.NoError(t, next.Add([]Line{line(3, "client7", "198.51.100.1", 443)}, `{"a":3}`, began))
	require.Len(t, found(t, next, Query{Client: "client7"}), len(before)+1)
}

// Killed while it seals a file, it neither loses nor doubles a line.
func TestSealingIsTheSameTwice(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := opened(t, dir, day)
	filled(t, r, 2)
	before := found(t, r, Query{Client: "client7"})
	raw, err := os.ReadFile(filepath.Join(dir, openName))
	require.NoError(t, err)
	require.NoError(t, r.seal())
	require.NoError(t, os.WriteFile(filepath.Join(dir, fullName), raw, fileMode)) // it was not removed yet
	next := opened(t, dir, day)
	require.Equal(t, before, found(t, next, Query{Client: "client7"}))
	require.Equal(t, `{"a":1}`, next.Mark())

	require.NoError(t, next.Close())
	require.NoError(t, os.Rename(filepath.Join(dir, openName), filepath.Join(dir, fullName))) // nothing after it yet
	last := opened(t, dir, day)
	require.Equal(t, before, found(t, last, Query{Client: "client7"}))
	require.Equal(t, `{"a":1}`, last.Mark())
}

// A name that a client makes up cannot forge a line.
func TestTextsCannotForgeLines(t *testing.T) {
	t.Parallel()
	r := opened(t, t.TempDir(), day)
	forged := line(0, "anna", "x\n29527200\tboris\tf1\tt\tevil.example\t1\t1", 443)
	require.NoError(t, r.Add([]Line{forged}, "{}", began))
	require.Empty(t, found(t, r, Query{Client: "boris"}))
	require.Len(t, found(t, r, Query{Client: "anna"}), 1)
}

// A question without an answer of few lines is bounded in what it holds, and says that there is more.
func TestAWideQuestionIsBounded(t *testing.T) {
	t.Parallel()
	r := opened(t, t.TempDir(), Limits{Hours: 24, MB: 64})
	filled(t, r, 30)
	lines, more, err := r.Find(&Query{From: began, To: began.Add(time.Hour), Most: 1000})
	require.NoError(t, err)
	require.True(t, more)
	require.Len(t, lines, 1000)
	require.Equal(t, began.Add(29*time.Minute), lines[0].Minute)
}
