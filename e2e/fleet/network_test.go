package fleet

import (
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// Addresses on the one wire that panel, client, target and servers share. They are public ones, so that the exit needs
// no permission to reach the target.
const (
	panelAddress = "203.0.113.1" // panel, client and target
	entryAddress = "203.0.113.2"
	exitAddress  = "203.0.113.3"
	laterAddress = "203.0.113.9" // which the exit gets while it serves
)

// wire makes the bridge in the namespace of the test.
func wire(t *testing.T) {
	t.Helper()
	command(t, "ip", "link", "set", "lo", "up")
	command(t, "ip", "link", "add", "wire", "type", "bridge")
	command(t, "ip", "addr", "add", panelAddress+"/24", "dev", "wire")
	command(t, "ip", "link", "set", "wire", "up")
}

// server makes a namespace with one address on the wire and gives the command that runs programs in it. A process holds
// the namespace; it and everything in it are gone with the test.
func server(t *testing.T, name, address string) []string {
	t.Helper()
	return serverOn(t, "wire", name, address+"/24")
}

// serverOn is server on another wire, with options of its address.
func serverOn(t *testing.T, wire, name, address string, options ...string) []string {
	t.Helper()
	holder := exec.Command("unshare", "-n", "--", "cat")
	input, err := holder.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, holder.Start())
	t.Cleanup(func() {
		require.NoError(t, input.Close())
		require.NoError(t, holder.Wait())
	})
	pid := strconv.Itoa(holder.Process.Pid)
	enter := []string{"nsenter", "-t", pid, "-n", "--"}
	require.Eventually(t, func() bool { return differs(t, pid) }, answersWithin, glance)
	command(t, "ip", "link", "add", name, "type", "veth", "peer", "name", "eth0", "netns", pid)
	command(t, "ip", "link", "set", name, "master", wire, "up")
	for _, line := range [][]string{
		{"ip", "link", "set", "lo", "up"},
		append([]string{"ip", "addr", "add", address, "dev", "eth0"}, options...),
		{"ip", "link", "set", "eth0", "up"},
	} {
		command(t, append(enter, line...)...)
	}
	return enter
}

// differs says whether the process has left the namespace of the test.
func differs(t *testing.T, pid string) bool {
	t.Helper()
	mine, err := exec.Command("readlink", "/proc/self/ns/net").Output()
	require.NoError(t, err)
	its, err := exec.Command("readlink", "/proc/"+pid+"/ns/net").Output()
	return err == nil && string(its) != string(mine)
}

func command(t *testing.T, line ...string) {
	t.Helper()
	said, err := exec.Command(line[0], line[1:]...).CombinedOutput()
	require.NoError(t, err, "%v: %s", line, said)
}

// showPage lets a process show a page on every address of the server, for as long as the test runs.
func showPage(t *testing.T, enter []string) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	page := exec.Command(enter[0], append(slices.Clone(enter[1:]), self)...)
	page.Env = append(os.Environ(), pageMark+"=1")
	require.NoError(t, page.Start())
	t.Cleanup(func() {
		require.NoError(t, page.Process.Kill())
		_ = page.Wait() // it was killed
	})
}

// visited says whether the page answers without a flow.
func visited(t *testing.T, page string) bool {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, page, nil)
	require.NoError(t, err)
	resp, err := http.DefaultClient.Do(req)
	return err == nil && resp.Body.Close() == nil
}
