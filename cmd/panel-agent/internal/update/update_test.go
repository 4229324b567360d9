package update

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"panel/platform/agentapi"
	"panel/platform/release"
)

const (
	oldVersion = "1.0.0"
	newVersion = "1.1.0"
)

// server is a data folder with an installed agent and a panel that offers one build, which is a shell script.
type server struct {
	t         *testing.T
	dir       string
	installed string
	offered   agentapi.Update
	file      []byte
	http      *httptest.Server
	key       release.Key
	left      bool
	older     bool     // of a release that knows no files by content
	asked     []string // paths of files
}

// script answers the self test with its version and does what is given when it runs.
func script(version, run string) string {
	return fmt.Sprintf("#!/bin/sh\ncase \"$*\" in\n*--self-test*) echo '{\"version\":\"%s\"}' ;;\n*) %s ;;\nesac\n",
		version, run)
}

func newServer(t *testing.T, build string) *server {
	t.Helper()
	key, err := release.NewKey()
	require.NoError(t, err)
	s := &server{t: t, dir: t.TempDir(), key: key}
	s.installed = filepath.Join(s.dir, "installed")
	require.NoError(t, os.WriteFile(s.installed, []byte("the installed agent"), 0o700))
	s.publish(newVersion, build)
	s.http = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		require.Equal(t, "Bearer token", r.Header.Get("Authorization"))
		if r.URL.Path == agentapi.PathUpdate {
			_ = json.NewEncoder(w).Encode(s.offered)
			return
		}
		s.asked = append(s.asked, r.URL.Path)
		if byContent := strings.HasPrefix(r.URL.Path, "/agent/v1/assets/"); byContent && s.older {
			http.Error(w, "no such page", http.StatusNotFound)
			return
		}
		_, _ = w.Write(s.file)
	}))
	t.Cleanup(s.http.Close)
	return s
}

func (s *server) publish(version, build string) {
	s.t.Helper()
	folder := s.t.TempDir()
	file := filepath.Join(folder, "agent")
	require.NoError(s.t, os.WriteFile(file, []byte(build), 0o700))
	m := release.Manifest{Channel: "stable", Version: version, ReleasedAt: time.Now()}
	require.NoError(s.t, m.Add(release.Agent, release.Platform(), file))
	manifest, err := s.key.Write(folder, m)
	require.NoError(s.t, err)
	text, err := os.ReadFile(manifest)
	require.NoError(s.t, err)
	signature, err := os.ReadFile(manifest + ".minisig")
	require.NoError(s.t, err)
	s.file = []byte(build)
	s.offered = agentapi.Update{
		Version: version, Manifest: string(text), Signature: string(signature),
		PublicKey: s.key.Public(),
	}
}

func (s *server) updater(version, build string) *Updater {
	s.t.Helper()
	u := &Updater{
		DataDir: s.dir, Executable: s.installed, Version: version, Build: build, Clock: clockwork.NewRealClock(),
		Log:   zap.NewNop(),
		Panel: Panel{Base: s.http.URL, Token: func() string { return "token" }, HTTP: s.http.Client()},
	}
	require.NoError(s.t, u.Open())
	return u
}

// order runs an order in the installed agent, which ends when a build is on trial.
func (s *server) order(id string, retry bool) error {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 20*time.Second)
	defer cancel()
	u := s.updater(oldVersion, "")
	u.Leave = func() { s.left = true; cancel() }
	_, err := u.Order(ctx, id, agentapi.UpdateAgentArgs{Version: s.offered.Version, Retry: retry})
	return err
}

func (s *server) self() Self {
	return Self{
		DataDir: s.dir, Executable: s.installed, Patience: time.Hour,
		Clock: clockwork.NewRealClock(), Log: zap.NewNop(),
	}
}

func (s *server) decide() (Decision, Build) {
	s.t.Helper()
	d, b, err := Decide(s.self())
	require.NoError(s.t, err)
	return d, b
}

