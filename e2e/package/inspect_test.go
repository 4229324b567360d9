package package_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// entry is one file of a package.
type entry struct {
	mode  int64
	owner string
	link  string
	text  []byte
}

// open reads a Debian package without dpkg: an ar archive of two packed tar archives.
func open(t *testing.T, pattern string) (control, data map[string]entry) {
	t.Helper()
	found, err := filepath.Glob(pattern)
	require.NoError(t, err)
	require.Len(t, found, 1)
	raw, err := os.ReadFile(found[0])
	require.NoError(t, err)
	rest, isArchive := bytes.CutPrefix(raw, []byte("!<arch>\n"))
	require.True(t, isArchive)
	for len(rest) > 60 {
		name, size := strings.TrimRight(string(rest[:16]), " /"), strings.TrimSpace(string(rest[48:58]))
		n, err := strconv.Atoi(size)
		require.NoError(t, err)
		part := rest[60 : 60+n]
		rest = rest[60+n+n%2:]
		switch name {
		case "control.tar.gz":
			control = files(t, part)
		case "data.tar.gz":
			data = files(t, part)
		}
	}
	require.NotEmpty(t, control)
	require.NotEmpty(t, data)
	return control, data
}

func files(t *testing.T, packed []byte) map[string]entry {
	t.Helper()
	all := map[string]entry{}
	archive := tar.NewReader(unzipped(t, packed))
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		text, err := io.ReadAll(archive)
		require.NoError(t, err)
		name := strings.TrimSuffix(strings.TrimPrefix(header.Name, "."), "/")
		all[strings.TrimPrefix(name, "/")] = entry{
			mode:  header.Mode & 0o7777,
			owner: header.Uname + ":" + header.Gname,
			link:  header.Linkname,
			text:  text,
		}
	}
}

func unzipped(t *testing.T, packed []byte) io.Reader {
	t.Helper()
	reader, err := gzip.NewReader(bytes.NewReader(packed))
	require.NoError(t, err)
	return reader
}

// The specification's places: /opt/panel/bin/panelctl, the service, and the settings that no package ever overwrites.
func TestThePackagesHoldWhatTheyPromise(t *testing.T) {
	if os.Getenv(stageVar) != "" {
		return
	}
	folder := packages(t, older)
	control, data := open(t, filepath.Join(folder, "panel_*.deb"))
	require.Contains(t, string(control["control"].text), "\nVersion: 1.0.0+4.gabcdef0\n")
	for path, mode := range map[string]int64{
		"opt/panel/bin/panelctl": 0o755, "opt/panel/bin/panel-agent": 0o755, "opt/panel/bin/panel-update": 0o755,
		"usr/lib/systemd/system/panel.service": 0o644, "usr/lib/systemd/system/panel-update.service": 0o644,
		"usr/lib/systemd/system/panel-update.path": 0o644, "usr/share/panel/panel.env.example": 0o644,
		"usr/share/doc/panel/configs/nginx.conf": 0o644, "usr/share/doc/panel/docs/operate.md": 0o644,
		"usr/share/bash-completion/completions/panelctl": 0o644, "usr/share/zsh/vendor-completions/_panelctl": 0o644,
		"usr/share/fish/vendor_completions.d/panelctl.fish": 0o644, "usr/share/man/man1/panelctl.1.gz": 0o644,
		"usr/share/man/man1/panelctl-update-apply.1.gz": 0o644,
	} {
		require.Contains(t, data, path)
		require.Equal(t, mode, data[path].mode, path)
		require.NotEmpty(t, data[path].text, path)
	}
	for path, file := range data {
		require.Equal(t, "root:root", file.owner, path)
		require.Zero(t, file.mode&0o022, "%s may be written by others", path)
	}
	require.NotContains(t, data, "etc/panel/panel.env",
		"the settings are made at the first installation, never shipped")
	require.NotContains(t, control, "conffiles")
	require.Equal(t, "/etc/panel/panel.env", data["opt/panel/.env"].link)
	require.Equal(t, "/opt/panel/bin/panelctl", data["usr/bin/panelctl"].link)
	require.Contains(
		t,
		string(data["usr/lib/systemd/system/panel.service"].text),
		"ExecStart=/opt/panel/bin/panelctl serve\n",
	)

	_, agent := open(t, filepath.Join(folder, "panel-agent_*.deb"))
	require.Contains(t, agent, "opt/panel-agent/panel-agent")
	require.Contains(t, agent, "usr/lib/systemd/system/panel-agent.service")
	require.Contains(t, agent, "usr/share/man/man1/panel-agent.1.gz")
}

// Manual pages come from the command tree, hidden commands stay hidden, and no page carries the hour of its making.
func TestManualsAndCompletionsFollowTheCommandTree(t *testing.T) {
	if os.Getenv(stageVar) != "" {
		return
	}
	_, data := open(t, filepath.Join(packages(t, newer), "panel_*.deb"))
	page, err := io.ReadAll(unzipped(t, data["usr/share/man/man1/panelctl-setup-link.1.gz"].text))
	require.NoError(t, err)
	require.Contains(t, string(page), ".TH")
	require.Contains(t, string(page), "PANEL_SETUP_TOKEN")
	require.NotContains(t, data, "usr/share/man/man1/panelctl-update-run.1.gz")
	require.NotContains(t, data, "usr/share/man/man1/panelctl-update-database.1.gz")
	require.Contains(t, string(data["usr/share/bash-completion/completions/panelctl"].text), "__start_panelctl")
	require.True(
		t,
		strings.HasPrefix(string(data["usr/share/zsh/vendor-completions/_panelctl"].text), "#compdef panelctl"),
	)
}

// No package and no script carries a password or a key; the master key and the set-up token are made on the machine.
func TestThePackagesCarryNoSecret(t *testing.T) {
	if os.Getenv(stageVar) != "" {
		return
	}
	for _, script := range []string{
		"panel.preinst", "panel.postinst", "panel.prerm", "panel.postrm", "agent.postinst",
		"agent.prerm", "agent.postrm",
	} {
		text, err := os.ReadFile(filepath.Join(tree, "packaging", "scripts", script))
		require.NoError(t, err)
		require.NotRegexp(t, `(?i)password=[^$]`, string(text), script)
		require.True(t, strings.HasPrefix(string(text), "#!/bin/sh\n"), script)
	}
	example, err := os.ReadFile(filepath.Join(tree, "configs", "panel.env.example"))
	require.NoError(t, err)
	for _, name := range []string{"PANEL_SECRET_KEY", "PANEL_SETUP_TOKEN"} {
		require.Contains(t, string(example), "\n#"+name+"=\n", "the first installation fills this line in")
	}
}
