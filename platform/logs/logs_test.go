package logs

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"panel/platform/doctor"
	"panel/platform/testneed"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func write(t *testing.T, path string, lines ...string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	require.NoError(t, err)
	_, err = file.WriteString(strings.Join(lines, "\n") + "\n")
	require.NoError(t, errors.Join(err, file.Close()))
}

func read(t *testing.T, places Places, q Query) (messages []string, source Source) {
	t.Helper()
	reader, err := Open(t.Context(), places, q)
	require.NoError(t, err)
	for line, err := range reader.Lines(t.Context()) {
		require.NoError(t, err)
		messages = append(messages, line.Message)
	}
	return messages, reader.Source
}

func entryAt(second int, component, message string) string {
	return fmt.Sprintf(`{"level":"info","time":"2026-11-20T14:00:%02dZ","component":%q,"msg":%q,"n":%d}`, second,
		component, message, second)
}

// Specification, Command-line interface: --tail N, "default 100".
// Specification, Limits: "default log lines" are 100. --tail takes another number, also from rotated and compressed
// files.
func TestTheTailReachesIntoRotatedFiles(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	old := time.Now().Add(-2 * time.Hour)
	packed := filepath.Join(folder, "panel.log.2.gz")
	zipped(t, packed, entryAt(1, "http", "one"), entryAt(2, "http", "two"))
	write(t, filepath.Join(folder, "panel.log.1"), entryAt(3, "http", "three"))
	write(t, filepath.Join(folder, "panel.log"), entryAt(4, "http", "four"), entryAt(5, "http", "five"))
	require.NoError(t, os.Chtimes(packed, old.Add(-time.Hour), old.Add(-time.Hour)))
	require.NoError(t, os.Chtimes(filepath.Join(folder, "panel.log.1"), old, old))
	places := Places{PanelFolders: []string{filepath.Join(folder, "absent"), folder}}
	messages, source := read(t, places, Query{})
	require.Equal(t, []string{"one", "two", "three", "four", "five"}, messages)
	require.Equal(t, "file", source.Kind)
	require.Len(t, source.Skipped, 1, "it says why not an earlier place")
	messages, _ = read(t, places, Query{Component: "frontend", Tail: 3})
	require.Equal(t, []string{"three", "four", "five"}, messages)
	messages, _ = read(t, places, Query{Since: time.Date(2026, 11, 20, 14, 0, 4, 0, time.UTC)})
	require.Equal(t, []string{"four", "five"}, messages)
}

func zipped(t *testing.T, path string, lines ...string) {
	t.Helper()
	var packed bytes.Buffer
	writer := gzip.NewWriter(&packed)
	_, err := io.WriteString(writer, strings.Join(lines, "\n")+"\n")
	require.NoError(t, errors.Join(err, writer.Close()))
	require.NoError(t, os.WriteFile(path, packed.Bytes(), 0o600))
}

// One process serves worker and scheduler: their lines are told by the name of the logger.
func TestPartsOfTheProcess(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write(t, filepath.Join(folder, "panel.log"), entryAt(1, "backups.worker", "run"), entryAt(2, "http", "request"),
		entryAt(3, "flows.scheduler", "look"), entryAt(4, "jobs", "done"))
	places := Places{PanelFolders: []string{folder}}
	worker, _ := read(t, places, Query{Component: Worker})
	require.Equal(t, []string{"run", "done"}, worker)
	scheduler, _ := read(t, places, Query{Component: Scheduler})
	require.Equal(t, []string{"look"}, scheduler)
	backend, _ := read(t, places, Query{Component: Backend, Tail: 2})
	require.Equal(t, []string{"look", "done"}, backend)
}

func TestNginxReadsBothFilesInTheOrderOfTime(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write(t, filepath.Join(folder, "access.log"),
		`1.2.3.4 - - [20/Nov/2026:14:00:02 +0000] "GET / HTTP/2.0" 502 150 "-" "curl"`)
	write(t, filepath.Join(folder, "error.log"), time.Date(2026, 11, 20, 14, 0, 1, 0,
		time.UTC).Local().Format("2006/01/02 15:04:05")+" [crit] 12#0: *1 connect() failed")
	reader, err := Open(t.Context(), Places{NginxFolders: []string{folder}}, Query{Component: Nginx})
	require.NoError(t, err)
	var lines []Line
	for line := range reader.Lines(t.Context()) {
		lines = append(lines, line)
	}
	require.Len(t, lines, 2)
	require.Equal(t, "*1 connect() failed", lines[0].Message)
	require.Equal(t, []string{"ERROR", "ERROR"}, []string{lines[0].Level, lines[1].Level})
}