// watchBeyondPatience watches a build whose patience ends once it has written the file said.
func (s *server) watchBeyondPatience(b Build) (again bool) {
	s.t.Helper()
	clock := clockwork.NewFakeClockAt(time.Now())
	self := s.self()
	self.Clock = clock
	ended := make(chan error, 1)
	go func() {
		var err error
		again, _, err = (&Watcher{Self: self, Signals: make(chan os.Signal)}).Run(b)
		ended <- err
	}()
	require.Eventually(s.t, func() bool {
		if _, err := os.Stat(filepath.Join(s.dir, "update", "said")); err == nil {
			clock.Advance(self.Patience)
		}
		select {
		case err := <-ended:
			require.NoError(s.t, err)
			return true
		default:
			return false
		}
	}, time.Minute, 10*time.Millisecond)
	return again
}

// outcome asks the build that runs afterwards for the result of the order.
func (s *server) outcome(id, version string) (agentapi.UpdateAgentData, error) {
	s.t.Helper()
	return s.updater(version, "").Order(s.t.Context(), id, agentapi.UpdateAgentArgs{Version: newVersion})
}

func stageOf(t *testing.T, err error) agentapi.Stage {
	t.Helper()
	stage, _, ok := failureOf(err)
	require.True(t, ok, "%v", err)
	return stage
}

// lives runs until it is told to end; the script itself notes the first heartbeat, once it minds the signal that may
// follow.
const lives = `trap 'exit 7' TERM; printf %s "$(basename "$(dirname "$0")")" >"$(dirname "$0")/../../confirmed"; while :; do sleep 0.05; done`

func TestABuildThatReportsStaysAndIsStartedFromThenOn(t *testing.T) {
	t.Parallel()
	s := newServer(t, script(newVersion, lives))
	require.ErrorIs(t, s.order("o1", false), context.Canceled)
	require.True(t, s.left)
	d, b := s.decide()
	require.Equal(t, Supervise, d)
	ended := make(chan bool, 1)
	received := make(chan os.Signal, 1)
	go func() {
		again, code, err := (&Watcher{Self: s.self(), Signals: received}).Run(b)
		ended <- !again && code == 7 && err == nil
	}()
	require.Eventually(t, func() bool { now, _ := newStore(s.dir).load(); return now.Active != nil }, 10*time.Second,
		10*time.Millisecond)
	data, err := s.outcome("o1", newVersion)
	require.NoError(t, err)
	require.Equal(t, agentapi.UpdateAgentData{Version: newVersion, Previous: oldVersion}, data)
	received <- syscall.SIGTERM
	require.True(t, <-ended, "a signal reaches the build, and its exit code the caller")
	d, b = s.decide()
	require.Equal(t, Replace, d)
	require.FileExists(t, Path(s.dir, b))
}

// Domain 4.20: no heartbeat in time: back to the build before, with stage and last words; no automatic retry for 24 h.
func TestABuildThatNeverReportsIsGivenUp(t *testing.T) {
	t.Parallel()
	s := newServer(t, script(newVersion, `echo its last words >&2; : >"$(dirname "$0")/../../said"; exec sleep 60`))
	require.ErrorIs(t, s.order("o1", false), context.Canceled)
	_, b := s.decide()
	require.True(t, s.watchBeyondPatience(b))
	d, _ := s.decide()
	require.Equal(t, Work, d)
	_, err := s.outcome("o1", oldVersion)
	require.Equal(t, agentapi.StageHeartbeat, stageOf(t, err))
	_, tail, _ := failureOf(err)
	require.Contains(t, tail, "its last words")
	require.Equal(t, agentapi.StageHeld, stageOf(t, s.order("o2", false)))
	require.ErrorIs(t, s.order("o3", true), context.Canceled, "a person may ask for it at once")
}

