package nodes

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/agentapi"
	"panel/platform/paneltest"
	"panel/platform/testneed"
)

const updateKey = "RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3"

// The whole way from the line in the panel to the enrolment: the token reaches the agent and is in no argument of any
// process on the way, where every user of the server could read it; the key of updates comes with the line.
func TestTheInstallLineShowsItsTokenToNobody(t *testing.T) {
	t.Parallel()
	p := paneltest.Start(t, paneltest.Modules(Module()),
		paneltest.Env(map[string]string{"PANEL_UPDATE_PUBLIC_KEY": updateKey}))
	issued := p.As("nodes.edit").Post("/api/v1/nodes/enrollment-tokens", map[string]any{}).Is(http.StatusCreated)
	script := string(p.Anonymous().Get(agentapi.PathInstallScript).Is(http.StatusOK).Body)
	for _, updates := range []bool{true, false} {
		said, asked := installed(t, script, issued.Text("install.command"), updates)
		require.Equal(t, issued.Text("token"), said, "what the agent read")
		require.NotContains(t, asked, issued.Text("token"), "arguments")
		_, enrolled, found := strings.Cut(asked, "panel-agent enroll --panel http://127.0.0.1:8080 --data ")
		require.True(t, found, asked)
		enrolled, _, _ = strings.Cut(enrolled, "\n")
		require.Equal(t, updates, strings.HasSuffix(enrolled, " --update-key "+updateKey),
			"an older agent does not know the option")
	}
}

// installed runs the line on a server whose programs note with which arguments they were called. Knows says whether the
// agent knows the option --update-key.
func installed(t *testing.T, script, line string, knows bool) (said, asked string) {
	t.Helper()
	server := t.TempDir()
	place := func(name, text string) { testneed.Script(t, filepath.Join(server, name), text) }
	for _, folder := range []string{"/opt/panel-agent", "/etc/panel-agent", "/etc/systemd/system"} {
		require.NoError(t, os.MkdirAll(filepath.Join(server, folder), 0o700))
		script = strings.ReplaceAll(script, folder, filepath.Join(server, folder))
	}
	note := "#!/bin/sh\necho \"$(basename \"$0\") $*\" >>" + server + "/asked\n"
	help := ""
	if knows {
		help = "--update-key"
	}
	agent := note + "case \"$*\" in *--help*) echo '" + help + "' ;; *) cat >" + server + "/said ;; esac\n"
	digest := sha256.Sum256([]byte(agent))
	place("script", script)
	place("agent", agent)
	place("curl", note+"[ $# -gt 2 ] || exec cat "+server+"/script\n"+
		"echo 'x-checksum-sha256: "+hex.EncodeToString(digest[:])+"' >\"$3\"; cat "+server+"/agent >\"$5\"\n")
	place("sudo", note+"exec \"$@\"\n")
	place("id", note+"echo 0\n")
	for _, harmless := range []string{"systemctl", "chown", "install", "useradd"} {
		place(harmless, note)
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", line)
	cmd.Env = append(os.Environ(), "PATH="+server+":"+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	raw, err := os.ReadFile(filepath.Join(server, "said"))
	require.NoError(t, err, "%s", out)
	calls, err := os.ReadFile(filepath.Join(server, "asked"))
	require.NoError(t, err)
	return string(raw), string(calls)
}
