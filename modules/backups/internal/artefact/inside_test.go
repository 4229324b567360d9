package artefact

import (
	"bytes"
	"context"
	"io"
	"os"
	"regexp"
	"sync"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// memory is a destination of this test.
type memory struct {
	Destination
	mu    sync.Mutex
	files map[string][]byte
}

// Put keeps what arrives whole.
func (m *memory) Put(_ context.Context, file string, content io.Reader) error {
	text, err := io.ReadAll(content)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.files[file] = text
	return nil
}

// Open gives it back.
func (m *memory) Open(_ context.Context, file string) (io.ReadCloser, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	text, there := m.files[file]
	if !there {
		return nil, ErrMissing
	}
	return io.NopCloser(bytes.NewReader(text)), nil
}

// Whatever is written, in whatever pieces, is cut into parts of the wanted size and joined again.
func TestWhatIsCutIsJoinedAgain(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		whole := rapid.SliceOfN(rapid.Byte(), 0, 5000).Draw(t, "content")
		times := rapid.SampledFrom([]int{1, 7, 300}).Draw(t, "times")
		whole = bytes.Repeat(whole, times)
		size := rapid.Int64Range(1, 400_000).Draw(t, "part")
		if size < int64(len(whole)/200) {
			size = int64(len(whole)/200) + 1
		}
		at := &memory{files: map[string][]byte{}}
		two := &memory{files: map[string][]byte{}}
		all := newLanes(context.Background(), []Target{{"one", at}, {"two", two}}, clockwork.NewRealClock(), time.Minute)
		cut := &cutter{
			ctx: context.Background(), name: "n", entry: Database, most: size, lanes: all, note: func(int64) {},
		}
		for rest := whole; len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "piece")
			written, err := cut.Write(rest[:n])
			require.NoError(t, err)
			require.Equal(t, n, written)
			rest = rest[n:]
		}
		require.NoError(t, cut.finish())
		all.finish(context.Background())
		require.NoError(t, all.all[0].failure())
		require.Equal(t, at.files, two.files)
		require.Len(t, at.files, len(cut.parts))
		for i, p := range cut.parts {
			require.Len(t, at.files[p.File], int(p.Bytes))
			require.True(t, p.Bytes == size || i == len(cut.parts)-1 && p.Bytes < size)
		}
		joined, err := io.ReadAll(&parts{ctx: context.Background(), at: at, name: "n", left: cut.parts})
		require.NoError(t, err)
		require.True(t, bytes.Equal(whole, joined))
	})
}

var divided = regexp.MustCompile(`(?s)create table ([a-z_0-9]+) \((?:[^;]*)\) partition by`)

// Tables that are divided by time hold measurements: each is in the list of what a backup may leave out.
func TestEveryTableOfMeasurementsIsKnown(t *testing.T) {
	t.Parallel()
	schema, err := os.ReadFile("../../../../migrations/schema.sql")
	require.NoError(t, err)
	found := divided.FindAllSubmatch(schema, -1)
	require.NotEmpty(t, found)
	for _, match := range found {
		require.Contains(t, measured, "public."+string(match[1]))
	}
	for table := range measured {
		require.Contains(t, string(schema), "create table "+table[len("public."):]+" (", "the table is there")
	}
}