func TestABuildThatEndsByItselfIsGivenUpAtOnce(t *testing.T) {
	t.Parallel()
	s := newServer(t, script(newVersion, "echo cannot go on >&2; exit 3"))
	require.ErrorIs(t, s.order("o1", false), context.Canceled)
	_, b := s.decide()
	again, _, err := (&Watcher{Self: s.self(), Signals: make(chan os.Signal)}).Run(b)
	require.NoError(t, err)
	require.True(t, again)
	_, err = s.outcome("o1", oldVersion)
	require.Equal(t, agentapi.StageStart, stageOf(t, err))
}

// Whatever is killed during a trial, the next start goes on with it; after two of them the build before is taken.
func TestATrialThatIsCutIsGoneOnWithAndThenGivenUp(t *testing.T) {
	t.Parallel()
	s := newServer(t, script(newVersion, "exec sleep 60"))
	require.ErrorIs(t, s.order("o1", false), context.Canceled)
	for range mostStarts {
		d, _ := s.decide()
		require.Equal(t, Supervise, d)
	}
	d, _ := s.decide()
	require.Equal(t, Work, d)
	_, err := s.outcome("o1", oldVersion)
	require.Equal(t, agentapi.StageStart, stageOf(t, err))
}

func TestATrialThatHadReportedBeforeTheCutIsKept(t *testing.T) {
	t.Parallel()
	s := newServer(t, script(newVersion, lives))
	require.ErrorIs(t, s.order("o1", false), context.Canceled)
	_, b := s.decide()
	require.NoError(t, newStore(s.dir).confirm(b.SHA256))
	d, again := s.decide()
	require.Equal(t, Replace, d)
	require.Equal(t, b, again)
}

func TestAProgramThatIsInstalledByHandWins(t *testing.T) {
	t.Parallel()
	s := newServer(t, script(newVersion, lives))
	require.ErrorIs(t, s.order("o1", false), context.Canceled)
	_, b := s.decide()
	require.NoError(t, newStore(s.dir).confirm(b.SHA256))
	s.decide()
	require.NoError(t, os.WriteFile(s.installed, []byte("installed anew"), 0o700))
	d, _ := s.decide()
	require.Equal(t, Work, d)
	require.NoFileExists(t, Path(s.dir, b))
}

// A build is asked for by its content, so that any panel that has it may give it, whatever it offers by then. A panel
// of an earlier release is asked in its own way.
func TestABuildIsFetchedByItsContent(t *testing.T) {
	t.Parallel()
	s := newServer(t, script(newVersion, "exit 0"))
	digest := sha256.Sum256(s.file)
	byContent := "/agent/v1/assets/" + hex.EncodeToString(digest[:])
	require.Error(t, s.order("o1", false), "the order goes on in the next build")
	require.True(t, s.left)
	require.Equal(t, []string{byContent}, s.asked)

	old := newServer(t, script(newVersion, "exit 0"))
	old.older = true
	require.Error(t, old.order("o1", false))
	require.True(t, old.left)
	require.Equal(t, []string{byContent, "/agent/v1/update/" + runtime.GOOS + "/" + runtime.GOARCH}, old.asked)
}

func TestASelfTestThatFailsChangesNothing(t *testing.T) {
	t.Parallel()
	s := newServer(t, "#!/bin/sh\necho the core refuses it >&2\nexit 1\n")
	err := s.order("o1", false)
	require.Equal(t, agentapi.StageSelfTest, stageOf(t, err))
	_, tail, _ := failureOf(err)
	require.Contains(t, tail, "the core refuses it")
	s.publish(newVersion, script("9.9.9", lives))
	require.Equal(t, agentapi.StageSelfTest, stageOf(t, s.order("o2", false)), "it must be the version that was signed")
	d, _ := s.decide()
	require.Equal(t, Work, d)
	require.False(t, s.left)
}