// following collects messages until the context ends.
func following(ctx context.Context, t *testing.T, places Places, q Query) <-chan string {
	t.Helper()
	q.Follow = true
	reader, err := Open(ctx, places, q)
	require.NoError(t, err)
	found := make(chan string, 1000)
	go func() {
		defer close(found)
		for line, err := range reader.Lines(ctx) {
			if err == nil {
				found <- line.Message
			}
		}
	}()
	return found
}

func expect(t *testing.T, from <-chan string, wanted ...string) {
	t.Helper()
	for _, message := range wanted {
		select {
		case got, open := <-from:
			require.True(t, open, "the log ended before %q", message)
			require.Equal(t, message, got)
		case <-time.After(time.Minute):
			require.FailNow(t, "nothing came", "%q", message)
		}
	}
}

// Rule: following survives both ways of rotation and loses no line.
func TestFollowingSurvivesRotation(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, "panel.log")
	write(t, path, entryAt(1, "http", "first"))
	ctx, cancel := context.WithCancel(t.Context())
	found := following(ctx, t, Places{PanelFolders: []string{folder}}, Query{})
	expect(t, found, "first")
	write(t, path, entryAt(2, "http", "before the rotation"))
	require.NoError(t, os.Rename(path, path+".1"))
	write(t, path+".1", entryAt(3, "http", "into the old file"))
	write(t, path, entryAt(4, "http", "into the new file"))
	expect(t, found, "before the rotation", "into the old file", "into the new file")
	require.NoError(t, os.Truncate(path, 0))
	write(t, path, "x")
	expect(t, found, "x")
	cancel()
	_, open := <-found
	require.False(t, open, "the end of the context ends it")
}

func journalIn(t *testing.T, folder, name string) {
	t.Helper()
	packed, err := os.Open(filepath.Join("testdata", name+".journal.gz"))
	require.NoError(t, err)
	defer packed.Close()
	reader, err := gzip.NewReader(packed)
	require.NoError(t, err)
	content, err := io.ReadAll(reader)
	require.NoError(t, err)
	draft := filepath.Join(t.TempDir(), name+".journal")
	require.NoError(t, os.WriteFile(draft, content, 0o600))
	require.NoError(t, os.Rename(draft, filepath.Join(folder, name+".journal")))
}

// Rule: the system journal comes before files. The files in testdata are real ones of systemd.
func TestRealJournalFiles(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	journalIn(t, folder, "earlier")
	_, err := exec.LookPath("journalctl")
	require.NoError(t, err, "journalctl belongs to every machine with systemd; install systemd")
	places := Places{Journal: []string{"journalctl", "--directory=" + folder}, PanelFolders: []string{t.TempDir()}}
	messages, source := read(t, places, Query{Tail: 2})
	require.Equal(t, []string{"expiry.look", "panel.service: Main process exited, code=killed, status=9/KILL"},
		messages)
	require.Equal(t, "system journal, panel.service", source.Text.String())
	worker, _ := read(t, places, Query{Component: Worker})
	require.Equal(t, []string{"backup.run", "notify.send"}, worker)
	nginx, _ := read(t, places, Query{Component: Nginx})
	require.Equal(t, []string{"nginx: [emerg] bind() to 0.0.0.0:443 failed"}, nginx)
	late, _ := read(t, places, Query{Since: time.Date(2026, 11, 20, 14, 0, 31, 0, time.UTC), Level: "warn"})
	require.Equal(t, []string{"notify.send", "panel.service: Main process exited, code=killed, status=9/KILL"}, late)
}

// Rule: following a journal goes on when the journal begins a new file.
func TestFollowingAJournalIntoItsNextFile(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	journalIn(t, folder, "earlier")
	ctx, cancel := context.WithCancel(t.Context())
	found := following(ctx, t, Places{Journal: []string{"journalctl", "--directory=" + folder}},
		Query{Component: Worker, Tail: 1})
	expect(t, found, "notify.send")
	journalIn(t, folder, "later")
	expect(t, found, "backup.late")
	cancel()
	for range found { // ends
	}
}

// engineThat is a program that answers like a container engine, which cannot be run in a test.
func engineThat(t *testing.T, script string) []Engine {
	t.Helper()
	path := filepath.Join(t.TempDir(), "docker")
	testneed.Script(t, path, "#!/bin/sh\n"+script)
	return []Engine{{Program: path}}
}

const oneContainer = `case "$1" in
ps) case "$*" in *service=panel*) printf 'abc\tpanel-1\n';; esac;;
logs) case "$*" in
  *--follow*) echo '2026-11-20T14:00:02.000000002Z {"level":"info","msg":"again"}'; echo '2026-11-20T14:00:03.5Z {"level":"info","msg":"fresh"}' >&2; sleep 600;;
  *) echo '2026-11-20T14:00:01.5Z {"level":"info","msg":"past"}' >&2; echo '2026-11-20T14:00:02.000000002Z plain words';;
  esac;;
esac`

