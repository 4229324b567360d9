package package_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/release"
)

const tree = "../.."

// The two versions that all tests share; the older one is a build between releases.
const (
	older = "v1.0.0-4-gabcdef0"
	newer = "v1.1.0"
)

var built = map[string]func() (string, error){
	older: sync.OnceValues(func() (string, error) { return build(older) }),
	newer: sync.OnceValues(func() (string, error) { return build(newer) }),
}

// packages gives the folder with the packages of a version.
func packages(t *testing.T, version string) string {
	t.Helper()
	folder, err := built[version]()
	require.NoError(t, err)
	return folder
}

func build(version string) (string, error) {
	folder, err := filepath.Abs(filepath.Join(tree, ".run", "package", "e2e", version))
	if err != nil {
		return "", err
	}
	if err := os.RemoveAll(folder); err != nil {
		return "", err
	}
	cmd := exec.Command("scripts/package.sh", version, folder)
	cmd.Dir = tree
	if said, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, said)
	}
	return folder, nil
}

// compile makes a panel of a version, as a release carries it.
func compile(t *testing.T, version, to string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-o", to,
		"-ldflags", "-s -w -X main.version="+version+" -X panel/platform/version.Version="+version, "./cmd/panelctl")
	cmd.Dir, cmd.Env = tree, append(os.Environ(), "CGO_ENABLED=0")
	said, err := cmd.CombinedOutput()
	require.NoError(t, err, string(said))
}

// publish puts one version under its own folder below site, signed.
func publish(t *testing.T, site string, key release.Key, version, executable string) {
	t.Helper()
	folder := filepath.Join(site, version)
	require.NoError(t, os.MkdirAll(folder, 0o755))
	file := filepath.Join(folder, "panelctl")
	require.NoError(t, os.Rename(executable, file))
	m := release.Manifest{
		Channel:    "stable",
		Version:    version,
		MinPanel:   "1.0.0",
		ReleasedAt: time.Now().UTC(),
		Notes:      "what is new in " + version,
	}
	require.NoError(t, m.Add(release.Panel, release.Platform(), file))
	_, err := key.Write(folder, m)
	require.NoError(t, err)
}

// broken is a release that runs, changes the schema of the database and never becomes healthy: the panel of before,
// which fails as soon as it has started.
const broken = `#!/bin/sh
case "$1" in
version) echo '{"schema":"panelctl.version/v1","cli":"v1.3.0","panel":null}' ;;
serve)
	/opt/panel/updates/self/panelctl serve &
	panel=$!
	for try in 1 2 3 4 5 6 7 8 9 10; do
		sleep 0.5
		psql -q -h /opt/panel/data/postgres/data -U panel -d panel -v ON_ERROR_STOP=1 -c "
			create table if not exists broken_leftover (id int); create or replace function broken_leftover() returns int language sql as 'select 1';
			insert into bun_migrations (name, group_id) values ('20990101000000_broken', 999) on conflict do nothing" && break
	done
	kill $panel
	wait $panel
	exit 1
	;;
esac
`
