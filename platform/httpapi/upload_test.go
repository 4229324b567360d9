package httpapi

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/access"
)

const longestFile = 3 << 20 // far above what any JSON body may have

// library is a server that takes files; it tells how many are in hand and keeps them until it is let go on.
type library struct {
	addr  net.Addr
	came  atomic.Int64
	goOn  chan struct{}
	names atomic.Pointer[string] // of the last file
}

func newLibrary(t *testing.T) *library {
	t.Helper()
	l := &library{goOn: make(chan struct{})}
	take := func(_ context.Context, _ *struct{}, file *Uploaded) (*spoken, error) {
		l.came.Add(1)
		name := file.Name()
		l.names.Store(&name)
		<-l.goOn
		content, err := io.ReadAll(file)
		if err != nil {
			return nil, err
		}
		return saying(fmt.Sprintf("%d of %d, %.4s", len(content), file.Size, content)), nil
	}
	_, l.addr = listening(t, Routes{Upload("/files", "Take", access.Session(), longestFile, take)},
		func(o *Options) { o.Sessions = callers{"known": {Kind: access.Admin}} })
	return l
}

// sends begins an upload and gives the connection.
func (l *library) sends(t *testing.T, token string, length int, content string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", l.addr.String())
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	require.NoError(t, conn.SetDeadline(time.Now().Add(time.Minute)))
	head := strings.Replace(headersOf("/files", token, length), "application/json", "application/octet-stream", 1)
	go func() { _, _ = io.WriteString(conn, head+content) }()
	return conn
}

func allOf(t *testing.T, conn net.Conn) string {
	t.Helper()
	answer, err := io.ReadAll(conn)
	require.NoError(t, err)
	return string(answer)
}

// A file arrives whole, in one piece or in chunks, up to its limit and not beyond; the limit is that of this operation.
func TestAFileArrivesWholeUpToItsLimit(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	close(l.goOn)
	for _, size := range []int{1, MaxBodyLimit / 4, longestFile} {
		content := "file" + strings.Repeat("x", size)
		content = content[:size]
		want := fmt.Sprintf("%d of %d, %.4s", size, size, content)
		require.Contains(t, allOf(t, l.sends(t, "known", size, content)), want)
		require.Contains(t, allOf(t, l.sends(t, "known", -1, chunks(content))), want)
	}
	before := l.came.Load()
	content := strings.Repeat("x", longestFile+1)
	require.Contains(t, allOf(t, l.sends(t, "known", len(content), content)), "body_too_large")
	require.Contains(t, allOf(t, l.sends(t, "known", -1, chunks(content))), "body_too_large")
	require.Contains(t, allOf(t, l.sends(t, "known", 0, "")), "missing_field")
	require.Contains(t, allOf(t, l.sends(t, "unknown", 8<<30, "x")), "session_expired", "before a byte is stored")
	require.Equal(t, before, l.came.Load())
}

// A file that breaks off is not taken for the whole, and leaves nothing behind.
func TestAFileThatBreaksOffIsNotTaken(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	close(l.goOn)
	conn, err := net.Dial("tcp", l.addr.String())
	require.NoError(t, err)
	_, err = io.WriteString(conn, headersOf("/files", "known", 2000)+strings.Repeat("x", 1000))
	require.NoError(t, err)
	require.NoError(t, conn.(*net.TCPConn).CloseWrite())
	require.Contains(t, allOf(t, conn), "bad_request")
	require.Zero(t, l.came.Load())
	require.Contains(t, allOf(t, l.sends(t, "known", 4, "next")), "4 of 4, next", "its place is free again")
}

// Files that are being read take a bounded part of the disk: one too many is told to come again. A file has no name
// while it is read, so that nothing is left of it whatever happens.
func TestOnlySoManyFilesAreReadAtOnce(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	var held []net.Conn
	for range uploadsAtOnce {
		held = append(held, l.sends(t, "known", 4, "file"))
	}
	require.Eventually(t, func() bool { return l.came.Load() == uploadsAtOnce }, time.Minute, time.Millisecond)
	require.NoFileExists(t, *l.names.Load())
	require.True(t, strings.HasPrefix(*l.names.Load(), os.TempDir()))
	refused := allOf(t, l.sends(t, "known", 4, "file"))
	require.Contains(t, refused, "HTTP/1.1 503")
	require.Contains(t, refused, "Retry-After: 2")
	close(l.goOn)
	for _, conn := range held {
		require.Contains(t, allOf(t, conn), "4 of 4, file")
	}
	require.Contains(t, allOf(t, l.sends(t, "known", 4, "file")), "4 of 4, file")
}