// Rule: the container engine comes first; both streams of a container are its log, and no line comes twice.
// Specification, Command-line interface: "source order": container orchestrator logs, the system journal, log files
// in standard directories.
func TestContainerComesFirst(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write(t, filepath.Join(folder, "panel.log"), entryAt(1, "http", "in a file"))
	places := Places{Containers: engineThat(t, oneContainer), PanelFolders: []string{folder}}
	messages, source := read(t, places, Query{})
	require.ElementsMatch(t, []string{"past", "plain words"}, messages)
	require.Equal(t, "container, panel-1", source.Text.String())
	ctx, cancel := context.WithCancel(t.Context())
	found := following(ctx, t, places, Query{})
	<-found
	<-found
	expect(t, found, "fresh")
	cancel()
	for range found { // ends
	}
}

// Rule: a container client without an engine falls through, and the answer says so.
func TestAClientWithoutAnEngineFallsThrough(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write(t, filepath.Join(folder, "panel.log"), entryAt(1, "http", "in a file"))
	places := Places{Containers: engineThat(t, "echo cannot connect >&2; exit 1"), Journal: []string{
		"journalctl",
		"--directory=" + t.TempDir(),
	}, PanelFolders: []string{folder}}
	messages, source := read(t, places, Query{})
	require.Equal(t, []string{"in a file"}, messages)
	require.Equal(t, "docker does not answer", source.Skipped[0].String())
	require.Len(t, source.Skipped, 2)
}

func TestNothingAnywhereNamesEveryPlace(t *testing.T) {
	t.Parallel()
	_, err := Open(t.Context(), Places{PanelFolders: []string{"/nonexistent", t.TempDir()}}, Query{})
	var missing *NotFoundError
	require.ErrorAs(t, err, &missing)
	require.Len(t, missing.Looked, 2)
	_, err = Open(t.Context(), Places{}, Query{Component: "database"})
	require.ErrorContains(t, err, "backend, frontend, worker, scheduler and nginx")
}

func TestTheStandardPlacesAreThoseOfTheDesign(t *testing.T) {
	t.Parallel()
	places := Standard(doctor.Env{Getenv: func(name string) string { return map[string]string{"PANEL_DATA_DIR": "/srv/panel"}[name] }})
	require.Equal(t, []string{"/var/log/panel", "/srv/panel/logs"}, places.PanelFolders)
	require.Equal(t, []string{"/var/log/nginx"}, places.NginxFolders)
	require.Len(t, places.Containers, 2, "kubectl is left alone where nobody configured it")
}

// What a panel keeps itself is found again, also over a rotation, and a folder that cannot be written stops nothing.
func TestKeptLinesAreFound(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "logs")
	var passed bytes.Buffer
	writer := &kept{out: &passed, path: filepath.Join(folder, "panel.log"), most: 100}
	for n := range 4 {
		_, err := io.WriteString(writer, entryAt(n, "http", "m"+fmt.Sprint(n))+"\n")
		require.NoError(t, err)
		_ = os.Chtimes(writer.path, time.Time{}, time.Now().Add(time.Duration(n)*time.Second))
	}
	messages, _ := read(t, Places{PanelFolders: []string{folder}}, Query{})
	require.Equal(t, []string{"m0", "m1", "m2", "m3"}, messages)
	require.Equal(t, 4, strings.Count(passed.String(), "\n"))
	n, err := Keep(&passed, "/proc/nowhere").Write([]byte("x"))
	require.NoError(t, err)
	require.Equal(t, 1, n)
	require.NoError(t, writer.file.Close())
}

func TestFormsOfALine(t *testing.T) {
	t.Parallel()
	line := parse("2026-11-20T14:00:01.000Z\twarn\thttp\tslow answer\t{\"ms\": 900}", "file", Backend)
	require.Equal(t, []string{"WARN", "http"}, []string{line.Level, line.Component})
	require.Equal(t, "slow answer {\"ms\": 900}", line.Message)
	line = parse(`{"level":"dpanic","msg":`, "file", Backend)
	require.Equal(t, line.Raw, line.Message, "a broken line is shown as it is")
	line = parse(entryAt(3, "audit", "written"), "file", Backend)
	require.Equal(t, map[string]any{"n": 3.0}, line.Attrs)
}

// Reading backwards gives the same lines whatever their lengths, across the borders of chunks.
func TestBackwardsOverChunks(t *testing.T) {
	t.Parallel()
	var content strings.Builder
	var wanted []string
	for n := range 40 {
		line := strings.Repeat(string(rune('a'+n%26)), n*n*40)
		wanted = append([]string{line}, wanted...)
		content.WriteString(line + "\n")
	}
	var got []string
	more, err := backward(strings.NewReader(content.String()), int64(content.Len()),
		func(line string) bool { got = append(got, line); return true })
	require.NoError(t, err)
	require.True(t, more)
	require.Equal(t, wanted, got)
}