// The agent believes the publisher and nobody else.
func TestWhatIsNotSignedByTheKeptKeyIsRefused(t *testing.T) {
	t.Parallel()
	s := newServer(t, script(newVersion, lives))
	genuine := s.file
	s.file = append([]byte("#!/bin/sh\n# other\n"), genuine...)
	require.Equal(t, agentapi.StageVerify, stageOf(t, s.order("o1", false)), "another executable")
	s.file = genuine
	manifest := s.offered.Manifest
	s.offered.Manifest = manifest + " "
	require.Equal(t, agentapi.StageVerify, stageOf(t, s.order("o2", false)), "a changed manifest")
	s.offered.Manifest = manifest
	kept := s.key
	var err error
	s.key, err = release.NewKey()
	require.NoError(t, err)
	s.publish(newVersion, script(newVersion, lives))
	require.Equal(t, agentapi.StageVerify, stageOf(t, s.order("o3", false)), "a panel that shows another key later")
	s.key = kept
	s.publish(newVersion, script(newVersion, lives))
	require.ErrorIs(t, s.order("o4", false), context.Canceled)
}

func TestBuiltInKeysCountAlone(t *testing.T) {
	t.Parallel()
	s := newServer(t, script(newVersion, lives))
	other, err := release.NewKey()
	require.NoError(t, err)
	u := s.updater(oldVersion, "")
	u.BuiltIn = other.Public()
	_, err = u.Order(t.Context(), "o1", agentapi.UpdateAgentArgs{Version: newVersion})
	require.Equal(t, agentapi.StageVerify, stageOf(t, err))
}

// A panel that lost count orders twice and hears the same twice.
func TestTheSameVersionOrderedTwiceIsOneUpdate(t *testing.T) {
	t.Parallel()
	s := newServer(t, script(newVersion, lives))
	require.ErrorIs(t, s.order("o1", false), context.Canceled)
	_, b := s.decide()
	answered := make(chan error, 1)
	go func() {
		_, err := s.updater(newVersion, b.SHA256).
			Order(t.Context(), "o2", agentapi.UpdateAgentArgs{Version: newVersion})
		answered <- err
	}()
	store := newStore(s.dir)
	now, err := store.load()
	require.NoError(t, err)
	require.NoError(t, store.commit(&now))
	require.NoError(t, <-answered)
	data, err := s.updater(newVersion, b.SHA256).Order(t.Context(), "o3", agentapi.UpdateAgentArgs{Version: newVersion})
	require.NoError(t, err)
	require.Equal(t, newVersion, data.Version)
}

// An old release stays signed for ever: the signature alone brings no agent back to it.
func TestAnOlderBuildIsTakenOnlyWhenThatIsAskedFor(t *testing.T) {
	t.Parallel()
	s := newServer(t, script(oldVersion, "exit 0"))
	s.publish(oldVersion, script(oldVersion, "exit 0"))
	u := s.updater(newVersion, "")
	_, err := u.Order(t.Context(), "o1", agentapi.UpdateAgentArgs{Version: oldVersion, Retry: true})
	require.ErrorContains(t, err, "allow_older")
	stage, _, known := failureOf(err)
	require.True(t, known)
	require.Equal(t, agentapi.StageVerify, stage)
	now, err := u.store.load()
	require.NoError(t, err)
	require.Nil(t, now.Trial)

	ctx, cancel := context.WithCancel(t.Context())
	u.Leave = cancel
	_, err = u.Order(ctx, "o2", agentapi.UpdateAgentArgs{Version: oldVersion, AllowOlder: true})
	require.ErrorIs(t, err, context.Canceled)
	now, err = u.store.load()
	require.NoError(t, err)
	require.Equal(t, oldVersion, now.Trial.Version)
}

func failureOf(err error) (stage agentapi.Stage, tail string, ok bool) {
	var f *failure
	if ok = errors.As(err, &f); ok {
		stage, tail = f.stage, f.tail
	}
	return stage, tail, ok
}
