package install

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/fault"
)

// Names of hosts have no case, and each scheme has its own port; an address that nobody knows is no reason for a
// warning.
func TestTheSameAddressIsKnownInEveryForm(t *testing.T) {
	t.Parallel()
	const panel = "https://panel.example.org"
	for _, same := range []string{
		"", panel, panel + "/", panel + ":443", "https://PANEL.Example.ORG", "https://panel.example.org:443/base",
	} {
		require.True(t, SameAddress(same, panel), same)
		require.True(t, SameAddress(panel, same), same)
	}
	for _, other := range []string{
		"http://panel.example.org", panel + ":8443", "https://panel.example.com", "https://203.0.113.7",
		"panel.example.org", "://", "%",
	} {
		require.False(t, SameAddress(other, panel), other)
		require.False(t, SameAddress(panel, other), other)
	}
	require.True(t, SameAddress("http://[2001:db8::1]:80", "http://[2001:DB8::1]"))
}

// A name or an address with signs of the shell stays one word of the line, whatever is in it.
func TestTheLineHoldsNothingThatAShellWouldRun(t *testing.T) {
	t.Parallel()
	marker := filepath.Join(t.TempDir(), "ran")
	for _, word := range []string{
		"fra 01", "$(touch " + marker + ")", "`touch " + marker + "`", "'; touch " + marker + "; '", "a\nb", `\`, `"`, "*", "~", "-x", "я", "'",
	} {
		out, err := exec.CommandContext(t.Context(), "sh", "-c", "printf %s "+quoted(word)).Output()
		require.NoError(t, err, word)
		require.Equal(t, word, string(out))
	}
	require.NoFileExists(t, marker)

	i := &Installer{address: "https://panel.example.org/$(touch " + marker + ")", updateKey: "RWQ,RWR"}
	line := i.Line("token", "fra'01")
	require.Contains(t, line, ` --name 'fra'\''01'`)
	require.NotContains(t, strings.SplitN(line, ";", 2)[1], "token", "the token stays in the pipe")
	require.Contains(t, line, " --update-key 'RWQ,RWR'")
	require.NotContains(t, (&Installer{address: "http://127.0.0.1:8080"}).Line("token", ""), "--name")
	require.NotContains(t, i.Script(), "@PANEL@")
	require.Equal(t, i.address, i.URL())
}

func installer(t *testing.T, files map[string]string) *Installer {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return &Installer{dir: dir, sum: map[string]Executable{}}
}

// Only the listed systems have an agent, so that no request reads another file; this system's may have the plain name.
func TestAnAgentIsFoundForListedSystemsAlone(t *testing.T) {
	t.Parallel()
	i := installer(t, map[string]string{"panel-agent": "own", "panel-agent-linux-arm64": "arm", "panel-agent-linux-..": "no"})
	require.NoError(t, os.Mkdir(filepath.Join(i.dir, "panel-agent-linux-amd64"), 0o700))
	found, err := i.Binary("linux", "arm64")
	require.NoError(t, err)
	require.Equal(t, "panel-agent-linux-arm64", filepath.Base(found.Path))
	if runtime.GOARCH == "amd64" {
		found, err = i.Binary("linux", "amd64")
		require.NoError(t, err, "a folder is no agent, and the plain name is that of this system")
		require.Equal(t, "panel-agent", filepath.Base(found.Path))
	}
	for _, ask := range [][2]string{{"linux", ".."}, {"../x", "amd64"}, {"", ""}, {"linux", ""}, {"windows", "amd64"}, {"LINUX", "amd64"}} {
		_, err := i.Binary(ask[0], ask[1])
		require.Equal(t, fault.KindMissing, fault.KindOf(err), ask)
	}
}

// The digest follows the file: a new one in its place has its own, and many who ask at once get the same.
func TestTheDigestFollowsTheFile(t *testing.T) {
	t.Parallel()
	i := installer(t, map[string]string{"panel-agent-linux-arm64": "one"})
	digests := make([]string, 16)
	var asking sync.WaitGroup
	for n := range digests {
		asking.Go(func() {
			found, _ := i.Binary("linux", "arm64")
			digests[n] = found.SHA256
		})
	}
	asking.Wait()
	for _, digest := range digests {
		require.Equal(t, digests[0], digest)
		require.Len(t, digest, 64)
	}
	path := filepath.Join(i.dir, "panel-agent-linux-arm64")
	require.NoError(t, os.WriteFile(path, []byte("two"), 0o600))
	require.NoError(t, os.Chtimes(path, time.Now(), time.Now().Add(time.Hour)))
	found, err := i.Binary("linux", "arm64")
	require.NoError(t, err)
	require.NotEqual(t, digests[0], found.SHA256, "of the same size, but changed")
	require.NoError(t, os.Remove(path))
	_, err = i.Binary("linux", "arm64")
	require.Equal(t, fault.KindMissing, fault.KindOf(err))
}
